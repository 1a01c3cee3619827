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

// limit says what requests may hold, and what sets that; "" while the conversation is still being read.
func limit(p history.Plan, err error) string {
	holds := "A request can have up to " + theme.Plural(p.Sum.Limit, "token")
	switch s := p.Sum; {
	case OverBudget(err):
		return "Nothing can be sent: " + err.Error() + ". " + WaysOut(err) + "."
	case s.Bound == "":
		return ""
	case s.Capped():
		return fmt.Sprintf("%s: the budget of %s is capped by the model's window of %s.", holds,
			theme.Thousands(s.Budget), theme.Thousands(s.Window))
	case s.Bound == history.BoundWindow:
		return holds + ": what the model's window of " + theme.Thousands(s.Window) + " leaves after the reply."
	}
	return holds + "."
}
