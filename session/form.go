package session

import "context"

// learnForm keeps the form that a model wants its history in, and says what changes with the next
// request.
func (t *turn) learnForm(ctx context.Context, a asked) {
	t.dateQuirks(a)
	t.learn(ctx)
	model := a.request.Model
	switch now, was := a.client.Profile(model), a.decision.Profile; {
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
