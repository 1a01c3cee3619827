package ui

import "testing"

// A budget above the model's window is accepted, and what caps it is said; one below it is the limit.
func TestBudgetSaysWhatARequestMayHold(t *testing.T) {
	t.Parallel()
	l := onStage(t, 160, 50)
	l.until("the window", func() bool { return l.Session.Model().Window().Tokens > 0 })
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

// A model with a smaller window says how much of the conversation its requests do not hold, and one with a
// larger window gives it back.
func TestSwitchOfModelSaysWhatNoLongerFits(t *testing.T) {
	t.Parallel()
	l := talked(t, 160, 50)
	l.types("/model there/large")
	l.press("enter")
	l.shows("The next message goes to there/large.")
	l.lacks("no longer fit")
	l.planned()
	l.types("/model here/small")
	l.press("enter")
	l.shows("The next message goes to here/small. A request can have up to ")
	l.shows("what the model's window of 4,096 leaves after the reply.")
	l.shows("messages no longer")
}
