package ui

import (
	"strings"

	"winnow/history"
	"winnow/ui/theme"
)

// limitSays says what requests may hold, and what sets that.
func limitSays(p history.Plan, err error) string {
	if overBudget(err) {
		return "Nothing can be sent: " + err.Error() + "."
	}
	s := p.Sum
	holds := "A request may hold " + theme.Plural(s.Limit, "token")
	switch {
	case s.Capped():
		return holds + ": the budget of " + theme.Thousands(s.Budget) + " is capped by the model's window of " + theme.Thousands(s.Window) + "."
	case s.Bound == history.BoundWindow:
		return holds + ": what the model's window of " + theme.Thousands(s.Window) + " leaves beside the reply."
	case s.Bound == history.BoundUnread:
		return holds + ", because the server refused a larger request or read only a part of one."
	case s.Bound == history.BoundMaxContext:
		return holds + " (max_context_tokens)."
	case s.Bound == "":
		return "" // The conversation is still being read.
	}
	return holds + "."
}

// changeSays says what a change of settings takes from the next request, and what caps it; "" where neither.
func changeSays(before, after history.Plan, err error) string {
	left := noLongerFit(before, after)
	if left == "" && !overBudget(err) && !after.Sum.Capped() {
		return ""
	}
	return " " + strings.TrimSpace(limitSays(after, err)+" "+left)
}

// noLongerFit says how many messages of the conversation a change of the model drops from the next
// request, "" for none.
func noLongerFit(before, after history.Plan) string {
	n := 0
	for _, c := range history.Compare(before.Entries, after.Entries) {
		if c.Kind == history.ChangeLeft && c.After.FellOut() {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "1 message no longer fits."
	}
	return theme.Thousands(n) + " messages no longer fit."
}
