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
	m := s.m
	parts := []frame.Part{modelPart(m)}
	if m.Session.Temporary() || m.With.Store == nil {
		parts = append(parts, frame.Part{Label: "Not saved", Rank: 2, Lines: []frame.Line{
			{Text: "This chat is temporary: nothing of it is written to disk."},
		}})
	}
	return frame.First(append(parts, tryPart(m))).View(s.st, s.l.Gutter, w, h)
}

// modelPart names the model in use, and says why it is.
func modelPart(m *Model) frame.Part {
	model := frame.Line{Name: "guide", Text: ", built in and offline"}
	if !m.current.Guided() {
		model = frame.Line{Name: m.current.ModelName()}
		if host := markdown.OneLine(m.current.Endpoint().Address(), 60); host != "" {
			model.Text = " at " + host
		}
		if m.notice.Is(notice.Unreachable) {
			model.Text += " is not available"
		}
	}
	lines := []frame.Line{model}
	if why := markdown.Visible(m.choice.Reason); why != "" && m.choice.Ref == m.Ref {
		lines = append(lines, frame.Line{Remark: theme.UpperFirst(why) + "."})
	}
	if m.current.Guided() {
		lines = append(lines, frame.Line{Remark: "It isn’t a language model: it answers from winnow’s documentation. " +
			m.Keys.First(keymap.Models) + " adds a real one."})
	}
	return frame.Part{Label: "Model", Lines: lines}
}

// tryPart is three things to try: questions for the guide, else keys.
func tryPart(m *Model) frame.Part {
	try := frame.Part{Label: "Try", Rank: 1}
	if m.current.Guided() {
		for _, text := range suggestions() {
			try.Lines = append(try.Lines, frame.Line{Text: text, Yours: true})
		}
		return try
	}
	try.Lines = []frame.Line{
		{Text: "@", Does: "attach a file to your message"},
		{Text: m.Keys.First(keymap.Context), Does: "see what the model will see, as you type"},
		{Text: m.Keys.First(keymap.Palette), Does: "find a command: model, tools, export"},
	}
	if n := m.current.Earlier; n > 0 {
		try.Lines[2] = frame.Line{
			Text: m.Keys.First(keymap.Sessions), Does: "go on with one of " + theme.Plural(n, "earlier chat"),
		}
	}
	if n := m.current.Earlier; n == 1 {
		try.Lines[2].Does = "go on with your last chat"
	}
	return try
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
	focus, text := m.Keys.First(keymap.Focus), "Message"
	switch {
	case m.ReadOnly:
		text = "Open in another window; read-only here"
	case m.focus == transcriptPane && !m.chat.Selecting():
		text = m.Keys.First(keymap.Back) + " to write a message"
	case m.focus != draftPane || m.question.Waits():
	case m.Info.Turns > 1 || m.turn.Busy:
	case !m.chat.Empty():
		text = "Message, or " + focus + " to copy, edit or ask again"
	case m.current.Guided():
		text = "Ask the guide, or press " + focus + " to take a suggestion"
	default:
		text = "Write a message, @ for a file, / for a command"
	}
	if theme.Width(text) > w {
		text = "Message"
	}
	return theme.Fit(text, max(0, w))
}

// suggest takes the next suggestion of the first screen into the draft, and says whether there is one.
func suggest(m *Model) bool {
	if !m.chat.Empty() || !m.current.Guided() || m.focus != draftPane || m.turn.Busy {
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
