package session

import (
	"context"
	"fmt"

	"winnow/llm"
)

// judge compares the server's count of a request with ours, and marks the request's record where the server read only
// a part. A server that counts more cached tokens than the prompt has counts something else.
func (t *turn) judge(a *asked) {
	if a.record.Prompt <= 0 || a.record.Cached > a.record.Prompt || a.comparable() == 0 {
		return
	}
	cut, withdrawn := a.to.Judge(a.record.ID, a.record.Prompt, a.comparable(), a.decision.Limit > 0)
	a.withdrawn = withdrawn
	if cut {
		a.record.CutExpected = a.expected()
	}
	t.before.Counted(a.record)
}

// noteCount keeps what the server's count of a request taught, and says what the user must know.
func (t *turn) noteCount(ctx context.Context, a asked) {
	save, cancel := detached(ctx)
	defer cancel()
	if a.to.LearnName() {
		t.emit(Notice{fmt.Sprintf("%s does not list a model %s and answered for it all the same: "+
			"another model may have answered; winnow models lists the names", a.to.Client.Endpoint().Name, a.to.Name)})
	}
	switch window := a.to.Window(); {
	case a.record.CutExpected > 0:
		t.emit(Notice{a.cutNotice(a.to.AskWindow(ctx))})
	case a.withdrawn != 0:
		if err := t.deps.Store.ClearCuts(save, a.record.Session, []int64{a.withdrawn}); err != nil {
			t.deps.Log.Warn("take back that the server read only a part", "err", err)
		}
		t.emit(Withdrawn{Requests: []int64{a.withdrawn}})
		t.emit(Notice{"the server counts this request as short as the last: it read both whole; the limit is lifted"})
	case !window.Assumed && window.Tokens > 0 && a.record.Prompt > window.Tokens:
		t.emit(Notice{fmt.Sprintf("the server counted %d tokens, more than its window of %d (%s): "+
			"it may have dropped part of this request", a.record.Prompt, window.Tokens, window.Origin())})
	}
	t.learn(ctx, a.to)
}

// cutNotice says that the server read only a part of a request, and how to cure it. stated says that the server has
// stated another window since.
func (a asked) cutNotice(stated bool) string {
	text := fmt.Sprintf("the server read %d of about %d tokens: it dropped part of this request without saying so. ",
		a.record.Prompt, a.record.CutExpected)
	window := a.to.Window().Tokens
	below := fmt.Sprintf("Requests of this session now stay below %d tokens; ", a.to.Limit())
	if set, wrong := a.to.TrueWindow(); stated {
		text += fmt.Sprintf("It now states a window of %d tokens, and requests will fit it", window)
	} else if wrong {
		text += below + fmt.Sprintf("the window of %d that was set is too large (/window %d)", window, set)
	} else {
		text += below + "/window TOKENS overrides this"
	}
	if e := a.to.Client.Endpoint(); e.Own() && e.Name != llm.Guide {
		text += ". For Ollama, set OLLAMA_CONTEXT_LENGTH in its environment to enlarge the window"
	}
	return text
}
