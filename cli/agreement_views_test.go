package cli

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/cli/report"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
)

// views are what the four places say of one request.
type views struct {
	messages []store.Message
	panel    panelText
	next     report.ContextJSON // of winnow context
	shown    shownReceipt
	receipt  record.Receipt
	sent     wire
}

// fault says what does not agree about the message of an entry, and what each place says of it.
func (v views) fault(i int, format string, a ...any) error {
	m := v.message(v.next.Entries[i].ID)
	row, found := "no line", "nothing of it"
	for _, r := range v.panel.rows {
		if r.number == i+1 {
			row = r.line
		}
	}
	e := v.next.Entries[i]
	if mark := markOf(m); mark != "" && v.sent.holds(mark) {
		found = "its mark " + mark
		if v.sent.holds(sentOf(m, e)) {
			found += ", and its text as context says"
		}
	}
	return fmt.Errorf("message %d (%s %q): %s\n  panel:   %s\n  receipt: %s, %+v\n  context: %+v\n  wire:    %s; it costs %d in %d messages\n%s",
		i+1, m.Role, head(m.Content), fmt.Sprintf(format, a...), row, v.shown.line, v.receipt, e, found, v.sent.cost(), len(v.sent.Messages), v.panel.text)
}

func head(text string) string {
	if len(text) > 60 {
		return text[:60] + "…"
	}
	return text
}

func (v views) message(id int64) store.Message {
	for _, m := range v.messages {
		if m.ID == id {
			return m
		}
	}
	return store.Message{}
}

// tokens is a count in the measure of the panel: what the server is expected to count, and once it has counted the
// request, the share of that.
func (v views) tokens(n int) int {
	ratio := v.next.Sum.Ratio
	if v.counted() {
		ratio = float64(v.receipt.Usage.Prompt) / float64(v.next.Sum.Total)
	}
	if ratio > 0 {
		return int(math.Round(float64(n) * ratio))
	}
	return n
}

// counted says that the server has counted the whole request.
func (v views) counted() bool {
	return v.receipt.Usage.Prompt > 0 && v.receipt.Unread == 0 && v.next.Sum.Total > 0
}

// compareNext compares the panel with winnow context before anything is sent.
func (v views) compareNext() error {
	if v.next.Session == "" {
		return nil // The session begins with its first message.
	}
	return v.comparePanel()
}

// comparePanel compares every line of the panel with the entry that winnow context has.
func (v views) comparePanel() error {
	o := v.next
	if len(v.panel.rows) != len(o.Entries) || len(v.panel.added) != len(o.Added) {
		return fmt.Errorf("the panel has lines of %d messages and %d added texts, context has %d and %d\n%s", len(v.panel.rows), len(v.panel.added), len(o.Entries), len(o.Added), v.panel.text)
	}
	rows, saved, shown := 0, 0, 0
	for i, e := range o.Entries {
		r := v.panel.rows[i]
		if r.number != i+1 {
			return v.fault(i, "the line of message %d stands in its place", r.number)
		}
		if !glyphFits(r.glyph, e) {
			return v.fault(i, "the glyph %s is not true", r.glyph)
		}
		// A line for several messages names nobody, and an answer's has the name of its model.
		if want := screenRole(e.Role); r.role != want && !strings.HasPrefix(want, strings.TrimSuffix(r.role, "…")) && e.Role != "assistant" {
			return v.fault(i, "the panel says that %q said it, want %q", r.role, want)
		}
		if cut := fmt.Sprintf("%s of %s", separated(e.CharsAfter), separated(e.CharsBefore)); r.glyph == "◐" && !saysCut(r.line, cut) {
			return v.fault(i, "the panel does not say %q", cut)
		}
		if want := v.tokens(e.TokensAfter); r.tokens != want {
			return v.fault(i, "the panel has %d tokens, context %d", r.tokens, want)
		}
		if first := i == 0 || r.role != "" || v.panel.rows[i-1].line != r.line; first {
			saved, shown = 0, r.saved
		}
		saved += e.TokensAfter - e.TokensBefore
		last := i+1 == len(o.Entries) || r.role != "" || v.panel.rows[i+1].line != r.line
		want := v.tokens(saved)
		if r.role != "" {
			want = v.tokens(e.TokensAfter) - v.tokens(e.TokensBefore)
		}
		if want = min(0, want); last && shown != want { // what a message costs more than whole is not shown
			return v.fault(i, "the panel has %d tokens less than whole, context %d", -shown, -want)
		}
		rows += r.tokens
	}
	// The panel shows them in front of the messages that they stand in or in front of; a marker in the system prompt
	// stands at the gap that it is for.
	added := slices.Clone(o.Added)
	for i := range added {
		if added[i].Kind == "marker" && added[i].At == 0 {
			added[i].At = lastGap(o.Entries)
		}
	}
	slices.SortStableFunc(added, func(a, b report.AddedJSON) int { return a.At - b.At })
	for i, a := range added {
		r := v.panel.added[i]
		if r.tokens != v.tokens(a.Tokens) || !namesAdded(r.line, a.Kind) {
			return fmt.Errorf("the panel says %q of the added text %+v\n%s", r.line, a, v.panel.text)
		}
		rows += r.tokens
	}
	return v.compareSums(rows)
}

// compareSums compares the panel's sums with those of winnow context, and with its own lines: what they
// come to, the draft, and what is no message.
func (v views) compareSums(rows int) error {
	s, p := v.next.Sum, v.panel
	if p.total != v.tokens(s.Total) {
		return fmt.Errorf("the panel's total is %d, context's %d\n%s", p.total, v.tokens(s.Total), v.panel.text)
	}
	if want := int(math.Round(float64(s.Total) * s.Ratio)); v.counted() && p.expected() != want {
		return fmt.Errorf("the panel's estimate was %d, context's %d\n%s", p.expected(), want, v.panel.text)
	}
	// A message is counted as it is written into the chat format; what the format costs besides is in no line.
	if all := rows + p.draft + p.fixed + s.Frame; s.Ratio == 1 && !v.counted() && p.fixed >= 0 && all != p.total {
		return fmt.Errorf("the panel's lines come to %d, the draft to %d, what is fixed to %d and the format to %d; its total is %d\n%s", rows, p.draft, p.fixed, s.Frame, p.total, v.panel.text)
	}
	return nil
}

// compareSent compares all four places after the answer.
func (v views) compareSent() error {
	if err := v.comparePanel(); err != nil {
		return err
	}
	if err := v.compareReceipt(); err != nil {
		return err
	}
	found := 0
	for i, e := range v.next.Entries {
		sent, err := v.compareWire(i, e)
		if err != nil {
			return err
		}
		if sent {
			found++
		}
	}
	if found != v.receipt.Sent {
		return fmt.Errorf("%d messages are in the bytes, the receipt says %d\n%s", found, v.receipt.Sent, v.panel.text)
	}
	if err := v.compareAdded(); err != nil {
		return err
	}
	return v.compareCost()
}

// saysCut says that a row of the panel names the numbers of a cut, as far as there is room.
func saysCut(line, cut string) bool {
	_, said, found := strings.Cut(line, "cut to ")
	said, _, short := strings.Cut(said, "…")
	return found && (short && strings.HasPrefix(cut, said) || strings.HasPrefix(said, cut))
}

var addedPattern = regexp.MustCompile(`added: (.*?)(…|  |$)`)

// namesAdded says that a row of the panel names the kind of an added text, as far as there is room.
func namesAdded(line, kind string) bool {
	m := addedPattern.FindStringSubmatch(line)
	names := map[string]string{
		"marker": "note of a gap", "start": "opening line", "stand-in result": "stand-in result", "bridge": "filler answer",
		"summary": "summary", "recalled frame": "recall heading",
	}
	return m != nil && (m[1] == names[kind] || m[2] == "…" && strings.HasPrefix(names[kind], m[1]))
}

// lastGap is the place of the first of the last messages that are not sent one after the other.
func lastGap(entries []report.EntryJSON) int {
	sent := func(e report.EntryJSON) bool {
		return e.Disposition == "kept" || e.Disposition == "cut" || e.Disposition == "recalled"
	}
	at := len(entries)
	for at > 0 && sent(entries[at-1]) {
		at--
	}
	for at > 0 && !sent(entries[at-1]) {
		at--
	}
	return at
}

// compareReceipt compares the receipt, and its line on the screen, with winnow context and the panel.
func (v views) compareReceipt() error {
	c, r := v.next.Counts, v.receipt
	kept := map[string]int{"sent": r.Sent, "stored": r.Stored, "cut": r.Cut, "dropped": r.Dropped, "recalled": r.Recalled, "repaired": r.Repaired}
	for what, want := range map[string]int{
		"sent": c.Kept + c.Cut + c.Recalled, "stored": c.Stored, "cut": c.Cut, "dropped": c.Dropped, "recalled": c.Recalled, "repaired": c.Repaired,
	} {
		shown := v.shown.counts[what]
		switch what {
		case "sent":
			shown = v.shown.sent
		case "stored":
			shown = v.shown.stored
		case "dropped":
			shown = want // "saw 23 of 61" says it
		}
		if kept[what] != want || shown != want {
			return fmt.Errorf("%s: the receipt says %d and shows %d in %q, context %d\n%s", what, kept[what], shown, v.shown.line, want, v.panel.text)
		}
	}
	sent := 0
	for _, row := range v.panel.rows {
		if !strings.Contains("○⊘", row.glyph) {
			sent++
		}
	}
	if sent != r.Sent || len(v.panel.rows) != r.Stored {
		return fmt.Errorf("the panel shows %d of %d messages sent, the receipt %q\n%s", sent, len(v.panel.rows), v.shown.line, v.panel.text)
	}
	if r.Estimate != v.next.Sum.Total || r.Expected != v.panel.expected() {
		return fmt.Errorf("the receipt expected %d of %d counted tokens, the panel says %d and context %d\n%s", r.Expected, r.Estimate, v.panel.expected(), v.next.Sum.Total, v.panel.text)
	}
	return nil
}

// compareWire looks for a message in the bytes that the server got: all of what is said to be sent of it,
// or nothing.
func (v views) compareWire(i int, e report.EntryJSON) (sent bool, err error) {
	m := v.message(e.ID)
	mark, text := markOf(m), sentOf(m, e)
	if e.Disposition != "kept" && e.Disposition != "cut" && e.Disposition != "recalled" {
		if mark != "" && v.sent.holds(mark) {
			return false, v.fault(i, "the server got something of a message that is not sent")
		}
		return false, nil
	}
	if !v.sent.holds(text) {
		return true, v.fault(i, "the server did not get %q", text)
	}
	if left := utf8.RuneCountInString(m.Content) - e.CharsAfter; e.Whole != (left == 0) {
		return true, v.fault(i, "it is whole (%t), and %d characters are left out", e.Whole, left)
	}
	// Its text costs what the lines say, where nothing else of it does.
	if n := wordsIn(text); len(m.ToolCalls) == 0 && !e.Recalled && n != e.TokensAfter {
		return true, v.fault(i, "its %d tokens are said to cost %d", n, e.TokensAfter)
	}
	return true, nil
}

// compareAdded looks for the texts that nobody said where they are said to stand, and for the message
// that each stands in or in front of.
func (v views) compareAdded() error {
	for _, a := range v.next.Added {
		in := v.sent.Messages[a.Before]
		for line := range strings.SplitSeq(strings.TrimSpace(a.Text), "\n") {
			if !strings.Contains(in.text, line) {
				return fmt.Errorf("message %d of the bytes, %q, does not hold %q of %+v\n%s", a.Before, in.text, line, a, v.panel.text)
			}
		}
		if a.At == len(v.next.Entries) || in.Role == "system" {
			continue
		}
		e := v.next.Entries[a.At]
		m := v.message(e.ID)
		mark := markOf(m)
		rest := wire{Messages: v.sent.Messages[a.Before:]}
		if text := sentOf(m, e); mark != "" && strings.Contains(text, mark) && !rest.holds(text) {
			return v.fault(a.At, "%+v is said to stand in front of it", a)
		}
	}
	return nil
}

// compareCost counts the bytes again. Winnow counts a little more where it puts messages together.
func (v views) compareCost() error {
	got, said := v.sent.cost()+v.next.Sum.Tools, v.next.Sum.Total
	system := 0
	for _, e := range v.next.Entries {
		if e.Role == "system" && e.TokensAfter > 0 {
			system++
		}
	}
	if got > said || got != said && len(v.next.Added) == 0 && system == 0 && v.apart() {
		return fmt.Errorf("the bytes cost %d, the panel says %d\n%s", got, said, v.panel.text)
	}
	return nil
}

// apart says that every message that is sent is one of the request's.
func (v views) apart() bool {
	n := 1 // the system prompt
	for _, e := range v.next.Entries {
		if e.TokensAfter > 0 {
			n++
		}
	}
	return n == len(v.sent.Messages)
}

// compareLastWhole asks the session when the model last got each message whole: in this request, or at
// another time.
func (v views) compareLastWhole(ctx context.Context, s *session.Session) error {
	var ids []int64
	for _, e := range v.next.Entries {
		ids = append(ids, e.ID)
	}
	last, err := s.Records().LastWhole(ctx, ids...)
	if err != nil {
		return err
	}
	for i, e := range v.next.Entries {
		if now := last[e.ID].Request == v.next.Request.ID; now != e.Whole {
			return v.fault(i, "the session says that the model last saw it whole in %+v", last[e.ID])
		}
	}
	return nil
}

// compareWith compares what the panel said before sending with what it says of the same messages now.
func (v views) compareWith(after views) error {
	if v.next.Session == "" {
		return nil
	}
	for i, r := range v.panel.rows {
		if a := after.panel.rows[i]; a.glyph != r.glyph || !after.counted() && a.tokens != r.tokens {
			return after.fault(i, "before sending the panel said %q", r.line)
		}
		if !reflect.DeepEqual(v.next.Entries[i], after.next.Entries[i]) {
			return after.fault(i, "before sending context said %+v", v.next.Entries[i])
		}
	}
	if !reflect.DeepEqual(v.next.Added, after.next.Added) {
		return fmt.Errorf("before sending context had the added texts %+v, now it has %+v\n%s", v.next.Added, after.next.Added, after.panel.text)
	}
	if v.panel.total != after.panel.expected() {
		return fmt.Errorf("before sending the panel's total was %d, now it is %d\n%s\n%s", v.panel.total, after.panel.expected(), v.panel.text, after.panel.text)
	}
	return nil
}
