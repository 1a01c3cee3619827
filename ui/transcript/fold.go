package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// A message of the user's that is longer than this is folded once it is sent: so long a paste is a chip in the
// draft too.
const (
	foldedLines = 20
	foldedBytes = 2000
	headLines   = 3 // so many lines of it are shown
)

// tooLong says that a message of the user's is folded.
func tooLong(text string) bool {
	return len(text) > foldedBytes || strings.Count(text, "\n") > foldedLines
}

// folded returns the beginning of a text that is folded, and how much there is. A row that stands in the place of a
// name shows that itself.
func (m *itemList) folded(e *entry, d *drawn) []string {
	switch {
	case e.Text == "" || len(e.Calls) > 0 || e.Joins:
		d.text = ""
		return nil
	case e.Role == history.Tool:
		d.text = ""
		name, rest := m.beginning(e, d.look, m.bodyWidth())
		return []string{name + rest}
	}
	w := m.proseWidth()
	var lines []string
	source, left := 0, strings.Trim(e.Text, "\n")
	begin := strings.Index(e.Text, left)
	all := strings.Count(left, "\n") + 1
	for len(lines) < headLines && source < all {
		line, rest, _ := strings.Cut(left, "\n")
		d.text += line + "\n"
		if most := 8 * headLines * w; len(line) > most {
			line = strings.ToValidUTF8(line[:most], "")
		}
		lines, left = append(lines, m.plain(e, line+" ")...), rest
		if source++; strings.TrimSpace(line) == "" {
			lines = append(lines, "")
		}
	}
	d.parts = []part{{begin, min(begin+len(d.text), len(e.Text))}}
	if len(lines) > headLines {
		lines = lines[:headLines]
		lines[headLines-1] = markdown.Truncate(lines[headLines-1], w-1, "") + m.styles.Muted.Render("…")
	}
	return append(lines, m.hinted(m.styles.Muted.Render(strings.Join(m.extent(e, d.look, all-source), " · ")),
		keymap.Expand, "opens it"))
}

// extent is how much text there is: its lines beyond those that are shown, its size and its tokens.
func (m *itemList) extent(e *entry, l look, more int) []string {
	var facts []string
	if more > 0 {
		facts = append(facts, theme.PluralOf(more, "more line", "more lines"))
	}
	facts = append(facts, theme.Size(len(e.Text)))
	if l.tokens > 0 {
		facts = append(facts, "~"+theme.Plural(l.tokens, "token"))
	}
	return facts
}

// beginning is the row of a tool's result in w cells: its first line, and how much follows.
func (m *itemList) beginning(e *entry, l look, w int) (name, rest string) {
	st := m.styles
	style := st.Text
	if l.unsent {
		style = st.Muted
	}
	text := strings.Trim(e.Text, "\n")
	first, _, _ := strings.Cut(text, "\n")
	first = markdown.OneLine(first, max(1, w))
	all := strings.Count(text, "\n") + 1
	if text == "" || all == 1 && ansi.StringWidth(first) <= w && len(text) <= foldedBytes {
		return style.Render(first), ""
	}
	facts := m.extent(e, l, all-1)
	does := "opens it"
	if e.expanded {
		first, facts, does = "result", m.extent(e, l, 0), "closes it"
	}
	// What is dropped first where there is little space: the key, the tokens, the size.
	for n := len(facts); n > 0; n-- {
		rest = st.Muted.Render(" · " + strings.Join(facts[:n], " · "))
		if n == len(facts) {
			if hinted := m.hinted(rest, keymap.Expand, does); hinted != rest &&
				theme.Width(hinted)+min(ansi.StringWidth(first), w/2) <= w {
				rest = hinted
				break
			}
		}
		if theme.Width(rest)+min(ansi.StringWidth(first), w/2) <= w {
			break
		}
	}
	return style.Render(markdown.Truncate(first, max(1, w-theme.Width(rest)), "…")),
		markdown.Truncate(rest, max(0, w-1), "…")
}

// callRow is a tool call in one row: its name, and its arguments as a person writes them.
func callRow(c history.ToolCall) Call {
	return Call{Name: c.Name, Arguments: argumentsRow(c.Arguments)}
}

// mostArguments is how many bytes of the arguments of a call are looked at for its row.
const mostArguments = 4 << 10

// argumentsRow is the arguments of a call in one line: the value where there is one, else each with its name. What is
// no object, or too long for a row, is shown as it is.
func argumentsRow(arguments string) string {
	if len(arguments) > mostArguments {
		return strings.ToValidUTF8(arguments[:mostArguments], "")
	}
	var names, values []string
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return arguments
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return arguments
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return arguments
		}
		text := string(value)
		if bytes.HasPrefix(value, []byte(`"`)) {
			if err := json.Unmarshal(value, &text); err != nil {
				return arguments
			}
		}
		names, values = append(names, fmt.Sprint(name)), append(values, text)
	}
	if _, err := d.Token(); err != nil {
		return arguments
	}
	if _, err := d.Token(); err != io.EOF {
		return arguments
	}
	if len(values) == 1 {
		return values[0]
	}
	for i := range values {
		values[i] = names[i] + ": " + values[i]
	}
	return strings.Join(values, ", ")
}
