package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session/target"
)

// tryToolsAsText prepares to ask once more with tool calls as text; that request says so. It is false where tool
// calls are not what failed the request, where that was tried before, and where the user wants no repair.
func (t *turn) tryToolsAsText(a asked, fault *llm.Error) bool {
	if fault.Tools == llm.NotTools || t.Policy().Recovery == history.RecoverStrict || !a.to.TryToolsAsText() {
		return false
	}
	if fault.Tools == llm.TheTools {
		t.reason = clause(fault) + "; asking once more with them as text"
		return true
	}
	t.reason = clause(fault) + "; the tool calls in this conversation may be the reason; asking once more with them " +
		"as text"
	return true
}

// endTextTrial takes how a request went that held tool calls as text. A model that answered gets them so
// from now on; one that refused gets them as they are again.
func (t *turn) endTextTrial(ctx context.Context, a asked, answered bool, fault *llm.Error) {
	if !a.decision.Profile.ToolsAsText {
		return
	}
	if a.to.EndToolsAsText(answered, fault != nil && turnedDown(fault.Kind)) {
		t.learn(ctx, a.to)
	}
}

// forgetOld forgets what the model refused long ago; the next request says so. What is refused again is learned again.
func (t *turn) forgetOld(ctx context.Context) {
	to := t.Model()
	old := to.Expire()
	if ways := old.Ways(); len(ways) > 0 {
		t.learn(ctx, to)
		t.reason = fmt.Sprintf("since %s %s was asked %s, because it refused anything else; now trying without that",
			old.Since.Local().Format("2 January 2006"), to.Name, strings.Join(ways, " and "))
	}
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
	return fmt.Sprintf("%s%s; /repair shows the damaged ones, and tool_history = \"text\" or \"drop\" under "+
		"[context] changes how they are sent", clause(e.Err), too)
}

// Unwrap gives what the server said last.
func (e *ToolHistoryError) Unwrap() error { return e.Err }

// blame adds to a refusal what the user can do about the tool calls that are the reason. named says that
// the server named them in an earlier request of this round.
func (a asked) blame(err error, named bool) error {
	var fault *llm.Error
	if !errors.As(err, &fault) || !named && fault.Tools != llm.TheTools || !turnedDown(fault.Kind) {
		return err
	}
	return &ToolHistoryError{Err: err, AsText: a.to.RefusedText()}
}

// unsent adds to the refusal of a damaged history that nothing was sent, and the way out.
func unsent(err error) error {
	if damaged := (*history.DamagedError)(nil); !errors.As(err, &damaged) {
		return err
	}
	return fmt.Errorf("nothing was sent: %w. /repair (or winnow repair ID) shows the damage; recovery = \"repair\" "+
		"under [context] sends it repaired", err)
}

// comparable is our count of the request, 0 where it is not worth comparing with the server's: of a small request,
// and of one with images or encrypted reasoning, of which only the server knows what they cost.
func (a asked) comparable() int {
	isImage := func(p history.Part) bool { return p.Kind == history.ImagePart }
	hasImage := func(m history.Message) bool { return slices.ContainsFunc(m.Parts, isImage) }
	if a.record.Estimate < target.LeastCounted || a.carriesEncrypted() ||
		slices.ContainsFunc(a.plan.Messages, hasImage) {
		return 0
	}
	return a.record.Estimate
}

// carriesEncrypted says that the request holds reasoning that only the server can read, and so count.
func (a asked) carriesEncrypted() bool {
	return slices.ContainsFunc(a.plan.Messages, func(m history.Message) bool {
		return history.CarriesEncrypted(m.Replay) ||
			slices.ContainsFunc(m.ToolCalls, func(call history.ToolCall) bool {
				return history.CarriesEncrypted(call.Replay)
			})
	})
}

// expected is what the server was expected to count for the request.
func (a asked) expected() int { return a.plan.Sum.Tokens(a.plan.Sum.Total) }

// learn keeps what was learned of a model.
func (s *Session) learn(ctx context.Context, to *target.Model) {
	save, cancel := detached(ctx)
	defer cancel()
	if err := to.Learn(save); err != nil {
		s.log().Warn("keep what was learned of the endpoint", "error", ErrorCode(err))
	}
}

// profileNotices say what changes with the next request, by the first thing that a model is now known to require.
var profileNotices = []struct {
	learned func(now, was history.Profile) bool
	text    string // behind the model's name
}{
	{func(now, was history.Profile) bool { return now.NoReplay && !was.NoReplay }, "refuses data of its own answers " +
		"that was sent back to it; asking once more without it"},
	{func(now, was history.Profile) bool { return now.MergeSameRole && !was.MergeSameRole }, "requires user and " +
		"assistant messages to alternate; asking once more with adjacent messages joined"},
	{func(now, was history.Profile) bool { return now.NoToolToUser && !was.NoToolToUser }, "requires an answer " +
		"between a tool result and your message; asking once more with a note there"},
	{func(now, was history.Profile) bool { return now.ToolIDLength != was.ToolIDLength }, "requires other tool call " +
		"ids; asking once more with short ones"},
	{func(now, was history.Profile) bool { return now.NoTools && !was.NoTools }, "does not support tools; asking " +
		"once more without any, and with past tool calls as text"},
	{func(now, was history.Profile) bool { return now.ToolsAsText && !was.ToolsAsText }, "accepts past tool calls " +
		"only if tools are offered; asking once more with them as text"},
	{func(now, was history.Profile) bool { return now.NoImages && !was.NoImages }, "does not accept images; asking " +
		"once more with a note instead of each"},
	{func(_, _ history.Profile) bool { return true }, "requires its reasoning to be sent with its tool calls; asking " +
		"once more with it"},
}

// learnProfile keeps what a model's chat format requires. The next request says what changes with it.
func (t *turn) learnProfile(ctx context.Context, a asked) {
	t.learn(ctx, a.to)
	now, was := a.to.Client.Profile(a.request.Model), a.decision.Profile
	for _, n := range profileNotices {
		if n.learned(now, was) {
			t.reason = a.request.Model + " " + n.text
			return
		}
	}
}
