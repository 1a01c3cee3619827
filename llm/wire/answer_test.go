package wire

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what comes out into the fixtures; read the difference")

// checkFixture compares what was made of the first parts of a file with its last part.
func checkFixture(t *testing.T, file string, a *txtar.Archive, got string) {
	t.Helper()
	want := &a.Files[len(a.Files)-1]
	switch {
	case got == string(want.Data):
	case *update:
		want.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want.Data)
	}
}

// TestAnswers reads what servers sent: the events of each line are written down, and how the answer ended.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{Chat, Responses, Ollama} {
		files, err := filepath.Glob(filepath.Join("testdata", string(format), "*.txtar"))
		if err != nil || len(files) < 3 {
			t.Fatalf("fixtures of %s: %q, %v", format, files, err)
		}
		for _, file := range files {
			a, err := txtar.ParseFile(file)
			if err != nil || len(a.Files) != 2 {
				t.Fatalf("%s has %d parts, %v; want 2", file, len(a.Files), err)
			}
			checkFixture(t, file, a, eventsOf(format, string(a.Files[0].Data)))
		}
	}
}

// eventsOf is an answer written down, up to the line that completes it. Every line that is an error is read.
func eventsOf(format Format, lines string) string {
	answer := NewAnswer(format)
	var b strings.Builder
	write := func(events []Event) {
		for _, e := range events {
			switch {
			case e.Usage != nil:
				fmt.Fprintf(&b, "usage %s\n", e.Usage)
			case e.Channel >= Calls:
				fmt.Fprintf(&b, "call %d: id %q, name %q, %q\n", e.Channel-Calls, e.ID, e.Name, e.Text)
			default:
				fmt.Fprintf(&b, "%s %q\n", []string{"reasoning", "text"}[e.Channel], e.Text)
			}
		}
	}
	for line := range strings.Lines(lines) {
		if err := answer.Read([]byte(strings.TrimSpace(line))); err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
		}
		if write(answer.Events()); answer.Done {
			break
		}
	}
	write(answer.End())
	fmt.Fprintf(&b, "done %t finish %q extra %s\n", answer.Done, answer.Finish, answer.Extra())
	return regexp.MustCompile(`call_[a-z0-9]{8}\b`).ReplaceAllStringFunc(b.String(), func(id string) string {
		if strings.Contains(lines, id) {
			return id
		}
		return "MADE"
	})
}

// callsOf are the calls of an answer, each as one event.
func callsOf(t testing.TB, format Format, data ...string) (calls []Event) {
	t.Helper()
	answer := NewAnswer(format)
	for _, d := range data {
		if err := answer.Read([]byte(d)); err != nil {
			t.Fatalf("%s: %v", d, err)
		}
		for _, e := range answer.Events() {
			for int(e.Channel-Calls) >= len(calls) {
				calls = append(calls, Event{})
			}
			call := &calls[e.Channel-Calls]
			call.ID, call.Name, call.Text = call.ID+e.ID, call.Name+e.Name, call.Text+e.Text
		}
	}
	return calls
}

func TestToolCalls(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		fragments []string // the tool_calls of one chunk each
		want      string   // name id arguments of each call
	}{
		{"by index", []string{
			`[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]`,
			`[{"index":1,"id":"b","function":{"name":"g","arguments":""}}]`,
			`[{"index":0,"function":{"arguments":"{\"x\""}}]`,
			`[{"index":1,"function":{"arguments":"{}"}}]`,
			`[{"index":0,"function":{"arguments":":1}"}}]`,
		}, `f a {"x":1}; g b {}`},
		{
			"no index, whole calls",
			[]string{
				`[{"id":"a","function":{"name":"f","arguments":"{}"}}]`,
				`[{"id":"b","function":{"name":"f","arguments":"{}"}}]`,
			},
			`f a {}; f b {}`,
		},
		{
			"index null",
			[]string{
				`[{"index":null,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]`,
				`[{"index":null,"function":{"arguments":":1}"}}]`,
			},
			`f a {"x":1}`,
		},
		{
			"index always 0",
			[]string{
				`[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`,
				`[{"index":0,"id":"b","function":{"name":"g","arguments":"{\"y\""}}]`,
				`[{"index":0,"function":{"arguments":":2}"}}]`,
			},
			`f a {}; g b {"y":2}`,
		},
		{
			"blank id and name repeated",
			[]string{
				`[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]`,
				`[{"index":0,"id":"","function":{"name":"","arguments":"}"}}]`,
			},
			`f a {}`,
		},
		{
			"id repeated without index",
			[]string{
				`[{"id":"a","function":{"name":"f","arguments":"{"}}]`,
				`[{"id":"b","function":{"name":"g","arguments":"{"}}]`,
				`[{"id":"a","function":{"name":"f","arguments":"}"}}]`, `[{"id":"b","function":{"arguments":"}"}}]`,
			},
			`f a {}; g b {}`,
		},
		{
			"a new name without id",
			[]string{`[{"function":{"name":"f","arguments":"{}"}}]`, `[{"function":{"name":"g","arguments":"{}"}}]`},
			`f  {}; g  {}`,
		},
		{
			"the same name again, after a whole call",
			[]string{`[{"function":{"name":"f","arguments":"{}"}}]`, `[{"function":{"name":"f","arguments":"{}"}}]`},
			`f  {}; f  {}`,
		},
		{
			"the same name in every piece",
			[]string{
				`[{"function":{"name":"f","arguments":"{\"x\""}}]`, `[{"function":{"name":"f","arguments":":1}"}}]`,
			},
			`f  {"x":1}`,
		},
		{
			"two objects glued on one index",
			[]string{
				`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"}{\"}"}}]`,
				`[{"index":0,"function":{"arguments":"{\"y\":2}"}}]`,
			},
			`f a {"x":"}{"};   {"y":2}`,
		},
		{
			"two objects glued in one piece",
			[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":[{}]} {\"y\":2}{}"}}]`},
			`f a {"x":[{}]} ;   {"y":2};   {}`,
		},
		{
			"a quote behind a backslash",
			[]string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"\\\"}{\"}"}}]`},
			`f a {"x":"\"}{"}`,
		},
		{
			"several calls in one chunk",
			[]string{
				`[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g",` +
					`"arguments":"{}"}}]`,
			},
			`f a {}; g b {}`,
		},
		{
			"text that is no object stays one call",
			[]string{
				`[{"index":0,"id":"a","function":{"name":"f","arguments":"1}{"}}]`,
				`[{"index":0,"function":{"arguments":"{"}}]`,
			},
			`f a 1}{{`,
		},
		{"no calls", []string{`null`, `"x"`, `[null]`}, ``},
	} {
		var data []string
		for _, f := range test.fragments {
			data = append(data, `{"choices":[{"delta":{"tool_calls":`+f+`}}]}`)
		}
		calls := callsOf(t, Chat, data...)
		var got []string
		for _, c := range calls {
			got = append(got, c.Name+" "+c.ID+" "+c.Text)
		}
		if got := strings.Join(got, "; "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// TestThinkTagAtEveryCut cuts the content at every two places: the result must not depend on it.
func TestThinkTagAtEveryCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ content, reasoning, text string }{
		{"<think>Hm. <b></b> </thin</think>\n\nYes </think> no", "Hm. <b></b> </thin", "Yes </think> no"},
		{" \n<think>\nHm.</think>Yes", "Hm.", "Yes"},
		{"<think>never closed </thi", "never closed </thi", ""},
		{"<thin ice", "", "<thin ice"},
		{"<thi", "", "<thi"},
		{"Say <think>x</think>", "", "Say <think>x</think>"},
		{"  indented", "", "  indented"},
	} {
		for i := 0; i <= len(test.content); i++ {
			for j := i; j <= len(test.content); j++ {
				answer := NewAnswer(Chat)
				for _, piece := range []string{test.content[:i], test.content[i:j], test.content[j:]} {
					answer.content(piece, false)
				}
				var text, thought string
				for _, e := range answer.End() {
					*map[Channel]*string{Text: &text, Reasoning: &thought}[e.Channel] += e.Text
				}
				if text != test.text || strings.TrimLeft(thought, "\n") != test.reasoning {
					t.Fatalf(
						"%q cut at %d and %d: got (%s)%s, want (%s)%s", test.content, i, j, thought, text,
						test.reasoning, test.text,
					)
				}
			}
		}
	}
}

// Whatever comes, a reader does not fail but for what is an error or no JSON, and what it keeps is JSON.
func FuzzAnswers(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(a.Files[0].Data))
	}
	f.Fuzz(func(t *testing.T, lines string) {
		for _, format := range []Format{Chat, Responses, Ollama} {
			answer := NewAnswer(format)
			for line := range strings.Lines(lines) {
				err := answer.Read([]byte(strings.TrimSpace(line)))
				var refusal Refusal
				var syntax *json.SyntaxError
				if err != nil && !errors.As(err, &refusal) && !errors.As(err, &syntax) {
					t.Errorf("%s: %q is read as %v", format, line, err)
				}
			}
			answer.End()
			if extra := answer.Extra(); extra != nil && !json.Valid(extra) {
				t.Errorf("%s: %q keeps %s", format, lines, extra)
			}
		}
	})
}
