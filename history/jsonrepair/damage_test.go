package jsonrepair

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// hand writes values the way a model may, a departure from JSON in each field.
type hand struct {
	name            string
	comma, between  string // between members, and between elements
	colon           string
	object          [2]string
	list            [2]string
	closing         string // stands before each closing bracket
	text            func(string) string
	key             func(string) string
	yes, no, nought string
	around          func(string) string
}

// sound is the hand that writes JSON.
func sound() hand {
	return hand{
		comma: ", ", between: ", ", colon: ": ", object: [2]string{"{", "}"}, list: [2]string{"[", "]"}, text: quoted, key: quoted,
		yes: "true", no: "false", nought: "null", around: func(s string) string { return s },
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func pythonQuoted(s string) string {
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return quoted(s)
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`).Replace(s) + "'"
}

// encoders are the damages that leave no doubt what was meant.
func encoders() []hand {
	var all []hand
	add := func(name string, change func(*hand)) {
		h := sound()
		h.name = name
		change(&h)
		all = append(all, h)
	}
	add("trailing commas", func(h *hand) { h.closing = "," })
	add("no commas", func(h *hand) { h.comma = " " })
	add("lines for commas", func(h *hand) { h.comma, h.between = "\n", "\n" })
	add("doubled commas", func(h *hand) { h.comma, h.between = ",, ", ",," })
	add("no colons", func(h *hand) { h.colon = " " })
	add("doubled colons", func(h *hand) { h.colon = ":: " })
	add("equals signs", func(h *hand) { h.colon = "=" })
	add("bare names", func(h *hand) { h.key = func(s string) string { return s } })
	add("names without their first quote", func(h *hand) { h.key = func(s string) string { return s + `"` } })
	add("Python", func(h *hand) {
		h.text, h.key, h.yes, h.no, h.nought = pythonQuoted, pythonQuoted, "True", "False", "None"
	})
	add("tuples", func(h *hand) {
		h.text, h.key, h.closing, h.list = pythonQuoted, pythonQuoted, ",", [2]string{"(", ")"}
	})
	add("three quotes", func(h *hand) {
		h.text = func(s string) string { return `"""` + strings.ReplaceAll(s, `\`, `\\`) + `"""` }
	})
	add("curly quotes", func(h *hand) {
		h.text = func(s string) string { return "“" + strings.Trim(quoted(s), `"`) + "”" }
	})
	add("raw lines", func(h *hand) {
		h.text = func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	})
	add("comments", func(h *hand) { h.comma, h.colon = ", // the \"next\", it's {\n", ": /* a, b: */ " })
	add("dots", func(h *hand) { h.closing = ", ..." })
	add("template", func(h *hand) { h.object = [2]string{"{{", "}}"} })
	add("a fence", func(h *hand) { h.around = func(s string) string { return "```json\n" + s + "\n```" } })
	add("prose", func(h *hand) { h.around = func(s string) string { return "Let's call it:\n" + s + "\nThat's all." } })
	add("encoded twice", func(h *hand) { h.around = quoted })
	add("escaped", func(h *hand) {
		h.around = func(s string) string { return strings.TrimSuffix(strings.TrimPrefix(quoted(s), `"`), `"`) }
	})
	add("no bracket at the end", func(h *hand) { h.around = func(s string) string { return strings.TrimRight(s, "}]") + "\n" } })
	add("no first brace", func(h *hand) { h.around = func(s string) string { return s[1:] } })
	return all
}

// write writes a value. The order of members is that of their names.
func (h hand) write(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var members []string
		for i := range len(v) {
			name := fmt.Sprintf("name_%d", i)
			members = append(members, h.key(name)+h.colon+h.write(v[name]))
		}
		return h.join(h.object, h.comma, members)
	case []any:
		var elements []string
		for _, e := range v {
			elements = append(elements, h.write(e))
		}
		return h.join(h.list, h.between, elements)
	case string:
		return h.text(v)
	case bool:
		return map[bool]string{true: h.yes, false: h.no}[v]
	case nil:
		return h.nought
	}
	return fmt.Sprint(v)
}

func (h hand) join(brackets [2]string, comma string, items []string) string {
	if len(items) == 0 {
		return brackets[0] + brackets[1]
	}
	return brackets[0] + strings.Join(items, comma) + h.closing + brackets[1]
}

// randomArguments are arguments with texts as people write them.
func randomArguments(r *rand.Rand, depth int) map[string]any {
	texts := []string{
		"", "x", "New York", "Paris, France", "12:30", "https://a.b/c?d=e#f", "it's", `say "yes" to it`, "one\ntwo\tthree",
		"f(x) { return [1, 2] }", `C:\new\table`, "a: b", "// no comment", "true", "-5", "50 %", "日本 😀 é", "SELECT * FROM t WHERE a = 'b'",
	}
	var value func(depth int) any
	value = func(depth int) any {
		switch k := r.IntN(12); {
		case k == 0 && depth > 0:
			return randomArguments(r, depth-1)
		case k < 3 && depth > 0:
			list := []any{}
			for range r.IntN(4) {
				list = append(list, value(depth-1))
			}
			return list
		case k < 9:
			return texts[r.IntN(len(texts))]
		}
		return []any{true, false, nil, 0.0, -2.5, 17.0}[r.IntN(6)]
	}
	object := map[string]any{}
	for i := range 1 + r.IntN(4) {
		object[fmt.Sprintf("name_%d", i)] = value(depth)
	}
	return object
}

// Whatever the hand, what is sent holds what was meant.
func TestRepairReadsEachHand(t *testing.T) {
	for _, h := range encoders() {
		t.Run(h.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(13, 17))
			for range 600 {
				meant := randomArguments(r, 3)
				raw := h.around(h.write(meant))
				got, how := Repair(raw)
				checkRepaired(t, raw, got, how)
				var object map[string]any
				if err := json.Unmarshal([]byte(got), &object); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(object, meant) {
					t.Fatalf("Repair(%q)\n got %q %s, want %s", raw, got, how.Class, sound().write(meant))
				}
			}
		})
	}
}

// One mark of JSON that is missing can leave doubt what was meant, but most often leaves none. The shares
// are what can be read at least, in percent.
func TestRepairWithoutOneMark(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 23))
	tried, same := map[byte]int{}, map[byte]int{}
	for range 2000 {
		meant := randomArguments(r, 3)
		raw := sound().write(meant)
		marks := jsonMarks(raw)
		for range 6 {
			at := marks[r.IntN(len(marks))]
			got, how := Repair(raw[:at] + raw[at+1:])
			checkRepaired(t, raw[:at]+raw[at+1:], got, how)
			var object map[string]any
			if err := json.Unmarshal([]byte(got), &object); err != nil {
				t.Fatal(err)
			}
			tried[raw[at]]++
			if reflect.DeepEqual(object, meant) {
				same[raw[at]]++
			}
		}
	}
	for mark, least := range map[byte]int{'[': 55, ':': 100, '\\': 100, ',': 99, '"': 90, ']': 90, '{': 85, '}': 75} {
		share := 100 * same[mark] / max(1, tried[mark])
		t.Logf("without one %c: %d of %d as they were meant", mark, same[mark], tried[mark])
		if share < least {
			t.Errorf("without one %c: %d%% are as they were meant, want %d%%", mark, share, least)
		}
	}
}

// jsonMarks is where the quotes, escapes of quotes, commas, colons and brackets of valid JSON stand.
func jsonMarks(text string) []int {
	var marks []int
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; text[i] == '"' {
				marks = append(marks, i-1)
			}
		case c == '"':
			quoted = !quoted
			marks = append(marks, i)
		case !quoted && strings.IndexByte(",:{}[]", c) >= 0:
			marks = append(marks, i)
		}
	}
	return marks
}
