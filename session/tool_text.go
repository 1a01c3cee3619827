package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// textTrial is what is known about sending tool calls as text to a model that refused them as they are.
type textTrial int

const (
	notTried textTrial = iota
	trying             // requests hold tool calls as text until the model answers or refuses again
	useless            // the model refused them as text too
)

// profile is what the model's chat format insists on, the trial included.
func (to target) profile() history.Profile {
	p := to.client.Profile(to.model)
	p.ToolsAsText = p.ToolsAsText || to.asText == trying
	return p
}

// tryToolsAsText prepares to ask once more with tool calls as text, and says so. It is false where tool
// calls are not what failed the request, where that was tried before, and where the user wants no repair.
func (t *turn) tryToolsAsText(a asked, fault *llm.Error) bool {
	if fault.Tools == llm.NotTools || t.policy.Recovery == history.RecoverStrict || !t.still(a) {
		return false
	}
	t.mu.Lock()
	first := t.asText == notTried
	if first {
		t.asText = trying
	}
	t.mu.Unlock()
	if !first {
		return false
	}
	if fault.Tools == llm.TheTools {
		t.emit(Notice{clause(fault) + "; asking once more with them as text"})
		return true
	}
	t.emit(Notice{clause(fault) + "; the tool calls in this conversation may be the reason; asking once more with them as text"})
	return true
}

// endTextTrial takes how a request went that held tool calls as text. A model that answered gets them so
// from now on; one that refused gets them as they are again.
func (t *turn) endTextTrial(ctx context.Context, a asked, answered bool, fault *llm.Error) {
	if !a.decision.Profile.ToolsAsText || !t.still(a) {
		return
	}
	t.mu.Lock()
	on := t.asText == trying
	switch {
	case !on:
	case answered:
		t.asText = notTried
	case fault != nil && turnedDown(fault.Kind):
		t.asText = useless
	}
	t.mu.Unlock()
	if on && answered {
		a.client.SendToolsAsText(a.record.Model)
		t.dateQuirks(a)
		t.learn(ctx)
	}
}

// textLesson is how long a model that refused tool calls gets them as text: its server may have been mended
// or set up otherwise since.
const textLesson = 7 * 24 * time.Hour

// tryToolCalls has tool calls sent as they are again, and says so, where the model has got them as text for a
// long time. One that refuses them still gets them as text for as long again.
func (t *turn) tryToolCalls(ctx context.Context) error {
	t.mu.Lock()
	to, policy := t.target, t.policy
	holds := slices.ContainsFunc(t.branch, func(m store.Message) bool { return len(m.ToolCalls) > 0 })
	t.mu.Unlock()
	quirk := llm.ToolsAsText(to.model)
	if !holds || policy.Recovery == history.RecoverStrict || policy.ToolHistory != history.ToolsKeep ||
		to.client.Endpoint().Profile.ToolsAsText || !slices.Contains(to.client.Quirks(), quirk) {
		return nil
	}
	known, err := t.deps.Store.Endpoint(ctx, to.client.Endpoint().BaseURL, to.model)
	if err != nil {
		return err
	}
	since := known.QuirksAt[quirk]
	if t.deps.Now().Sub(since) < textLesson {
		return nil
	}
	to.client.Forget(quirk)
	t.learn(ctx)
	if to.client.Profile(to.model).ToolsAsText {
		return nil // It takes no tool calls at all.
	}
	when := ""
	if !since.IsZero() {
		when = " since " + since.Local().Format("2 January 2006")
	}
	t.emit(Notice{fmt.Sprintf("tool calls went to %s as text%s, because it refused them; trying them as they are again", to.model, when)})
	return nil
}

// dateQuirks dates what a request taught about its model: now. The same may have been known before, and been
// forgotten.
func (t *turn) dateQuirks(a asked) {
	now := t.deps.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	dates := maps.Clone(t.learned.QuirksAt)
	if dates == nil {
		dates = map[string]time.Time{}
	}
	for _, q := range a.client.Quirks() {
		if !slices.Contains(a.decision.Quirks, q) {
			dates[q] = now
		}
	}
	t.learned.QuirksAt = dates
}

// turnedDown says that a server looked at a request and did not take it.
func turnedDown(k llm.ErrorKind) bool {
	switch k {
	case llm.BadRequest, llm.Server, llm.NotFound, llm.BadStream, llm.Auth:
		return true
	}
	return false
}

// ToolHistoryError ends a turn whose request was refused for the tool calls in the conversation.
type ToolHistoryError struct {
	Err    error // what the server said last
	AsText bool  // they were refused as text too
}

func (e *ToolHistoryError) Error() string {
	too := ""
	if e.AsText {
		too = "; it refused the tool calls in this conversation as they are and as text"
	}
	return fmt.Sprintf("%s%s; /repair shows the damaged ones, and tool_history = \"text\" or \"drop\" under [context] changes how they are sent", clause(e.Err), too)
}

// Unwrap gives what the server said last.
func (e *ToolHistoryError) Unwrap() error { return e.Err }

// blame adds to a refusal what the user can do about the tool calls that are the reason. named says that
// the server named them in an earlier request of this round.
func (t *turn) blame(err error, named bool) error {
	var fault *llm.Error
	if !errors.As(err, &fault) || !named && fault.Tools != llm.TheTools || !turnedDown(fault.Kind) {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return &ToolHistoryError{Err: err, AsText: t.asText == useless}
}

// unsent adds to the refusal of a damaged history that nothing was sent, and the way out.
func unsent(err error) error {
	if damaged := (*history.DamagedError)(nil); !errors.As(err, &damaged) {
		return err
	}
	return fmt.Errorf("nothing was sent: %w. /repair (or winnow repair ID) shows the damage; recovery = \"repair\" under [context] sends it repaired", err)
}
