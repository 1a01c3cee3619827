package session

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// writeMarkdown writes a conversation for reading.
func writeMarkdown(out *bufio.Writer, row store.Session, branch []store.Message) {
	title := plainLine(row.Title)
	if title == "" {
		title = "A conversation"
	}
	fmt.Fprintf(out, "# %s\n\n%s\n", title, about(row, branch))
	if row.System != "" {
		fmt.Fprintf(out, "\n## System prompt\n\n%s\n", fenced(row.System, ""))
	}
	for _, m := range branch {
		fmt.Fprintf(out, "\n## %s%s\n", speaker(m), said(m))
		for _, text := range texts(m) {
			fmt.Fprintf(out, "\n%s\n", text)
		}
	}
}

// about is the line under the title.
func about(row store.Session, branch []store.Message) string {
	parts := []string{row.Created.UTC().Format("2006-01-02 15:04 UTC")}
	if row.Model != "" {
		parts = append(parts, plainLine(strings.TrimPrefix(row.Endpoint+"/"+row.Model, "/")))
	}
	messages := fmt.Sprintf("%d messages", len(branch))
	if len(branch) == 1 {
		messages = "1 message"
	}
	return strings.Join(append(parts, messages, "winnow session "+row.ID), " · ")
}

// said is when a message was said and what is odd about it, for the end of its heading.
func said(m store.Message) string {
	var text string
	if m.CreatedMS != 0 {
		text = " · " + time.UnixMilli(m.CreatedMS).UTC().Format("2006-01-02 15:04")
	}
	switch m.Status {
	case history.Complete, history.Imported:
	case history.Streaming:
		text += " · still arriving"
	default:
		text += " · " + plainLine(string(m.Status))
	}
	return text
}

// texts are the Markdown of what a message holds.
func texts(m store.Message) []string {
	if m.Damaged {
		return []string{"*This message is damaged and cannot be read.*"}
	}
	var all []string
	if strings.TrimSpace(m.Reasoning) != "" {
		all = append(all, "<details>\n<summary>Reasoning</summary>\n\n"+closed(m.Reasoning)+"\n\n</details>")
	}
	for _, p := range m.Parts {
		all = append(all, attached(p))
	}
	switch {
	case strings.TrimSpace(m.Content) == "":
	case m.Role == history.Tool:
		all = append(all, fenced(m.Content, ""))
	default:
		all = append(all, closed(m.Content))
	}
	for _, c := range m.ToolCalls {
		all = append(all, fmt.Sprintf("Calls %s:\n\n%s", code(plainLine(c.Name)), fenced(c.Arguments, "json")))
	}
	return all
}

// attached is a file or an image. The name and the size of an image stand for it.
func attached(p history.Part) string {
	name := plainLine(p.Name)
	if p.Kind == history.TextPart {
		return fmt.Sprintf("File %s:\n\n%s", code(name), fenced(p.Text, ""))
	}
	if name != "" {
		name = " " + code(name)
	}
	return fmt.Sprintf("*Image%s, %s, %d bytes*", name, plainLine(p.MediaType), len(p.Data))
}

// fenced puts a text between fences that are longer than any run of backticks in it.
func fenced(text, language string) string {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// code is a name as a piece of code.
func code(name string) string {
	if strings.Contains(name, "`") {
		return "`` " + name + " ``"
	}
	return "`" + name + "`"
}

// closed is a text whose last code block ends. An answer that was cut off inside one would take all that
// follows into it.
func closed(text string) string {
	text = strings.Trim(text, "\n")
	open := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n \t")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		fence := fenceOf(line[indent:])
		switch {
		case indent > 3 || fence == "":
		case open == "":
			open = fence
		case fence[0] == open[0] && len(fence) >= len(open) && len(fence) == len(line)-indent:
			open = ""
		}
	}
	if open == "" {
		return text
	}
	return text + "\n" + open
}

// fenceOf is the fence that a line begins with, "" for none.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		n := len(line) - len(rest)
		if n < 3 || c == "`" && strings.Contains(rest, "`") {
			continue
		}
		return line[:n]
	}
	return ""
}
