package session

import (
	"winnow/history"
	"winnow/session/approval"
	"winnow/session/branch"
)

// RepairedRun is a tool call that ran, after the user allowed it, with other arguments than the model wrote.
type RepairedRun struct {
	Call      history.ToolCall // as it was received
	Arguments string           // what it ran with
}

// RepairedRuns lists the calls of one answer of a branch that ran with repaired arguments, as their results record it.
func RepairedRuns(b branch.Branch, answer int64) ([]RepairedRun, error) {
	m, there, err := b.ByID(answer)
	if !there || err != nil {
		return nil, err
	}
	at, _ := b.Find(answer)
	var runs []RepairedRun
	// The results are stored behind their answer, in the order of its calls.
	for i, call := range m.ToolCalls {
		next := at + 1 + i
		if next >= b.Len() || b.Role(next) != history.Tool {
			continue
		}
		result, err := b.Message(next)
		if err != nil {
			return nil, err
		}
		if r, ok := approval.RecordOf(result.Extra); ok && r.Arguments != "" {
			runs = append(runs, RepairedRun{call, r.Arguments})
		}
	}
	return runs, nil
}
