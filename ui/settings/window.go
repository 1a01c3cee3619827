package settings

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/settings"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

func (s *Model) useModel(ref string) tea.Cmd {
	if s.Busy {
		return s.Fail(s.Keys.Lacks(keymap.NeedIdle))
	}
	return s.Apply(session.Settings{Model: ref}, "")
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
		return app.Then(func() tea.Cmd { return s.Settled("", nil) })
	})
}

// useWindow sets the window of the model in use; 0 finds it out.
func (s *Model) useWindow(tokens int) tea.Cmd {
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		err := of.Model().SetWindow(ctx, tokens)
		w, sentence := of.Model().Window(), windowOf(of)
		if tokens > 0 && w.Tokens >= tokens {
			sentence += " It is set in every chat."
		} else if tokens > 0 {
			sentence += " That is less than " + theme.Thousands(tokens) + "."
		}
		return sentence, err
	})
}

// windowOf says how large the window of a session's model is, and who says so.
func windowOf(s *session.Session) string {
	w := s.Model().Window()
	return "The window of " + s.Model().Ref() + " is " + theme.Thousands(w.Tokens) + " tokens: " + w.Origin() + "."
}

// windowText says how large the window of the model in use is, and what sets another one.
func (s *Model) windowText() string {
	model := s.Session.Model()
	if model.Window().Tokens == 0 {
		return "The window of " + s.Ref + " is not known yet. /window 128000 sets it."
	}
	text := windowOf(s.Session)
	if limit := model.Limit(); limit > 0 {
		text += " Requests stay below " + theme.Thousands(limit) + ", because the server read only a part of one."
	}
	if most := model.Windows().Stated.Most; most > model.Window().Tokens {
		return text + " /window TOKENS has the server load the model with another, up to " + theme.Thousands(most) +
			"; a larger one needs more memory."
	}
	return text + " /window TOKENS sets another."
}
