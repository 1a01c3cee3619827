package panel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/frame"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Width is the width of the panel beside the transcript in cells: the rule, the cursor column, the text, and the
// margin.
const Width = 1 + 1 + 44 + 2

// Heights in lines from which the panel has column heads, and blank lines and a legend.
const (
	columnHeight = 15
	airyHeight   = 24
)

// minRows is how much of the list head and foot leave.
const minRows = 3

// Pane draws the panel beside the transcript in w by h cells, with the rule between them. The rule is marked beside the
// rows of the messages that the transcript shows.
func (p *Model) Pane(w, h int) []string {
	st := &p.Themes.Styles
	lines := theme.FitLines(append([]string{""}, p.View(w-1, h-2)...), w-1, h)
	for i := range lines {
		edge := st.RuleLine.Render("│")
		switch line := i - 1 - p.list.top + p.list.first; {
		case p.hasKeys():
			edge = st.Seen.Render("│")
		case i > p.list.top && line < p.list.end && line >= p.list.page0 && line < p.list.page1:
			edge = st.Muted.Render("┃")
		}
		lines[i] = edge + lines[i]
	}
	return lines
}

// hasKeys reports whether the panel or What-if has the focus.
func (p *Model) hasKeys() bool { return p.Focused || p.Whatif != nil }

// View draws the panel in w by h cells: the name of the request, the sums, the list, and below it what is dropped next,
// or with the focus the reason for the row under the cursor. The first cell of each line is the cursor's.
func (p *Model) View(w, h int) []string {
	in, plan := max(1, w-1-theme.Gutter(2*w)), &p.ShownRequest().Plan
	head, foot, least := text{w: in}, text{w: in}, min(minRows, len(plan.Entries)+len(plan.Added))
	p.head(&head, h)
	head.lines = head.lines[:min(len(head.lines), max(0, h-least))]
	p.foot(&foot)
	if len(head.lines)+len(foot.lines)+least > h {
		foot.lines = nil
	}
	list := p.drawList(in, w, len(head.lines), max(0, h-len(head.lines)-len(foot.lines)))
	lines := theme.FitLines(slices.Concat(head.lines, list), w, h-len(foot.lines))
	return append(lines, theme.FitLines(foot.lines, w, len(foot.lines))...)
}

// text collects lines of w cells after the cursor column.
type text struct {
	w     int
	lines []string
}

// add adds lines.
func (t *text) add(lines ...string) {
	for _, line := range lines {
		t.lines = append(t.lines, " "+line)
	}
}

// say adds a formatted text, wrapped, unless it is empty.
func (t *text) say(style lipgloss.Style, format string, args ...any) {
	if s := fmt.Sprintf(format, args...); s != "" {
		t.add(theme.WrapStyled(style, markdown.Visible(s), t.w)...)
	}
}

// head adds the lines above the list: name, bar, sums and problems; with the focus also the legend.
func (p *Model) head(t *text, h int) {
	r, st := p.ShownRequest(), &p.Themes.Styles
	var blank []string
	if h >= airyHeight {
		blank = []string{""}
	}
	if p.Whatif != nil {
		p.dials(t, blank)
		p.problems(t)
		t.add(blank...)
		return
	}
	sends := ""
	switch {
	case r.Past != nil:
		sends = r.sent(st, "sent ")
	case r.AllWhole():
		sends = st.Muted.Render("everything fits")
	case r.Counts.Stored > 0:
		sends = r.sent(st, "sends ")
	}
	t.add(theme.Spread(st.Strong.Render(theme.UpperFirst(p.RequestName(r))), sends, t.w))
	if !r.Ready {
		t.say(st.Muted, "%s", r.EmptyText())
		return
	}
	t.add(r.bar(st, t.w), r.total(st, t.w))
	if tallies := r.tallies(st); len(tallies) > 0 && h >= columnHeight {
		t.add(fitting(tallies, t.w))
	}
	p.proof(t)
	p.problems(t)
	if p.Focused && h >= airyHeight {
		t.add(blank...)
		p.legend(t)
	}
	switch {
	case len(r.Plan.Entries) == 0 && p.draft() == 0:
		t.say(st.Muted, "%s", r.EmptyText())
	case h >= columnHeight:
		numbers, saved := "~tokens", p.columns(t.w).Saved
		if saved > 0 {
			numbers += fmt.Sprintf("%*s", saved, "saved")
		}
		t.add(blank...)
		t.add(theme.Spread("", st.Muted.Render(numbers), t.w))
	}
}

// fitting joins parts, leaving out the last ones if they do not fit into w cells.
func fitting(parts []string, w int) string {
	line := strings.Join(parts, "  ")
	if theme.Width(line) > w && len(parts) > 1 {
		return fitting(parts[:len(parts)-1], w)
	}
	return line
}

// sent says how many messages are sent, after a verb.
func (r *Request) sent(st *theme.Styles, verb string) string {
	return st.Muted.Render(verb) + st.Text.Render(theme.Thousands(r.Counts.Sent())) +
		st.Muted.Render(" of "+theme.Thousands(r.Counts.Stored))
}

// Part is a part of the bar.
type Part struct {
	Name  string
	N     int // tokens
	Style lipgloss.Style
}

// parts returns how the tokens are distributed. The overhead of the chat format counts with the messages.
func (r *Request) parts(st *theme.Styles) []Part {
	s, fixed, draft := r.Plan.Sum, r.share("system", "tools"), r.share("draft")
	turn := "draft"
	if r.Past != nil {
		turn = "this turn"
	}
	return []Part{
		{"system, tools", fixed, st.Muted}, {"messages", s.Used() - fixed - draft, st.Seen}, {turn, draft, st.You},
	}
}

// bar draws the distribution of the tokens within the limit.
func (r *Request) bar(st *theme.Styles, w int) string {
	return Bar(st, r.parts(st), max(1, r.Plan.Sum.Limit, r.Plan.Sum.Used()), w)
}

// Bar draws the parts of a whole in w cells. A part that is not empty has at least one cell, and so has the free rest.
func Bar(st *theme.Styles, parts []Part, whole, w int) string {
	var b strings.Builder
	used, sum := 0, 0
	for _, part := range parts {
		sum += part.N
		free := min(1, whole-sum)
		cells := max((sum*w+whole/2)/whole-used, min(1, part.N))
		cells = max(0, min(cells, w-used-free))
		b.WriteString(part.Style.Render(strings.Repeat("━", cells)))
		used += cells
	}
	return b.String() + st.Faint.Render(strings.Repeat("─", max(0, w-used)))
}

// total draws the used tokens, the limit and the free tokens.
func (r *Request) total(st *theme.Styles, w int) string {
	used, shown := r.used()
	limit := r.Plan.Sum.Limit
	if limit <= 0 {
		return theme.Spread(st.Text.Render(shown+" tokens"), st.Muted.Render("no known limit"), w)
	}
	free := st.Muted.Render(theme.Thousands(limit-used) + " free")
	if used > limit {
		free = st.Repaired.Render(theme.Thousands(used-limit) + " too many")
	}
	return theme.Spread(st.Text.Render(shown+" of "+theme.Thousands(limit)+" tokens"), free, w)
}

// tallies returns how many messages have each verdict other than whole, the most important first.
func (r *Request) tallies(st *theme.Styles) []string {
	c := r.Counts
	var list []string
	for _, v := range []struct {
		verdict string
		n       int
		style   lipgloss.Style
	}{
		{"◐ %s cut", c.Of[history.Cut], st.Cut},
		{"○ %s dropped", c.Of[history.Dropped], st.Muted},
		{"⊘ %s excluded", c.Of[history.Excluded], st.Muted},
		{"↺ %s recalled", c.Of[history.Recalled], st.Recalled},
		{"▲ %s repaired", c.Repaired, st.Repaired},
		{"○ %s unreadable", c.Of[history.Unreadable], st.Muted},
		{"○ %s blank", c.Of[history.Blank], st.Muted},
		{"◆ %s pinned", c.Pinned, st.Pinned},
		{"✚ %s added", len(r.Plan.Added), st.Seen},
	} {
		if v.n > 0 {
			list = append(list, v.style.Render(fmt.Sprintf(v.verdict, theme.Thousands(v.n))))
		}
	}
	return list
}

// problems adds warnings that the user may want to act on.
func (p *Model) problems(t *text) {
	r, st := p.ShownRequest(), &p.Themes.Styles
	t.say(st.Error, "%s", r.Problem)
	if r.ExceededLimit != "" {
		t.say(st.Cut, "! %s: winnow asks first", r.ExceededLimit)
	}
	if r != &p.Next {
		return
	}
	t.say(st.Cut, "%s", p.windowProblem)
	if short := p.Forecast.Truncation; short != nil {
		t.say(st.Cut, "! In turn %s the server counted %s of ~%s tokens: it dropped part of the request",
			theme.Thousands(short.Turn), theme.Thousands(short.Reported), theme.Thousands(short.Expected))
	}
	if lost := p.Forecast.Losses; len(lost) > 0 {
		t.say(st.Cut, "! New: %s not sent whole", numbered(lost, maxNumbers))
	}
}

// legend adds the parts of the bar, what sets the limit, and the cost. Numbers are estimates (~) unless the server has
// counted the request.
func (p *Model) legend(t *text) {
	r, st, sign := p.ShownRequest(), &p.Themes.Styles, "~"
	if r.counted() {
		sign = ""
	}
	t.add(Legend(st, r.parts(st), sign, t.w))
	t.say(st.Muted, "%s", r.bound())
	if r.Past == nil && p.Window.Assumed {
		t.say(st.Muted, "Context window unknown; assuming %s (/window to set)", theme.Thousands(p.Window.Tokens))
	}
	if r.Past == nil && r.InputCost.Known() {
		t.say(st.Muted, "%s in", r.InputCost.String())
	}
}

// Legend names the parts of a bar with their tokens, after a sign, as far as they fit into w cells.
func Legend(st *theme.Styles, parts []Part, sign string, w int) string {
	var names []string
	for _, p := range parts {
		if p.N > 0 {
			name := " " + p.Name + " " + sign + theme.Thousands(p.N)
			names = append(names, p.Style.Render("━")+st.Muted.Render(name))
		}
	}
	return fitting(names, w)
}

// bound says what sets the limit of the request.
func (r *Request) bound() string {
	s := r.Plan.Sum
	if s.Limit <= 0 {
		return ""
	}
	text := "the window has " + theme.Thousands(s.Window)
	if s.Window == 0 {
		text = "the window is not known"
	}
	if s.Bound == history.BoundWindow && s.Reserve > 0 {
		text += ": " + theme.Thousands(s.Reserve) + " kept for the reply"
	}
	return theme.UpperFirst(map[history.Bound]string{
		history.BoundBudget: "your budget; ", history.BoundMaxContext: "automatic budget; ",
		history.BoundLearned: "the server took no more; ",
	}[s.Bound] + text)
}

// proof adds for a sent request when and to whom it was sent, its cost, whether its rebuilt body is proven, and what
// the server reported.
func (p *Model) proof(t *text) {
	if p.Past == nil {
		return
	}
	r, st := p.Past.Past, &p.Themes.Styles
	q, cost := r.Request, record.CostOf(r.Request).String()
	t.say(st.Muted, "%s · %s", q.Created.Local().Format(time.DateTime), markdown.OneLine(q.Model, 40))
	if q.PriceSource != "" {
		cost += " by " + markdown.OneLine(q.PriceSource, 60)
	}
	t.say(st.Muted, "%s", cost)
	if q.End == store.EndFailed {
		t.say(st.Error, "✗ Failed: %s", theme.OneSentence(record.ParseTurnFault(q.Fault).What))
	}
	if short, ok := record.ServerTruncationOf(q); ok {
		t.say(st.Cut, "! The server read %s of ~%s", theme.Thousands(short.Reported), theme.Thousands(short.Expected))
	}
	if r.Proven {
		t.say(st.Seen, "✓ Proven: this was sent")
	} else {
		t.say(st.Cut, "! Not proven: %s. The verdicts are the recorded ones.", r.Doubt)
	}
	t.say(st.Muted, "%s", record.CacheUseOf(q).Sentence(theme.Thousands))
}

// footLines is the minimum height of the foot, so that the list does not jump while the cursor moves.
const footLines = 4

// foot adds what is dropped next, or with the focus the reason for the row under the cursor and what its keys would
// cost.
func (p *Model) foot(t *text) {
	st, next := &p.Themes.Styles, p.Next.nextDropped()
	switch {
	case p.Focused && p.Whatif == nil:
		p.reason(t)
	case p.ShownRequest() == &p.Next && len(next) > 0:
		t.add(theme.Spread(labelled(st, "Next out", st.Text.Render(numbered(next, maxNumbers))),
			st.Muted.Render("after ~"+theme.Thousands(p.Next.Plan.Sum.Free())+" more tokens"), t.w))
	}
	if len(t.lines) > 0 {
		t.lines = slices.Insert(t.lines, 0, " "+st.Rule(t.w))
		t.add(make([]string, max(0, footLines-len(t.lines)))...)
	}
}

// labelled draws a line with a label in a column of its own.
func labelled(st *theme.Styles, label, text string) string {
	return st.Muted.Render(theme.Fit(label, 11)) + text
}

// maxReason is the maximum number of lines of a reason below the list.
const maxReason = 3

// reason adds why the row under the cursor is in the request as it is, and what the keys do with it.
func (p *Model) reason(t *text) {
	st, on := &p.Themes.Styles, p.SelectedRow()
	keys := []key.Binding{p.Keys.Hint("read", keymap.Inspect)}
	glyph, why := "✚", ""
	switch e := on.Entry; {
	case on.Added != nil:
		why = theme.UpperFirst(addedName(on.Added.Kind)) + ": " + on.Added.Cause.Sentence()
	case e == nil:
		return
	default:
		if glyph, why = theme.Glyph(*e), " is "+e.Cause.Sentence(); glyph == "▲" {
			why = ": " + e.Repairs[0].Sentence()
		}
		why = theme.Thousands(e.Index+1) + why
	}
	if n := on.Count; n > 1 {
		keys = []key.Binding{p.Keys.Hint("show all "+theme.Thousands(n), keymap.Inspect)}
	} else if on.Entry != nil && p.Past == nil {
		keys = append(p.FlagHints(*on.Entry), keys...)
	}
	lead := st.GlyphStyle(glyph).Render(glyph) + " "
	wrapped := theme.Wrap(markdown.Visible(why), max(1, t.w-2))
	for _, s := range wrapped[:min(len(wrapped), maxReason)] {
		t.add(lead + st.Text.Render(s))
		lead = "  "
	}
	w := t.w - 2
	t.add("  " + theme.Fit(strings.Trim(frame.Hints(*st, keys, "", w+2*theme.Gutter(w)), " "), w))
}

// FlagHints returns the keys that flag a message of the next request, each with what it does and the tokens that this
// adds or frees together with its tool group: p pin +540, x exclude −37. A key that changes nothing has no number. For
// removing a flag the number is an upper bound, because the rules have not been asked yet. There are no hints if the
// next request does not have the message.
func (p *Model) FlagHints(e history.Entry) []key.Binding {
	r := &p.Next
	if _, known := r.Plan.EntryByID(e.ID); !known {
		return nil
	}
	pinned, excluded, whole, now := false, false, 0, 0
	for _, at := range r.Plan.ToolGroup(e.Index) {
		member := &r.Plan.Entries[at]
		pinned = pinned || member.Pinned
		excluded = excluded || member.Disposition == history.Excluded && member.Cause.Code != cause.QuestionExcluded
		sent, all := r.Plan.Sum.Tokens(member.TokensAfter), r.Plan.Sum.Tokens(member.TokensBefore)
		if member.Whole && member.Sent() {
			all = sent // A repair may have changed its length.
		}
		now, whole = now+sent, whole+all
	}
	price := func(a keymap.Action, what string, n int) key.Binding {
		if n != 0 {
			what += " " + theme.Signed(n)
		}
		return p.Keys.Hint(what, a)
	}
	pin, exclude := price(keymap.Pin, "pin", whole-now), price(keymap.Exclude, "exclude", -now)
	switch {
	case pinned:
		pin = price(keymap.Pin, "automatic up to", -now)
	case excluded:
		return []key.Binding{price(keymap.Exclude, "automatic up to", whole), pin}
	}
	return []key.Binding{pin, exclude}
}

// shortStrip is the width below which the strip is abbreviated.
const shortStrip = 60

// DraftRule draws the rule above the draft in w cells, with so many cells of rule at both ends. If the draft does not
// fit it is red and says by how much. As a strip, which replaces a hidden panel, it summarizes the request and says
// what is dropped next.
func (p *Model) DraftRule(w, margin int, strip bool) string {
	r, st := p.ShownRequest(), &p.Themes.Styles
	words, next, right := r.sent(st, "sends "), r.nextDropped(), ""
	switch {
	case p.Next.TokensOver > 0:
		many := st.Repaired.Render(theme.Thousands(p.Next.TokensOver) + " tokens too many")
		return theme.RuleWithText(st.Repaired, w, margin, []string{many}, "")
	case !strip || !r.Ready || r.Counts.Stored == 0:
		return st.Rule(w)
	case len(next) > 0 && w < shortStrip:
		words = r.sent(st, "") + st.Muted.Render(" · next ") + st.Text.Render(numbered(next, 1))
		return theme.RuleWithText(st.RuleLine, w, margin, []string{words}, "")
	case len(next) > 0:
		right = st.Muted.Render("next out ") + st.Text.Render(numbered(next, maxNumbers))
	case r.Past != nil:
		words = r.sent(st, theme.UpperFirst(p.RequestName(r))+" sent ")
	}
	return theme.RuleWithText(st.RuleLine, w, margin, append([]string{words}, r.tallies(st)...), right)
}

// gaugeCells is the length of the header's bar.
const gaugeCells = 8

// Gauge draws the tokens of the next request for the header while the panel is hidden, with bar also as a bar. It is ""
// without a plan.
func (p *Model) Gauge(bar bool) string {
	r, st := p.ShownRequest(), &p.Themes.Styles
	words, limit := st.Muted, r.Plan.Sum.Limit
	if r.TokensOver > 0 {
		words = st.Repaired
	}
	switch _, used := r.used(); {
	case !r.Ready:
		return ""
	case limit <= 0:
		return words.Render(used + " tokens")
	case bar:
		return words.Render(used+" / "+theme.Thousands(limit)) + " " + r.bar(st, gaugeCells)
	default:
		return words.Render(used + " / " + theme.Thousands(limit))
	}
}

// maxNumbers is how many message numbers are listed.
const maxNumbers = 3

// numbered lists message numbers for rising indexes, at most so many runs: "44, 45", "3–9", "1, 5, 9, …".
func numbered(indexes []int, most int) string {
	var list []string
	for len(indexes) > 0 {
		if len(list) == most {
			list = append(list, "…")
			break
		}
		n, text := 1, strconv.Itoa(indexes[0]+1)
		for n < len(indexes) && indexes[n] == indexes[0]+n {
			n++
		}
		if n > 2 {
			text += "–" + strconv.Itoa(indexes[n-1]+1)
		} else {
			n = 1
		}
		list, indexes = append(list, text), indexes[n:]
	}
	return strings.Join(list, ", ")
}
