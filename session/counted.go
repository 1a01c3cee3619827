package session

import (
	"context"
	"fmt"

	"winnow/llm"
	"winnow/session/store"
	"winnow/session/target"
)

// compareCount compares the server's count of a request with the estimate, and marks the record if the server read only
// a part of the request. Counts with more cached tokens than prompt tokens are ignored: they do not count the prompt.
func (t *turn) compareCount(a *attempt) {
	ours := target.ComparableCount(a.record.Estimate, a.plan.Messages)
	if a.record.Prompt <= 0 || a.record.Cached > a.record.Prompt || ours == 0 {
		return
	}
	var cut bool
	if cut, a.withdrawn = a.to.JudgeCount(a.record.ID, a.record.Prompt, ours, a.decision.Limit > 0); cut {
		a.record.CutExpected = a.expected()
	}
	t.past.NoteCounted(a.record)
}

// withdrawCut removes the mark that the server read only a part of a request.
func (t *turn) withdrawCut(ctx context.Context, request int64) error {
	list, err := t.deps.Store.Requests(ctx, t.Info().ID, store.RequestFilter{ID: request})
	for _, r := range list {
		r.CutExpected = 0
		err = t.saveRecord(ctx, r)
	}
	return err
}

// noteCount stores what the server's count taught, and reports what the user must know.
func (t *turn) noteCount(ctx context.Context, a *attempt) {
	if a.to.LearnUnlistedName() {
		t.say("%s does not list the model %s but answered anyway: another model may have answered; winnow models "+
			"lists the names", a.to.Client.Endpoint().Name, a.to.Name)
	}
	switch window := a.to.Window(); {
	case a.record.CutExpected > 0:
		t.say("%s", a.cutNotice(a.to.QueryWindow(ctx)))
	case a.withdrawn != 0:
		t.warn("take back that the server read only a part", t.withdrawCut(ctx, a.withdrawn))
		t.emit(CutWithdrawn{Requests: []int64{a.withdrawn}})
		t.say("the server counts this request as low as the last one, so it did read both whole; the limit is lifted")
	case !window.Assumed && window.Tokens > 0 && a.record.Prompt > window.Tokens:
		t.say("the server counted %d tokens, more than its window of %d (%s): it may have dropped part of this request",
			a.record.Prompt, window.Tokens, window.DatedSource())
	}
	t.learn(ctx, a.to)
}

// cutNotice reports that the server read only a part of a request, and how to prevent it. stated says that the server
// has stated another window since.
func (a *attempt) cutNotice(stated bool) string {
	const below = "In this chat, requests now stay below %d tokens; /window TOKENS overrides this"
	cure := fmt.Sprintf(below, a.to.TokenLimit())
	if stated {
		cure = fmt.Sprintf("It now states a window of %d tokens, and requests will fit it", a.to.Window().Tokens)
	}
	if e := a.to.Client.Endpoint(); e.IsSelfHosted() && e.Name != llm.GuideEndpoint {
		cure += ". For Ollama, set OLLAMA_CONTEXT_LENGTH in its environment to enlarge the window"
	}
	return fmt.Sprintf("the server read %d of about %d tokens: it dropped part of this request without saying so. %s",
		a.record.Prompt, a.record.CutExpected, cure)
}
