package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"winnow/ui/frame"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/notice"
	"winnow/ui/theme"
)

// suggestions are what the first screen offers to ask the guide.
func suggestions() []string {
	return []string{
		"How does winnow choose what to send?", "Why was my message cut?", "What does a broken tool call look like?",
	}
}

// first is what an empty chat shows: which model answers and why, and three things to try.
func (s screen) first(w, h int) []string {
	m, st := s.m, s.st
	parts := []frame.Part{{Label: "Model", Lines: modelLines(m)}, {Label: "Try", Lines: tryLines(m)}}
	if m.Session.Temporary() || m.With.Store == nil {
		parts = append(parts, frame.Part{Label: "Not saved", Lines: []frame.Line{
			{Text: "This chat is temporary: nothing of it is written to disk.", Style: st.Text},
		}})
	}
	return frame.First(st, s.l.Gutter, w, h, parts...)
}

// modelLines name the model in use, and say why it is.
func modelLines(m *Model) (lines []frame.Line) {
	st, name := m.Themes.Styles, m.ModelName()
	if host := markdown.OneLine(m.Endpoint().Address(), 60); host != "" {
		name += " at " + host
	}
	switch {
	case m.Guided():
		name = "guide, built in and offline"
	case m.notice.Is(notice.Unreachable):
		name += " is not available"
	}
	lines = append(lines, frame.Line{Text: name, Style: st.Strong})
	if why := markdown.Visible(m.choice.Reason); why != "" && m.choice.Ref == m.Ref {
		lines = append(lines, frame.Line{Text: theme.UpperFirst(why) + ".", Style: st.Muted})
	}
	if m.Guided() {
		lines = append(lines, frame.Line{Style: st.Muted, Text: "It isn’t a language model: it answers from winnow’s " +
			"documentation. " + m.Keys.First(keymap.Models) + " adds a real one."})
	}
	return lines
}

// tryLines are three things to try: questions for the guide, else keys.
func tryLines(m *Model) (lines []frame.Line) {
	st := m.Themes.Styles
	if m.Guided() {
		for _, text := range suggestions() {
			lines = append(lines, frame.Line{Lead: st.You.Render("▌") + " ", Text: text, Style: st.Text})
		}
		return lines
	}
	third := [2]string{m.Keys.First(keymap.Palette), "find a command: model, tools, export"}
	if n := m.Earlier; n > 0 {
		third = [2]string{m.Keys.First(keymap.Sessions), "go on with one of " + theme.Plural(n, "earlier chat")}
	}
	for _, try := range [][2]string{
		{"@", "attach a file to your message"},
		{m.Keys.First(keymap.Context), "see what the model will see, as you type"},
		third,
	} {
		lines = append(lines, frame.Line{Lead: st.Text.Render(theme.Fit(try[0], 10)), Text: try[1], Style: st.Muted})
	}
	return lines
}

// fromHome is a path as people write it: the home folder is ~.
func fromHome(path string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, home+string(filepath.Separator)) {
		return "~" + path[len(home):]
	}
	return path
}

// placeholder is what stands in an empty draft of w cells.
func placeholder(m *Model, w int) string {
	text, idle := "Message", m.focus == draftPane && !m.Question.Waits() && !m.Turn.Busy
	switch {
	case m.ReadOnly:
		text = "Open in another window; read-only here"
	case m.focus == transcriptPane && !m.Chat.Selecting():
		text = m.Keys.First(keymap.Back) + " to write a message"
	case idle && m.Chat.Empty() && m.Guided():
		text = "Ask the guide, or press " + m.Keys.First(keymap.Focus) + " to take a suggestion"
	case idle && m.Chat.Empty():
		text = "Write a message, @ for a file, / for a command"
	case idle && m.Info.Turns <= 1:
		text = "Message, or " + m.Keys.First(keymap.Focus) + " to copy, edit or ask again"
	}
	if theme.Width(text) > w {
		text = "Message"
	}
	return theme.Fit(text, max(0, w))
}

// suggest takes the next suggestion of the first screen into the draft, and says whether there is one.
func suggest(m *Model) bool {
	if !m.Chat.Empty() || !m.Guided() || m.focus != draftPane || m.Turn.Busy {
		return false
	}
	list := suggestions()
	at := slices.Index(list, m.composer.Shown())
	if at < 0 && !m.composer.Empty() {
		return false
	}
	m.composer.Set(list[(at+1)%len(list)])
	return true
}
