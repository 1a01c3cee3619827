package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/ui/markdown"
)

// reader is a text to scroll through.
type reader struct {
	title string
	lines []string // plain or styled, not wrapped yet
	top   int

	wrapped []string // lines at width: a long paste is wrapped once, not at every frame
	width   int
}

func (r *reader) scroll(by int) { r.top = max(0, r.top+by) }

func (r *reader) view(w, h int) []string {
	if r.wrapped == nil || r.width != w {
		r.wrapped, r.width = nil, w
		for _, s := range r.lines {
			for _, line := range wrap(s, max(1, w-2)) {
				r.wrapped = append(r.wrapped, " "+line)
			}
		}
	}
	r.top = max(0, min(r.top, len(r.wrapped)-h))
	return r.wrapped[r.top:min(len(r.wrapped), r.top+h)]
}

// openChip shows a pasted text.
func (m *Model) openChip() tea.Cmd {
	c, ok := m.composer.open()
	if !ok {
		return m.say("The draft holds no long paste; " + firstKey(m.keys.Focus) + " goes to the transcript.")
	}
	m.reader = reader{title: strings.Trim(c.label, "[]"), lines: strings.Split(markdown.Visible(c.text), "\n")}
	m.overlay = textOverlay
	return nil
}

// inspect shows a message in full and what the model gets of it.
func (m *Model) inspect() tea.Cmd {
	message, ok := m.chat.selected()
	if !ok {
		return m.say("There is no message here.")
	}
	var lines []string
	if e, ok := entryOf(m.panel.shown().plan, message.ID); ok {
		verdict := word(e)
		if verdict == "" {
			verdict = "whole"
		}
		lines = append(lines,
			m.styles.strong.Render(glyph(e)+" "+verdict)+"  "+e.Reason,
			m.styles.dim.Render(fmt.Sprintf("%s of %s characters · %s of %s tokens",
				thousands(e.CharsAfter), thousands(e.CharsBefore), thousands(e.TokensAfter), thousands(e.TokensBefore))))
		for _, r := range e.Repairs {
			lines = append(lines, m.styles.warn.Render("⚠ "+r.Kind+" "+markdown.Visible(r.What)))
		}
		lines = append(lines, "")
		lines = append(lines, viewOf(m.styles, message.Content, e)...)
	} else {
		lines = append(lines, m.styles.dim.Render("No plan speaks of this message yet."), "")
		lines = append(lines, strings.Split(markdown.Visible(message.Content), "\n")...)
	}
	title := "what the model gets · " + speaker(message.Role)
	if message.Label != "" {
		title += " · " + markdown.Visible(message.Label) // its id in the file that it was imported from
	}
	m.reader = reader{title: title, lines: lines}
	m.overlay = textOverlay
	return nil
}

// viewOf is a message's text with what the model does not get dimmed, and what stands in its
// place.
func viewOf(st styles, text string, e history.Entry) []string {
	runes := []rune(text)
	if e.Disposition != history.Kept && e.Disposition != history.Cut && e.Disposition != history.Recalled {
		return dimmed(st.faint, text)
	}
	var b strings.Builder
	at := 0
	for _, cut := range e.Cuts {
		from, to := min(max(at, cut.From), len(runes)), min(max(cut.From, cut.To), len(runes))
		b.WriteString(markdown.Visible(string(runes[at:from])))
		for _, in := range e.Inserted {
			if in.At >= cut.From && in.At <= cut.To {
				b.WriteString(strings.Join(dimmed(st.added, "✚"+in.Text), "\n"))
			}
		}
		b.WriteString(strings.Join(dimmed(st.faint, string(runes[from:to])), "\n"))
		at = to
	}
	b.WriteString(markdown.Visible(string(runes[min(at, len(runes)):])))
	return strings.Split(b.String(), "\n")
}

func dimmed(style lipgloss.Style, text string) []string {
	lines := strings.Split(markdown.Visible(text), "\n")
	for i, s := range lines {
		if s != "" {
			lines[i] = style.Render(s)
		}
	}
	return lines
}
