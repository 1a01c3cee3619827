//go:build cgo

package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"

	"winnow/history"
	"winnow/session"
)

// contextTable writes a request for people: where the tokens go, then a line for every message with
// the reason for what became of it.
func (p *program) contextTable(l look) error {
	w := newColumns(p.out, p.columns())
	p.contextHead(w, l)
	w.line("")
	first := 0
	if l.past != nil {
		first = firstRead(*l.past)
	}
	p.contextRows(w, l.plan, first)
	if len(l.plan.Added)+len(l.plan.Next) > 0 {
		w.line("")
	}
	for _, a := range l.plan.Added {
		w.line("added: %s, %d tokens: %s", a.Kind, l.plan.Sum.Tokens(a.Tokens), p.sentence(a.Cause.Sentence()))
	}
	for _, i := range l.plan.Next[:min(len(l.plan.Next), 1)] {
		w.line("next to fall out: message %d", l.plan.Entries[i].Index+1)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if l.over != nil {
		return fail(Failed, "nothing would be sent: %w", l.over)
	}
	return nil
}

// contextHead says which request it is and where its tokens go.
func (p *program) contextHead(w *columns, l look) {
	w.line("%s · %s", p.line(shownTitle(l.info)), p.line(l.model))
	if l.past != nil {
		p.pastHead(w, *l.past)
	}
	s := l.plan.Sum
	var shares []counted
	for _, share := range s.Shares() {
		shares = append(shares, counted{share.Name, share.Tokens})
	}
	w.line("~%d of %s tokens: %s", s.Used(), limitText(s.Limit), listed(shares...))
	w.line("%s", boundText(s))
	if l.past == nil && l.window.Tokens > 0 {
		w.line("window of %d: %s", l.window.Tokens, p.line(l.window.Origin()))
	}
	if len(l.settings) > 0 {
		w.line("%s", p.line(session.OriginsText(l.settings)))
	}
	if l.input.Known() {
		w.line("its input would cost %s", l.input)
	}
	c := session.CountsOf(l.plan.Entries, l.plan.Added, l.messages)
	w.line("%d of %d messages sent: %s", c.Sent(), c.Stored, listed(
		counted{"kept", c.Kept}, counted{"cut", c.Cut}, counted{"recalled", c.Recalled}, counted{"dropped", c.Dropped},
		counted{"excluded", c.Excluded}, counted{"quarantined", c.Quarantined}, counted{"blank", c.Blank},
		counted{"pinned", c.Pinned}, counted{"repaired", c.Repaired}))
	if !c.Oldest.IsZero() {
		w.line("said %s UTC", spanText(c.Oldest, c.Newest))
	}
}

// boundText says what sets the limit of a request.
func boundText(s history.Sum) string {
	window := "the window is unknown"
	if s.Window > 0 {
		window = fmt.Sprintf("the window is %d, %d of it kept free for the reply", s.Window, s.Reserve)
	}
	switch {
	case s.Capped():
		return fmt.Sprintf("budget %d, capped by the model's window of %d, %d of it kept free for the reply", s.Budget, s.Window, s.Reserve)
	case s.Bound == history.BoundWindow:
		return fmt.Sprintf("limited by the model's window of %d, %d of it kept free for the reply", s.Window, s.Reserve)
	case s.Bound == history.BoundBudget:
		return fmt.Sprintf("limited by the budget; %s", window)
	case s.Bound == history.BoundUnread:
		return fmt.Sprintf("limited after a request that the server refused or of which it read only a part; %s", window)
	case s.Bound == history.BoundMaxContext:
		return fmt.Sprintf("limited by max_context_tokens; %s", window)
	}
	return fmt.Sprintf("window %s, kept free for the reply %d", windowText(s.Window), s.Reserve)
}

// spanText is a span of time to the minute.
func spanText(from, to time.Time) string {
	if from.Format(minute) == to.Format(minute) {
		return "at " + from.Format(minute)
	}
	return "from " + from.Format(minute) + " to " + to.Format(minute)
}

// minute is how a time is shown to people.
const minute = "2006-01-02 15:04"

// pastHead says when a request was sent, what came back, and whether it is proven.
func (p *program) pastHead(w *columns, r session.Replayed) {
	q := r.Request
	proof := "proven by its hash"
	if !r.Proven {
		proof = "not proven"
	}
	w.line("turn %d, request %d of %d, sent %s UTC; %s", q.Turn, r.Nth, r.Of, q.Created.UTC().Format(time.DateTime), proof)
	ended := q.End
	if ended == "" {
		ended = "never"
	}
	cost := ""
	if c := session.CostOf(q).String(); c != "" {
		cost = "; it cost " + c
	}
	w.line("ended: %s, after %.1f s; the server counted %s%s", ended, q.Took.Seconds(), serverCount(q.Prompt, q.Cached, q.Answer), cost)
	if short, ok := session.ShortfallOf(q); ok {
		w.line("the server read %d of ~%d tokens: it dropped part of the request", short.Reported, short.Expected)
	}
	if q.Error != "" {
		w.line("error: %s", p.line(q.Error))
	}
}

// serverCount is the server's own count of a request and its answer.
func serverCount(prompt, cached, answer int) string {
	if prompt < 0 {
		return "nothing"
	}
	text := fmt.Sprintf("%d tokens", prompt)
	if cached >= 0 {
		text += fmt.Sprintf(" (%d of them cached)", cached)
	}
	if answer >= 0 {
		text += fmt.Sprintf(" and %d of the answer", answer)
	}
	return text
}

// counted is a number and what it counts.
type counted struct {
	what string
	n    int
}

// listed is the numbers that are not 0.
func listed(all ...counted) string {
	var list []string
	for _, c := range all {
		if c.n != 0 {
			list = append(list, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// contextRows writes a line per message, and one per repair under it.
func (p *program) contextRows(w *columns, plan history.Plan, first int) {
	row := func(e history.Entry) []string {
		return []string{fmt.Sprint(e.Index + 1), p.role(e.Role), verdict(e), tokensText(plan.Sum, e)}
	}
	for _, e := range plan.Entries {
		w.measure(row(e))
	}
	for _, e := range plan.Entries {
		reason := p.sentence(e.Cause.Sentence())
		if session.NotRead(e, first) {
			reason = "not read by the server; " + reason
		}
		w.row(row(e), reason)
		for _, r := range e.Repairs {
			w.under(fmt.Sprintf("repaired (%s): %s", r.Kind, p.sentence(r.What)))
		}
	}
}

// role is a message's role. That of a quarantined one may be any text.
func (p *program) role(r history.Role) string {
	if text := []rune(p.sentence(string(r))); len(text) > 12 {
		return string(text[:11]) + "…"
	}
	return p.sentence(string(r))
}

// tokensText is what a message costs, and what it would cost whole where that is another number.
func tokensText(s history.Sum, e history.Entry) string {
	if e.TokensAfter == e.TokensBefore {
		return fmt.Sprint(s.Tokens(e.TokensAfter))
	}
	return fmt.Sprintf("%d of %d", s.Tokens(e.TokensAfter), s.Tokens(e.TokensBefore))
}

// verdict is an entry's disposition with what else is true of it.
func verdict(e history.Entry) string {
	text := string(e.Disposition)
	if e.Pinned {
		text += ", pinned"
	}
	if len(e.Repairs) > 0 {
		text += ", repaired"
	}
	return text
}

func limitText(limit int) string {
	if limit == history.NoLimit || limit <= 0 {
		return "unlimited"
	}
	return fmt.Sprint(limit)
}

func windowText(window int) string {
	if window == 0 {
		return "unknown"
	}
	return fmt.Sprint(window)
}

// columns writes rows of cells with a text at the end, one at a time: a table of a hundred thousand
// rows is never held. It needs to have measured the cells before.
type columns struct {
	*bufio.Writer
	most   int // the width of the screen; 0 never breaks a line
	widths []int
}

func newColumns(out io.Writer, most int) *columns {
	return &columns{Writer: bufio.NewWriterSize(out, 64<<10), most: most}
}

// columns is the width that lines are broken at: the terminal's, and 0 where a program reads.
func (p *program) columns() int {
	if !term.IsTerminal(p.out.Fd()) {
		return 0
	}
	width, _, err := term.GetSize(p.out.Fd())
	if err != nil {
		return 80
	}
	return width
}

// line writes a line that stands alone.
func (w *columns) line(format string, args ...any) {
	w.text(fmt.Sprintf(format, args...), 0)
}

// measure takes a row's cells into account.
func (w *columns) measure(cells []string) {
	for i, c := range cells {
		if i == len(w.widths) {
			w.widths = append(w.widths, 0)
		}
		w.widths[i] = max(w.widths[i], utf8.RuneCountInString(c))
	}
}

// row writes cells, those that begin with a digit to the right, and a text behind them.
func (w *columns) row(cells []string, text string) {
	for i, c := range cells {
		blanks := strings.Repeat(" ", max(0, w.widths[i]-utf8.RuneCountInString(c)))
		if c != "" && c[0] >= '0' && c[0] <= '9' {
			w.WriteString(blanks + c + gutter)
			continue
		}
		w.WriteString(c + blanks + gutter)
	}
	w.text(text, w.indent())
}

// under writes a text under the one of the row.
func (w *columns) under(text string) {
	w.WriteString(strings.Repeat(" ", w.indent()))
	w.text(text, w.indent())
}

// gutter stands between two columns.
const gutter = "  "

// indent is where the text of a row begins.
func (w *columns) indent() int {
	n := 0
	for _, width := range w.widths {
		n += width + len(gutter)
	}
	return n
}

// leastText is how narrow the text of a row may become before its lines are not broken any more.
const leastText = 24

// text writes a text that begins at a column, broken between words at the end of the screen.
func (w *columns) text(text string, at int) {
	room := w.most - at
	if w.most == 0 || room < leastText {
		w.WriteString(strings.TrimRight(text, " ") + "\n")
		return
	}
	used := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > room:
			w.WriteString("\n" + strings.Repeat(" ", at))
			used = 0
		default:
			w.WriteString(" ")
			used++
		}
		w.WriteString(word)
		used += n
	}
	w.WriteString("\n")
}
