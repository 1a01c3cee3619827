package session

import "context"

// learnForm keeps the form that a model wants its history in, and says what changes with the next
// request.
func (t *turn) learnForm(ctx context.Context, a asked) {
	t.learn(ctx)
	model := a.request.Model
	if a.client.Profile(model).NoReplay && !a.decision.Profile.NoReplay {
		t.emit(Notice{model + " refuses parts of its own answers that winnow had kept for it; asking once more without them"})
		return
	}
	t.emit(Notice{model + " wants its reasoning back with its tool calls; asking once more with it"})
}
