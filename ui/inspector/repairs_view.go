package inspector

import (
	"fmt"
	"strings"

	"winnow/history"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// The least heights of the page of a repair, in lines.
const (
	leastBody = 4 // of the comparison, so that blank lines and remarks are kept around it
	leastHead = 2 // below this height the remedies alone are shown
)

// View draws the repair on show: what was wrong, what is stored against what is sent, and the remedies. Where there is
// little room the remarks give way first, then the blank lines, then the reason, and the comparison is scrolled.
func (l *Repairs) View(st theme.Styles, w, h int) []string {
	on, ok := l.Chosen()
	l.remedyRows, l.repairRows = rows{}, rows{}
	if !ok {
		return indented(st.Muted, "Nothing is damaged: every message is sent as it was stored.", w)
	}
	l.draw(st, on, w)
	head, foot, remarks := l.head(st, on, w), l.remedies(st, on, w), l.remarks(st, on, w)
	blank := 1
	rest := func() int { return h - len(head) - len(foot) - len(remarks) - 3*blank }
	wanted := min(leastBody, len(l.body))
	if rest() < wanted {
		remarks = nil
	}
	if rest() < wanted {
		blank = 0
	}
	if rest() < wanted {
		head = head[:1]
	}
	if h <= len(foot)+leastHead {
		first, end := theme.Around(l.remedy, len(foot), max(0, h-1))
		foot, l.remedyRows.first = foot[first:end], first
	}
	l.seen = max(0, min(len(l.body), rest()))
	l.Scroll(0)
	gap := make([]string, blank)
	lines := append(head, gap...)
	if l.seen > 0 {
		lines = append(append(lines, l.body[l.top:l.top+l.seen]...), gap...)
	}
	l.remedyRows.at, l.remedyRows.n = len(lines), len(foot)
	lines = append(lines, foot...)
	if len(remarks) > 0 {
		lines = append(append(lines, gap...), remarks...)
	}
	l.repairRows.at = len(lines) + aboveList
	return append(lines, l.list(st, w, h-len(lines))...)
}

// aboveList is the rule above the list of repairs, with a blank line at either side, and leastList the least of its
// rows.
const (
	aboveList = 3
	leastList = 3
)

// list is where the repair on show stands among the others, below a rule, where h lines have room for it.
func (l *Repairs) list(st theme.Styles, w, h int) []string {
	if len(l.Lines) < 2 || h < aboveList+leastList {
		return nil
	}
	lines := []string{"", ruleIn(st, w), ""}
	digits := len(theme.Thousands(l.Lines[len(l.Lines)-1].Entry.Index + 1))
	first, end := theme.Around(l.At, len(l.Lines), h-aboveList)
	l.repairRows.first, l.repairRows.n = first, end-first
	for i := first; i < end; i++ {
		on := l.Lines[i]
		right, text := RemedyWord(on.Repair.Remedy), st.Muted
		if !on.Entry.Sent() && on.Repair.Remedy != history.LeaveOut {
			right = "not sent"
		}
		if i == l.At {
			text = st.Strong
		}
		g := theme.Glyph(on.Entry)
		lead := fmt.Sprintf("%*s %s  ", digits, theme.Thousands(on.Entry.Index+1),
			theme.Fit(theme.Speaker(on.Entry.Role), 6))
		what := markdown.OneLine(l.Secrets.Line(on.Repair.Sentence()), max(1, textWidth(w)-theme.Width(lead+right)-2))
		left := strings.Repeat(" ", theme.Gutter(w)) + theme.Fit(st.OfGlyph(g).Render(g), markCells) +
			text.Render(lead+what)
		lines = append(lines, theme.Spread(left, st.Muted.Render(right), w-theme.Gutter(w)))
	}
	return lines
}

// draw draws the comparison, where it is not drawn already: long texts are compared once, not at every frame.
func (l *Repairs) draw(st theme.Styles, on Repaired, w int) {
	plan := l.plan
	if l.remedy < len(l.prices) {
		plan = l.prices[l.remedy].Plan
	}
	of := bodyKey{on.Repair, plan, st.Name, w, l.Secrets.Revealed}
	if l.body != nil && l.bodyOf == of {
		return
	}
	e, ok := plan.EntryOf(on.Entry.ID)
	if !ok {
		e = on.Entry
	}
	shown, _ := withoutSecrets(l.Secrets, on.Repair)
	for _, r := range e.Repairs {
		if r.Kind == on.Repair.Kind && r.Before == on.Repair.Before {
			shown, _ = withoutSecrets(l.Secrets, r)
		}
	}
	when := "now"
	if l.remedy < len(l.prices) && l.prices[l.remedy].Remedy != on.Repair.Remedy {
		when = "from now on, if you choose this"
	}
	l.body = append([]string{}, comparison(st, w, blocksOf(plan, l.stored, e, []history.Repair{shown}, l.Secrets),
		when)...)
	l.bodyOf = of
}

// head says what was wrong, and what is done about it.
func (l *Repairs) head(st theme.Styles, on Repaired, w int) []string {
	sentence, _ := l.Secrets.Hide(on.Repair.Cause.Sentence())
	what, instead, _ := strings.Cut(markdown.Visible(sentence), "; ")
	is := "repaired in the request, not in the store"
	switch r := on.Repair.Remedy; {
	case r != history.SendRepaired:
		is = RemedyWord(r) + ", as you chose"
	case !on.Entry.Sent():
		is = strings.TrimPrefix(markdown.Visible(on.Entry.Cause.Sentence()), "kept whole: ")
	}
	lines := markedLines(st, "▲", strings.TrimSuffix(what, "."), w, st.Strong)
	if room := w - theme.Gutter(w) - theme.Width(lines[0]); len(lines) == 1 && room >= theme.Width(is)+2 {
		lines[0] = theme.Spread(lines[0], st.Repaired.Render(is), w-theme.Gutter(w))
	} else {
		lines = append(lines, indented(st.Repaired, is, w)...)
	}
	reason := "Many servers refuse a whole request for this."
	if instead != "" && on.Repair.Remedy == history.SendRepaired {
		reason = theme.UpperFirst(instead) + " " + reason
	}
	return append(lines, indented(st.Muted, reason, w)...)
}

// remarks say what is not changed.
func (l *Repairs) remarks(st theme.Styles, on Repaired, w int) []string {
	return indented(st.Muted, originalKept, w)
}

// remedies are what can be sent, each with its tokens beside those of now.
func (l *Repairs) remedies(st theme.Styles, on Repaired, w int) []string {
	if len(l.prices) == 0 {
		waiting := make([]string, len(history.Remedies())) // as high as what comes, so that nothing moves
		copy(waiting, indented(st.Muted, "Comparing what else can be sent …", w))
		return waiting
	}
	var lines []string
	for i, p := range l.prices {
		label, about := l.remedyText(on, p)
		price := theme.Signed(p.Tokens) + " tokens"
		switch {
		case p.Remedy == on.Repair.Remedy:
			price = "in use"
		case p.Tokens == 0:
			price = "no difference"
		case p.Tokens == 1 || p.Tokens == -1:
			price = theme.Signed(p.Tokens) + " token"
		}
		lines = append(lines, remedyRow(st, w, i, i == l.remedy, label, about, price))
	}
	return lines
}

// remedyRow is a remedy in w cells: its number, what it does and what becomes of the message, and its price.
func remedyRow(st theme.Styles, w, i int, chosen bool, label, about, price string) string {
	g := theme.Gutter(w)
	edge, name, says := strings.Repeat(" ", g), st.Text, st.Muted
	if chosen {
		edge, name = st.Seen.Render("▌")+edge[1:], st.Strong
	}
	left := edge + st.Text.Render(theme.Thousands(i+1)+" ") + name.Render(label)
	if room := w - g - theme.Width(price) - 2 - g - markCells - labelCells - 2; about != "" && room >= leastExcerpt {
		left = theme.Fit(left, g+markCells+labelCells) + "  " + says.Render(markdown.OneLine(about, room))
	}
	line := theme.Spread(left, st.Text.Render(price), w-g)
	if chosen {
		return theme.Ground(st.Selected, theme.Fit(line, w))
	}
	return line
}

// labelCells is how wide the names of the remedies are.
const labelCells = 26

// remedyText is the name of a remedy, and what becomes of the message by it.
func (l *Repairs) remedyText(on Repaired, p Price) (label, about string) {
	m, _ := l.stored(on.Entry.ID)
	calls := on.Entry.Role == history.Tool || len(m.ToolCalls) > 0
	switch {
	case p.Remedy == history.SendAsText:
		e, _ := p.Plan.EntryOf(on.Entry.ID)
		sent := sourceOf(&Request{Plan: *p.Plan}, e).text
		if sent, _ = l.Secrets.Hide(sent); sent != "" {
			about = "“" + theme.OneLine(sent) + "”"
		}
		return "Send it as plain text", about
	case p.Remedy == history.LeaveOut && calls:
		return "Leave the call out", "with its results; the answer’s text stays"
	case p.Remedy == history.LeaveOut:
		return "Leave the message out", "the messages around it stay"
	}
	if e, ok := p.Plan.EntryOf(on.Entry.ID); ok {
		for _, r := range e.Repairs {
			if sent, _ := l.Secrets.Hide(r.After); sent != "" && r.Kind == on.Repair.Kind &&
				r.Before == on.Repair.Before {
				return "Send it repaired", "“" + theme.OneLine(sent) + "”"
			}
		}
	}
	sentence, _ := l.Secrets.Hide(on.Repair.Cause.Sentence())
	if _, instead, ok := strings.Cut(sentence, "; "); ok {
		about = strings.TrimSuffix(instead, ".")
	}
	return "Send it repaired", about
}
