package panel

import (
	"strings"

	"winnow/session/record"
	"winnow/ui/theme"
)

// Cost is what a past request cost, or what the input of the next one would: "cost $0.0041", "~$0.002 in".
// It is empty where there is nothing to say.
func (r *Request) Cost() string {
	if r.Past != nil {
		if cost := record.CostOf(r.Past.Request).String(); cost != "" {
			return "cost " + cost
		}
		return ""
	}
	if !r.Ready || !r.Input.Known() {
		return ""
	}
	return r.Input.String() + " in"
}

// costBeside puts the cost at the end of a line where it fits, else it returns the cost apart.
func (r *Request) costBeside(st theme.Styles, line string, w int) (string, []string) {
	cost := r.Cost()
	if cost == "" {
		return line, nil
	}
	text := strings.TrimRight(line, " ")
	cost = st.Text.Render(cost)
	if theme.Width(text)+theme.Width(cost)+len("   ") > w {
		return line, []string{cost}
	}
	return theme.Spread(text, cost+" ", w), nil
}
