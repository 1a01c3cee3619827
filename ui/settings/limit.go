package settings

import (
	"errors"
	"strings"

	"winnow/history"
	"winnow/ui/theme"
)

// OverBudget says that nothing of a request fits.
func OverBudget(err error) bool {
	var over *history.OverBudgetError
	return errors.As(err, &over)
}

// WaysOut says what helps where nothing of a request fits.
func WaysOut(err error) string {
	var over *history.OverBudgetError
	if errors.As(err, &over) && len(over.Parts) > 0 && over.Parts[0].Kind == history.PartTools {
		return "/tools switches tools off, and /budget raises the budget"
	}
	return "Shorten or exclude something, or raise the budget with /budget"
}

// limit says what requests may hold, and what sets that.
func limit(p history.Plan, err error) string {
	if OverBudget(err) {
		return "Nothing can be sent: " + err.Error() + ". " + WaysOut(err) + "."
	}
	s := p.Sum
	holds := "A request can have up to " + theme.Plural(s.Limit, "token")
	switch {
	case s.Capped():
		return holds + ": the budget of " + theme.Thousands(s.Budget) + " is capped by the model's window of " +
			theme.Thousands(s.Window) + "."
	case s.Bound == history.BoundWindow:
		return holds + ": what the model's window of " + theme.Thousands(s.Window) + " leaves after the reply."
	case s.Bound == history.BoundUnread:
		return holds + ", because the server refused a larger request or read only part of one."
	case s.Bound == history.BoundMaxContext:
		return holds + " (max_context_tokens)."
	case s.Bound == "":
		return "" // The conversation is still being read.
	}
	return holds + "."
}

// Change says what a change of settings takes from the next request, and what caps it; "" where neither.
func Change(before, after history.Plan, err error) string {
	left := noLongerFit(before, after)
	if left == "" && !OverBudget(err) && !after.Sum.Capped() {
		return ""
	}
	return " " + strings.TrimSpace(limit(after, err)+" "+left)
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
	if n == 0 {
		return ""
	}
	return theme.PluralOf(n, "message no longer fits", "messages no longer fit") + "."
}
