package panel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Width is how many cells the panel takes beside the page: the rule, the column of the cursor, the text and the
// gutter of the screen.
const Width = 1 + 1 + 44 + 2

// The heights from which the panel has the head of its columns, and blank lines and with the focus the legend.
const (
	columnHeight = 15
	airyHeight   = 24
)

// leastRows is how much of the list head and foot leave.
const leastRows = 3

// Pane draws the panel beside the page in w by h cells: the rule between them, with marks beside the lines of the
// messages that are on the page, and the panel below a blank line.
func (p *Model) Pane(w, h int) []string {
	st := &p.Themes.Styles
	lines := append([]string{""}, p.View(w-1, h-2)...)
	for len(lines) < h {
		lines = append(lines, "")
	}
	for i := range lines {
		edge := st.Lines.Render("│")
		switch line := i - 1 - p.list.top + p.list.first; {
		case p.hasKeys():
			edge = st.Seen.Render("│")
		case i > p.list.top && line < p.list.end && line >= p.list.page0 && line < p.list.page1:
			edge = st.Muted.Render("┃")
		}
		lines[i] = edge + theme.Fit(lines[i], w-1)
	}
	return lines
}

// hasKeys says that the panel, or its dials, have the keys.
func (p *Model) hasKeys() bool { return p.Focused || p.Whatif != nil }

// View draws the panel in w by h cells: what request it is, the sums, the list, and below it what is next, or with
// the focus the reason for the line under the cursor. The first cell of each line is the cursor's.
func (p *Model) View(w, h int) []string {
	in := max(1, w-1-theme.Gutter(2*w))
	head, foot, least := p.head(w, in, h), framed(p.foot(in), w), min(leastRows, len(p.Shown().Rows))
	head = head[:max(0, min(len(head), h-least))]
	if len(head)+len(foot)+least > h {
		foot = nil
	}
	list := p.rows(in, w, len(head), max(0, h-len(head)-len(foot)))
	return append(theme.Blank(slices.Concat(head, list), w, h-len(foot)), foot...)
}

// framed puts lines behind the column of the cursor.
func framed(lines []string, w int) []string {
	framed := make([]string, len(lines))
	for i, line := range lines {
		framed[i] = theme.Fit(" "+line, w)
	}
	return framed
}

// text is lines of w cells in styles.
type text struct {
	w     int
	lines []string
}

// say adds a text in a style, wrapped; nothing where it is "".
func (t *text) say(style lipgloss.Style, format string, args ...any) {
	if s := fmt.Sprintf(format, args...); s != "" {
		t.lines = append(t.lines, theme.WrapStyled(style, markdown.Visible(s), t.w)...)
	}
}

// head is the lines above the list: which request it is, the bar, the sums and what is wrong; with the focus all that
// is known besides.
func (p *Model) head(w, in, h int) []string {
	r, st, t := p.Shown(), &p.Themes.Styles, text{w: in}
	var blank []string
	if h >= airyHeight {
		blank = []string{""}
	}
	if p.Whatif != nil {
		p.problems(&t)
		return slices.Concat(p.whatif(w, in, blank), framed(slices.Concat(t.lines, blank), w))
	}
	t.lines = []string{theme.Spread(st.Strong.Render(theme.UpperFirst(p.Name(r))), p.sends(), in)}
	if !r.Ready {
		t.say(st.Muted, "%s", r.Missing())
		return framed(t.lines, w)
	}
	tallies := flow(r.tallies(st), in)
	if !p.Focused {
		tallies = tallies[:min(1, len(tallies))]
	}
	t.lines = append(t.lines, r.bar(st, in), r.total(st, in))
	if h >= columnHeight {
		t.lines = append(t.lines, tallies...)
	}
	p.proof(&t)
	p.problems(&t)
	if p.Focused && h >= airyHeight {
		t.lines = slices.Concat(t.lines, blank, p.legend(in))
	}
	switch {
	case len(r.Plan.Entries) == 0 && p.draft() == 0:
		t.lines = slices.Concat(t.lines, blank)
		t.say(st.Muted, "%s", r.Missing())
	case h >= columnHeight:
		c, saved := p.columns(in), ""
		if c.saved > c.tokens {
			saved = "saved"
		}
		names := fmt.Sprintf("%*s%*s", c.tokens-1, "~tokens", c.saved-c.tokens, saved)
		t.lines = append(slices.Concat(t.lines, blank), st.Muted.Render(names))
	}
	return framed(t.lines, w)
}

// sends says how many of the messages are sent, or selected.
func (p *Model) sends() string {
	r, st := p.Shown(), &p.Themes.Styles
	selection, verb := p.Selection(), "sends "
	if r.Past != nil {
		verb = "sent "
	}
	switch {
	case selection != "":
		return st.Seen.Render(selection)
	case r.Counts.Stored == 0:
		return ""
	case r.Past == nil && r.Whole():
		return st.Muted.Render("everything fits")
	}
	return st.Muted.Render(verb) + st.Text.Render(theme.Thousands(r.Counts.Sent())) +
		st.Muted.Render(" of "+theme.Thousands(r.Counts.Stored))
}

// part is a part of the bar.
type part struct {
	name  string
	n     int
	style lipgloss.Style
}

// parts are where the tokens go. What the chat format costs around the messages counts as theirs.
func (r *Request) parts(st *theme.Styles) []part {
	s, fixed, draft := r.Plan.Sum, r.share("system", "tools"), r.share("draft")
	turn := "draft"
	if r.Past != nil {
		turn = "this turn"
	}
	return []part{
		{"system, tools", fixed, st.Muted}, {"messages", s.Used() - fixed - draft, st.Seen}, {turn, draft, st.You},
	}
}

// bar draws where the tokens go, over what the request may hold. What is there shows, and so does what is free.
func (r *Request) bar(st *theme.Styles, w int) string {
	var b strings.Builder
	used, sum, whole := 0, 0, max(1, r.Plan.Sum.Limit, r.Plan.Sum.Used())
	for _, part := range r.parts(st) {
		sum += part.n
		cells, left := (sum*w+whole-1)/whole-used, w-used
		if sum < whole {
			left--
		}
		if part.n > 0 {
			cells = max(1, cells)
		}
		cells = max(0, min(cells, left))
		b.WriteString(part.style.Render(strings.Repeat("━", cells)))
		used += cells
	}
	return b.String() + st.Faint.Render(strings.Repeat("─", max(0, w-used)))
}

// total is the sum against the limit: what is taken and what is free add up to it.
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

// tallies are how many messages have the verdicts that are not the usual one, the most important first.
func (r *Request) tallies(st *theme.Styles) []string {
	c := r.Counts
	var list []string
	for _, v := range []struct {
		verdict string
		n       int
		style   lipgloss.Style
	}{
		{"◐ %s cut", c.Cut, st.Cut},
		{"○ %s dropped", c.Dropped, st.Muted},
		{"⊘ %s excluded", c.Excluded, st.Muted},
		{"↺ %s recalled", c.Recalled, st.Recalled},
		{"▲ %s repaired", c.Repaired, st.Repaired},
		{"○ %s unreadable", c.Quarantined, st.Muted},
		{"○ %s blank", c.Blank, st.Muted},
		{"◆ %s pinned", c.Pinned, st.Pinned},
		{"✚ %s added", len(r.Plan.Added), st.Seen},
	} {
		if v.n > 0 {
			list = append(list, v.style.Render(fmt.Sprintf(v.verdict, theme.Thousands(v.n))))
		}
	}
	return list
}

// flow puts words on lines of w cells, two cells apart.
func flow(list []string, w int) []string {
	var lines []string
	for _, words := range list {
		if last := len(lines) - 1; last >= 0 && theme.Width(lines[last])+2+theme.Width(words) <= w {
			lines[last] += "  " + words
			continue
		}
		lines = append(lines, words)
	}
	return lines
}

// problems are what the user may want to do something about, and what is not known yet.
func (p *Model) problems(t *text) {
	r, st := p.Shown(), &p.Themes.Styles
	t.say(st.Error, "%s", r.Note)
	if r.Limit != "" {
		t.say(st.Cut, "! %s: winnow asks first", r.Limit)
	}
	if r != &p.Next {
		return
	}
	t.say(st.Cut, "%s", p.wrong)
	if short := p.Forecast.Shortfall; short != nil {
		t.say(st.Cut, "! in turn %s the server counted %s of ~%s tokens: it dropped a part of the request",
			theme.Thousands(short.Turn), theme.Thousands(short.Reported), theme.Thousands(short.Expected))
	}
	if lost := p.Forecast.Losses; len(lost) > 0 {
		t.say(st.Cut, "! New: %s not sent whole", numbered(lost, maxNumbers))
	}
}

// legend says what the parts of the bar are, what sets the limit and what the request costs. Its numbers are estimates
// unless the server has counted the request.
func (p *Model) legend(w int) []string {
	r, st, sign := p.Shown(), &p.Themes.Styles, "~"
	if r.counted() {
		sign = ""
	}
	var parts []string
	for _, part := range r.parts(st) {
		if part.n > 0 { // two of them are on a line
			text := fmt.Sprintf(" %-*s", w/2-4, part.name+" "+sign+theme.Thousands(part.n))
			parts = append(parts, part.style.Render("━")+st.Muted.Render(text))
		}
	}
	if r.Plan.Sum.Limit > 0 {
		parts = append(parts, st.Faint.Render("─")+st.Muted.Render(" free "+theme.Thousands(r.Plan.Sum.Free())))
	}
	t := text{w, flow(parts, w)}
	t.say(st.Muted, "%s", r.bound())
	if r.Past != nil {
		return t.lines
	}
	if p.Window.Assumed {
		t.say(st.Muted, "Context window unknown; assuming %s (/window to set)", theme.Thousands(p.Window.Tokens))
	}
	var costs []string
	if r.Input.Known() {
		costs = []string{r.Input.String() + " in"}
	}
	if r.Spent != "" {
		costs = append(costs, "chat "+r.Spent)
	}
	t.say(st.Muted, "%s", strings.Join(costs, " · "))
	return t.lines
}

// bound says what sets the limit of the request.
func (r *Request) bound() string {
	s := r.Plan.Sum
	text := "the window has " + theme.Thousands(s.Window)
	if s.Window == 0 {
		text = "the window is not known"
	}
	by := map[history.Bound]string{
		history.BoundBudget: "Your budget; ", history.BoundMaxContext: "Automatic budget; ",
		history.BoundUnread: "The server took no more; ",
	}[s.Bound]
	switch {
	case s.Limit <= 0:
		return ""
	case by != "":
		return by + text
	case s.Reserve > 0:
		text += ": " + theme.Thousands(s.Reserve) + " kept for the reply"
	}
	if margin := s.Window - s.Reserve - s.Limit; margin > 0 {
		text += ", " + theme.Thousands(margin) + " as a margin"
	}
	return theme.UpperFirst(text)
}

// proof says when a past request was sent, to whom and what it cost, whether what is shown is what was sent, and what
// the server made of it.
func (p *Model) proof(t *text) {
	if p.Past == nil {
		return
	}
	r, st := p.Past.Past, &p.Themes.Styles
	q, use := r.Request, record.CacheUseOf(r.Request)
	t.say(st.Muted, "%s · %s", q.Created.Local().Format(time.DateTime), markdown.OneLine(q.Model, 40))
	if cost := record.CostOf(q).String(); cost != "" && q.PriceSource != "" {
		t.say(st.Muted, "%s by %s", cost, markdown.OneLine(q.PriceSource, 60))
	} else {
		t.say(st.Muted, "%s", cost)
	}
	if q.End == store.EndFailed {
		t.say(st.Error, "✗ Failed: %s", theme.OneSentence(record.ReadFault(q.Fault).What))
	}
	if short, ok := record.ShortfallOf(q); ok {
		t.say(st.Cut, "! The server read %s of ~%s", theme.Thousands(short.Reported), theme.Thousands(short.Expected))
	}
	if r.Proven {
		t.say(st.Seen, "✓ Proven by hash: this was sent")
	} else {
		t.say(st.Cut, "! Not proven: %s. The verdicts are the recorded ones.", r.Doubt)
	}
	if use.Missed() {
		t.say(st.Cut, "%s", use.Sentence(theme.Thousands))
	} else {
		t.say(st.Muted, "%s", use.Sentence(theme.Thousands))
	}
}

// footLines is the height of the foot at least, so that the list does not move while the cursor does.
const footLines = 4

// foot is what falls out next and what is cached; with the focus it is the reason for the line under the cursor, and
// what the keys would cost.
func (p *Model) foot(w int) []string {
	var lines []string
	switch {
	case p.Whatif != nil:
	case p.Focused:
		lines = p.reason(w)
	case p.Past == nil:
		lines = p.prospect(w)
	}
	if len(lines) == 0 {
		return nil
	}
	lines = append([]string{p.Themes.Styles.Rule(w)}, lines...)
	return append(lines, make([]string, max(0, footLines-len(lines)))...)
}

// labelCells is the width of the labels below the list and of a trial's sums.
const labelCells = 11

// prospect says what falls out next, and how much of the request the server may have read before.
func (p *Model) prospect(w int) []string {
	r, st := &p.Next, &p.Themes.Styles
	next := r.next()
	if len(next) == 0 {
		return nil
	}
	label := func(text string) string { return st.Muted.Render(theme.Fit(text, labelCells)) }
	lines := []string{theme.Spread(label("Next out")+st.Text.Render(numbered(next, maxNumbers)),
		st.Muted.Render("after ~"+theme.Thousands(r.Plan.Sum.Free())+" more tokens"), w)}
	if known := p.Forecast.Prefix; known.Known && known.Tokens > 0 {
		cached := label("Cached") + st.Text.Render("~"+r.Counted(known.Tokens))
		if known.IfNextDrops < known.Tokens {
			cached += st.Muted.Render(
				", ~" + r.Counted(known.IfNextDrops) + " once " + theme.Thousands(next[0]+1) + " drops out")
		}
		lines = append(lines, cached)
	}
	return lines
}

// maxReason is the most lines of a reason below the list.
const maxReason = 3

// reason says why the message under the cursor is in the request as it is, and what the keys do with it.
func (p *Model) reason(w int) []string {
	st, on := &p.Themes.Styles, p.Chosen()
	keys := []key.Binding{p.Keys.Hint("read", keymap.Inspect)}
	text, glyph := "", "✚"
	switch {
	case on.Added != nil:
		a := on.Added
		text = theme.UpperFirst(addedName(a.Kind)) + ": " + a.Cause.Sentence()
	case on.Entry == nil:
		return nil
	default:
		glyph, text = theme.Glyph(*on.Entry), " is "+on.Entry.Cause.Sentence()
		if glyph == "▲" {
			text = ": " + on.Entry.Repairs[0].Sentence()
		}
		text = theme.Thousands(on.Entry.Index+1) + text
	}
	if n := p.line().n(); n > 1 {
		keys = []key.Binding{p.Keys.Hint("show all "+theme.Thousands(n), keymap.Inspect)}
	} else if on.Entry != nil && p.Past == nil {
		keys = append(p.Prices(*on.Entry), keys...)
	}
	var lines []string
	lead := st.OfGlyph(glyph).Render(glyph) + " "
	for _, s := range theme.Wrap(markdown.Visible(text), max(1, w-2)) {
		lines, lead = append(lines, lead+st.Text.Render(s)), "  "
	}
	shown := help.New()
	shown.ShortSeparator, shown.Styles = "   ", help.Styles{ShortKey: st.Text, ShortDesc: st.Muted}
	shown.Ellipsis = ""
	shown.SetWidth(w - 2)
	return append(lines[:min(len(lines), maxReason)], "  "+shown.ShortHelpView(keys))
}

// Prices are the keys that flag a message of the next request, each with what it does and the tokens that this adds or
// frees with its whole tool group, as the server counts: p pin +540, x exclude −37. A key that changes nothing now has
// no number. What the rules would do with a message that was pinned or excluded is not known before they are asked, so
// that is the most it can be. There are none where nothing is known.
func (p *Model) Prices(e history.Entry) []key.Binding {
	r := &p.Next
	if _, known := r.Plan.EntryOf(e.ID); !known {
		return nil
	}
	pinned, excluded, whole, now, with := false, false, 0, 0, ""
	group := r.Plan.Group(e.Index)
	for _, at := range group {
		member := &r.Plan.Entries[at]
		pinned = pinned || member.Pinned
		excluded = excluded || member.Disposition == history.Excluded && member.Cause.Code != cause.QuestionExcluded
		now += r.Plan.Sum.Tokens(member.TokensAfter)
		if member.Whole && member.Sent() {
			whole += r.Plan.Sum.Tokens(member.TokensAfter) // Repairing it may take some.
		} else {
			whole += r.Plan.Sum.Tokens(member.TokensBefore)
		}
	}
	if len(group) > 1 {
		with = " with " + theme.Thousands(len(group)-1) + " more"
	}
	price := func(a keymap.Action, what string, n int, with string) key.Binding {
		if n != 0 {
			what += " " + theme.Signed(n) + ","
		}
		return p.Keys.Hint(strings.TrimSuffix(what+with, ","), a)
	}
	pin, exclude := price(keymap.Pin, "pin", whole-now, with), price(keymap.Exclude, "exclude", -now, "")
	switch {
	case pinned:
		return []key.Binding{price(keymap.Pin, "automatic up to", -now, with), exclude}
	case excluded:
		return []key.Binding{price(keymap.Exclude, "automatic up to", whole, with), pin}
	}
	return []key.Binding{pin, exclude}
}

// shortStrip is the width below which the strip says only how much is sent and what is next.
const shortStrip = 60

// Strip is the rule above the draft as one line of w cells that says what the next request sends, what becomes of the
// rest and what falls out next. Margin is how many cells of the rule stand at either side of the words. Without a plan
// it is a plain rule, and where the draft does not fit it says by how much, as Rule does.
func (p *Model) Strip(w, margin int) string {
	r, st := p.Shown(), &p.Themes.Styles
	if p.Next.Over > 0 || !r.Ready || r.Counts.Stored == 0 {
		return p.Rule(w, margin)
	}
	next, right := r.next(), ""
	words := []string{st.Text.Render(theme.Thousands(r.Counts.Sent()) + " of " + theme.Thousands(r.Counts.Stored))}
	if w < shortStrip {
		if len(next) > 0 {
			words[0] += st.Muted.Render(" · next ") + st.Text.Render(numbered(next, 1))
		}
		return theme.Ruled(st.Lines, w, margin, words, "")
	}
	verb := "sends "
	switch {
	case p.Whatif != nil:
		verb = "would send "
	case p.Past != nil:
		verb = theme.UpperFirst(p.Name(p.Past)) + " sent "
	}
	words[0] = st.Muted.Render(verb) + words[0]
	if r.Limit != "" {
		words = append(words, st.Cut.Render("! "+r.Limit))
	}
	if len(next) > 0 {
		right = st.Muted.Render("next out ") + st.Text.Render(numbered(next, maxNumbers))
	}
	return theme.Ruled(st.Lines, w, margin, append(words, r.tallies(st)...), right)
}

// Rule is the rule above the draft where the panel says the rest: it turns red where the draft does not fit, and says
// by how much.
func (p *Model) Rule(w, margin int) string {
	st := &p.Themes.Styles
	if p.Next.Over <= 0 {
		return st.Rule(w)
	}
	many := st.Repaired.Render(theme.Thousands(p.Next.Over) + " tokens too many")
	return theme.Ruled(st.Repaired, w, margin, []string{many}, "")
}

// gaugeCells is the length of the bar in the header.
const gaugeCells = 8

// Gauge is what the header says of the next request where the panel is not open: its tokens and, with bar, how full
// it is. It is "" where nothing is planned.
func (p *Model) Gauge(bar bool) string {
	r, st := p.Shown(), &p.Themes.Styles
	_, text := r.used()
	limit := r.Plan.Sum.Limit
	switch {
	case !r.Ready:
		return ""
	case limit <= 0:
		return st.Muted.Render(text + " tokens")
	}
	words := st.Muted
	if r.Over > 0 {
		words = st.Repaired
	}
	text = words.Render(text + " / " + theme.Thousands(limit))
	if bar {
		text += " " + r.bar(st, gaugeCells)
	}
	return text
}

// State says in a few words what is next, for the end of the line with the hints; "" for nothing.
func (p *Model) State() string {
	if next := p.Next.next(); p.Past == nil && p.Whatif == nil && len(next) > 0 {
		return "next out " + numbered(next, 2)
	}
	return ""
}

// maxNumbers is how many messages are named by their numbers.
const maxNumbers = 3

// numbered are the numbers of messages by their rising indexes, at most so many: "44, 45", "3–9", "1, 5, 9, …".
func numbered(indexes []int, most int) string {
	var list []string
	for i := 0; i < len(indexes); {
		if len(list) == most {
			list = append(list, "…")
			break
		}
		last := i
		for last+1 < len(indexes) && indexes[last+1] == indexes[last]+1 {
			last++
		}
		text := strconv.Itoa(indexes[i] + 1)
		if last-i >= 2 {
			text, i = fmt.Sprintf("%s–%d", text, indexes[last]+1), last
		}
		list, i = append(list, text), i+1
	}
	return strings.Join(list, ", ")
}
