// Package markdown writes a conversation as Markdown for reading. Such files cannot be imported again.
package markdown

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/conversation"
)

// Write writes a branch of a session. Errors of out are left to the caller, as with bufio.Writer.
func Write(out io.Writer, row store.Session, branch []store.Message) {
	name := cmp.Or(title.OneLine(row.Title), "A conversation")
	fmt.Fprintf(out, "# %s\n\n%s · winnow session %s\n", name, conversation.Subtitle(row, len(branch)), row.ID)
	if row.System != "" {
		fmt.Fprintf(out, "\n## System prompt\n\n%s\n", codeBlock(row.System, ""))
	}
	for _, m := range branch {
		fmt.Fprintf(out, "\n## %s%s\n", conversation.Speaker(m), headingSuffix(m))
		for _, text := range texts(m) {
			fmt.Fprintf(out, "\n%s\n", text)
		}
	}
}

// headingSuffix returns the time and the status of a message for the end of its heading.
func headingSuffix(m store.Message) (text string) {
	for _, part := range []string{strings.TrimSuffix(conversation.TimeText(m), " UTC"), conversation.StatusText(m)} {
		if part != "" {
			text += " · " + part
		}
	}
	return text
}

// texts returns the paragraphs of a message as Markdown.
func texts(m store.Message) []string {
	if m.Damaged {
		return []string{"*This message is damaged and cannot be read.*"}
	}
	var all []string
	if strings.TrimSpace(m.Reasoning) != "" {
		all = append(all, "<details>\n<summary>Reasoning</summary>\n\n"+closeCode(m.Reasoning)+"\n\n</details>")
	}
	for _, p := range m.Parts {
		all = append(all, attachment(p))
	}
	switch {
	case strings.TrimSpace(m.Content) == "":
	case m.Role == message.Tool:
		all = append(all, codeBlock(m.Content, ""))
	default:
		all = append(all, closeCode(m.Content))
	}
	for _, c := range m.ToolCalls {
		all = append(all, "Calls "+inlineCode(title.OneLine(c.Name))+":\n\n"+codeBlock(c.Arguments, "json"))
	}
	return all
}

// attachment returns a file, or the name and size of an image.
func attachment(p message.Part) string {
	name := title.OneLine(p.Name)
	if p.Kind == message.TextPart {
		return fmt.Sprintf("File %s:\n\n%s", inlineCode(name), codeBlock(p.Text, ""))
	}
	if name != "" {
		name = " " + inlineCode(name)
	}
	return fmt.Sprintf("*Image%s, %s, %d bytes*", name, title.OneLine(p.MediaType), len(p.Data))
}

var backticks = regexp.MustCompile("`{3,}")

// codeBlock puts a text between fences that are longer than any run of backticks in it.
func codeBlock(text, language string) string {
	fence := "```"
	for _, run := range backticks.FindAllString(text, -1) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// inlineCode returns a name as inline code.
func inlineCode(name string) string { return "`" + strings.ReplaceAll(name, "`", "'") + "`" }

// fence matches a line that opens a code block, or closes one if nothing follows the marks.
var fence = regexp.MustCompile("(?m)^ {0,3}(`{3,}|~{3,})([^`\n]*)$")

// closeCode ends the last code block of a text. Otherwise an answer that was cut off in a code block would include what
// follows it.
func closeCode(text string) string {
	text = strings.Trim(text, "\n")
	open := ""
	for _, line := range fence.FindAllStringSubmatch(text, -1) {
		switch marks, info := line[1], strings.TrimSpace(line[2]); {
		case open == "":
			open = marks
		case info == "" && strings.HasPrefix(marks, open):
			open = ""
		}
	}
	if open == "" {
		return text
	}
	return text + "\n" + open
}
