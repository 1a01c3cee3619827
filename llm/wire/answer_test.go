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

// eachFixture compares the parts of each file with the result of make, or updates them.
func eachFixture(t *testing.T, pattern string, make func(t *testing.T, parts []txtar.File)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil || len(a.Files)%2 != 0 {
			t.Fatalf("%s has %d parts, %v; want pairs", file, len(a.Files), err)
		}
		want := txtar.Format(a)
		make(t, a.Files)
		switch got := txtar.Format(a); {
		case string(got) == string(want):
		case !*update:
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		default:
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestAnswers decodes recorded answers and describes the events of each line and the end.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{Chat, Responses, Ollama} {
		eachFixture(t, filepath.Join("testdata", string(format), "*.txtar"), func(_ *testing.T, parts []txtar.File) {
			for i := 0; i < len(parts); i += 2 {
				parts[i+1].Data = []byte(eventsOf(format, string(parts[i].Data)))
			}
		})
	}
}

// eventsOf describes an answer up to the line that completes it.
func eventsOf(format Format, lines string) string {
	answer := NewAnswer(format)
	var b strings.Builder
	write := func(events []Event) {
		for _, e := range events {
			switch {
			case e.Usage != nil:
				fmt.Fprintf(&b, "usage %s\n", e.Usage)
			case e.Channel >= FirstCallChannel:
				fmt.Fprintf(&b, "call %d: id %q, name %q, %q\n", e.Channel-FirstCallChannel, e.ID, e.Name, e.Text)
			default:
				fmt.Fprintf(&b, "%s %q\n", []string{"reasoning", "text"}[e.Channel], e.Text)
			}
		}
	}
	for line := range strings.Lines(lines) {
		if err := answer.Feed([]byte(strings.TrimSpace(line))); err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
		}
		if write(answer.Events()); answer.Done {
			break
		}
	}
	write(answer.Flush())
	fmt.Fprintf(&b, "done %t finish %q extra %s\n", answer.Done, answer.FinishReason, answer.Extra())
	return regexp.MustCompile(`call_[a-z0-9]{8}\b`).ReplaceAllStringFunc(b.String(), func(id string) string {
		if strings.Contains(lines, id) {
			return id
		}
		return "MADE"
	})
}

// The result does not depend on how the content is split into pieces.
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
					answer.addContent(piece, false)
				}
				var text, thought string
				for _, e := range answer.Flush() {
					*map[Channel]*string{TextChannel: &text, ReasoningChannel: &thought}[e.Channel] += e.Text
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

// For any input, errors are refusals or syntax errors, and the provider data is JSON.
func FuzzAnswers(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i := 0; i < len(a.Files); i += 2 {
			f.Add(string(a.Files[i].Data))
		}
	}
	f.Fuzz(func(t *testing.T, lines string) {
		for _, format := range []Format{Chat, Responses, Ollama} {
			answer := NewAnswer(format)
			for line := range strings.Lines(lines) {
				err := answer.Feed([]byte(strings.TrimSpace(line)))
				var refusal Refusal
				var syntax *json.SyntaxError
				if err != nil && !errors.As(err, &refusal) && !errors.As(err, &syntax) {
					t.Errorf("%s: %q is read as %v", format, line, err)
				}
			}
			answer.Flush()
			if extra := answer.Extra(); extra != nil && !json.Valid(extra) {
				t.Errorf("%s: %q keeps %s", format, lines, extra)
			}
		}
	})
}
