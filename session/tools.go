package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/store"
)

// The results of calls that did not run. Only the user's refusal is called one.
const (
	refused     = "[the user did not allow this call; it did not run]"
	switchedOff = "[running tools is switched off; this call did not run]"
	nobodyAsked = "[there was nobody to ask; this call did not run]"
	answerCut   = "[the answer was cut off; this call did not run]"
	unreadable  = "error: the arguments are not a JSON object, and nothing of them could be read; this call did not run"
)

// ToolError ends a turn because of a tool call. Its text is a sentence for the user.
type ToolError struct{ text string }

func (e *ToolError) Error() string { return e.text }

// repaired reports whether the arguments that would run differ from those that the model wrote.
func (q ToolQuestion) repaired() bool { return q.Arguments.Object != q.Call.Arguments }

// approve decides whether a tool call may run. finish is the finish reason of its answer.
func (s *Session) approve(q ToolQuestion, t tool.Tool, finish string) approval.Decision {
	whole := llm.FinishKindOf(finish)
	d := s.State().rules.Decide(approval.Call{
		Tool: t, Repaired: q.repaired(), AnswerCut: whole == llm.FinishCut, FinishUnknown: whole == llm.FinishUnknown,
	})
	if s.Temporary() { // a temporary chat leaves nothing behind
		d.Choices = slices.DeleteFunc(d.Choices, func(c approval.Choice) bool { return c == approval.AllowAlways })
	}
	return d
}

// runTools runs the calls of an answer and stores their results. An error ends the turn: a result could not be stored,
// the user could not be asked about a call, or the answer is incomplete.
func (t *turn) runTools(ctx context.Context, answer store.Message) error {
	var last error
	for i, arguments := range history.RepairArguments(answer.ToolCalls) {
		q := ToolQuestion{Call: answer.ToolCalls[i], Arguments: arguments, Number: i + 1, Of: len(answer.ToolCalls)}
		result, record, err := t.runTool(ctx, q, answer.FinishReason)
		if record.Outcome != "" {
			if err := t.saveResult(ctx, q.Call, result, record); err != nil {
				return err
			}
		}
		// After a ToolError, the other calls still get results.
		if _, ends := errors.AsType[*ToolError](err); err != nil && !ends {
			return err
		}
		last = cmp.Or(err, last)
	}
	return last
}

// runTool runs one call, after asking the user if that is required. It returns a result unless the turn was stopped
// during the question; the result says so if the tool is unknown or fails. The user is not asked about an unknown tool.
func (t *turn) runTool(ctx context.Context, q ToolQuestion, finish string) (string, approval.CallRecord, error) {
	tools := t.Model().Tools()
	offered, there := tools.Tool(q.Call.Name)
	d := t.approve(q, offered, finish)
	didNotRun := func(o approval.Outcome, result string, err error) (string, approval.CallRecord, error) {
		return result, approval.CallRecord{Outcome: o}, err
	}
	switch {
	case d.Reason == approval.ReasonCutAnswer:
		return didNotRun(approval.OutcomeAnswerCut, answerCut, &ToolError{
			fmt.Sprintf("the answer was cut off (finish_reason %q), and its tool calls did not run", finish),
		})
	case !there:
		result, _ := tools.Run(ctx, q.Call.Name, q.Call.Arguments)
		return didNotRun(approval.OutcomeNoSuchTool, result, nil)
	case q.Arguments.Lost:
		return didNotRun(approval.OutcomeUnreadable, unreadable, nil)
	case d.Reason == approval.ReasonUnattended:
		return didNotRun(approval.OutcomeUnattended, nobodyAsked, &ToolError{q.unattendedError(d.Asked)})
	case d.Effect == approval.EffectRefuse:
		return didNotRun(approval.OutcomeToolsOff, switchedOff, nil)
	case d.Effect == approval.EffectAsk:
		if err := tools.Ready(ctx, q.Call.Name); err != nil && ctx.Err() == nil {
			return didNotRun(approval.OutcomeNoSuchTool, "error: "+err.Error()+"; this call did not run", nil)
		}
		q.Server, q.Reach, q.Reason, q.Choices = offered.Server, offered.Reach, d.Reason, d.Choices
		answer, err := t.askUser(ctx, q)
		if err != nil {
			return "", approval.CallRecord{}, err
		}
		if !answer.Allows() {
			result := refused
			if reason := strings.TrimSpace(answer.Reason); reason != "" {
				result += " The user says: " + reason
			}
			return didNotRun(approval.OutcomeDeclined, result, nil)
		}
		if err := t.keepAllowed(ctx, offered, answer.Choice); err != nil {
			t.say("the call runs, but the permission to always allow %s was not saved: %v", offered.Name, err)
		}
		d.GrantedBy = approval.Grant(answer.Choice)
	}
	t.emit(ToolStarted{Name: q.Call.Name, Server: offered.Server})
	result, end := tools.Run(tool.WithProgress(ctx, func(text string) { t.emit(ToolProgress{text}) }), q.Call.Name,
		q.Arguments.Object)
	record := approval.CallRecord{Outcome: approval.Outcome(end), By: d.GrantedBy}
	if q.repaired() {
		record.Arguments = q.Arguments.Object
	}
	return result, record, ctx.Err()
}

// unattendedError describes the question about a call that nobody could answer, for a run without a user.
func (q ToolQuestion) unattendedError(why approval.Reason) string {
	const longest = 1000 // characters of the arguments
	arguments := strings.Join(strings.Fields(q.Arguments.Object), " ")
	text := fmt.Sprintf("the model wants to run the tool %q with %.*s, and there is nobody to ask; ", q.Call.Name,
		longest, arguments)
	switch why {
	case approval.ReasonRepaired:
		return text + "a call with repaired arguments never runs without asking"
	case approval.ReasonFinishUnknown:
		return text + "the server did not say whether the answer is whole"
	}
	return text + "--allow-tool " + q.Call.Name + " runs it without asking"
}

// resultExtra are the additional JSON keys of a stored tool result.
type resultExtra struct {
	Call      approval.CallRecord `json:"call"`
	ReadAgain []int               `json:"read_again,omitempty"` // positions of the messages that a recall found
}

// saveResult stores the result of a call, even after a stop, because a tool that ran may have had effects.
func (t *turn) saveResult(ctx context.Context, c history.ToolCall, result string, record approval.CallRecord) error {
	keys := resultExtra{Call: record}
	t.set(func(*State) { keys.ReadAgain, t.readAgain = t.readAgain, nil })
	extra, _ := json.Marshal(keys) // strings and numbers always encode
	row := t.Info()
	m := store.Message{
		Session: row.ID, Parent: row.Leaf, Extra: string(extra), Message: history.Message{
			Role: history.Tool, Name: c.Name, ToolCallID: c.ID, Content: result, Status: history.Complete,
		},
	}
	err := detached(ctx, func(ctx context.Context) (err error) {
		m, err = t.deps.Store.AppendMessage(ctx, t.deps.withCount(m))
		return err
	})
	if err != nil {
		return err
	}
	t.add(m)
	t.emit(ToolFinished{Call: c, Message: m, Record: record})
	return nil
}

// askUser asks the user about a call. A choice that was not offered counts as no. It fails only if the turn is stopped.
func (t *turn) askUser(ctx context.Context, q ToolQuestion) (approval.Answer, error) {
	answer, err := wait(ctx, func(answer func(approval.Answer)) { t.emit(ApprovalNeeded{q, answer}) })
	if !slices.Contains(q.Choices, answer.Choice) {
		answer.Choice = approval.Deny
	}
	return answer, err
}

// wait shows a question and waits for its first answer or for the end of ctx.
func wait[A any](ctx context.Context, show func(answer func(A))) (answer A, err error) {
	answers := make(chan A, 1)
	show(func(a A) {
		select {
		case answers <- a:
		default:
		}
	})
	select {
	case answer = <-answers:
		return answer, nil
	case <-ctx.Done():
		return answer, ctx.Err()
	}
}

// Permissions are configured, remembered from the user's answers, or granted for this session.

// readPermissions reads the remembered permissions, which another program may have changed.
func (s *Session) readPermissions(ctx context.Context) error {
	if s.deps.permanent == nil {
		return nil
	}
	rows, err := s.deps.permanent.ToolPermissions(ctx)
	if err == nil {
		s.set(func(st *State) { st.rules.Remembered = rows })
	}
	return err
}

// remember stores what a tool may do, for all sessions.
func (s *Session) remember(ctx context.Context, t tool.Tool, p tool.Permission) error {
	row := store.ToolPermission{Name: t.Name, Server: t.Server, Permission: string(p)}
	if p == tool.Allow {
		row.Identity = approval.ToolIdentity(t)
	}
	if err := s.deps.permanent.SetToolPermission(ctx, row); err != nil {
		return err
	}
	return s.readPermissions(ctx)
}

// keepAllowed applies the user's answer to later calls of the tool, if the answer covers them.
func (s *Session) keepAllowed(ctx context.Context, t tool.Tool, choice approval.Choice) error {
	switch choice {
	case approval.AllowAlways:
		return s.remember(ctx, t, tool.Allow)
	case approval.AllowForSession:
		s.set(func(st *State) {
			allowed := map[string]bool{approval.ToolIdentity(t): true}
			maps.Copy(allowed, st.rules.Session)
			st.rules.Session = allowed
		})
	}
	return nil
}

// ToolState is a tool of the model in use with its permission.
type ToolState struct {
	Tool       tool.Tool
	Permission tool.Permission
	By         approval.Grant // where the permission comes from
	Tokens     int            // added to each request; 0 for a tool that is off
}

// ToolStates lists the tools of the model in use, including those that are off. all is the number of tokens that the
// offered tools add to each request.
func (s *Session) ToolStates() (list []ToolState, all int) {
	st := s.State()
	set := st.Model.Tools()
	set.IsOff = nil
	var offered []tool.Tool
	for _, t := range set.Tools() {
		state := ToolState{Tool: t}
		if state.Permission, state.By = st.rules.Permission(t); state.Permission != tool.Off {
			state.Tokens = s.deps.Count(llm.ToolSchemas([]tool.Tool{t}))
			offered = append(offered, t)
		}
		list = append(list, state)
	}
	return list, s.deps.Count(llm.ToolSchemas(offered))
}

// ErrConfiguredTool is returned if the configuration decides what a tool may do.
var ErrConfiguredTool = errors.New("the configuration decides what this tool may do")

// PermitTool stores what a tool may do, for all sessions. It does so from a temporary chat too.
func (s *Session) PermitTool(ctx context.Context, t tool.Tool, p tool.Permission) error {
	if _, by := s.State().rules.Permission(t); by == approval.ByConfiguration {
		return ErrConfiguredTool
	}
	if err := s.remember(ctx, t, p); err != nil {
		return fmt.Errorf("remember what %s may do: %w", t.Name, err)
	}
	return nil
}
