package turn

import (
	"fmt"
	"math"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Activity says what the turn is doing, "" for nothing, with facts such as how long and how many tokens so far, or why
// it is about to retry. Asked reports that a question waits for the user.
func (t *Model) Activity(asked bool) (doing, facts, why string) {
	doing = t.activity
	switch {
	case !t.Busy:
		return "", "", ""
	case t.Stopping:
		doing = "stopping…"
	case asked:
		return "waiting for your answer", "", ""
	case t.retryCause != "":
		left := int(math.Ceil(max(0, t.until.Sub(t.shown)).Seconds()))
		return fmt.Sprintf("trying again in %d s", left), "", markdown.Visible(t.retryCause)
	}
	facts = theme.Duration(max(0, t.shown.Sub(t.since)))
	if n := theme.EstimateTokens(t.arrived); n > 0 {
		facts += " · ~" + theme.Plural(n, "token")
	} else if t.progress != "" {
		facts += " · " + t.progress
	}
	return doing, facts, ""
}

// View draws the activity in lines of at most w cells. Ways are hints, shown at the end if there is room.
func (t *Model) View(st theme.Styles, asked bool, ways string, w int) []string {
	doing, facts, why := t.Activity(asked)
	style := st.Seen
	if doing == "" {
		return nil
	}
	if why != "" {
		style = st.Cut
	}
	line := style.Render(doing)
	if facts != "" {
		line += st.Muted.Render(" " + facts)
	}
	if ways != "" && theme.Width(line)+3+theme.Width(ways) <= w {
		line += "   " + ways
	}
	lines := []string{markdown.Truncate(line, w, "…")}
	if why != "" {
		lines = append(lines, theme.WrapStyled(st.Muted, why, w)...)
	}
	return lines
}
