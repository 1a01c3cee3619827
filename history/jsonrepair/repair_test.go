package jsonrepair

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write what comes out into the cases; read the difference")

// rawOf are the arguments of a case. A text that begins with go: is written as in Go, and $DEEP is as many objects in
// one another as there may be.
func rawOf(line string) string {
	if text, err := strconv.Unquote(strings.TrimPrefix(line, "go:")); err == nil && strings.HasPrefix(line, "go:") {
		line = text
	}
	return strings.ReplaceAll(line, "$DEEP", strings.Repeat(`{"a":`, maxDepth))
}

// lineOf is a text as rawOf reads it.
func lineOf(text string) string {
	if strings.ContainsFunc(text, unicode.IsControl) || text != strings.TrimSpace(text) || !utf8.ValidString(text) {
		return "go:" + strconv.Quote(text)
	}
	return text
}

// readCases reads testdata/cases.txt: what stands in front, and then a case each, of a name, arguments, and what comes
// out.
func readCases(t testing.TB) []string {
	t.Helper()
	file, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(file)), "\n\n")
}

// TestRepair repairs arguments as models and proxies write them: what is sent for them, what is said of it, and the
// objects where they are several.
func TestRepair(t *testing.T) {
	cases := readCases(t)
	for i, block := range cases[1:] {
		lines := strings.SplitN(block, "\n", 3)
		raw := rawOf(lines[1])
		got, how := Repair(raw)
		checkRepaired(t, raw)
		if how.Lost() != (how.Outcome == Emptied && how.Kind == "C1") {
			t.Errorf("%s is lost: %t", lines[0], how.Lost())
		}
		if len(got) > 200 {
			got = fmt.Sprintf("%.20s… of %d bytes", got, len(got))
		}
		text := fmt.Sprintf("%s\n%+v", lineOf(got), how)
		for _, object := range SplitObjects(raw) {
			text += "\nobject " + lineOf(object)
		}
		if want := strings.Join(lines[2:], ""); text != want && !*update {
			t.Errorf("%s: %.200q\n got %s\nwant %s", lines[0], raw, text, want)
		}
		cases[1+i] = strings.Join(append(lines[:2], text), "\n")
	}
	if *update {
		if err := os.WriteFile("testdata/cases.txt", []byte(strings.Join(cases, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
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
	if got, how := Repair(raw); got != raw || how.Outcome != Unchanged {
		t.Fatalf("Repair(%q) = %q, %s; it is valid", raw, got, how.Outcome)
	}
	whole := decode(t, raw)
	for n := 1; n < len(strings.TrimRight(raw, jsonBlanks)); n++ {
		got, how := Repair(raw[:n])
		if how.Outcome != Closed || how.Kind != "C1" {
			t.Fatalf("Repair(%q) = %q is reported as %+v", raw[:n], got, how)
		}
		if !isPart(whole, decode(t, got)) {
			t.Fatalf("Repair(%q) = %q holds what the whole does not", raw[:n], got)
		}
		if pieces := SplitObjects(raw[:n]); pieces != nil {
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
	if how.Outcome == Unchanged && got != raw || how.Offset > len(raw) {
		t.Fatalf("Repair(%q) = %q is reported as %+v", raw, got, how)
	}
	if value, ok := object["value"]; ok && len(object) == 1 && how.Kind == "C3" && how.Outcome == Fixed {
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
	for _, block := range readCases(f)[1:] {
		f.Add(rawOf(strings.Split(block, "\n")[1]))
	}
	for _, raw := range realistic {
		f.Add(raw)
		f.Add(raw[:len(raw)*2/3])
	}
	f.Fuzz(func(t *testing.T, raw string) {
		checkRepaired(t, raw)
		for _, object := range SplitObjects(raw) {
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
						SplitObjects(raw)
					}
				})
			}
		}
	}
}
