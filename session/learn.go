package session

import (
	"context"
	"slices"

	"winnow/history"
	"winnow/session/calibration"
	"winnow/session/target"
)

// comparable is our count of the request, 0 where it is not worth comparing with the server's: of a small request,
// and of one with images, of which only the server knows what they cost.
func (a asked) comparable() int {
	if a.record.Estimate < calibration.Least || slices.ContainsFunc(a.plan.Messages, func(m history.Message) bool { return calibration.Images(m) > 0 }) {
		return 0
	}
	return a.record.Estimate
}

// expected is what the server was expected to count for the request.
func (a asked) expected() int { return a.plan.Sum.Tokens(a.plan.Sum.Total) }

// learn keeps what was learned of a model.
func (t *turn) learn(ctx context.Context, to *target.Model) {
	save, cancel := detached(ctx)
	defer cancel()
	if err := to.Learn(save); err != nil {
		t.log().Warn("keep what was learned of the endpoint", "error", ErrorCode(err))
	}
}

// learnProfile keeps what a model's chat format requires, and says what changes with the next request.
func (t *turn) learnProfile(ctx context.Context, a asked) {
	a.to.DateQuirks(a.decision.Quirks)
	t.learn(ctx, a.to)
	model := a.request.Model
	switch now, was := a.to.Client.Profile(model), a.decision.Profile; {
	case now.NoReplay && !was.NoReplay:
		t.emit(Notice{model + " refuses parts of its own answers that winnow had kept for it; asking once more without them"})
	case now.MergeSameRole && !was.MergeSameRole:
		t.emit(Notice{model + " wants you and the model to speak in turn; asking once more with neighbouring messages joined"})
	case now.NoToolToUser && !was.NoToolToUser:
		t.emit(Notice{model + " wants an answer between a tool's result and your message; asking once more with a note there"})
	case now.ToolIDLength != was.ToolIDLength:
		t.emit(Notice{model + " wants other ids of tool calls; asking once more with short ones"})
	case now.NoTools && !was.NoTools:
		t.emit(Notice{model + " takes no tool calls; asking once more with those of the past as text"})
	case now.ToolsAsText && !was.ToolsAsText:
		t.emit(Notice{model + " takes tool calls of the past only where tools are offered; asking once more with them as text"})
	case now.NoImages && !was.NoImages:
		t.emit(Notice{model + " takes no images; asking once more with a note in the place of each"})
	default:
		t.emit(Notice{model + " wants its reasoning back with its tool calls; asking once more with it"})
	}
}
