package jsonrepair

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// cases are arguments as models and proxies write them, with what is sent for them.
var cases = []struct {
	name, raw, want string
	class           Class
	kind            string
}{
	{"an object with odd blanks", " {\"b\" :\t1 ,\r\n\"a\":[ ]}\n", " {\"b\" :\t1 ,\r\n\"a\":[ ]}\n", Sound, ""},
	{"a great number", `{"id":12345678901234567890.10}`, `{"id":12345678901234567890.10}`, Sound, ""},
	{"escapes", `{"a":"\u00e9\ud83d\ude00\\ud83d\/"}`, `{"a":"\u00e9\ud83d\ude00\\ud83d\/"}`, Sound, ""},
	{"text like JSON in a string", `{"a":"// x\n{'b': None,}"}`, `{"a":"// x\n{'b': None,}"}`, Sound, ""},

	{"an open object", `{`, `{}`, Closed, "C1"},
	{"an open name", `{"a": 1, "b`, `{"a": 1}`, Closed, "C1"},
	{"a name without a value", `{"a": 1, "b": `, `{"a": 1}`, Closed, "C1"},
	{"an open string", `{"path": "/tmp/no`, `{"path": "/tmp/no"}`, Closed, "C1"},
	{"half an escape", `{"a": "x\u00e`, `{"a": "x"}`, Closed, "C1"},
	{"half a surrogate pair", `{"a": "x\ud83d\ude0`, `{"a": "x"}`, Closed, "C1"},
	{"half a code point", "{\"a\": \"x\xf0\x9f\x98", `{"a": "x"}`, Closed, "C1"},
	{"an open number", `{"a": 1, "b": 12`, `{"a": 1}`, Closed, "C1"},
	{"a number with a blank behind it", `{"a": 12 `, `{"a": 12}`, Closed, "C1"},
	{"an open literal", `{"a": 1, "b": tru`, `{"a": 1}`, Closed, "C1"},
	{"a complete literal", `{"a": true`, `{"a": true}`, Closed, "C1"},
	{"an open list", `{"a": [1, {"b": "c`, `{"a": [1, {"b": "c"}]}`, Closed, "C1"},
	{"an open list of numbers", `{"a": [1, 2`, `{"a": [1]}`, Closed, "C1"},
	{"the fence behind an open object", "{\"a\": \"x\"\n```", `{"a": "x"}`, Closed, "C1"},
	{"as deep as it may be", strings.Repeat(`{"a":`, maxDepth), strings.Repeat(`{"a":`, maxDepth-1) + "{" +
		strings.Repeat("}", maxDepth), Closed, "C1"},

	{"a code fence", "```json\n{\"a\": 1}\n```", `{"a": 1}`, Fixed, "C1"},
	{"prose around it", `For {name} call {"a": 1}. Tell me more.`, `{"a": 1}`, Fixed, "C1"},
	{"raw control characters", "{\"a\": \"x\ny\tz\x1b\"}", `{"a": "x\ny\tz\u001b"}`, Fixed, "C1"},
	{"bytes that are no text", "{\"a\": \"\xff\"}", "{\"a\": \"\ufffd\"}", Fixed, "C1"},
	{"an escape that is none", `{"re": "\d+\.go"}`, `{"re": "\\d+\\.go"}`, Fixed, "C1"},
	{"a surrogate alone", `{"a": "\ud83d"}`, `{"a": "\\ud83d"}`, Fixed, "C1"},
	{"a path of Windows", `{"p": "C:\new\docs\users"}`, `{"p": "C:\\new\\docs\\users"}`, Fixed, "C1"},
	{"Python", `{'a': True, 'b': None, 'c': 'it\'s'}`, `{"a": true, "b": null, "c": "it's"}`, Fixed, "C1"},
	{"smart quotes", `{“a”: “x”, ‘b’: ‘it’s’}`, `{"a": "x", "b": "it’s"}`, Fixed, "C1"},
	{"quotes in a string", `{"a": "say "hi", then go", "b": 1}`, `{"a": "say \"hi\", then go", "b": 1}`, Fixed, "C1"},
	{"quotes of code", `{"a": "f("x", "y")", "b": 1}`, `{"a": "f(\"x\", \"y\")", "b": 1}`, Fixed, "C1"},
	{"names without quotes", `{a: 1, b_2: {$c: 2}}`, `{"a": 1, "b_2": {"$c": 2}}`, Fixed, "C1"},
	{"text without quotes", `{"a": New York, "b": x/y}`, `{"a": "New York", "b": "x/y"}`, Fixed, "C1"},
	{"numbers beyond a double", `{"a": 1e400, "b": [1e-400, -2E+999]}`, `{"a": "1e400", "b": [1e-400, "-2E+999"]}`, Fixed, "C1"},
	{"a number that is none", `{"a": 007}`, `{"a": "007"}`, Fixed, "C1"},
	{"comments", "{ // one\n\"a\": 1, /* two */ \"b\": 2 # three\n}", "{ \n\"a\": 1,  \"b\": 2 \n}", Fixed, "C1"},
	{"commas too many", `{, "a": [, 1,, 2, ], "b": 1,}`, `{"a": [1, 2], "b": 1}`, Fixed, "C1"},
	{"commas missing", `{"a": ["x" "y" 1 2] "b": {} "c": 1}`, `{"a": ["x","y",1,2],"b": {},"c": 1}`, Fixed, "C1"},
	{"a colon missing", `{"a" 1, "b" "c"}`, `{"a" :1, "b" :"c"}`, Fixed, "C1"},
	{"a value missing", `{"a": , "b": 1}`, `{"b": 1}`, Fixed, "C1"},
	{"brackets missing", `{"a": [{"b": 1], "c": [2}`, `{"a": [{"b": 1}], "c": [2]}`, Fixed, "C1"},
	{"brackets too many", `{"a": 1]}}`, `{"a": 1}`, Fixed, "C1"},
	{"Python that broke off", `{'a': 'x', 'b': [True, 'y`, `{"a": "x", "b": [true, "y"]}`, Fixed, "C1"},
	{"the first of two objects", `{"a": 1}{"b": 2}`, `{"a": 1}`, Fixed, "C1"},

	{"nothing", " \n", `{}`, Emptied, "C2"},
	{"null", `null`, `{}`, Emptied, "C3"},
	{"None", `None`, `{}`, Emptied, "C3"},
	{"a number", `12`, `{"value": 12}`, Fixed, "C3"},
	{"a string", `"say \"hi\""`, `{"value": "say \"hi\""}`, Fixed, "C3"},
	{"a list of a number beyond a double", `[1e400]`, `{"value": ["1e400"]}`, Fixed, "C3"},
	{"a list that broke off", `['a', {b: 'c`, `{"value": ["a", {"b": "c"}]}`, Fixed, "C3"},
	{"an object in a string", `"{\"a\": \"b\\n\"}"`, `{"a": "b\n"}`, Unwrapped, "C3"},
	{"an object in a string in a string", `"\"{\\\"a\\\": 1}\""`, `{"a": 1}`, Unwrapped, "C3"},
	{"an object in a string that broke off", `"{\"a\": \"b`, `{"a": "b"}`, Unwrapped, "C3"},
	{"an object in quotes", `"{"a": 1}"`, `{"a": 1}`, Unwrapped, "C3"},
	{"an escaped object", `{\"a\": \"b \\\"c\\\"\"}`, `{"a": "b \"c\""}`, Unwrapped, "C3"},

	{"braces in a string in a string", `""{!`, `{"value": "\"{!"}`, Fixed, "C3"},

	{"a number beyond a double alone", `1e400`, `{}`, Emptied, "C1"},
	{"prose alone", `I will call the tool now`, `{}`, Emptied, "C1"},
	{"prose in braces", `{not an object}`, `{}`, Emptied, "C1"},
	{"a set", `{"a", "b"}`, `{}`, Emptied, "C1"},
	{"an expression", `{"a": f(1), "b": {"c": g{}}}`, `{}`, Emptied, "C1"},
	{"too deep", strings.Repeat(`{"a":`, maxDepth+1), `{}`, Emptied, "C1"},
}

func TestRepair(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			got, how := Repair(tt.raw)
			if got != tt.want || how.Class != tt.class || how.Kind != tt.kind {
				t.Errorf("Repair(%.200q)\n got %.200s %+v", tt.raw, got, how)
				t.Errorf("want %.200s %s %s", tt.want, tt.class, tt.kind)
			}
			if how.Lost() != (tt.class == Emptied && tt.kind == "C1") {
				t.Errorf("Repair(%.200q) is lost: %t", tt.raw, how.Lost())
			}
			checkRepaired(t, tt.raw)
		})
	}
}

func TestRepairReportsWhereTheFirstFaultIs(t *testing.T) {
	for raw, want := range map[string]Report{
		`{"a": "b`:             {Class: Closed, Kind: "C1", Offset: 8, Cut: true},
		`{"é": 1, 'b': [`:      {Class: Fixed, Kind: "C1", Offset: 10, Cut: true},
		`{"a":1}{"b":2}`:       {Class: Fixed, Kind: "C1", Offset: 7},
		`Sure: {"a":1}`:        {Class: Fixed, Kind: "C1", Offset: 0},
		`"{\"a\": \"b`:         {Class: Unwrapped, Kind: "C3", Cut: true},
		`{"a": 1, "b": maybe}`: {Class: Fixed, Kind: "C1", Offset: 14},
	} {
		if _, how := Repair(raw); how != want {
			t.Errorf("Repair(%q) reports %+v, want %+v", raw, how, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want []string
	}{
		{`{"a":1}{"b":2}`, []string{`{"a":1}`, `{"b":2}`}},
		{"{\"a\":\"}{\"}, {}\n\n{\"b\": [1]} ", []string{`{"a":"}{"}`, `{}`, `{"b": [1]}`}},
		{`{"a":1}{"b":"x`, []string{`{"a":1}`, `{"b":"x`}},
		{`{'a': 1,}{b: True}`, []string{`{'a': 1,}`, `{b: True}`}},
		{`{"a":1}`, nil},
		{`{"a":"{}{}"}`, nil},
		{`[{},{}]`, nil},
		{`{"a":1} and {"b":2}`, nil},
		{`{"a":1}{what}`, nil},
		{``, nil},
	} {
		if got := Split(tt.raw); !slices.Equal(got, tt.want) {
			t.Errorf("Split(%q) = %q, want %q", tt.raw, got, tt.want)
		}
	}
}

// realistic are arguments as coding tools get them.
var realistic = []string{
	`{"path":"/home/u/src/main.go","content":"package main\n\nfunc main() {\n\tfmt.Println(\"hi, \\\"you\\\"\")\n}\n"}`,
	`{"command": "grep -rn 'foo\\(bar\\)' . | awk '{print $1}'", "timeout": 120000, "background": false}`,
	"{\n  \"query\": \"café 日本 😀\",\n  \"filters\": [{\"field\": \"year\", \"op\": \">=\", \"value\": 2020.5e-1}, " +
		"{\"field\": \"x\", \"value\": null}],\n  \"limit\": 10\n}\n",
	`{"edits":[{"old":"a\u00e9\ud83d\ude00","new":"C:\\Users\\x"},{"old":"","new":"}]{[\",:"}],"dry_run":true}`,
	`{"a":{"b":{"c":{"d":[[[["deep"]]],[],{}]}}},"n":[-1,0,1.25,1e9,true,false,null]}`,
	`{"":"","  ":" ","a b":"// no comment","c":"# none","d":"/* none */","e":"...","f":"True, None","g":"'it''s'"}`,
	`{"text":"ends here\", \"not_a_key\": 1}","sql":"SELECT \"a\" FROM t WHERE b = 'x' + \"y\""}`,
}

// A prefix of an object is what a model leaves that reaches its length limit.
func TestRepairKeepsPrefixesTrue(t *testing.T) {
	for _, raw := range realistic {
		checkPrefixes(t, raw)
	}
	rapid.Check(t, func(t *rapid.T) { checkPrefixes(t, randomObject(t, 3)) })
}

func checkPrefixes(t rapid.TB, raw string) {
	if got, how := Repair(raw); got != raw || how.Class != Sound {
		t.Fatalf("Repair(%q) = %q, %s; it is valid", raw, got, how.Class)
	}
	whole := decode(t, raw)
	for n := 1; n < len(strings.TrimRight(raw, jsonBlanks)); n++ {
		got, how := Repair(raw[:n])
		if how.Class != Closed || how.Kind != "C1" {
			t.Fatalf("Repair(%q) = %q is reported as %+v", raw[:n], got, how)
		}
		if !isPart(whole, decode(t, got)) {
			t.Fatalf("Repair(%q) = %q holds what the whole does not", raw[:n], got)
		}
		if pieces := Split(raw[:n]); pieces != nil {
			t.Fatalf("Split(%q) = %q, but it is one object", raw[:n], pieces)
		}
	}
}

// isPart reports whether part is whole without what stands at its end: names and values are those of whole, and only
// a string may be shorter.
func isPart(whole, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		whole, ok := whole.(map[string]any)
		for name, value := range part {
			original, known := whole[name]
			ok = ok && known && isPart(original, value)
		}
		return ok
	case []any:
		whole, ok := whole.([]any)
		for i, value := range part {
			ok = ok && i < len(whole) && isPart(whole[i], value)
		}
		return ok
	case string:
		whole, ok := whole.(string)
		return ok && strings.HasPrefix(whole, part) && utf8.ValidString(part)
	}
	return reflect.DeepEqual(whole, part)
}

// randomObject writes an object with odd blanks, escapes and texts that look like JSON.
func randomObject(t *rapid.T, depth int) string {
	texts := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "Z9 ", "é", "日本", "😀", `\n`, `\"`, `\\`, `\/`, `\u00e9`, `\ud83d\ude00`, `\u0000`, "{", "}", "[", "]",
		",", ":",
		"'", "“", "’", "`", "//", "/*", "#", "True", `\",\"b\":`, `\\\"`, "```", "\u200b", "C:\\\\", "...",
	}), 0, 5)
	text := func() string { return strings.Join(texts.Draw(t, "text"), "") }
	blank := func() string { return rapid.SampledFrom([]string{"", "", " ", "\n  ", "\r\n"}).Draw(t, "blank") }
	scalars := rapid.SampledFrom([]string{"0", "-12", "3.25", "1e10", "-0.5E-3", "true", "false", "null", "1234567890123"})
	var list func(open, end string, depth int, item func(i, depth int) string) string
	var value, member func(i, depth int) string
	list = func(open, end string, depth int, item func(i, depth int) string) string {
		var items []string
		for i := range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, blank()+item(i, depth-1)+blank())
		}
		return open + blank() + strings.Join(items, ",") + end
	}
	member = func(i, depth int) string { return fmt.Sprintf(`"%s%d"%s:%s`, text(), i, blank(), value(i, depth)) }
	value = func(_, depth int) string {
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case kind == 0 && depth > 0:
			return list("{", "}", depth, member)
		case kind == 1 && depth > 0:
			return list("[", "]", depth, value)
		case kind < 4:
			return `"` + text() + `"`
		}
		return scalars.Draw(t, "scalar")
	}
	return list("{", "}", depth, member)
}

func decode(t rapid.TB, text string) map[string]any {
	t.Helper()
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&object); err != nil || object == nil {
		t.Fatalf("decode %q: %v", text, err)
	}
	return object
}

// checkRepaired holds for any text: an object comes out that needs no repair, and nothing in it is invented.
func checkRepaired(t *testing.T, raw string) {
	t.Helper()
	got, how := Repair(raw)
	object := decode(t, got)
	if again, twice := Repair(got); again != got || twice != (Report{}) {
		t.Fatalf("Repair(%q) = %q; repaired again it is %q, %+v", raw, got, again, twice)
	}
	if how.Class == Sound && got != raw || how.Offset > len(raw) {
		t.Fatalf("Repair(%q) = %q is reported as %+v", raw, got, how)
	}
	if value, ok := object["value"]; ok && len(object) == 1 && how.Kind == "C3" && how.Class == Fixed {
		checkArrived(t, raw, value)
		return
	}
	checkArrived(t, raw, object)
}

// checkArrived fails where a value holds a name, a text or a number that did not arrive. Backslashes are not compared,
// because repair adds and removes them, and texts with a control character or an escape of one are not compared at all.
func checkArrived(t *testing.T, raw string, v any) {
	t.Helper()
	arrived := func(text string) bool {
		text = strings.ReplaceAll(text, `\`, "")
		special := strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
		return special || strings.Contains(raw, `\u`) || strings.Contains(strings.ReplaceAll(raw, `\`, ""), text)
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if !arrived(name) {
				t.Fatalf("Repair(%q) made up the name %q", raw, name)
			}
			checkArrived(t, raw, value)
		}
	case []any:
		for _, value := range v {
			checkArrived(t, raw, value)
		}
	case string, json.Number:
		if text := fmt.Sprint(v); !arrived(text) {
			t.Fatalf("Repair(%q) made up %q", raw, text)
		}
	case bool:
		if !strings.Contains(strings.ToLower(raw), fmt.Sprint(v)) && !strings.Contains(raw, `\u`) {
			t.Fatalf("Repair(%q) made up %t", raw, v)
		}
	}
}

func FuzzRepair(f *testing.F) {
	for _, tt := range cases {
		if len(tt.raw) < 500 {
			f.Add(tt.raw)
		}
	}
	for _, raw := range realistic {
		f.Add(raw)
		f.Add(raw[:len(raw)*2/3])
	}
	f.Fuzz(func(t *testing.T, raw string) {
		checkRepaired(t, raw)
		for _, object := range Split(raw) {
			if !strings.HasPrefix(object, "{") || !strings.Contains(raw, object) {
				t.Errorf("Split(%q) made %q up", raw, object)
			}
		}
	})
}

// The time is compared by hand: each size is twice the one before, and so should its time be.
func BenchmarkRepair(b *testing.B) {
	for _, piece := range []string{
		`{"a":`, `[`, `"x`, `'C:\b`, `"/*`, `{"a":"x"y"}`, `\"`, `he said "yes" and `, `"name" 1 `, `{"a":"x"}`,
		`{name} and `, "// ",
	} {
		for size := 1 << 15; size <= 1<<18; size *= 2 {
			for _, start := range []string{"", `{"a":["`} {
				raw := start + strings.Repeat(piece, size/len(piece))
				b.Run(fmt.Sprintf("%q/%d", start+piece, size), func(b *testing.B) {
					for b.Loop() {
						Repair(raw)
						Split(raw)
					}
				})
			}
		}
	}
}
