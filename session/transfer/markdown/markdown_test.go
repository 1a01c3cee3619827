package markdown

import "testing"

// A code block that an answer leaves open ends with its message.
func TestMarkdownEndsCodeBlocks(t *testing.T) {
	for text, want := range map[string]string{
		"a\n```go\nx":             "a\n```go\nx\n```",
		"```\nx\n```":             "```\nx\n```",
		"````\n```\nx":            "````\n```\nx\n````",
		"~~~\n```\nx":             "~~~\n```\nx\n~~~",
		"    ```\nno fence":       "    ```\nno fence",
		"``` inline ``` text":     "``` inline ``` text",
		"```\nx\n``` not the end": "```\nx\n``` not the end\n```",
	} {
		if got := closeCode(text); got != want {
			t.Errorf("closed(%q) = %q, want %q", text, got, want)
		}
	}
}
