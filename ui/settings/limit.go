package settings

import (
	"errors"
	"fmt"

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
	s, holds := p.Sum, "A request can have up to "+theme.Plural(p.Sum.Limit, "token")
	switch {
	case s.Capped():
		return fmt.Sprintf("%s: the budget of %s is capped by the model's window of %s.", holds,
			theme.Thousands(s.Budget), theme.Thousands(s.Window))
	case s.Bound == history.BoundWindow:
		return holds + ": what the model's window of " + theme.Thousands(s.Window) + " leaves after the reply."
	case s.Bound == history.BoundUnread:
		return holds + ", because the server refused a larger request or read only part of one."
	case s.Bound == "":
		return "" // The conversation is still being read.
	}
	return holds + "."
}

// change says what a change of settings takes from the next request, and what caps it; "" where neither.
func change(before, after history.Plan, err error) string {
	n := 0
	for _, c := range history.Compare(before.Entries, after.Entries) {
		if c.Kind == history.ChangeLeft && c.After.FellOut() {
			n++
		}
	}
	text := ""
	if n > 0 {
		text = " " + theme.PluralOf(n, "message no longer fits", "messages no longer fit") + "."
	}
	if n > 0 || OverBudget(err) || after.Sum.Capped() {
		text = " " + limit(after, err) + text
	}
	return text
}
