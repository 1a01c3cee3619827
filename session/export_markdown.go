package session

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// writeMarkdown writes a conversation for reading. Marks that no reader sees say what is what, so that it
// can be imported again.
func writeMarkdown(out *bufio.Writer, row store.Session, branch []store.Message) {
	name := markName(row, branch)
	model := strings.TrimPrefix(row.Endpoint+"/"+row.Model, "/")
	fmt.Fprintln(out, mark{Is: markConversation, Session: row.ID, Title: row.Title, Model: row.Model}.line(name))
	title := plainLine(row.Title)
	if title == "" {
		title = "A conversation"
	}
	fmt.Fprintf(out, "\n# %s\n\n%s\n", title, about(row, model, branch))
	if row.System != "" {
		m, text := fencedText(markSystem, row.System, "")
		fmt.Fprintf(out, "\n%s\n\n## System prompt\n\n%s\n", m.line(name), text)
	}
	for _, m := range branch {
		fmt.Fprintf(out, "\n%s\n\n## %s%s\n", markOf(m).line(name), speaker(m), said(m))
		all := pieces(m)
		for _, p := range all {
			if plain := (mark{Is: markText}); len(all) > 1 || p.mark != plain {
				fmt.Fprintf(out, "\n%s\n", p.mark.line(name))
			}
			if p.text != "" {
				fmt.Fprintf(out, "\n%s\n", p.text)
			}
		}
	}
}

// markOf is the mark in front of a message.
func markOf(m store.Message) mark {
	out := mark{
		Is: markMessage, Role: string(m.Role), Name: m.Name, Model: m.Model, Answers: m.ToolCallID, Label: m.Label, Damaged: m.Damaged,
	}
	if m.CreatedMS != 0 {
		out.Time = time.UnixMilli(m.CreatedMS).UTC().Format(time.RFC3339Nano)
	}
	return out
}

// about is the line under the title.
func about(row store.Session, model string, branch []store.Message) string {
	parts := []string{row.Created.UTC().Format("2006-01-02 15:04 UTC")}
	if row.Model != "" {
		parts = append(parts, plainLine(model))
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

// piece is a part of what a message says: the mark in front of it, and its Markdown.
type piece struct {
	mark mark
	text string
}

// pieces are what a message says.
func pieces(m store.Message) []piece {
	if m.Damaged {
		return []piece{{mark{Is: markText}, "*This message is damaged and cannot be read.*"}}
	}
	var all []piece
	add := func(m mark, text string) { all = append(all, piece{m, text}) }
	if m.Reasoning != "" {
		was, text := closedText(markReasoning, m.Reasoning)
		if was.Exact == "" {
			text = reasoningBegins + text + reasoningEnds
		}
		add(was, text)
	}
	for _, p := range m.Parts {
		add(attached(p))
	}
	switch {
	case m.Content == "":
	case m.Role == history.Tool:
		add(fencedText(markText, m.Content, ""))
	default:
		add(closedText(markText, m.Content))
	}
	for _, c := range m.ToolCalls {
		was, text := fencedText(markCall, c.Arguments, "json")
		was.ID, was.Name = c.ID, c.Name
		add(was, fmt.Sprintf("Calls %s:\n\n%s", code(plainLine(c.Name)), text))
	}
	return all
}

// What stands around a model's reasoning.
const (
	reasoningBegins = "<details>\n<summary>Reasoning</summary>\n\n"
	reasoningEnds   = "\n\n</details>"
)

// attached is a file or an image. An image stays in winnow: its name and size stand for it.
func attached(p history.Part) (mark, string) {
	name := plainLine(p.Name)
	if p.Kind == history.TextPart {
		was, text := fencedText(markFile, p.Text, "")
		was.Name, was.Type = p.Name, p.MediaType
		return was, fmt.Sprintf("File %s:\n\n%s", code(name), text)
	}
	if name != "" {
		name = " " + code(name)
	}
	return mark{Is: markImage, Name: p.Name, Type: p.MediaType}, fmt.Sprintf("*Image%s, %s, %d bytes*", name, plainLine(p.MediaType), len(p.Data))
}

// fencedText is a text between fences, and its mark.
func fencedText(is kind, text, language string) (mark, string) {
	m := mark{Is: is}
	if strings.HasSuffix(text, "\n") {
		m.After = 1
	}
	return m, fenced(text, language)
}

// closedText is a text that stands among the others as it is, and its mark.
func closedText(is kind, text string) (mark, string) {
	if strings.TrimSpace(text) == "" {
		return mark{Is: is, Exact: text}, ""
	}
	bare := strings.Trim(text, "\n")
	m := mark{Is: is, Before: strings.Index(text, bare)}
	m.After = len(text) - len(bare) - m.Before
	whole := closed(text)
	m.Open = whole != bare
	return m, whole
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
