package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/store"
)

// The result of a call that did not run. Only a refusal of the user's is called one.
const (
	refused     = "[the user did not allow this call; it did not run]"
	switchedOff = "[running tools is switched off; this call did not run]"
	nobodyAsked = "[there was nobody to ask; this call did not run]"
	answerCut   = "[the answer was cut off; this call did not run]"
	unreadable  = "error: the arguments are not a JSON object, and nothing of them could be read; this call did not run"
)

// ToolError ends a turn because of what the model wants to run. Its text is a sentence for the user.
type ToolError struct{ text string }

func (e *ToolError) Error() string { return e.text }

// call is a tool call of an answer, with what decides whether it may run.
type call struct {
	history.ToolCall
	message    int64             // the answer
	arguments  history.Arguments // what is sent in place of the received ones, and what runs
	number, of int               // which of the answer's calls it is, from 1
	finish     string            // the finish_reason of the answer
	again      bool              // it may have run before, in part
}

// callsOf are the calls of an answer.
func callsOf(m store.Message) []call {
	var calls []call
	for i, a := range history.ArgumentsOf(m.ToolCalls) {
		calls = append(calls, call{
			ToolCall: m.ToolCalls[i], message: m.ID, arguments: a, number: i + 1, of: len(m.ToolCalls),
			finish: m.FinishReason,
		})
	}
	return calls
}

// repaired says that what would run is not what the model wrote.
func (c call) repaired() bool { return c.arguments.Object != c.Arguments }

// approve says what is done with a call of a tool.
func (s *Session) approve(c call, t tool.Tool) approval.Decision {
	whole := llm.WholenessOf(c.finish)
	d := s.deps.permits.now().Decide(approval.Call{
		Tool: t, Repaired: c.repaired(), Cut: whole == llm.Cut, Unsaid: whole == llm.Unsaid, Again: c.again,
	})
	if s.Temporary() { // Nothing is to stay of it.
		d.Choices = slices.DeleteFunc(d.Choices, func(c approval.Choice) bool { return c == approval.Forever })
	}
	return d
}

// question is what the user is asked about a call.
func (c call) question(t tool.Tool, d approval.Decision) Question {
	return Question{
		Call: c.ToolCall, Server: t.Server, Reach: t.Reach, Arguments: c.arguments, Number: c.number, Of: c.of,
		Reason: d.Reason, Choices: d.Choices,
	}
}

// runTools runs the calls of an answer and stores the result of each. The error ends the turn: a result
// that could not be stored, a call that there was nobody to ask about, an answer that is not whole, or a call of a tool
// that does not exist and that was called in the same way before.
func (t *turn) runTools(ctx context.Context, calls []call) error {
	var over []string
	for _, c := range calls {
		result, record, err := t.runTool(ctx, c)
		last := (*ToolError)(nil)
		if errors.As(err, &last) && !slices.Contains(over, last.text) {
			over = append(over, last.text) // The other calls of the answer get their results all the same.
		}
		if record.Outcome != "" {
			if err := t.saveResult(ctx, c, result, record); err != nil {
				return err
			}
		}
		if err != nil && last == nil {
			return err
		}
	}
	if over != nil {
		return &ToolError{strings.Join(over, "; ")}
	}
	return nil
}

// runTool runs one call, with the user's word where that is asked for. It yields a result, unless the user stopped the
// turn instead of answering: a tool that is unknown or fails says so in it. A tool that does not exist is asked
// about by nobody.
func (t *turn) runTool(ctx context.Context, c call) (result string, record approval.Record, err error) {
	tools := t.Model().Tools()
	offered, there := tools.Tool(c.Name)
	d := t.approve(c, offered)
	switch {
	case d.Reason == approval.CutAnswer:
		err = &ToolError{
			fmt.Sprintf("the answer was cut off (finish_reason %q), and its tool calls did not run", c.finish),
		}
		return answerCut, approval.Record{Outcome: approval.NotWhole}, err
	case !there:
		result, _ = tools.Run(ctx, c.Name, c.Arguments)
		return result, approval.Record{Outcome: approval.NoSuchTool}, t.unknownAgain(c.ToolCall)
	case c.arguments.Lost:
		return unreadable, approval.Record{Outcome: approval.Unreadable}, nil
	case d.Reason == approval.Nobody:
		return nobodyAsked, approval.Record{Outcome: approval.NotAsked}, &ToolError{c.unasked(d.Asked)}
	case d.Verdict == approval.Refuse:
		return switchedOff, approval.Record{Outcome: approval.NotRun}, nil
	case d.Verdict == approval.Ask:
		if err := tools.Ready(ctx, c.Name); err != nil && ctx.Err() == nil {
			result = "error: " + err.Error() + "; this call did not run"
			return result, approval.Record{Outcome: approval.NoSuchTool}, nil
		}
		answer, err := t.askUser(ctx, c.question(offered, d))
		if err != nil {
			return "", approval.Record{}, err
		}
		if !answer.Allows() {
			return declined(answer), approval.Record{Outcome: approval.Declined}, nil
		}
		if err := t.deps.permits.allow(ctx, offered, answer.Choice); err != nil {
			t.emit(Notice{err.Error()})
		}
		d.By = approval.Grant(answer.Choice)
	}
	t.emit(Running{Name: c.Name, Server: offered.Server})
	watched, stop := t.progress(ctx)
	result, end := tools.Run(watched, c.Name, c.arguments.Object)
	stop()
	record = approval.Record{Outcome: approval.Outcome(end), By: d.By}
	if c.repaired() {
		record.Arguments = c.arguments.Object
	}
	return result, record, ctx.Err()
}

// progress is a context for a call that says how far it is, until stop is called: the call may be left to itself.
func (t *turn) progress(ctx context.Context) (watched context.Context, stop func()) {
	var mu sync.Mutex
	stopped := false
	watched = tool.WithProgress(ctx, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			t.emit(Progress{text})
		}
	})
	return watched, func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}

// unknownAgain notes a call of a tool that does not exist. The error is that of a call which was made before.
func (t *turn) unknownAgain(c history.ToolCall) error {
	same := c.Name + "\x00" + c.Arguments
	if t.unknown[same] {
		return &ToolError{fmt.Sprintf("the model called %s, and the turn ends here", againUnknown(c.Name))}
	}
	if t.unknown == nil {
		t.unknown = map[string]bool{}
	}
	t.unknown[same] = true
	return nil
}

// againUnknown says that a tool was called again that does not exist.
func againUnknown(name string) string {
	if name == "" {
		return "a tool again without saying which"
	}
	return fmt.Sprintf("the tool %q again, which does not exist", name)
}

// declined is the result of a call that the user did not allow.
func declined(a approval.Answer) string {
	if reason := strings.TrimSpace(a.Reason); reason != "" {
		return refused + " The user says: " + reason
	}
	return refused
}

// unasked says what the user would have been asked about a call.
func (c call) unasked(why approval.Reason) string {
	text := fmt.Sprintf("the model wants to run the tool %q with %s", c.Name, shortLine(c.arguments.Object))
	switch why {
	case approval.Repaired:
		return text + fmt.Sprintf(", repaired from %q, and there is nobody to ask; a call with repaired arguments "+
			"never runs without asking", shortLine(c.Arguments))
	case approval.Unsaid:
		return text + ", and there is nobody to ask; the server did not say whether the answer is whole"
	}
	return text + fmt.Sprintf(", and there is nobody to ask; --allow-tool %s runs it without asking", c.Name)
}

// longestLine is how many characters of a call's arguments a sentence has.
const longestLine = 1000

// shortLine is JSON on one line, or the beginning of it.
func shortLine(object string) string {
	var line bytes.Buffer
	if json.Compact(&line, []byte(object)) != nil {
		line.Reset()
		line.WriteString(object)
	}
	if runes := []rune(line.String()); len(runes) > longestLine {
		return string(runes[:longestLine]) + "…"
	}
	return line.String()
}

// resultKeys are the further keys of a stored result.
type resultKeys struct {
	Call      approval.Record `json:"call"`
	ReadAgain []int           `json:"read_again,omitempty"` // the positions of the messages that a recall found
}

// saveResult stores what a call came to. It is stored even after a stop: a tool that ran has done what it does.
func (t *turn) saveResult(ctx context.Context, c call, result string, record approval.Record) error {
	save, cancel := detached(ctx)
	defer cancel()
	extra, err := json.Marshal(resultKeys{record, t.takeReadAgain()})
	if err != nil {
		return fmt.Errorf("write what became of the call: %w", err)
	}
	row := t.Info()
	m, err := t.deps.Store.Append(save, store.Message{
		Session: row.ID, Parent: row.Leaf, Tokenizer: t.deps.Tokenizer,
		Extra: extra, Message: history.Message{
			Role: history.Tool, Name: c.Name, ToolCallID: c.ID, Content: result,
			Status: history.Complete, Tokens: t.count(result),
		},
	})
	if err != nil {
		return err
	}
	t.add(m)
	t.emit(Ran{Call: c.ToolCall, Message: m, Record: record})
	return nil
}

// askUser asks the user about a call. The error is that of a turn that was stopped.
func (t *turn) askUser(ctx context.Context, q Question) (approval.Answer, error) {
	if answer := t.answered; answer != nil {
		t.answered = nil
		return q.offered(*answer), nil
	}
	answer, err := wait(ctx, func(answer func(approval.Answer)) { t.emit(Asked{Question: q, Answer: answer}) })
	return q.offered(answer), err
}

// offered is an answer, or no where the question does not offer it.
func (q Question) offered(a approval.Answer) approval.Answer {
	if slices.Contains(q.Choices, a.Choice) {
		return a
	}
	return approval.Answer{Choice: approval.No, Reason: a.Reason}
}
