//go:build cgo

package cli

import (
	"errors"
	"fmt"

	"winnow/cli/config"
	"winnow/history"
)

// tooSmall says that under a configuration's budget not even the shortest message can be sent, and what the
// budget takes at least; "" where one can be sent. Tools and what a window leaves come on top: they are known
// only in a session.
func (p *program) tooSmall(c config.Config) (string, error) {
	system, err := p.systemPrompt(c.System)
	if err != nil {
		return "", err
	}
	_, err = history.Build(nil, history.Options{
		Policy: c.Context, System: system,
		Turn: []history.Message{{Role: history.User, Content: "?", Status: history.Complete}},
	})
	var over *history.OverBudgetError
	if !errors.As(err, &over) {
		return "", nil
	}
	key, have := "budget", c.Context.Budget
	if have == 0 {
		key, have = "max_context_tokens", c.Context.MaxContextTokens
	}
	return fmt.Sprintf("context.%s is %d: no message fits; with this system prompt the shortest request has about %d tokens", key, have, over.Need), nil
}
