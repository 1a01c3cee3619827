package ui

import "testing"

// A budget above the model's window is accepted, and what caps it is said; one below it is the limit.
func TestBudgetSaysWhatARequestMayHold(t *testing.T) {
	t.Parallel()
	l := onStage(t, 160, 50)
	l.until("the window", func() bool { return l.current.Session.Model().Window().Tokens > 0 })
	for _, c := range []struct{ typed, want string }{
		{"/budget 50,000", "the budget of 50,000 is capped by the model's window of 4,096."},
		{"/budget 900", "A request can have up to 900 tokens."},
		{"/budget auto", "what the model's window of 4,096 leaves after the reply."},
		{"/budget 1", "Nothing can be sent: "},
		{"/budget much", "A budget is a number of tokens, or auto."},
	} {
		l.types(c.typed)
		l.press("enter")
		l.shows(c.want)
	}
}
