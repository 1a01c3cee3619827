package llm

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history"
)

var update = flag.Bool("update", false, "write what the fixtures want anew; read the difference")

// onePoint is an image of one point.
const onePoint = "GIF89a\x01\x00\x01\x00\x00\x00\x00;"

// onlyCat is an export that holds one image.
func onlyCat(id string) (Asset, bool) {
	return Asset{Name: "cat.gif", Data: []byte(onePoint)}, id == "file-CatCatCat"
}

// TestChatGPTFixtures reads the file of each fixture and compares what is made of it.
func TestChatGPTFixtures(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "chatgpt", "*.txtar"))
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) != 2 {
				t.Fatalf("a fixture is a file and what is wanted of it: %v", err)
			}
			got := toldTalks(ReadChatGPT(bytes.NewReader(archive.Files[0].Data), onlyCat))
			if *update {
				archive.Files[1].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(archive.Files[1].Data); got != want {
				t.Errorf("reading gives\n%swant\n%s", got, want)
			}
		})
	}
}

// toldTalks reads all conversations and tells what they are.
func toldTalks(c *ChatGPT) string {
	var b strings.Builder
	for {
		talk, err := c.Next()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
			return b.String()
		}
		toldTalk(&b, talk)
	}
}

func toldTalk(b *strings.Builder, talk Talk) {
	fmt.Fprintf(b, "conversation %d, line %d: %q, %s", talk.Index+1, talk.Line, talk.Title, talk.ID)
	if talk.Broken != nil {
		fmt.Fprintf(b, "\nbroken: %s %s\n", talk.Broken.Field, talk.Broken.What)
		return
	}
	if talk.Archived {
		b.WriteString(" archived")
	}
	if talk.Pinned {
		b.WriteString(" pinned")
	}
	fmt.Fprintf(b, " %s from %s to %s\n", talk.Model, shownTime(talk.CreatedMS), shownTime(talk.UpdatedMS))
	for i, m := range talk.Messages {
		behind := "-"
		if m.Behind >= 0 {
			behind = talk.Messages[m.Behind].Label
		}
		fmt.Fprintf(b, "%s < %s %s", m.Label, behind, m.Role)
		if m.Name != "" {
			fmt.Fprintf(b, " %s", m.Name)
		}
		if m.Status != history.Imported {
			fmt.Fprintf(b, ", %s", m.Status)
		}
		if m.Ignored {
			b.WriteString(", ignored")
		}
		if i == talk.Leaf {
			b.WriteString(", leaf")
		}
		fmt.Fprintf(b, " %s %s: %q\n", shownTime(m.CreatedMS), m.Model, m.Content)
		if m.Reasoning != "" {
			fmt.Fprintf(b, "  thought: %q\n", m.Reasoning)
		}
		for _, call := range m.ToolCalls {
			fmt.Fprintf(b, "  calls: %s %s %s\n", call.ID, call.Name, call.Arguments)
		}
		if m.ToolCallID != "" {
			fmt.Fprintf(b, "  answers: %s\n", m.ToolCallID)
		}
		for _, p := range m.Parts {
			fmt.Fprintf(b, "  part: %s %s %s %q%q\n", p.Kind, p.Name, p.MediaType, p.Text, p.Data)
		}
		if m.Extra != nil {
			fmt.Fprintf(b, "  kept: %s\n", m.Extra)
		}
	}
	for _, o := range talk.Odd {
		lead := "odd"
		if o.Lost {
			lead = "lost"
		}
		fmt.Fprintf(b, "%s: %s: %s %s\n", lead, o.Label, o.Field, o.What)
	}
}

func shownTime(ms int64) string {
	if ms == 0 {
		return "no time"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.999")
}

func TestChatGPTSaysWhatStandsAroundTheConversations(t *testing.T) {
	const talk = `{"conversation_id":"c","mapping":{}}`
	for file, want := range map[string]string{
		`[` + talk + `]`:    "",
		`[` + talk:          "the file ends before its list of conversations does; what came before is imported",
		`[` + talk + `] []`: "more stands behind the list of conversations; that was not imported",
		`{"conversations":[` + talk + `],"more":{"x":[1]}}`:        "",
		`{"conversations":[` + talk + `]}`:                         "",
		`{"conversations":[` + talk + `]} 7`:                       "more stands behind the list of conversations; that was not imported",
		talk + "\n" + talk:                                         "",
		talk + `{"mapping"`:                                        "is cut off: the file ends inside it",
		`{"title":"a","mapping":{},"x":[1]}` + talk + " , " + talk: "is not JSON (byte 1 of it: invalid character ',' looking for beginning of value)",
	} {
		c := ReadChatGPT(strings.NewReader(file), nil)
		got := ""
		read := 0
		for {
			talk, err := c.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s ends with %v", file, err)
			}
			if talk.Broken != nil {
				got = talk.Broken.What
				continue
			}
			read++
		}
		if got != want || read == 0 {
			t.Errorf("%s: %d conversations and %q, want %q", file, read, got, want)
		}
	}
}
