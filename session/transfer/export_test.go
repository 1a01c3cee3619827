package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
)

// redactKey removes keys from a text.
func redactKey(text string) string {
	return regexp.MustCompile("sk-[a-z0-9]+").ReplaceAllString(text, "[redacted]")
}

// exported returns a session in a format.
func exported(t rapid.TB, s *store.Store, id string, o ExportOptions) string {
	t.Helper()
	var buf bytes.Buffer
	if err := Export(context.Background(), s, id, &buf, o); err != nil {
		t.Fatalf("export as %s: %v", o.Format, err)
	}
	return buf.String()
}

// at returns a time on the day of the fixtures in Unix milliseconds.
func at(minute int64) int64 { return written.UnixMilli() + minute*60_000 }

// weather returns a conversation with a bit of everything.
func weather(t testing.TB) (*store.Store, store.Session) {
	row := store.Session{
		ID: "0193a7b2-5c00-7000-8000-000000000001", Title: "Rain in Oslo", Endpoint: "openai", Model: "gpt-5.2",
		System: "Be brief.", Created: written,
	}
	s, last := newStoreAt(t), int64(0)
	for _, m := range []history.Message{
		{
			Role: history.User, CreatedMS: at(0), Content: "Will it rain?\nMy key is sk-" + "abcdefgh12345678.",
			Parts: []history.Part{
				{Kind: history.TextPart, Name: "plan.md", MediaType: "text/markdown", Text: "```\nwalk\n```\n"},
				{Kind: history.ImagePart, Name: "sky.png", MediaType: "image/png", Data: []byte("\x89PNG")},
			},
		},
		{
			Role: history.Assistant, CreatedMS: at(1), Reasoning: "The tool knows.",
			ToolCalls: []history.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"city": "Oslo", "days":1.0}`}},
		},
		{
			Role: history.Tool, CreatedMS: at(1), Name: "weather", ToolCallID: "call_1", Content: "rain: ```yes```",
		},
		{
			Role: history.Assistant, CreatedMS: at(2), Status: history.Interrupted,
			Content: "Take a coat:\n\n```go\nwear(coat)",
		},
	} {
		var stored store.Message
		var err error
		if last == 0 {
			row, stored, err = s.BeginSession(t.Context(), row, store.Message{Message: m})
		} else {
			stored, err = s.AppendMessage(t.Context(), store.Message{Session: row.ID, Parent: last, Model: "gpt-5.2", Message: m})
		}
		if err != nil {
			t.Fatal(err)
		}
		last = stored.ID
	}
	row, err := s.Session(t.Context(), row.ID)
	if err != nil {
		t.Fatal(err)
	}
	return s, row
}

// The files in testdata/export show the formats, without secrets. Formats for reading cannot be imported. JSON is never
// redacted.
func TestExportFormats(t *testing.T) {
	secret := "sk-" + "abcdefgh12345678"
	s, row := weather(t)
	for _, name := range Formats() {
		f := Format(name)
		if open := exported(t, s, row.ID, ExportOptions{Format: f}); !strings.Contains(open, secret) {
			t.Errorf("%s without redaction has not what was said", f)
		}
		got := exported(t, s, row.ID, ExportOptions{Format: f, Redact: redactKey})
		if kept := strings.Contains(got, secret); kept != (f == JSON) {
			t.Errorf("%s holds the secret: %t", f, kept)
		}
		if f != JSON && f != JSONL {
			_, err := importFrom(t, newStoreAt(t), Source{File: strings.NewReader(got), Time: written})
			e := new(FileError)
			if !errors.As(err, &e) || !strings.Contains(e.Reason, "what winnow exports as JSON or JSONL") {
				t.Errorf("importing %s: %v", f, err)
			}
		}
		if f == JSON || f == HTML { // they have tests of their own
			continue
		}
		path := filepath.Join("testdata", "export", "weather"+f.Extension())
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || got != string(want) {
			t.Errorf("%s is\n%s\nwant\n%s\n%v", path, got, want, err)
		}
	}
}

// Exported Chat Completions messages are imported as the same conversation.
func TestExportedLinesAreImportedAsTheyWere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		odd := []string{"", "<b>&\u2028", "{\"a\":1}", "[Earlier", "line\nline", "\x00\x1b"}
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom(odd))
		role := rapid.SampledFrom([]history.Role{history.System, history.User, history.Assistant, history.Tool})
		var said []store.Message
		for i := range rapid.IntRange(1, 6).Draw(rt, "messages") {
			m := history.Message{
				Role: role.Draw(rt, "role"), Content: text.Draw(rt, "content"), Name: text.Draw(rt, "name"),
				Label: text.Draw(rt, "label"), Reasoning: text.Draw(rt, "reasoning"),
				ToolCallID: text.Draw(rt, "call"), CreatedMS: at(int64(i)),
			}
			for range rapid.IntRange(0, 2).Draw(rt, "calls") {
				m.ToolCalls = append(m.ToolCalls, history.ToolCall{
					ID: text.Draw(rt, "id"), Name: text.Draw(rt, "tool"), Arguments: text.Draw(rt, "arguments"),
				})
			}
			if rapid.Bool().Draw(rt, "image") {
				m.Parts = []history.Part{{Kind: history.ImagePart, MediaType: "image/png", Data: []byte{1, byte(i)}}}
			}
			said = append(said, store.Message{Message: m})
		}
		home := memory(rt)
		defer home.Close()
		ctx := context.Background()
		conversation := store.ImportedConversation{Session: store.Session{Title: "t"}, Leaf: -1}
		for _, m := range said {
			conversation.Add(m)
		}
		imported, err := home.Import(ctx, conversation)
		if err != nil {
			rt.Fatal(err)
		}
		row := imported.Session
		lines := exported(rt, home, row.ID, ExportOptions{Format: JSONL})
		there := memory(rt)
		defer there.Close()
		var im Imported
		from := Source{File: strings.NewReader(lines), Time: written}
		err = Import(context.Background(), there, from, func(one Imported) { im = one })
		if err != nil || len(im.Errors) > 0 {
			rt.Fatalf("import what was exported: %v, %+v\n%s", err, im.Errors, lines)
		}
		got, err := there.Branch(context.Background(), im.Session.Leaf, 0)
		if err != nil {
			rt.Fatal(err)
		}
		want, err := home.Branch(context.Background(), row.Leaf, 0)
		if err != nil {
			rt.Fatal(err)
		}
		if len(got) != len(want) {
			rt.Fatalf("%d messages came back of %d:\n%s", len(got), len(want), lines)
		}
		for i := range want {
			if a, b := line(want[i]), line(got[i]); a != b {
				rt.Fatalf("message %d was\n%s\nand came back as\n%s\nthrough\n%s", i, a, b, lines)
			}
		}
	})
}

func memory(t rapid.TB) *store.Store {
	s, err := store.Open(context.Background(), store.InMemory, store.Options{})
	if err != nil {
		t.Fatalf("open a store: %v", err)
	}
	return s
}

// line describes what JSONL preserves of a message.
func line(m store.Message) string {
	texts := []string{string(m.Role), m.Label, m.Name, m.Content, m.Reasoning, m.ToolCallID}
	return fmt.Sprintf("%q %d %q %+v", texts, m.CreatedMS, m.ToolCalls, m.Parts)
}

func TestParseFormat(t *testing.T) {
	for name, want := range map[string]Format{
		"md": Markdown, ".MD": Markdown, "json": JSON, ".jsonl": JSONL, "prompt": Prompt, "pdf": "", "": "",
	} {
		if got, ok := ParseFormat(name); got != want || ok != (want != "") {
			t.Errorf("ParseFormat(%q) = %q, %t, want %q", name, got, ok, want)
		}
	}
}
