package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"winnow/history"
	"winnow/session/store"
)

// The result of a call that did not run. Only a refusal of the user's is called one.
const (
	refused     = "[the user did not allow this call; it did not run]"
	switchedOff = "[running tools is switched off; this call did not run]"
	nobodyAsked = "[there was nobody to ask; this call did not run]"
)

// ToolError ends a turn because of what the model wants to run. Its text is a sentence for the user.
type ToolError struct{ text string }

func (e *ToolError) Error() string { return e.text }

// runTools runs the calls of an answer and stores the result of each. The error ends the turn: a result
// that could not be stored, a call that there was nobody to ask about, or one of a tool that does not exist
// and that was called in the same way before.
func (t *turn) runTools(ctx context.Context, calls []history.ToolCall) error {
	var fatal error
	for _, call := range calls {
		result, err := t.runTool(ctx, call)
		if over := (*ToolError)(nil); errors.As(err, &over) {
			fatal = over // The other calls of the answer get their results all the same.
		} else if err != nil {
			return err
		}
		if err := t.saveResult(ctx, call, result); err != nil {
			return err
		}
	}
	return fatal
}

// runTool runs one call, with the user's word where that is asked for. It always yields a result: a tool
// that is unknown or fails says so in it. A tool that does not exist is asked about by nobody.
func (t *turn) runTool(ctx context.Context, call history.ToolCall) (result string, err error) {
	tools := t.Model().Tools()
	if !tools.Has(call.Name) {
		same := call.Name + "\x00" + call.Arguments
		if t.unknown[same] {
			err = &ToolError{fmt.Sprintf("the model called %s, and the turn ends here", againUnknown(call.Name))}
		}
		if t.unknown == nil {
			t.unknown = map[string]bool{}
		}
		t.unknown[same] = true
		return tools.Run(ctx, call.Name, call.Arguments), err
	}
	approve := t.deps.Approve
	if t.mustAsk && approve != Never {
		approve = Ask
	}
	switch approve {
	case Never:
		return switchedOff, nil
	case Unattended:
		return nobodyAsked, &ToolError{fmt.Sprintf("the model wants to run the tool %q, and there is nobody to ask; tools.approve = \"always\" in the configuration runs tools without asking", call.Name)}
	case Ask:
		if allowed, err := t.allowed(ctx, call); err != nil || !allowed {
			return refused, err
		}
	}
	result = tools.Run(ctx, call.Name, call.Arguments)
	return result, ctx.Err()
}

// againUnknown says that a tool was called again that does not exist.
func againUnknown(name string) string {
	if name == "" {
		return "a tool again without saying which"
	}
	return fmt.Sprintf("the tool %q again, which does not exist", name)
}

// saveResult stores what a call came to.
func (t *turn) saveResult(ctx context.Context, call history.ToolCall, result string) error {
	row := t.Info()
	m, err := t.deps.Store.Append(ctx, store.Message{Session: row.ID, Parent: row.Leaf, Tokenizer: t.deps.Tokenizer, Extra: t.takeReadAgain(), Message: history.Message{
		Role: history.Tool, Name: call.Name, ToolCallID: call.ID, Content: result,
		Status: history.Complete, Tokens: t.count(result),
	}})
	if err != nil {
		return err
	}
	t.add(m)
	t.emit(Ran{m})
	return nil
}

// allowed asks the user about a call.
func (t *turn) allowed(ctx context.Context, call history.ToolCall) (bool, error) {
	if answer := t.answered; answer != nil {
		t.answered = nil
		return *answer, nil
	}
	answer := make(chan bool, 1)
	var once sync.Once
	t.emit(Asked{Call: call, Allow: func(yes bool) { once.Do(func() { answer <- yes }) }})
	select {
	case yes := <-answer:
		return yes, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
