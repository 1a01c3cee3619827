package message

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFilesAreSentWithTheirName(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"main.go", "package main\n", "main.go:\n```\npackage main\n```"},
		{"main.go", "package main", "main.go:\n```\npackage main\n```"},
		{"notes.md", "```go\nx\n```\n", "notes.md:\n````\n```go\nx\n```\n````"},
		{"a\nb:\n", "x", "a b::\n```\nx\n```"},
		{"", "x", "x"},
		{"empty", " ", " "},
	} {
		if got := (Part{Kind: TextPart, Name: c.name, Text: c.text}).AsText(); got != c.want {
			t.Errorf("%q %q is sent as %q, want %q", c.name, c.text, got, c.want)
		}
	}
	if got := (Part{Kind: NotePart, Name: "cat.png", Text: "[image cat.png, not sent]"}).AsText(); got != "[image cat.png, not sent]" {
		t.Errorf("a note is sent as %q", got)
	}
}

// The fence that ends a file is the one that began it: no line of the file is the same.
func TestNoFileEndsItsOwnFence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("a`\n ")), 1, 40, -1).Draw(t, "text")
		if IsBlank(text) {
			t.Skip()
		}
		lines := strings.Split(Part{Kind: TextPart, Name: "f", Text: text}.AsText(), "\n")
		fence := lines[1]
		for i, line := range lines[2:] {
			if strings.Contains(line, fence) != (i == len(lines)-3) {
				t.Fatalf("line %d of %q ends the file", i+2, lines)
			}
		}
	})
}
