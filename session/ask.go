package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
	"winnow/session/target"
)

// errand is something that a model is asked for: an answer, a summary of what came before, a title. What winnow asks
// by itself is recorded, costed and announced like the user's own request; its answer is no message.
type errand struct {
	purpose store.Purpose
	plan    func(context.Context) (*attempt, error)
	reason  func(*attempt) string // why its first request leaves, as the user is told; "" where the user asked for it
}

// ask plans a request and sends it, as often as there is reason to send another one, and says each reason.
func (t *turn) ask(ctx context.Context, e errand) (*attempt, error) {
	var over overflow
	defer func() {
		delete(t.approved, e.purpose)
		t.limit = 0
		if over.refused != nil {
			over.refused.to.FreeReply()
		}
	}()
	reason, named := "", false
	for {
		a, err := t.prepare(ctx, e, over)
		if err != nil {
			return nil, err
		}
		if reason = cmp.Or(reason, e.reason(a)); reason != "" {
			t.say("%s", reason)
		}
		if e.purpose == store.ForAnswer {
			t.announce(a)
		}
		err = t.send(ctx, a)
		fault, _ := errors.AsType[*llm.Error](err)
		if reason = t.reasonToAskAgain(ctx, a, fault, &over); reason != "" {
			named = named || fault.ToolCause == llm.ToolsNamed
			continue
		}
		if err == nil && over.shrunk > 0 {
			a.to.Shrink(t.limit)
		}
		if turnedDown(fault) && (named || fault.ToolCause == llm.ToolsNamed) {
			err = fmt.Errorf("%w (the server refused the tool calls in this conversation: /repair shows the damaged "+
				"ones, and tool_history = \"text\" or \"drop\" under [context] changes how they are sent)", err)
		}
		return a, err
	}
}

// reasonToAskAgain is what is done otherwise in another request after one that failed, "" where there is none:
//
//   - The model wants its history otherwise: it is planned again so, once for each requirement, because one that is
//     known already is not learned.
//   - It may have failed for its tool calls: it is planned once more with them as text.
//   - It turned out to be larger than the window: it is planned again, smaller.
//
// Behind an answer that has begun, nothing is asked again.
func (t *turn) reasonToAskAgain(ctx context.Context, a *attempt, fault *llm.Error, over *overflow) (reason string) {
	if fault != nil && fault.Replan {
		return t.learnRequired(ctx, a)
	}
	begun := a.saver != nil
	if a.decision.Profile.ToolsAsText && a.to.EndToolsAsText(begun || fault == nil, turnedDown(fault)) {
		t.learn(ctx, a.to)
	}
	if fault != nil && !begun {
		reason = t.tryToolsAsText(a, fault)
	}
	if fault == nil || reason != "" || fault.Kind != llm.ErrContextLength {
		return reason
	}
	if reason = t.planSmaller(ctx, a, fault, over); begun {
		return ""
	}
	return reason
}

// tryToolsAsText prepares to ask once more with tool calls as text, and returns why. It is "" where tool
// calls are not what failed the request, where that was tried before, and where the user wants no repair.
func (t *turn) tryToolsAsText(a *attempt, fault *llm.Error) (reason string) {
	if fault.ToolCause == llm.NotTools || t.Now().Policy.Recovery == history.RecoverStrict || !a.to.TryToolsAsText() {
		return ""
	}
	reason = clause(fault)
	if fault.ToolCause != llm.ToolsNamed {
		reason += "; the tool calls in this conversation may be the reason"
	}
	return reason + "; asking once more with them as text"
}

// turnedDown says that a server looked at a request and did not take it.
func turnedDown(fault *llm.Error) bool {
	return fault != nil && slices.Contains([]llm.ErrorKind{
		llm.ErrBadRequest, llm.ErrServer, llm.ErrNotFound, llm.ErrBadResponse, llm.ErrAuth,
	}, fault.Kind)
}

// learn keeps what was learned of a model.
func (s *Session) learn(ctx context.Context, to *target.Model) {
	s.warn("keep what was learned of the endpoint", detached(ctx, to.Learn))
}

// learnRequired keeps how a refusal says that a model has to be asked, and returns what changes with the next request.
func (t *turn) learnRequired(ctx context.Context, a *attempt) (reason string) {
	t.learn(ctx, a.to)
	before, name := a.decision.Learned.Describe(), a.request.Model
	now := slices.DeleteFunc(a.to.Client.AllLearned(name).Describe(), func(way string) bool {
		return slices.Contains(before, way)
	})
	return fmt.Sprintf("%s has to be asked %s; asking once more", name, strings.Join(now, " and "))
}
