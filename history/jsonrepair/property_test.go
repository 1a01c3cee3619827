package jsonrepair

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// argumentsReal are arguments as coding tools send them.
var argumentsReal = []string{
	`{"path":"/home/u/src/main.go","content":"package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hi, \\\"you\\\"\")\n}\n"}`,
	`{"command": "grep -rn 'foo\\(bar\\)' . | awk '{print $1}'", "timeout": 120000, "background": false}`,
	"{\n  \"query\": \"caf\u00e9 \u65e5\u672c \U0001f600\",\n  \"filters\": [{\"field\": \"year\", \"op\": \">=\", \"value\": 2020.5e-1}, {\"field\": \"x\", \"value\": null}],\n  \"limit\": 10\n}\n",
	`{"edits":[{"old":"a\u00e9\ud83d\ude00","new":"C:\\Users\\x"},{"old":"","new":"}]{[\",:"}],"dry_run":true}`,
	`{}`,
	`{"a":{"b":{"c":{"d":[[[["deep"]]],[],{}]}}},"n":[-1,0,1.25,1e9,true,false,null]}`,
	`{"":"","  ":" ","a b":"// no comment","c":"# none","d":"/* none */","e":"...","f":"True, None","g":"'it''s'"}`,
	`{"text":"ends here\", \"not_a_key\": 1}","sql":"SELECT \"a\" FROM t WHERE b = 'x' + \"y\""}`,
}

// randomObject writes an object with odd blanks, escapes and texts that look like JSON.
func randomObject(r *rand.Rand, depth int) string {
	var b strings.Builder
	blank := func() { b.WriteString([]string{"", "", "", " ", "\n  ", "\t", "\r\n"}[r.IntN(7)]) }
	text := func() string {
		pieces := []string{
			"a", "Z9 ", "é", "日本", "😀", `\n`, `\"`, `\\`, `\/`, `\u00e9`, `\ud83d\ude00`, `\u0000`,
			"{", "}", "[", "]", ",", ":", "'", "“", "’", "`", "//", "/*", "#", "+", "True", `\",\"b\":`, `\\\"`, "```",
			"\u200b", "\ufeff", "＂", "：，", "｛［＇", `['\"]`, `(\"x\")`, "(1)",
		}
		s := ""
		for range r.IntN(6) {
			s += pieces[r.IntN(len(pieces))]
		}
		return s
	}
	var value func(depth int)
	list := func(depth, n int, open, end string, item func(i int)) {
		b.WriteString(open)
		blank()
		for i := range n {
			if i > 0 {
				b.WriteString(",")
				blank()
			}
			item(i)
			blank()
		}
		b.WriteString(end)
	}
	object := func(depth int) {
		list(depth, r.IntN(5), "{", "}", func(i int) {
			fmt.Fprintf(&b, `"%s%d"`, text(), i)
			blank()
			b.WriteString(":")
			blank()
			value(depth - 1)
		})
	}
	value = func(depth int) {
		switch k := r.IntN(10); {
		case k < 2 && depth > 0:
			object(depth)
		case k < 4 && depth > 0:
			list(depth, r.IntN(4), "[", "]", func(int) { value(depth - 1) })
		case k < 8:
			b.WriteString(`"` + text() + `"`)
		default:
			b.WriteString([]string{"0", "-12", "3.25", "1e10", "-0.5E-3", "true", "false", "null", "12345678901234567890"}[r.IntN(9)])
		}
	}
	object(depth)
	return b.String()
}

func argumentsCorpus() []string {
	r := rand.New(rand.NewPCG(7, 11))
	objects := append([]string{}, argumentsReal...)
	for range 500 {
		objects = append(objects, randomObject(r, 4))
	}
	return objects
}

// A prefix of an object is what a model leaves behind that runs out of tokens.
func TestRepairKeepsPrefixesTrue(t *testing.T) {
	prefixes, realistic := 0, 0
	for i, raw := range argumentsCorpus() {
		if got, how := Repair(raw); got != raw || how.Class != Sound {
			t.Fatalf("Repair(%q) = %q, %s; it is valid", raw, got, how.Class)
		}
		whole := decodeArguments(t, raw)
		before := 0
		for n := 1; n < len(strings.TrimRight(raw, " \r\n\t")); n++ {
			got, how := Repair(raw[:n])
			// A string that breaks off behind brackets which close all around it may as well have lost
			// its quote: it is one bracket or more shorter then, and true.
			lostQuote := outcomeOf(how) == Fixed && strings.ContainsAny(raw[n-1:n], "}] \n\r\t`")
			if outcomeOf(how) != Closed && !lostQuote {
				t.Fatalf("Repair(%q) is %s (%s), want closed", raw[:n], outcomeOf(how), how.Faults)
			}
			checkRepaired(t, raw[:n], got, how)
			checkBytesKept(t, raw[:n], got)
			value := decodeArguments(t, got)
			if fault := untrue(whole, value, true); fault != "" {
				t.Fatalf("Repair(%q) = %q: %s", raw[:n], got, fault)
			}
			if w := weight(value); w < before && !lostQuote {
				t.Fatalf("Repair(%q) = %q keeps less (%d) than a shorter prefix (%d)", raw[:n], got, w, before)
			} else {
				before = max(w, before)
			}
			if pieces := Split(raw[:n]); pieces != nil {
				t.Fatalf("Split(%q) = %q, but it is one object", raw[:n], pieces)
			}
			prefixes++
		}
		if i+1 == len(argumentsReal) {
			realistic = prefixes
		}
	}
	t.Logf("%d prefixes, %d of them of realistic arguments: all objects, all values true", prefixes, realistic)
	if prefixes < 15_000 {
		t.Errorf("only %d prefixes were tried", prefixes)
	}
}

func decodeArguments(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		t.Fatalf("decode %q: %v", text, err)
	}
	return object
}

// checkBytesKept: up to the closing quotes and brackets, the result is the bytes that arrived.
func checkBytesKept(t *testing.T, prefix, got string) {
	t.Helper()
	n := 0
	for n < len(got) && n < len(prefix) && got[n] == prefix[n] {
		n++
	}
	if rest := strings.Trim(got[n:], "\"}] \n\r\t"); rest != "" {
		t.Fatalf("Repair(%q) = %q: %q did not arrive", prefix, got, rest)
	}
}

// untrue says where got holds something that whole does not. Only what stands at the end of got may
// be shorter than in whole, and a map has no end: there each member may be, one of them at most.
func untrue(whole, got any, last bool) string {
	switch got := got.(type) {
	case map[string]any:
		whole, ok := whole.(map[string]any)
		if !ok {
			return fmt.Sprintf("%v is no object", whole)
		}
		short := 0
		for name, value := range got {
			original, ok := whole[name]
			if !ok {
				return fmt.Sprintf("the name %q is invented", name)
			}
			if !reflect.DeepEqual(original, value) {
				if short++; short > 1 || !last {
					return fmt.Sprintf("%v became %v", original, value)
				}
				if fault := untrue(original, value, true); fault != "" {
					return fault
				}
			}
		}
	case []any:
		whole, ok := whole.([]any)
		if !ok || len(got) > len(whole) {
			return fmt.Sprintf("%v became the list %v", whole, got)
		}
		for i, value := range got {
			if fault := untrue(whole[i], value, last && i == len(got)-1); fault != "" {
				return fault
			}
		}
	case string:
		whole, ok := whole.(string)
		if !ok || got != whole && !last || !strings.HasPrefix(whole, got) || !utf8.ValidString(got) {
			return fmt.Sprintf("%q became %q", whole, got)
		}
	default:
		if !reflect.DeepEqual(whole, got) {
			return fmt.Sprintf("%v became %v", whole, got)
		}
	}
	return ""
}

// weight is how much a value holds: its members, elements and bytes of text.
func weight(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, value := range v {
			n += weight(value)
		}
	case []any:
		for _, value := range v {
			n += weight(value)
		}
	case string:
		n += len(v)
	}
	return n
}

// Damage at random: whatever comes in, an object goes out.
func TestRepairSendsObjectsOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	spare := []string{
		`"`, `'`, "“", "`", `\`, "{", "}", "[", "]", ",", ":", "+", "/", "/*", "*/", "//", "#", "...", "\n", "\x00", "\xff", "\xf0\x9f",
		"None", "tru", "-", "0x", "1e", `\u`, `\ud83d`, "```", "a", " ", "\u00a0", `"a":`, `\"`,
	}
	classes := map[outcome]int{}
	for _, raw := range argumentsCorpus() {
		for range 12 {
			damaged := raw
			for range 1 + r.IntN(4) {
				at := r.IntN(len(damaged) + 1)
				end := at
				if r.IntN(2) == 0 {
					end = min(len(damaged), at+r.IntN(3))
				}
				damaged = damaged[:at] + spare[r.IntN(len(spare))] + damaged[end:]
			}
			got, how := Repair(damaged)
			checkRepaired(t, damaged, got, how)
			classes[outcomeOf(how)]++
			checkNothingInvented(t, damaged, decodeArguments(t, got), true)
			if strings.Join(Split(damaged), "") != "" && !strings.Contains(damaged, "{") {
				t.Errorf("Split(%q) found objects", damaged)
			}
		}
	}
	t.Logf("classes: %v", classes)
}

// checkNothingInvented: each plain name and text of a repaired object stands in what arrived. The only
// name of winnow's own is the one around a value that is no object.
func checkNothingInvented(t *testing.T, raw string, v any, top bool) {
	t.Helper()
	// Strings that were joined by a plus, and escapes, stand there in pieces.
	plain := func(s string) bool {
		return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '\\' || r == '"' })
	}
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			wrap := top && name == "value" && len(v) == 1
			if !wrap && plain(name) && !strings.ContainsAny(raw, `+\`) && !strings.Contains(raw, name) {
				t.Fatalf("Repair(%q) made up the name %q", raw, name)
			}
			checkNothingInvented(t, raw, value, false)
		}
	case []any:
		for _, value := range v {
			checkNothingInvented(t, raw, value, false)
		}
	case string:
		if plain(v) && !strings.ContainsAny(raw, "+\\") && !strings.Contains(raw, v) {
			t.Fatalf("Repair(%q) made up the text %q", raw, v)
		}
	case json.Number:
		if !strings.Contains(strings.ReplaceAll(raw, "_", ""), strings.TrimSuffix(strings.TrimPrefix(v.String(), "0"), ".0")) && !strings.ContainsAny(raw, "xX") {
			t.Fatalf("Repair(%q) made up the number %s", raw, v)
		}
	}
}

// A reader that went back over the text for each bracket, quote or backslash would take minutes here.
func TestRepairIsLinear(t *testing.T) {
	try := func(raw string) {
		got, how := Repair(raw)
		if !isObject(got) {
			t.Errorf("Repair(%.40q…) = %.80q, no object (%s)", raw, got, how.Class)
		}
		Split(raw)
	}
	for _, piece := range []string{"{", "[", "}", "]", `"`, `'`, `\`, `\"`, `{"a":"`, `" "`, `"{\`} {
		for _, start := range []string{"", `{"a":["`} {
			try(start + strings.Repeat(piece, (1<<18)/len(piece)))
		}
	}
	for _, piece := range []string{
		`{"a":`, `["`, `",`, `"a" "b`, `"a", b`, `"a"` + "\n", `{"a":"x"y"}`, `{\`, `{\"`, "/*", "//", "...", "“", "`", ",", ":", "+", `"+`, "{{x",
		`'C:\b`, `"C:\`, `a "`, `a "b":`, `""a`, "{```", `"x}`, `x}`,
		"'x", "u'", "A(1", "A('", "(", "(1,", "('", "((", "], [", "x{y", "x[y]", `"x" y, "`, `"{"b":`, `{"`, `"""`, "{{", `"" a`, "::", `", "b";`, `(")`,
		"a", "1", " ", "\n", "\xff", "\x00", `\u`, `\ud83d`, `{"a":[1,"b":`, "```", `{}`, `{a:1}`, `{"":"""}`, `"x` + "\u00a0",
		`["a":[`, `"x"],["y"`, `"a":1,2,`, `"k":[["a"],"b"],`, `["a" b`, `{ b": {`, `[{},"a":1},`, `"a":"b","c",`, `"a",{`, `"a":],`, `{"a":"{"}"`,
	} {
		for _, start := range []string{"", `{"a":`, `{"a":"`, `"{`, "say {"} {
			try(start + strings.Repeat(piece, (1<<16)/len(piece)))
		}
	}
	try(`"{` + strings.Repeat(`"x`, 1<<16) + strings.Repeat(" ", 1<<17)) // each quote may be the last
}

func FuzzRepair(f *testing.F) {
	for _, tt := range argumentsTable {
		if len(tt.raw) < 500 {
			f.Add(tt.raw)
		}
	}
	for _, raw := range argumentsReal {
		f.Add(raw)
		f.Add(raw[:len(raw)*2/3])
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, how := Repair(raw)
		checkRepaired(t, raw, got, how)
		for _, object := range Split(raw) {
			if !strings.HasPrefix(object, "{") || !strings.Contains(raw, object) {
				t.Errorf("Split(%q) made %q up", raw, object)
			}
		}
	})
}
