package session

import (
	"slices"

	"winnow/history"
	"winnow/session/approval"
	"winnow/session/store"
)

// RepairedRun is a tool call that ran, after the user allowed it, with other arguments than the model wrote.
type RepairedRun struct {
	Call      history.ToolCall // as it was received
	Arguments string           // what it ran with
}

// RepairedRuns lists the calls of one answer of a branch that ran with repaired arguments, as their results record it.
func RepairedRuns(branch []store.Message, answer int64) []RepairedRun {
	at := slices.IndexFunc(branch, func(m store.Message) bool { return m.ID == answer })
	if at < 0 {
		return nil
	}
	var runs []RepairedRun
	// The results are stored behind their answer, in the order of its calls.
	for i, call := range branch[at].ToolCalls {
		if next := at + 1 + i; next < len(branch) && branch[next].Role == history.Tool {
			if r, ok := approval.RecordOf(branch[next].Extra); ok && r.Arguments != "" {
				runs = append(runs, RepairedRun{call, r.Arguments})
			}
		}
	}
	return runs
}
