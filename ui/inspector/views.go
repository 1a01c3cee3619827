package inspector

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// readChanges compares the request on show with the one before it, or with the one that was chosen.
func (in *Model) readChanges() tea.Cmd {
	k := &in.Keys
	switch from := in.On.From; {
	case from == nil:
		in.reads = "reading the request before"
		return in.Emit(ReadBefore{in.Number})
	case same(from, &in.Request):
		in.put(&List{
			None: "This is " + in.Name + " itself: " + k.First(keymap.Earlier) + " and " + k.First(keymap.Later) +
				" select the request to compare it with.",
		})
	default:
		in.showChanges(inOrder(from, &in.Request))
	}
	return nil
}

// showBefore compares the request on show with the one before it.
func (in *Model) showBefore(before *Request) {
	if before == nil {
		in.put(&List{None: "Nothing was sent before this request: there is nothing to compare it with."})
		return
	}
	in.showChanges(before, &in.Request)
}

// showChanges lists what is otherwise in the second request than in the first.
func (in *Model) showChanges(from, to *Request) {
	before, after := &from.Plan, &to.Plan
	list := history.Compare(before.Entries, after.Entries)
	l := &List{
		N: len(list),
		Line: func(st theme.Styles, i, w int, chosen bool) string {
			return changeLine(st, list[i], before.Sum, after.Sum, w, chosen)
		},
		Reason: func(i int) string { return list[i].Reason() },
		None:   "Nothing changed: every message is sent as before.",
	}
	l.Head.Line(Title, "from %s to %s", from.Name, to.Name)
	l.Head.Line(Quiet, "~%s to ~%s tokens · %s to %s of %s messages · %s",
		theme.Thousands(before.Sum.Tokens(before.Sum.Total)), theme.Thousands(after.Sum.Tokens(after.Sum.Total)),
		theme.Thousands(sentOf(before)), theme.Thousands(sentOf(after)), theme.Thousands(len(after.Entries)),
		theme.Plural(len(list), "change"))
	in.changes = list
	in.put(l)
}

// sentOf counts the messages that a request holds.
func sentOf(p *history.Plan) int { return store.TallyOf(p.Entries).Sent() }

// changeLine is one change: its kind, the message, and its tokens before and after.
func changeLine(st theme.Styles, c history.Change, before, after history.Sum, w int, chosen bool) string {
	e := c.Entry()
	r := listRow{
		lead: fmt.Sprintf("%-9s  %3s %s", c.Kind, theme.Thousands(e.Index+1), theme.Fit(theme.Speaker(e.Role), 6)),
		right: theme.Thousands(before.Tokens(c.Before.TokensAfter)) + " → " +
			theme.Thousands(after.Tokens(c.After.TokensAfter)),
	}
	if is := theme.Word(c.After); is != "" {
		r.words = "  " + is
	}
	if c.After.Disposition != "" {
		r.glyph = theme.Glyph(c.After)
	}
	return r.draw(st, w, chosen)
}

// showBody shows the body of the request, with what the proof says of it.
func (in *Model) showBody(msg BodyMsg) {
	var p Page
	size := theme.Plural(msg.Bytes, "byte")
	switch {
	case in.Past == nil && in.Note != "":
		p.Line(Warning, "! This request would not be sent: %s", theme.OneSentence(in.Note))
	case in.Past == nil && in.Busy:
		p.Line(Quiet, "The body of the request that is being answered: %s, formatted for reading.", size)
	case in.Past == nil:
		p.Line(Quiet, "The body of the request as it would be sent now: %s, formatted for reading.", size)
	case in.Past.Proven:
		p.Line(Quiet, "✓ proven by hash: these %s were sent. They are formatted for reading.", size)
	default:
		p.Line(Warning, "! not proven to be what was sent: %s", theme.OneSentence(in.Past.Doubt))
	}
	if msg.Secrets > 0 {
		p.Line(Warning, "! %s hidden in this view; the request contains them.", theme.PluralOf(msg.Secrets, "secret is",
			"secrets are"))
	}
	p.Add(Quiet, "\n")
	p.Block(Plain, msg.Text)
	body := NewPager(p)
	body.Wide = true
	in.put(body)
}

// firstVerdicts is how many verdicts of the past are read at first; the end of the list reads four times as many.
const firstVerdicts = 100

// readVerdicts reads what became of the message in past requests.
func (in *Model) readVerdicts(limit int) tea.Cmd {
	in.reads, in.more = "reading past requests", 0
	return in.Emit(ReadVerdicts{in.Number, in.On.Message, limit})
}

// showVerdicts shows the verdicts of the past: below the text of the message, or as a list of their own, the newest
// first.
func (in *Model) showVerdicts(msg VerdictsMsg) {
	list := msg.List
	in.verdicts = list
	if r, ok := in.shown.(*Reading); ok {
		r.past = list
		r.Resize(in.w, in.h)
		return
	}
	if len(list) == msg.Limit {
		in.more = msg.Limit
	}
	in.put(&List{
		N:      len(list),
		Line:   func(st theme.Styles, i, w int, chosen bool) string { return verdictLine(st, list[i], w, chosen) },
		Reason: func(i int) string { return list[i].Entry.Cause.Sentence() },
		None:   "No past request contained this message.",
	})
}

// verdictLine is one verdict of the past.
func verdictLine(st theme.Styles, s store.PastVerdict, w int, chosen bool) string {
	turn := fmt.Sprintf("turn %s", theme.Thousands(s.Turn))
	if s.Of > 1 {
		turn += fmt.Sprintf(", %d of %d", s.Nth, s.Of)
	}
	return listRow{
		glyph: theme.Glyph(s.Entry),
		lead:  fmt.Sprintf("%-16s %s  ", turn, s.At.Local().Format(time.DateTime)),
		words: cmp.Or(theme.Word(s.Entry), "whole"),
		right: markdown.OneLine(s.Model, max(1, w/4)) +
			fmt.Sprintf(" %7s", theme.Thousands(s.Sum.Tokens(s.Entry.TokensAfter))),
	}.draw(st, w, chosen)
}

// repairDrawing shows what was repaired of the message: what was wrong, and what is stored against what is sent.
func (in *Model) repairDrawing() *drawing {
	e, _ := in.Plan.EntryOf(in.On.Message)
	var text strings.Builder
	repairs, hidden := make([]history.Repair, len(e.Repairs)), 0
	for i, r := range e.Repairs {
		r, n := withoutSecrets(in.Secrets, r)
		repairs[i] = r
		hidden += n
		text.WriteString(r.Kind + " " + r.Sentence() + "\nstored:\n" + r.Before + "\nsent:\n" + r.After + "\n")
	}
	when, head := "from now on", ""
	if in.Past != nil {
		when = "in " + in.Name
	}
	for _, part := range in.hiddenLine(hidden) {
		head += strings.TrimSpace(part.Text)
	}
	blocks := blocksOf(&in.Plan, in.stored, e, repairs, in.Secrets)
	return &drawing{Said: text.String(), Draw: func(st theme.Styles, w int) []string {
		var lines []string
		if head != "" {
			lines = append(lines, indented(st.Cut, head, w)...)
		}
		for _, r := range repairs {
			lines = append(lines, markedLines(st, "▲", r.Kind+"  "+r.Sentence(), w, st.Text)...)
		}
		lines = append(append(lines, ""), comparison(st, w, blocks, when)...)
		return append(append(lines, ""), indented(st.Muted, originalKept, w)...)
	}}
}

// originalKept says what a repair does not do.
const originalKept = "The original is kept byte for byte."

// markedLines wrap a text behind a glyph, on a screen of w cells.
func markedLines(st theme.Styles, glyph, text string, w int, style lipgloss.Style) []string {
	lines := indented(style, text, w)
	g := theme.Gutter(w)
	lines[0] = strings.Repeat(" ", g) + theme.Fit(st.OfGlyph(glyph).Render(glyph), markCells) + lines[0][g+markCells:]
	return lines
}

// outline is the whole request as it is sent, without its secrets: every message with its role and number.
func (in *Model) outline() *Outline {
	head, hidden := Hide(in.Secrets, in.requestHead())
	sections := in.sentMessages().sections()
	for i := range sections {
		s := &sections[i]
		body, n := Hide(in.Secrets, s.Body)
		hidden += n
		s.Body = body
		s.Gist, _ = in.Secrets.Hide(s.Gist)
		s.Heading, _ = in.Secrets.Hide(s.Heading)
	}
	o := newOutline(append(in.hiddenLine(hidden), head...), sections, in.collapsed)
	if before, ok := in.shown.(*Outline); ok && before.At < len(o.Sections) {
		o.Choose(before.At)
	}
	return o
}

// requestHead is what is said of the request as a whole.
func (in *Model) requestHead() Page {
	var p Page
	r, s := &in.Request, in.Plan.Sum
	total := theme.Plural(s.Tokens(s.Total), "token")
	if s.Limit > 0 {
		total = r.counted(s.Total) + " of " + theme.Plural(s.Limit, "token")
	}
	p.Line(Title, "%s · ~%s", theme.Plural(len(r.Plan.Messages), "message"), total)
	if r.Note != "" {
		p.Line(Warning, "! %s", theme.OneSentence(r.Note))
	}
	if r.Past == nil && !r.Tried {
		if settings, err := in.Settings(); err != nil {
			p.Line(Warning, "! %s", theme.Sentence(err))
		} else {
			p.Line(Quiet, "%s.", theme.UpperFirst(settings))
		}
	}
	proofLine(r, &p)
	if s.Tools > 0 {
		p.Line(Quiet, "The tools that the model may call take ~%s; the json view shows them.",
			theme.Plural(s.Tokens(s.Tools), "token"))
	}
	return p
}
