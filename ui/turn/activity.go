package turn

import (
	"fmt"
	"math"
	"strings"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Activity is what a turn does now.
type Activity struct {
	Doing string // "answering…"; "" where it does nothing
	Facts string // how long, and how much came; "" for nothing
	Why   string // why it waits, "" where it does not
}

// Activity is what the turn does now. Asked says that a question waits for the user.
func (t *Model) Activity(asked bool) Activity {
	if !t.Busy {
		return Activity{}
	}
	a, took := Activity{}, t.shown.Sub(t.began)
	switch {
	case t.Stopping:
		a.Doing = "stopping…"
	case asked:
		return Activity{Doing: "waiting for your answer"}
	case t.running != "":
		a.Doing, took = "running "+t.running+"…", max(0, t.shown.Sub(t.ranSince))
	case t.Retry != "":
		left := int(math.Ceil(max(0, t.until.Sub(t.shown)).Seconds()))
		return Activity{Doing: fmt.Sprintf("trying again in %d s", left), Why: markdown.Visible(t.Retry)}
	case t.writtenTool != "":
		a.Doing = "calling " + markdown.OneLine(t.writtenTool, 60) + "…"
	case t.thinking:
		a.Doing = "thinking…"
	case t.answering:
		a.Doing = "answering…"
	default:
		a.Doing = "asking…"
	}
	var facts []string
	if !t.began.IsZero() {
		facts = append(facts, theme.Duration(took))
	}
	if t.running != "" && t.progress != "" {
		facts = append(facts, t.progress)
	}
	if n := theme.TokensOf(len(t.text) + len(t.reasoning)); n > 0 && t.running == "" {
		facts = append(facts, "~"+theme.Plural(n, "token"))
	}
	a.Facts = strings.Join(facts, " · ")
	return a
}

// View draws an activity in lines of at most w cells; ways are keys and what they do to it.
func (a Activity) View(st theme.Styles, ways string, w int) []string {
	if a.Doing == "" {
		return nil
	}
	style := st.Seen
	if a.Why != "" {
		style = st.Cut
	}
	line := style.Render(a.Doing)
	if a.Facts != "" {
		line += st.Muted.Render(" " + a.Facts)
	}
	if theme.Width(line)+3+theme.Width(ways) <= w && ways != "" {
		line += "   " + ways
	}
	lines := []string{strings.TrimRight(theme.Fit(line, min(w, theme.Width(line))), " ")}
	if a.Why != "" {
		lines = append(lines, theme.WrapStyled(st.Muted, a.Why, w)...)
	}
	return lines
}
