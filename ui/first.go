package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm"
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

// first is what an empty chat shows.
func (s screen) first(w, h int) []string {
	m := s.m
	choice := m.choice
	if choice.Ref != m.current.Ref {
		choice.Reason = ""
	}
	unreachable := m.notice.Is(notice.Unreachable)
	f := frame.First{}
	if m.current.Guided() {
		f.Parts = guideParts(m.keys, reasonOf(choice))
	} else {
		f.Parts = []frame.Part{modelPart(m, choice, unreachable), contextPart(m), savedPart(m)}
		f.Keys = [][2]string{{m.keys.First(keymap.Models), "another model"}}
	}
	if n := m.current.Earlier; n > 0 {
		f.Keys = append(f.Keys, [2]string{m.keys.First(keymap.Sessions), theme.Plural(n, "earlier chat")}, [2]string{
			"winnow -c", "the last one",
		})
	} else if len(f.Keys) > 0 {
		f.Keys = append(f.Keys, [2]string{m.keys.First(keymap.Palette), "commands"})
	}
	return f.View(s.st, s.l.Gutter, w, h)
}

// reasonOf is why a model was chosen, without "because".
func reasonOf(c llm.Choice) string {
	reason := strings.TrimPrefix(markdown.Visible(c.Reason), "because ")
	if reason == "" {
		return ""
	}
	return theme.UpperFirst(reason) + "."
}

func guideParts(k keymap.Map, why string) []frame.Part {
	parts := []frame.Part{{Label: "Model", Lines: []frame.Line{
		{Name: "guide", Text: ", built in and offline"},
		{Remark: "It isn’t a language model: it answers from winnow’s documentation."},
	}}}
	if why != "" {
		parts = append(parts, frame.Part{Label: "Why", Lines: []frame.Line{{Text: why}}, Rank: 2})
	}
	try := frame.Part{Label: "Try", Rank: 1}
	for _, text := range suggestions() {
		try.Lines = append(try.Lines, frame.Line{Text: text, Yours: true})
	}
	return append(parts, try, frame.Part{Label: "Real models", Rank: 5, Lines: []frame.Line{
		{Text: "export OPENAI_API_KEY=…", Does: "or another provider’s key, then restart winnow"},
		{Text: "ollama serve", Does: "winnow finds it at the next start"},
		{Text: k.First(keymap.Models), Does: "lists every provider, and how to add it"},
	}})
}

func modelPart(m *Model, c llm.Choice, unreachable bool) frame.Part {
	at := ""
	if host := markdown.OneLine(m.current.Endpoint().Address(), 60); host != "" {
		at = " at " + host
	}
	if unreachable {
		at += " is not available"
	}
	p := frame.Part{Label: "Model", Lines: []frame.Line{{Name: m.current.ModelName(), Text: at}}}
	if c.Reason != "" {
		p.Lines = append(p.Lines, frame.Line{Remark: "Chosen " + markdown.Visible(c.Reason) + "."})
	}
	return p
}

// contextPart says how much a request may hold, once that is planned.
func contextPart(m *Model) frame.Part {
	p := frame.Part{Label: "Context", Rank: 5}
	sum := m.panel.Next.Plan.Sum
	if !m.panel.Next.Ready || sum.Window == 0 {
		return p
	}
	text := theme.Thousands(sum.Window) + " tokens"
	bound := sum.Bound == history.BoundBudget || sum.Bound == history.BoundMaxContext
	if bound {
		p.Label = "Budget"
		text = theme.Thousands(sum.Limit) + " of " + text + "; /budget changes it"
	} else if sum.Reserve > 0 {
		text += "; " + theme.Thousands(sum.Reserve) + " are kept for the answer"
	}
	if sum.Margin > 0 && !bound {
		text += fmt.Sprintf(", %.0f %% as a margin", sum.Margin*100)
	}
	p.Lines = []frame.Line{{Text: text}, {Remark: "Nothing is cut while everything fits."}}
	if assumed := m.panel.Assumed(); assumed != "" {
		p.Lines = append(p.Lines, frame.Line{Remark: assumed + "."})
	}
	return p
}

func savedPart(m *Model) frame.Part {
	p := frame.Part{Label: "Saved in", Rank: 6}
	if m.current.Session.Temporary() || m.current.With.Store == nil {
		p.Label, p.Lines = "Not saved", []frame.Line{
			{Text: "This chat is temporary: nothing of it is written to disk."},
		}
		return p
	}
	p.Lines = []frame.Line{
		{Text: markdown.OneLine(fromHome(filepath.Dir(m.current.With.Store.Path())), 200)},
		{Remark: "Plain SQLite. A temporary chat isn’t saved."},
	}
	return p
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
	focus, text := m.keys.First(keymap.Focus), "Message"
	switch {
	case m.focus == transcriptPane && !m.chat.Selecting():
		text = m.keys.First(keymap.Back) + " to write a message"
	case m.focus != draftPane || m.question.Waits():
	case m.current.Info.Turns > 1 || m.turn.Busy:
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
