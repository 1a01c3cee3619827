package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/settings"
	"winnow/ui/app"
	"winnow/ui/theme"
)

// Budget is the command /budget.
func (s *Model) Budget(args string) tea.Cmd {
	n, ok := settings.ReadBudget(args)
	if !ok {
		return s.Fail("A budget is a number of tokens, or auto.")
	}
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		if err := of.Set(ctx, session.Settings{Budget: new(n)}); err != nil {
			return "", err
		}
		return cmp.Or(limit(of.Preview(session.Draft{})), "The budget is set."), nil
	})
}

// limit says what requests may hold, and what sets that; "" while the conversation is still being read.
func limit(p history.Plan, err error) string {
	holds := "A request can have up to " + theme.Plural(p.Sum.Limit, "token")
	switch s := p.Sum; {
	case OverBudget(err):
		return "Nothing can be sent: " + err.Error() + ". " + WaysOut(err) + "."
	case s.Bound == "":
		return ""
	case s.Capped():
		return fmt.Sprintf("%s: the budget of %s is capped by the model's window of %s.", holds,
			theme.Thousands(s.Budget), theme.Thousands(s.Window))
	case s.Bound == history.BoundWindow:
		return holds + ": what the model's window of " + theme.Thousands(s.Window) + " leaves after the reply."
	}
	return holds + "."
}

// OverBudget says that nothing of a request fits.
func OverBudget(err error) bool {
	var over *history.OverBudgetError
	return errors.As(err, &over)
}

// WaysOut says what helps where nothing of a request fits.
func WaysOut(err error) string {
	var over *history.OverBudgetError
	if errors.As(err, &over) && len(over.Parts) > 0 && over.Parts[0].Kind == history.PartTools {
		return "/tools switches tools off, and /budget raises the budget"
	}
	return "Shorten or exclude something, or raise the budget with /budget"
}

// Window is the command /window: it sets the window of the model in use, where auto finds it out.
func (s *Model) Window(args string) tea.Cmd {
	if args == "" {
		return s.Say(s.windowText())
	}
	tokens, ok := settings.ReadWindow(args)
	if !ok {
		return s.Fail("A window is a number of tokens, or auto.")
	}
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
