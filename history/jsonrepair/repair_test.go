package jsonrepair

import (
	"encoding/json"
	"strings"
	"testing"
)

// Each kind of damage, with what is sent for it and what the user reads.
var argumentsTable = []struct {
	name, raw, want string
	outcome         outcome
	kind            string
}{
	// Nothing to do.
	{"an empty object", `{}`, `{}`, Unchanged, ""},
	{"odd blanks stay", " {\"b\" :\t1 ,\r\n\"a\":[ ]}\n", " {\"b\" :\t1 ,\r\n\"a\":[ ]}\n", Unchanged, ""},
	{"doubled names stay", `{"a":1,"a":2}`, `{"a":1,"a":2}`, Unchanged, ""},
	{"great numbers stay", `{"id":12345678901234567890.10}`, `{"id":12345678901234567890.10}`, Unchanged, ""},
	{"code in a string stays", `{"a":"// x\n{'b': None,}"}`, `{"a":"// x\n{'b': None,}"}`, Unchanged, ""},
	{"escapes stay", `{"a":"\u00e9\ud83d\ude00\\ud83d\/"}`, `{"a":"\u00e9\ud83d\ude00\\ud83d\/"}`, Unchanged, ""},

	// C1: the text ends too early.
	{"open object", `{`, `{}`, Closed, "C1"},
	{"open name", `{"a": 1, "b`, `{"a": 1}`, Closed, "C1"},
	{"name without colon", `{"a": 1, "b"`, `{"a": 1}`, Closed, "C1"},
	{"name without value", `{"a": 1, "b": `, `{"a": 1}`, Closed, "C1"},
	{"open string", `{"path": "/tmp/no`, `{"path": "/tmp/no"}`, Closed, "C1"},
	{"string without a character", `{"path": "`, `{"path": ""}`, Closed, "C1"},
	{"half an escape", `{"a": "x\`, `{"a": "x"}`, Closed, "C1"},
	{"part of a Unicode escape", `{"a": "x\u00e`, `{"a": "x"}`, Closed, "C1"},
	{"half of a pair", `{"a": "x\ud83d`, `{"a": "x"}`, Closed, "C1"},
	{"part of a pair's second half", `{"a": "x\ud83d\ude0`, `{"a": "x"}`, Closed, "C1"},
	{"part of a code point", "{\"a\": \"x\xf0\x9f\x98", `{"a": "x"}`, Closed, "C1"},
	{"open number", `{"a": 1, "b": 12`, `{"a": 1}`, Closed, "C1"},
	{"number with a blank behind it", `{"a": 12 `, `{"a": 12}`, Closed, "C1"},
	{"open literal", `{"a": 1, "b": tru`, `{"a": 1}`, Closed, "C1"},
	{"whole literal", `{"a": true`, `{"a": true}`, Closed, "C1"},
	{"open list", `{"a": [1, 2`, `{"a": [1]}`, Closed, "C1"},
	{"comma at the end", `{"a": [1, 2,`, `{"a": [1, 2]}`, Closed, "C1"},
	{"nested", `{"a": {"b": [{"c": "d`, `{"a": {"b": [{"c": "d"}]}}`, Closed, "C1"},

	// C1: packed in text.
	{"code fence", "```json\n{\"a\": 1}\n```", `{"a": 1}`, Fixed, "C1"},
	{"code fence in one line", "```json{\"a\": 1}```", `{"a": 1}`, Fixed, "C1"},
	{"code fence, cut", "```\n{\"a\": \"x", `{"a": "x"}`, Fixed, "C1"},
	{"code fence behind a cut object", "{\"a\": \"x\"\n```", `{"a": "x"}`, Fixed, "C1"},
	{"code fence in brackets", "[```json\n{\"a\": 1}\n```]", `{"a": 1}`, Fixed, "C1"},
	{"code fence in braces", "{```\n{\"a\": 1}\n```}", `{"a": 1}`, Fixed, "C1"},
	{"prose", `Sure, I'll use {"a": 1}. Tell me more.`, `{"a": 1}`, Fixed, "C1"},
	{"prose with braces", `For {name} call {"a": 1}`, `{"a": 1}`, Fixed, "C1"},
	{"tags", `<tool_call>{"a": 1}</tool_call>`, `{"a": 1}`, Fixed, "C1"},
	{"byte order mark", "\ufeff{\"a\": 1}", `{"a": 1}`, Fixed, "C1"},

	// C1: strings.
	{"raw line break and tab", "{\"a\": \"x\ny\tz\"}", `{"a": "x\ny\tz"}`, Fixed, "C1"},
	{"raw escape character", "{\"a\": \"\x1b[1m\"}", `{"a": "\u001b[1m"}`, Fixed, "C1"},
	{"path of Windows", `{"p": "C:\Users\x"}`, `{"p": "C:\\Users\\x"}`, Fixed, "C1"},
	{"path with some escapes that are some", `{"p": "C:\new\docs\users"}`, `{"p": "C:\\new\\docs\\users"}`, Fixed, "C1"},
	{"path with true escapes", `{"p": "C:\\new\\docs"}`, `{"p": "C:\\new\\docs"}`, Unchanged, ""},
	{"path with a false Unicode escape", `{"p": "C:\users"}`, `{"p": "C:\\users"}`, Fixed, "C1"},
	{"escaped apostrophe", `{"p": "it\'s"}`, `{"p": "it's"}`, Fixed, "C1"},
	{"single quotes", `{'a': 'x "y" z', 'b': 'it's'}`, `{"a": "x \"y\" z", "b": "it's"}`, Fixed, "C1"},
	{"curly quotes", `{“a”: “x”, ‘b’: ‘it’s’}`, `{"a": "x", "b": "it’s"}`, Fixed, "C1"},
	{"curly unescaped quotes in a string", `{"a": "“x”",}`, `{"a": "“x”"}`, Fixed, "C1"},
	{"backquotes", "{\"a\": `x\ny`}", `{"a": "x\ny"}`, Fixed, "C1"},
	{"unescaped quotes in a string", `{"a": "he said "hi" to me", "b": 1}`, `{"a": "he said \"hi\" to me", "b": 1}`, Fixed, "C1"},
	{"quotes inside before a comma", `{"a": "say "hi", then go", "b": 1}`, `{"a": "say \"hi\", then go", "b": 1}`, Fixed, "C1"},
	{"quotes of code inside", `{"code": "f("x", "y")", "b": 1}`, `{"code": "f(\"x\", \"y\")", "b": 1}`, Fixed, "C1"},
	{"quotes inside at the end of an element", `{"a": ["say "x" ", "y"]}`, `{"a": ["say \"x\" ", "y"]}`, Fixed, "C1"},
	{"quotes inside a cut string", `{"a": "he said "hi" and th`, `{"a": "he said \"hi\" and th"}`, Fixed, "C1"},
	{"closing quote missing", `{"a": "x, "b": 2}`, `{"a": "x", "b": 2}`, Fixed, "C1"},
	{"closing quote missing, no comma", `{"a": "x "b": 2}`, `{"a": "x ","b": 2}`, Fixed, "C1"},
	{"closing quote of a name missing", `{"a:"x", "b": 2}`, `{"a":"x", "b": 2}`, Fixed, "C1"},
	{"closing quote of a name missing behind a colon", `{"a: "x", "b: 12, "c: {"d : ""}, "e": true}`, `{"a": "x", "b": 12, "c": {"d" : ""}, "e": true}`, Fixed, "C1"},
	{"opening quote of a text missing", `{"a": 50 %", "b": x: y\n", "c": [true story", 1], "d": C:\\new"}`, `{"a": "50 %", "b": "x: y\n", "c": ["true story", 1], "d": "C:\\new"}`, Fixed, "C1"},
	{"closing quote missing before a bracket", `{"a": {"b": "x}, "c": ["d], "h": {"i": ["j[0]] } , "e": {"f": [[ "]], "g": 1}}`, `{"a": {"b": "x"}, "c": ["d"], "h": {"i": ["j[0]"] } , "e": {"f": [[ ""]], "g": 1}}`, Fixed, "C1"},
	{"closing quote missing in a list", `{"a": ["x, "y"], "b": ["f(x), "y", "z"]}`, `{"a": ["x", "y"], "b": ["f(x)", "y", "z"]}`, Fixed, "C1"},
	{"opening quote missing in a list", `{"a": ["x", y z", "b"], "c": [f(1)", g]}`, `{"a": ["x", "y z", "b"], "c": ["f(1)", "g"]}`, Fixed, "C1"},
	{"opening quote missing before escapes", `{"a": say \"x\" to y", "b": 1}`, `{"a": "say \"x\" to y", "b": 1}`, Fixed, "C1"},
	{"closing quote missing before a text", `{"a": "x, y, "b": "z", "c": 1}`, `{"a": "x, y", "b": "z", "c": 1}`, Fixed, "C1"},
	{"JSON in a string, not escaped", `{"a": "{ "b": 1, "c": 2 }"}`, `{"a": "{ \"b\": 1, \"c\": 2 }"}`, Fixed, "C1"},
	{"JSON in a string, not escaped, with texts", `{"file": "{"name": "x", "tags": ["y", "z"], "of": {}}", "mode": "w"}`, `{"file": "{\"name\": \"x\", \"tags\": [\"y\", \"z\"], \"of\": {}}", "mode": "w"}`, Fixed, "C1"},
	{"JSON in a string, not escaped, behind code", `{"code": "d = {"a": "}"}; print(d)", "n": 1}`, `{"code": "d = {\"a\": \"}\"}; print(d)", "n": 1}`, Fixed, "C1"},
	{"JSON in a string, half escaped", `{"a": "{\"b\": \"c"}", "d": ["[\"e"]", 1]}`, `{"a": "{\"b\": \"c\"}", "d": ["[\"e\"]", 1]}`, Fixed, "C1"},
	{"JSON in a string, the first quote of a name missing", `{"a": "x = { b": {"c": 1} }; y", "n": 1}`, `{"a": "x = { b\": {\"c\": 1} }; y", "n": 1}`, Fixed, "C1"},
	{"a list in a string, not escaped", `{"args": "["-l", "/tmp"]", "n": 1}`, `{"args": "[\"-l\", \"/tmp\"]", "n": 1}`, Fixed, "C1"},
	{"JSON in a string, not escaped, cut", `{"file": "{"name": "x", "of": {"na`, `{"file": "{\"name\": \"x\", \"of\": {\"na"}`, Fixed, "C1"},
	{"opening quote of a name missing", `{"a": "x", b": "y"}`, `{"a": "x", "b": "y"}`, Fixed, "C1"},
	{"opening quotes missing", `{a": x y", "b": 2}`, `{"a": "x y", "b": 2}`, Fixed, "C1"},
	{"closing quote missing at the end", `{"url": "https://a.b/c}`, `{"url": "https://a.b/c"}`, Fixed, "C1"},
	{"closing quote missing at the end, nested", `{"a": ["x", {"b": "12:20 } ] }`, `{"a": ["x", {"b": "12:20" } ] }`, Fixed, "C1"},
	{"closing quote missing before a fence", "{\"a\": \"x}\n```", "{\"a\": \"x\"}", Fixed, "C1"},
	{"code that broke off behind its own bracket", `{"code": "f() { return 1 }`, `{"code": "f() { return 1 }"}`, Closed, "C1"},
	{"quotes doubled as in a table", `{""a"": [{""b c"":''x y'', ""d"": ""5""}]}`, `{"a": [{"b c":"x y", "d": "5"}]}`, Fixed, "C1"},
	{"a quote too many before a name", `{"" a":"x", "": 1}`, `{" a":"x", "": 1}`, Fixed, "C1"},
	{"a line break in the quotes of a name", "{\"a\n  \": \"x\", \"b\\n\": 1}", `{"a": "x", "b\n": 1}`, Fixed, "C1"},
	{"words in quotes at the beginning of a text", `{"a": ""yes" was said", "b": ""no"", "c": ""x"}`, `{"a": "\"yes\" was said", "b": "no", "c": "x"}`, Fixed, "C1"},
	{"a letter doubled in doubled quotes", `{""a"": ""aéé b""}`, `{"a": "aéé b"}`, Fixed, "C1"},
	{"quotes inside a name", `{"k"e"y": "value"}`, `{"k\"e\"y": "value"}`, Fixed, "C1"},
	{"one quote inside a second name", `{"a": 1, "in"put": [2]}`, `{"a": 1, "in\"put": [2]}`, Fixed, "C1"},
	{"quotes inside a bare name", `{in"ner"name: "x"}`, `{"in\"ner\"name": "x"}`, Fixed, "C1"},
	{"a pattern with both quotes", `{"re": "^['"]\w+['"]$", "n": 1}`, `{"re": "^['\"]\\w+['\"]$", "n": 1}`, Fixed, "C1"},
	{"a pattern with both quotes at the end", `{"re": "['"]"}`, `{"re": "['\"]"}`, Fixed, "C1"},
	{"a pattern with both quotes in a list", `{"re": ["['"]+x", "y"]}`, `{"re": ["['\"]+x", "y"]}`, Fixed, "C1"},
	{"a pattern in a command", `{"cmd": "grep -E "['"]" a.txt", "n": 2}`, `{"cmd": "grep -E \"['\"]\" a.txt", "n": 2}`, Fixed, "C1"},
	{"brackets around one value each", `{"a": ("x"), "b": (1), "c": ( None )}`, `{"a": "x", "b": 1, "c": null}`, Fixed, "C1"},
	{"a list in round brackets stays one", `{"a": ("x",), "b": (1, 2)}`, `{"a": ["x"], "b": [1, 2]}`, Fixed, "C1"},
	{"numbers without their end", `{"a": 2e, "b": -, "c": 1.5E+, "d": 4}`, `{"d": 4}`, Fixed, "C1"},
	{"invisible characters between tokens", "{\u200b\"a\"\u2060:\ufeff1,\u180e\"b\":\u200d\"x\u200by\"\u200e}\u00ad", "{ \"a\" : 1, \"b\": \"x\u200by\" }", Fixed, "C1"},
	{"invisible characters in what broke off", "{\"a\":\u200b\"x\u200b", "{\"a\": \"x\u200b\"}", Fixed, "C1"},
	{"nothing but invisible characters", "\u200b\u2060", `{}`, Emptied, "C2"},
	{"full-width characters", `｛＂a＂：１，＂b＂：［＂x＂，"y"］｝`, `{"a":"１","b":["x","y"]}`, Fixed, "C1"},
	{"full-width quotes around full-width text", `{＂a＂: ＂say：｛"hi"｝，＂｝`, `{"a": "say：｛\"hi\"｝，"}`, Fixed, "C1"},
	{"full-width text in quotes of JSON", `{"a": "｛＂x＂：1｝，",}`, `{"a": "｛＂x＂：1｝，"}`, Fixed, "C1"},
	{"bare words in a list", `{"a": [src/main.go, "b", two words, 3]}`, `{"a": ["src/main.go", "b", "two words", 3]}`, Fixed, "C1"},
	{"strings joined", `{"a": "x" + 'y' + "z", "b": 1}`, `{"a": "xyz", "b": 1}`, Fixed, "C1"},
	{"bytes that are no text", "{\"a\": \"x\xff\"}", `{"a": "x` + "\ufffd" + `"}`, Fixed, "C1"},
	{"half of a pair, alone", `{"a": "\ud83d!"}`, `{"a": "\ufffd!"}`, Fixed, "C1"},

	// C1: literals, names, comments, commas, brackets.
	{"literals of Python", `{"a": True, "b": False, "c": None}`, `{"a": true, "b": false, "c": null}`, Fixed, "C1"},
	{"literals of JavaScript", `{"a": undefined, "b": NaN, "c": -Infinity}`, `{"a": null, "b": null, "c": null}`, Fixed, "C1"},
	{"numbers", `{"a": .5, "b": 5., "c": +5, "d": 1_000, "e": 0x1F, "f": -.5}`, `{"a": 0.5, "b": 5.0, "c": 5, "d": 1000, "e": 31, "f": -0.5}`, Fixed, "C1"},
	{"values of code", `{'a': u'x', 'b': r'\d\n', 'c': Decimal('1.5'), 'd': [NumberLong( 12 ), new Date("2024")]}`, `{"a": "x", "b": "\\d\\n", "c": "1.5", "d": [12, "2024"]}`, Fixed, "C1"},
	{"tuples of Python", `{'a': ('x', 2, True), 'b': (('y',), ()), 'c': (see above)}`, `{"a": ["x", 2, true], "b": [["y"], []], "c": "(see above)"}`, Fixed, "C1"},
	{"round brackets in a text", `{phone: (555) 123, fn: () => 1, "a": ["f("x", 5)", true]}`, `{"phone": "(555) 123", "fn": "() => 1", "a": ["f(\"x\", 5)", true]}`, Fixed, "C1"},
	{"a tuple, cut", `{'a': ('x', 'y`, `{"a": ["x", "y"]}`, Fixed, "C1"},
	{"a string in three quotes", `{"text": """say "x", then
go\n""", "n": 1}`, `{"text": "say \"x\", then\ngo\n", "n": 1}`, Fixed, "C1"},
	{"an escaped quote before three", `{"a": """x\"""", "b": """\u12"""}`, `{"a": "x\"", "b": "\\u12"}`, Fixed, "C1"},
	{"number with leading zeros", `{"a": 007}`, `{"a": "007"}`, Fixed, "C1"},
	{"numbers beyond a double", `{"a": 1e400, "b": [-2E+999, 1e-400, 1e5], "c": "1e400"}`, `{"a": "1e400", "b": ["-2E+999", 1e-400, 1e5], "c": "1e400"}`, Fixed, "C1"},
	{"text without quotes or comma", `{"a": x y "b": 2}`, `{"a": "x y","b": 2}`, Fixed, "C1"},
	{"unquoted text", `{"city": New York, "when": 12:30, "url": https://a.b/c}`, `{"city": "New York", "when": "12:30", "url": "https://a.b/c"}`, Fixed, "C1"},
	{"brackets in a text without quotes", `{cmd: run{fast} all [of it], args: [x[0], y]}`, `{"cmd": "run{fast} all [of it]", "args": ["x[0]", "y"]}`, Fixed, "C1"},
	{"brackets in a text without quotes, cut", `{cmd: run{fas`, `{"cmd": "run{fas"}`, Fixed, "C1"},
	{"unquoted names", `{a: 1, b_2: {$c: 2}}`, `{"a": 1, "b_2": {"$c": 2}}`, Fixed, "C1"},
	{"numbers with words", `{"a": 5 apples, "b": 10 %, "c": [1 kg, 2], "d": 3 "e": 4}`, `{"a": "5 apples", "b": "10 %", "c": ["1 kg", 2], "d": 3, "e": 4}`, Fixed, "C1"},
	{"text without quotes, cut", `{"a": 1, "b": Smi`, `{"a": 1, "b": "Smi"}`, Fixed, "C1"},
	{"text of words without quotes, cut", `{city: New Yor`, `{"city": "New Yor"}`, Fixed, "C1"},
	{"what may be a literal, cut", `{"a": 1, "b": Fal`, `{"a": 1}`, Closed, "C1"},
	{"name without quotes or colon", `{a 'b'}`, `{"a" :"b"}`, Fixed, "C1"},
	{"a remark before a name", `{"a": 1, NOTE "b": 2}`, `{"a": 1,  "b": 2}`, Fixed, "C1"},
	{"words behind a text in a list", `{"a": ["x" two words, "y", "z" last], "b": ["c" d" , "e" f]}`, `{"a": ["x", "two words", "y", "z", "last"], "b": ["c", "d" , "e", "f"]}`, Fixed, "C1"},
	{"a quote inside a text in a list", `{"a": ["say \"x" to me", "27" wide", "so "y" it is"]}`, `{"a": ["say \"x\" to me", "27\" wide", "so \"y\" it is"]}`, Fixed, "C1"},
	{"a remark behind a text", `{"a": "x" the name, "b": ["y" (second), "z"], "c": "d" as ever}`, `{"a": "x", "b": ["y", "z"], "c": "d"}`, Fixed, "C1"},
	{"a measure in inches is no remark", `{"a": "a 27" monitor", "b": "5" wide"}`, `{"a": "a 27\" monitor", "b": "5\" wide"}`, Fixed, "C1"},
	{"comments", "{ // one\n\"a\": 1, /* two */ \"b\": 2 # three\n}", "{ \n\"a\": 1,  \"b\": 2 \n}", Fixed, "C1"},
	{"comments in one line", `{"a": {"b": 1 // one }, "c": 2 # two }`, `{"a": {"b": 1 }, "c": 2 }`, Fixed, "C1"},
	{"a comment that broke off", `{"a": 1, // the fir`, `{"a": 1}`, Fixed, "C1"},
	{"text with a comma, without quotes", `{"city": Paris, France, "when": now, in a moment}`, `{"city": "Paris, France", "when": "now, in a moment"}`, Fixed, "C1"},
	{"a name without quotes, cut", `{city: Paris, wh`, `{"city": "Paris"}`, Fixed, "C1"},
	{"trailing commas", `{"a": [1, 2, ], "b": 1,}`, `{"a": [1, 2], "b": 1}`, Fixed, "C1"},
	{"doubled and leading commas", `{, "a": [, 1,, 2], "b": 1}`, `{"a": [1, 2], "b": 1}`, Fixed, "C1"},
	{"missing commas in a list", `{"a": ["x" 17, "y" true] "b": ["z" ["y" null]]}`, `{"a": ["x", 17, "y", true], "b": ["z", ["y", null]]}`, Fixed, "C1"},
	{"missing commas", "{\"a\": [1 2 \"x\" \"y\"] \"b\": \"c\" \"d\": 1\n\"e\": {}}", "{\"a\": [1, 2, \"x\", \"y\"], \"b\": \"c\", \"d\": 1,\n\"e\": {}}", Fixed, "C1"},
	{"missing colon", `{"a" 1, "b" = 2, "c" => 3}`, `{"a" :1, "b" : 2, "c" : 3}`, Fixed, "C1"},
	{"a colon too many", `{"a":: 1, "b" : : "c"}`, `{"a": 1, "b" :  "c"}`, Fixed, "C1"},
	{"a comma for a colon", `{"a", 1, "b", [2], "c", None}`, `{"a": 1, "b": [2], "c": null}`, Fixed, "C1"},
	{"digits in groups", `{"a": 1,234, "b": 0,5, "c": 105,12,`, `{"a": "1,234", "b": "0,5", "c": "105,12"}`, Fixed, "C1"},
	{"missing value", `{"a": , "b": 1}`, `{"b": 1}`, Fixed, "C1"},
	{"dots", `{"a": [1, 2, ...]}`, `{"a": [1, 2]}`, Fixed, "C1"},
	{"missing bracket", `{"a": [1, 2}`, `{"a": [1, 2]}`, Fixed, "C1"},
	{"missing bracket before a name", `{"a": [1, 2, "b": 3}`, `{"a": [1, 2],"b": 3}`, Fixed, "C1"},
	{"missing bracket of a list that is empty", `{"a": [, "b": 3}`, `{"a": [],"b": 3}`, Fixed, "C1"},
	{"missing first bracket", `{"a": "x", "y", 1], "b": 2, 3], "c": {"d": 1}, {"d": 2}], "e": ], "f": 5}`, `{"a": ["x", "y", 1], "b": [2, 3], "c": [{"d": 1}, {"d": 2}], "e": [], "f": 5}`, Fixed, "C1"},
	{"missing first bracket of words", `{"a": one, two], "b": "x", [1], [2]]}`, `{"a": ["one", "two"], "b": ["x", [1], [2]]}`, Fixed, "C1"},
	{"a bracket behind one value", `{"a": "x"], "b": 1}`, `{"a": "x", "b": 1}`, Fixed, "C1"},
	{"values without names", `{"a": "x", "y", "z"}`, `{}`, Lost, "C1"},
	{"missing brace", `{"a": [{"b": 1], "c": 2}`, `{"a": [{"b": 1}], "c": 2}`, Fixed, "C1"},
	{"missing braces around names in a list", `{"a": ["b": 1, "c": [2]], "d": [[3, "e": 4]]}`, `{"a": [{"b": 1, "c": [2]}], "d": [[3, {"e": 4}]]}`, Fixed, "C1"},
	{"missing brace between objects in a list", `{"a": [{"b": 1}, "b": 2}, {"b": 3}], "c": 4}`, `{"a": [{"b": 1}, {"b": 2}, {"b": 3}], "c": 4}`, Fixed, "C1"},
	{"missing bracket behind an object in a list", `{"a": [{"b": 1}, "c": 2}`, `{"a": [{"b": 1}],"c": 2}`, Fixed, "C1"},
	{"missing bracket of a row", `{"t": [[1, 2], "x", 4], [5, 6], [7, [8]]], "n": 0}`, `{"t": [[1, 2], ["x", 4], [5, 6], [7, [8]]], "n": 0}`, Fixed, "C1"},
	{"missing bracket of the first row", `{"t": ["x", {"y": 2}], [3, 4]]}`, `{"t": [["x", {"y": 2}], [3, 4]]}`, Fixed, "C1"},
	{"missing bracket of the last row", `{"t": [["x", 1], "y", 2]], "n": [3]]}`, `{"t": [["x", 1], ["y", 2]], "n": [3]}`, Fixed, "C1"},
	{"missing bracket of a row in a list of objects", `[{"t": [[1], 2, 3], [4]]}, {"t": []}]`, `{"value": [{"t": [[1], [2, 3], [4]]}, {"t": []}]}`, Fixed, "C3"},
	{"missing first brace", `"a": 1, "b": 2}`, `{"a": 1, "b": 2}`, Fixed, "C1"},
	{"missing brace in a list", `{"a": [{"b": 1{"b": 2}]}`, `{"a": [{"b": 1},{"b": 2}]}`, Fixed, "C1"},
	{"a list closed too early", `{"a": ["x"], ["y", [1]], [ ], "b": []["z"]}`, `{"a": ["x","y", [1] ], "b": ["z"]}`, Fixed, "C1"},
	{"a list without a name", `{"a": "x", ["y"], "b": 2}`, `{"a": "x", "b": 2}`, Fixed, "C1"},
	{"a brace too early", `{"a": {"b": 1}}, "c": 2}`, `{"a": {"b": 1}, "c": 2}`, Fixed, "C1"},
	{"a brace too early, no colon", `{"a": {"b": 1}}, "c" "d"}`, `{"a": {"b": 1}, "c" :"d"}`, Fixed, "C1"},
	{"braces of a template", `{{"a": {{"b": 1}}, "c": [{{}}]}}`, `{"a": {"b": 1}, "c": [{}]}`, Fixed, "C1"},
	{"an empty list before it", `[] {"a": 1}`, `{"a": 1}`, Fixed, "C1"},
	{"a brace too many", `{"a": 1}}`, `{"a": 1}`, Fixed, "C1"},
	{"blanks of print", "{\u00a0\"a\":\u00a01}", `{ "a": 1}`, Fixed, "C1"},
	{"fixed and cut", `{'a': 'x', 'b': [True, 'y`, `{"a": "x", "b": [true, "y"]}`, Fixed, "C1"},

	// C2: nothing there.
	{"no bytes", ``, `{}`, Emptied, "C2"},
	{"blanks only", " \n\t", `{}`, Emptied, "C2"},

	// C3: something else than an object.
	{"null", `null`, `{}`, Emptied, "C3"},
	{"None", `None`, `{}`, Emptied, "C3"},
	{"a number", `12`, `{"value": 12}`, Fixed, "C3"},
	{"a literal of Python", `True`, `{"value": true}`, Fixed, "C3"},
	{"a number in a string", `"123"`, `{"value": "123"}`, Fixed, "C3"},
	{"a string", `"say \"hi\""`, `{"value": "say \"hi\""}`, Fixed, "C3"},
	{"a list", `[1, {"a": 2}]`, `{"value": [1, {"a": 2}]}`, Fixed, "C3"},
	{"a list with faults, cut", `['a', {b: 'c`, `{"value": ["a", {"b": "c"}]}`, Fixed, "C3"},
	{"encoded twice", `"{\"a\": \"b\\n\"}"`, `{"a": "b\n"}`, Unwrapped, "C3"},
	{"encoded three times", `"\"{\\\"a\\\": 1}\""`, `{"a": 1}`, Unwrapped, "C3"},
	{"quotes in a string", `"\"hi\""`, `{"value": "\"hi\""}`, Fixed, "C3"},
	{"encoded twice, cut", `"{\"a\": \"b`, `{"a": "b"}`, Unwrapped, "C3"},
	{"encoded twice, with faults", `"{'a': True}"`, `{"a": true}`, Unwrapped, "C3"},
	{"quotes around an object", `"{"a": 1}"`, `{"a": 1}`, Unwrapped, "C3"},
	{"escaped without quotes", `{\"a\": \"b \\\"c\\\"\"}`, `{"a": "b \"c\""}`, Unwrapped, "C3"},

	// C4: the first of glued objects; the rest is reported.
	{"glued", `{"a": 1}{"b": 2}`, `{"a": 1}`, Fixed, "C1"},

	// Nothing sure.
	{"a number beyond a double", `1e400`, `{}`, Lost, "C1"},
	{"prose alone", `I will call the tool now`, `{}`, Lost, "C1"},
	{"braces around prose", `{not an object}`, `{}`, Lost, "C1"},
	{"a set", `{"a", "b"}`, `{}`, Lost, "C1"},
	{"an expression in brackets", `{"a": ("x" "y"), "b": 1}`, `{}`, Lost, "C1"},
	{"an expression", `{"a": f(1), "b": {"c": g{}}}`, `{}`, Lost, "C1"},
	{"a name in the place of a value", `{"a": "b": 1}`, `{}`, Lost, "C1"},
	{"too deep", strings.Repeat(`{"a":`, maxDepth+1), `{}`, Lost, "C1"},
	{"deep", strings.Repeat(`{"a":`, maxDepth), strings.Repeat(`{"a":`, maxDepth-1) + "{" + strings.Repeat("}", maxDepth), Closed, "C1"},
}

// outcome is how much had to be done to arguments.
type outcome string

const (
	Unchanged outcome = "unchanged"
	Closed    outcome = "closed"    // they broke off; what had arrived is closed
	Fixed     outcome = "fixed"     // they were not an object of valid JSON
	Unwrapped outcome = "unwrapped" // the object was written as a string
	Emptied   outcome = "emptied"   // there were none, or null
	Lost      outcome = "lost"      // nothing sure could be read
)

func outcomeOf(how Report) outcome {
	switch {
	case how.Class == Sound:
		return Unchanged
	case how.Class == Absent, how.Class == Null:
		return Emptied
	case how.Class == Unreadable:
		return Lost
	case how.Class == Encoded:
		return Unwrapped
	case how.Class == Damaged && how.Faults == 0:
		return Closed
	}
	return Fixed
}

func TestRepair(t *testing.T) {
	for _, tt := range argumentsTable {
		t.Run(tt.name, func(t *testing.T) {
			got, how := Repair(tt.raw)
			if got != tt.want || outcomeOf(how) != tt.outcome || how.Class.Kind() != tt.kind {
				t.Errorf("Repair(%.200q)\n got %.200s %s %q\nwant %.200s %s %q", tt.raw, got, outcomeOf(how), how.Class.Kind(), tt.want, tt.outcome, tt.kind)
			}
			checkRepaired(t, tt.raw, got, how)
		})
	}
}

// checkRepaired holds for every text: an object comes out, repairing it again changes nothing, and the
// report has each change.
func checkRepaired(t *testing.T, raw, got string, how Report) {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(got), &object); err != nil || object == nil {
		t.Fatalf("Repair(%.300q) = %.300q, which is no object: %v", raw, got, err)
	}
	if again, twice := Repair(got); again != got || outcomeOf(twice) != Unchanged {
		t.Errorf("Repair(%.300q) = %.300q; repaired again it is %.300q, %s", raw, got, again, twice.Class)
	}
	if (how.Class == Sound) != (got == raw) && raw != "{}" {
		t.Errorf("Repair(%.300q) = %.300q is %s", raw, got, how.Class)
	}
	if how.Class == Sound && how != (Report{}) || how.Class == Damaged && how.Faults == 0 && !how.Open {
		t.Errorf("Repair(%.300q) is reported as %+v", raw, how)
	}
	if how.Class == Unreadable && got != "{}" {
		t.Errorf("Repair(%.300q) is lost and sends %.300q", raw, got)
	}
}

func TestRepairSaysWhatWasWrong(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want Report
	}{
		{`{"a": "b`, Report{Class: Damaged, Open: true}},
		{`{'a': 1,}`, Report{Class: Damaged, Faults: faultQuote | faultComma}},
		{`[1]`, Report{Class: List}},
		{`"{}"`, Report{Class: Encoded}},
		{`{"a":1}{"b":2}`, Report{Class: Damaged, Faults: faultAround, Rest: `{"b":2}`}},
		{`call it`, Report{Class: Unreadable}},
	} {
		if _, how := Repair(tt.raw); how != tt.want {
			t.Errorf("Repair(%q) reports %+v, want %+v", tt.raw, how, tt.want)
		}
	}
	if got, want := (faultQuote | faultComma | faultAround).String(), "quote comma around"; got != want {
		t.Errorf("the names of the faults are %q, want %q", got, want)
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name, raw string
		want      []string
	}{
		{"two", `{"a":1}{"b":2}`, []string{`{"a":1}`, `{"b":2}`}},
		{"three with blanks and commas", "{\"a\":\"}{\"}, {}\n\n{\"b\": [1]} ", []string{`{"a":"}{"}`, `{}`, `{"b": [1]}`}},
		{"the last one cut", `{"a":1}{"b":"x`, []string{`{"a":1}`, `{"b":"x`}},
		{"damaged ones", `{'a': 1,}{b: True}`, []string{`{'a': 1,}`, `{b: True}`}},
		{"one", `{"a":1}`, nil},
		{"one, cut", `{"a":{"b":`, nil},
		{"one in a string", `{"a":"{}{}"}`, nil},
		{"nothing", ``, nil},
		{"a list", `[{},{}]`, nil},
		{"text behind it", `{"a":1} and {"b":2}`, nil},
		{"a brace too many", `{"a":1}}{"b":2}`, nil},
		{"not readable", `{"a":1}{what}`, nil},
	} {
		got := Split(tt.raw)
		if strings.Join(got, "\n") != strings.Join(tt.want, "\n") || len(got) != len(tt.want) {
			t.Errorf("%s: Split(%q) = %q, want %q", tt.name, tt.raw, got, tt.want)
		}
		for _, object := range got {
			if _, how := Repair(object); how.Class == Unreadable {
				t.Errorf("%s: %q of Split(%q) cannot be repaired", tt.name, object, tt.raw)
			}
		}
	}
}
