package settings

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/session"
	"winnow/session/settings"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

func (s *Model) useModel(ref string) tea.Cmd {
	if s.Busy {
		return s.Fail(s.Keys.Lacks(keymap.NeedIdle))
	}
	return s.Apply(session.Settings{Model: ref}, "")
}

// Apply changes settings, and says so with what that takes from the next request: "" names the model.
func (s *Model) Apply(to session.Settings, sentence string) tea.Cmd {
	of, memory, known := s.Session, s.Memory, s.With.Models
	return s.Run(func(ctx context.Context) tea.Msg {
		before, _ := of.Preview(session.Draft{})
		if err := of.Set(ctx, to); err != nil {
			return s.done("", err)
		}
		after, err := of.Preview(session.Draft{})
		sentence = cmp.Or(sentence, "The next message goes to "+of.Model().Ref()+".") + Change(before, after, err)
		if to.Model != "" {
			sentence += rememberModel(memory, of, known)
		}
		return s.done(sentence, nil)
	})
}

// Window is the command /window.
func (s *Model) Window(args string) tea.Cmd {
	if args == "" {
		return s.Say(s.windowText())
	}
	n, ok := settings.ReadWindow(args)
	if !ok {
		return s.Fail("A window is a number of tokens, or auto.")
	}
	return s.useWindow(n)
}

// AskWindow asks for a window that the server could not say before the model ran. Meanwhile a message can be sent.
func (s *Model) AskWindow() tea.Cmd {
	of := s.Session
	return s.Run(func(ctx context.Context) tea.Msg {
		if !of.Model().AskWindowAgain(ctx) {
			return nil
		}
		return s.done("", nil)
	})
}

// useWindow sets the window of the model in use; 0 finds it out.
func (s *Model) useWindow(tokens int) tea.Cmd {
	of, ref := s.Session, s.Ref
	return s.Run(func(ctx context.Context) tea.Msg {
		err := of.Model().SetWindow(ctx, tokens)
		w := of.Model().Window()
		sentence := "The window of " + ref + " is set to " + theme.Thousands(tokens) + " tokens, in every chat."
		switch {
		case tokens == 0:
			sentence = "The window of " + ref + " is " + theme.Thousands(w.Tokens) + " tokens: " + w.Origin() + "."
		case w.Tokens < tokens:
			sentence = "The window of " + ref + " stays " + theme.Thousands(w.Tokens) + " tokens: " + w.Origin() +
				", which is less than " + theme.Thousands(tokens) + "."
		}
		return s.done(sentence, err)
	})
}

// windowText says how large the window of the model in use is, and who says so.
func (s *Model) windowText() string {
	model := s.Session.Model()
	w := model.Window()
	if w.Tokens == 0 {
		return "The window of " + s.Ref + " is not known yet. /window 128000 sets it."
	}
	text := "The window of " + s.Ref + " is " + theme.Thousands(w.Tokens) + " tokens: " + w.Origin() + "."
	f := model.Windows()
	var others []string
	for _, o := range []llm.Window{f.Chosen, f.Configured, f.Stated, f.Refused} {
		if o.Tokens > 0 && (o.Tokens != w.Tokens || o.Source != w.Source) {
			others = append(others, theme.Thousands(o.Tokens)+" ("+o.Origin()+")")
		}
	}
	if len(others) > 0 {
		text += " Also known: " + strings.Join(others, ", ") + "."
	}
	if limit := model.Limit(); limit > 0 {
		text += " Requests stay below " + theme.Thousands(limit) + ", because the server read only a part of one."
	}
	switch most := f.Stated.Most; {
	case most > w.Tokens:
		text += " /window TOKENS makes the server load the model with another one, up to " + theme.Thousands(most) +
			"; a larger one needs more memory."
	case w.Assumed || w.ByName:
		text += " /window 128000 sets another."
	}
	return text
}
