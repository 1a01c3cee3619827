package session

import (
	"context"
	"sync"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// refused is what the model is told when the user refused a call.
const refused = "[the user did not allow this call; it did not run]"

// runTool runs one call of the answer, with the user's word where that is asked for, and stores its
// result. Running always yields a result: a tool that is unknown or fails says so in it.
func (t *turn) runTool(ctx context.Context, call history.ToolCall) error {
	allowed, err := t.allowed(ctx, call)
	if err != nil {
		return err
	}
	result := refused
	if allowed {
		result = t.toolbox().Run(ctx, call)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	row := t.Info()
	m, err := t.deps.Store.Append(ctx, store.Message{Session: row.ID, Parent: row.Leaf, Tokenizer: t.deps.Tokenizer, Message: history.Message{
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

func (t *turn) allowed(ctx context.Context, call history.ToolCall) (bool, error) {
	switch t.deps.Approve {
	case Always:
		return true, nil
	case Never:
		return false, nil
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

// toolbox is the tools of the endpoint in use.
func (s *Session) toolbox() *llm.Toolbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Endpoint().Tools
}

// offered are the tools that the model may call.
func (to target) offered() []llm.Tool {
	if to.client.Profile(to.model).NoTools {
		return nil
	}
	return to.client.Endpoint().Tools.Tools()
}

// toolTokens is what the tool schemas cost. They are counted once.
func (to *target) toolTokens(count history.Counter) int {
	tools := to.offered()
	if len(tools) == 0 {
		return 0
	}
	if to.toolCost == 0 && count != nil {
		to.toolCost = count(llm.Schemas(tools))
	}
	return to.toolCost
}
