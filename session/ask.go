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

// task is something that a model is asked for: an answer, a summary or a title. Summaries and titles are recorded,
// priced and announced like the user's own requests, but are not stored as messages.
type task struct {
	purpose store.Purpose
	plan    func(context.Context) (*attempt, error)
	reason  func(*attempt) string // why winnow sends the first request; "" if the user asked for it
}

// ask plans and sends a request, repeats it as long as there is a reason to, and reports each reason.
func (t *turn) ask(ctx context.Context, e task) (*attempt, error) {
	var over overflow
	defer func() {
		delete(t.approved, e.purpose)
		t.limit = 0
		if over.refused != nil {
			over.refused.to.UnlimitReply()
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
		if e.purpose == store.PurposeAnswer {
			t.announce(a)
		}
		err = t.send(ctx, a)
		fault, _ := errors.AsType[*llm.Error](err)
		if reason = t.reasonToAskAgain(ctx, a, fault, &over); reason != "" {
			named = named || fault.ToolCause == llm.ToolsNamed
			continue
		}
		if err == nil && over.shrunk > 0 {
			a.to.LimitRequests(t.limit)
		}
		if rejected(fault) && (named || fault.ToolCause == llm.ToolsNamed) {
			err = fmt.Errorf("%w (the server refused the tool calls in this conversation: /repair shows the damaged "+
				"ones, and tool_history = \"text\" or \"drop\" under [context] changes how they are sent)", err)
		}
		return a, err
	}
}

// reasonToAskAgain returns what the next request does differently, or "" if there is no reason for one:
//
//   - The model requires the history in another form. Each requirement is learned once, so this ends.
//   - The tool calls may have made the request fail. It is planned once more with the calls as text.
//   - The request was larger than the window. It is planned again, smaller.
//
// A request is not repeated once its answer has begun.
func (t *turn) reasonToAskAgain(ctx context.Context, a *attempt, fault *llm.Error, over *overflow) (reason string) {
	if fault != nil && fault.Replan {
		return t.learnRequired(ctx, a)
	}
	begun := a.saver != nil
	if a.decision.Profile.ToolsAsText && a.to.EndToolsAsText(begun || fault == nil, rejected(fault)) {
		t.learn(ctx, a.to)
	}
	if fault != nil && !begun {
		reason = t.tryToolsAsText(a, fault)
	}
	if fault == nil || reason != "" || fault.Kind != llm.ErrTooLong {
		return reason
	}
	if reason = t.planSmaller(ctx, a, fault, over); begun {
		return ""
	}
	return reason
}

// tryToolsAsText has the next request send tool calls as text, and returns the reason. It returns "" if tool calls are
// not the cause, if it was tried before, or if the user wants no repairs.
func (t *turn) tryToolsAsText(a *attempt, fault *llm.Error) (reason string) {
	if fault.ToolCause == llm.NotTools || t.State().Policy.Recovery == history.RecoverStrict || !a.to.TryToolsAsText() {
		return ""
	}
	reason = clause(fault)
	if fault.ToolCause != llm.ToolsNamed {
		reason += "; the tool calls in this conversation may be the reason"
	}
	return reason + "; asking once more with them as text"
}

// rejected reports whether the server received a request and refused it.
func rejected(fault *llm.Error) bool {
	return fault != nil && slices.Contains([]llm.ErrorKind{
		llm.ErrBadRequest, llm.ErrServer, llm.ErrNotFound, llm.ErrBadResponse, llm.ErrAuth,
	}, fault.Kind)
}

// learn stores what was learned of a model.
func (s *Session) learn(ctx context.Context, to *target.Model) {
	s.warn("keep what was learned of the endpoint", detached(ctx, to.SaveLearned))
}

// learnRequired stores a requirement that a refusal named, and returns what the next request does differently.
func (t *turn) learnRequired(ctx context.Context, a *attempt) (reason string) {
	t.learn(ctx, a.to)
	before, name := a.decision.Learned.Describe(), a.request.Model
	now := slices.DeleteFunc(a.to.Client.AllLearned(name).Describe(), func(way string) bool {
		return slices.Contains(before, way)
	})
	return fmt.Sprintf("%s has to be asked %s; asking once more", name, strings.Join(now, " and "))
}
