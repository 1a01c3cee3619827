package chatgpt

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

	"winnow/history/message"
	"winnow/session/transfer/conversation"
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
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) != 2 {
				t.Fatalf("a fixture is a file and what is wanted of it: %v", err)
			}
			got := describeAll(NewReader(bytes.NewReader(archive.Files[0].Data), onlyCat, false))
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

// describeAll reads all conversations and tells what they are.
func describeAll(c *Reader) string {
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
		describe(&b, talk)
	}
}

func describe(b *strings.Builder, c conversation.Conversation) {
	fmt.Fprintf(b, "conversation %d, line %d: %q, %s", c.Index+1, c.Line, c.Session.Title, c.Session.Origin)
	if c.Broken != nil {
		fmt.Fprintf(b, "\nbroken: %s %s\n", c.Broken.Field, c.Broken.What)
		return
	}
	if c.Session.Archived {
		b.WriteString(" archived")
	}
	if c.Session.Pinned {
		b.WriteString(" pinned")
	}
	fmt.Fprintf(b, " from %s to %s\n", shownDate(c.Session.Created), shownDate(c.Session.Updated))
	for i, m := range c.Messages {
		behind := "-"
		if m.After >= 0 {
			behind = c.Messages[m.After].Label
		}
		fmt.Fprintf(b, "%s < %s %s", m.Label, behind, m.Role)
		if m.Name != "" {
			fmt.Fprintf(b, " %s", m.Name)
		}
		if m.Status != message.Imported {
			fmt.Fprintf(b, ", %s", m.Status)
		}
		if m.Excluded {
			b.WriteString(", excluded")
		}
		if i == c.Leaf {
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
	for _, o := range c.Remarks {
		lead := "odd"
		if o.Lost {
			lead = "lost"
		}
		fmt.Fprintf(b, "%s: %s: %s %s\n", lead, o.Label, o.Field, o.What)
	}
}

func shownDate(at time.Time) string {
	if at.IsZero() {
		return "no time"
	}
	return shownTime(at.UnixMilli())
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
		`[` + talk + `] []`: "there is more data after the list of conversations; it was not imported",
		`{"conversations":[` + talk + `],"more":{"x":[1]}}`:        "",
		`{"conversations":[` + talk + `]}`:                         "",
		`{"conversations":[` + talk + `]} 7`:                       "there is more data after the list of conversations; it was not imported",
		talk + "\n" + talk:                                         "",
		talk + `{"mapping"`:                                        "is cut off: the file ends inside it",
		`{"title":"a","mapping":{},"x":[1]}` + talk + " , " + talk: "is not JSON (byte 72 of the file: invalid character ',' looking for beginning of value); nothing after it was imported",
	} {
		c := NewReader(strings.NewReader(file), nil, false)
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
