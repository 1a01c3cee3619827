package exact

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"winnow/history/message"
)

var update = flag.Bool("update", false, "write what comes out into the fixtures; read the difference before you keep it")

// conversation is a request as the fixtures hold it.
type conversation struct {
	Messages []message.Message
	Tools    []Tool
}

// Each fixture is a conversation and what both services are asked to count of it.
func TestFixtures(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil || len(a.Files) != 3 {
				t.Fatalf("%d parts, %v; want conversation, anthropic and gemini", len(a.Files), err)
			}
			var c conversation
			if err := json.Unmarshal(a.Files[0].Data, &c); err != nil {
				t.Fatal(err)
			}
			r := Request{Model: "models/m-1", Messages: c.Messages, Tools: c.Tools}
			changed := false
			for i, body := range []any{r.Anthropic(), r.Gemini()} {
				got := indented(t, body)
				if got == string(a.Files[i+1].Data) {
					continue
				}
				if changed = true; !*update {
					t.Errorf("%s: got\n%s\nwant\n%s", a.Files[i+1].Name, got, a.Files[i+1].Data)
				}
				a.Files[i+1].Data = []byte(got)
			}
			if changed && *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func indented(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever valid conversation there is, the roles take turns, nothing is blank, every result follows its call, and all
// that was said is there in its order.
func TestBodiesHoldTheConversation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var list []message.Message
		var said []string
		text := func() string {
			word := fmt.Sprintf("word%d.", len(said))
			said = append(said, word)
			return word
		}
		for turn := range rapid.IntRange(1, 6).Draw(rt, "turns") {
			if rapid.IntRange(0, 4).Draw(rt, "system") == 0 {
				list = append(list, message.Message{Role: message.System, Content: "be brief"})
			}
			list = append(list, message.Message{Role: message.User, Content: text()})
			calls := rapid.IntRange(0, 3).Draw(rt, "calls")
			answer := message.Message{Role: message.Assistant}
			if calls == 0 || rapid.Bool().Draw(rt, "says") {
				answer.Content = text()
			}
			for i := range calls {
				answer.ToolCalls = append(answer.ToolCalls, message.ToolCall{ID: fmt.Sprintf("call:%d.%d", turn, i), Name: "look", Arguments: `{"a":1}`})
			}
			list = append(list, answer)
			for i := range calls {
				list = append(list, message.Message{Role: message.Tool, ToolCallID: fmt.Sprintf("call:%d.%d", turn, i), Content: text()})
			}
		}
		r := Request{Model: "m", Messages: list}
		var a anthropicRequest
		decode(rt, r.Anthropic(), &a)
		checkAnthropic(rt, a)
		var g geminiRequest
		decode(rt, r.Gemini(), &g)
		checkGemini(rt, g)
		for what, body := range map[string]any{"anthropic": a.Messages, "gemini": g.Generate.Contents} {
			raw, err := json.Marshal(body)
			if err != nil {
				rt.Fatal(err)
			}
			at := 0
			for _, word := range said {
				next := bytes.Index(raw[at:], []byte(word))
				if next < 0 {
					rt.Fatalf("%s: %s is missing or out of order in %s", what, word, raw)
				}
				at += next
			}
		}
	})
}

func decode(t *rapid.T, body, into any) {
	raw, err := json.Marshal(body)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func checkAnthropic(t *rapid.T, a anthropicRequest) {
	open := map[string]bool{}
	for i, m := range a.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			t.Fatalf("message %d is %+v, want one of %s", i, m, want)
		}
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				if strings.TrimSpace(b.Text) == "" {
					t.Fatalf("message %d has a blank text", i)
				}
			case "tool_use":
				open[b.ID] = true
			case "tool_result":
				if !open[b.ToolUseID] {
					t.Fatalf("message %d has a result of %s, which was not called before", i, b.ToolUseID)
				}
				delete(open, b.ToolUseID)
			}
		}
		if m.Role == "user" && len(open) > 0 {
			t.Fatalf("message %d leaves calls without results: %v", i, open)
		}
	}
}

func checkGemini(t *rapid.T, g geminiRequest) {
	for i, c := range g.Generate.Contents {
		if want := []string{"user", "model"}[i%2]; c.Role != want || len(c.Parts) == 0 {
			t.Fatalf("content %d is %+v, want one of %s", i, c, want)
		}
		for _, p := range c.Parts {
			if p.Result != nil && p.Result.Name != "look" {
				t.Fatalf("content %d has a result of %q", i, p.Result.Name)
			}
			if p.Text == "" && p.Result == nil && p.Call == nil && p.Inline == nil {
				t.Fatalf("content %d has an empty part", i)
			}
		}
	}
}

func TestReadTakesANumberAlone(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int{
		`{"input_tokens": 14}`: 14, `{"input_tokens": 14, "more": {}}`: 14,
		`{"input_tokens": 0}`: 0, `{"input_tokens": "14"}`: 0, `{"input_tokens": -1}`: 0, `{"tokens": 14}`: 0, `[14]`: 0, `no`: 0, `{"input_tokens": 1.5}`: 0,
	} {
		if got, ok := Read([]byte(answer), AnthropicTokens); ok != (want > 0) || ok && got != want {
			t.Errorf("%s: %d, %t; want %d", answer, got, ok, want)
		}
	}
}
