package history

import (
	"cmp"
	"slices"
	"strings"

	"winnow/history/cause"
)

// render lays the chosen texts out and says what became of every message.
func (b *chooser) render() Plan {
	r := b.lay()
	p := Plan{Rules: Rules, Summary: b.summary}
	p.Sum = Sum{
		System: b.c.remembered(b.o.System), Tools: b.o.Tools, Stored: b.c.base.n,
		Reserve: b.budget.reserve, Window: b.o.Window, Budget: b.budget.asked, Limit: b.budget.limit, Bound: b.budget.bound,
		Ratio: b.budget.ratio, Margin: b.budget.margin,
	}
	w := &judgement{readAgain: r.readAgain(), pending: r.o.Pending}
	w.list.sizes, w.list.runs = b.t.base.share(), make([]run, 0, b.cost.messages+b.cost.gaps+b.turn.base.n)
	r.judgeHistory(&p, w)
	r.judgeTurn(&p, w)
	p.Entries = w.Entries()
	p.Messages, p.Added, p.Spans = r.messages(), r.added, r.spans
	if r.system != "" {
		for i := range p.Added {
			p.Added[i].Before++
		}
		for i := range p.Spans {
			p.Spans[i].Message++
		}
	}
	slices.SortStableFunc(p.Spans, func(a, b Span) int { return cmp.Or(a.Message-b.Message, a.From-b.From) })
	var undone []change
	p.Next, undone = b.nextToFall()
	p.Stays = b.alike(p.Messages, undone)
	for _, a := range p.Added {
		p.Sum.Added += a.Tokens
	}
	p.Sum.Frame = frameRequest + r.frame
	s := &p.Sum
	s.Total = s.System + s.Tools + s.Pinned + s.Body + s.Recalled + s.Draft + s.Added + s.Frame
	return p
}

// judgeHistory writes the verdicts on the messages of the history. Most of a long one are not sent for the same reason
// as the message before.
func (r *renderer) judgeHistory(p *Plan, w *judgement) {
	type reason struct {
		code    cause.Code
		stopped bool
	}
	var last reason
	again := false // the last message was not sent for that reason
	for at, i := range r.t.places {
		if i < 0 {
			w.Add(r.t.base.verdict(at))
			again = false
			continue
		}
		if r.inRequest(int(i)) {
			w.Add(r.judge(p, int(i)))
			again = false
			continue
		}
		why := reason{r.cause[i], r.stopped.from <= int(i) && int(i) < r.stopped.to}
		plain := r.t.base.plain(at) && !w.readAgain[at] && w.pending == 0
		if again && plain && why == last {
			w.again()
			continue
		}
		e := r.t.base.verdict(at)
		e.Disposition, e.Cause = Dropped, r.causeDropped(int(i))
		if why.code == cause.Excluded || why.code == cause.QuestionExcluded {
			e.Disposition = Excluded
		}
		w.Add(e)
		again, last = plain, why
	}
}

// judge is the verdict on a candidate that is in the request.
func (r *renderer) judge(p *Plan, i int) Entry {
	v := &r.candidates[i]
	e := r.t.base.verdict(v.from)
	e.Level, e.Place = max(r.bodyDetail[i].level(), r.recallDetail[i].level()), r.bodyDetail[i].level()
	e.Pinned = r.o.Flags[e.ID] == Pin
	p.Sum.Sent++
	f := r.rendering(i, r.bodyDetail[i])
	e.TokensAfter = f.tokens
	if e.Recalled = r.recalled(i); e.Recalled {
		r.judgeRecalled(p, &e, i)
		return e
	}
	e.Disposition, e.Cause = Kept, Cause{Code: cmp.Or(r.cause[i], cause.Recent)}
	said := r.t.framed(v)
	f.show(&said, &e)
	if r.cause[i] != cause.Pinned {
		p.Sum.Body += f.tokens
		return e
	}
	p.Sum.Pinned += f.tokens
	if e.Cause.Code == cause.Note {
		e.Cause.Code = cause.PinnedByNote
	}
	return e
}

// judgeRecalled writes the verdict on a candidate of which recall shows more than its place does.
func (r *renderer) judgeRecalled(p *Plan, e *Entry, i int) {
	recalled := r.rendering(i, r.recallDetail[i])
	said := r.t.framed(&r.candidates[i])
	recalled.show(&said, e)
	e.Disposition, e.Cause = Recalled, r.causeRecalled(i, recalled)
	if r.o.Policy.Placement == InOrder {
		p.Sum.Recalled += recalled.tokens
		e.TokensAfter, e.Place = recalled.tokens, e.Level
		return
	}
	cost := r.recalledCost(i, recalled)
	p.Sum.Recalled += cost
	p.Sum.Body += e.TokensAfter
	e.TokensAfter += cost
}

// judgement is the verdicts of a plan while a renderer writes them.
type judgement struct {
	EntryWriter
	readAgain map[int]bool // the messages of which a result in the request holds what a recall found in them
	pending   int64        // the message of the calls that wait for the user
}

// Add writes the next verdict.
func (j *judgement) Add(e Entry) {
	if j.readAgain[j.written] {
		switch {
		case e.FellOut():
			e.Cause = Cause{Code: cause.ReadAgain}
		case e.Disposition == Cut:
			e.Cause = Cause{Code: cause.CutReadAgain, Have: e.CharsAfter, Want: e.CharsBefore}
		}
	}
	if j.pending != 0 && e.ID == j.pending {
		e.forgivePending()
	}
	j.EntryWriter.Add(e)
}

// readAgain are the messages of which a result in the request holds what a recall found in them, by their position.
func (r *renderer) readAgain() map[int]bool {
	var held map[int]bool
	hold := func(v *full) {
		for _, at := range v.ReadAgain {
			if held == nil {
				held = map[int]bool{}
			}
			held[at] = true
		}
	}
	for i := range r.candidates {
		if v := &r.candidates[i]; v.rereads && !v.standIn && r.inRequest(i) {
			v := r.t.full(i)
			hold(&v)
		}
	}
	for i := range r.turn.candidates {
		v := r.turn.full(i)
		hold(&v)
	}
	return held
}

// show writes into an entry which of a candidate's text is sent.
func (f rendering) show(v *full, e *Entry) {
	f.locate(v, e)
	if f.cause != nil {
		e.Disposition, e.Cause = Cut, *f.cause
	}
	if e.Whole = len(e.Cuts) == 0; v.Replaced && !e.Whole {
		e.Cause = Cause{Code: cause.Note}
	}
}

// causeDropped is why candidate i is not sent.
func (r *renderer) causeDropped(i int) Cause {
	switch r.cause[i] {
	case cause.MessageCap:
		return Cause{Code: cause.MessageCap, Limit: r.o.Policy.MaxMessages}
	case cause.Excluded, cause.QuestionExcluded, cause.Summarized, cause.Alone, cause.OtherMessages, cause.Title, cause.Invalid:
		return Cause{Code: r.cause[i]}
	}
	switch {
	case r.stopped.to == 0 && r.stop.Code != cause.None, r.stopped.from <= i && i < r.stopped.to:
		return r.stop
	case r.stopped.recall:
		return Cause{Code: cause.BudgetTaken}
	}
	return Cause{Code: cause.Older}
}

// causeRecalled is why candidate i is recalled as f.
func (r *renderer) causeRecalled(i int, f rendering) Cause {
	c := Cause{Front: r.bodyDetail[i] != out && !r.ordered()}
	if !f.shortened.whole() {
		c.Have, c.Want = f.chars, r.candidates[i].chars
	}
	end := i + 1
	for end < len(r.candidates) && r.candidates[end].group == r.candidates[i].group {
		end++
	}
	group := r.t.groupBefore(end)
	switch shared := r.ranking.Shared(group.from, group.to); {
	case len(shared) > 0:
		c.Code, c.Text = cause.SharedWords, strings.Join(shared, ", ")
	case r.t.index.Standing(i):
		c.Code = cause.Instruction
	case r.ordered() && r.recallDetail[i] == short:
		c.Code = cause.AnswerRecalled
	default:
		c.Code = cause.Neighbour
	}
	return c
}

// causeOfCut is why a candidate is cut to a rendering, nil where it is not.
func (f rendering) causeOfCut(v *full, code cause.Code, limit int) *Cause {
	if f.shortened.whole() {
		return nil
	}
	c := &Cause{Code: code, Limit: limit, Have: f.chars, Want: v.chars}
	if !v.Replaced {
		e := Entry{CharsBefore: v.chars - v.Lead - v.Tail}
		f.locate(v, &e)
		c.Have, c.Want = e.CharsAfter, e.CharsBefore
	}
	return c
}

// limitOf is the limit of the policy for a candidate, with the code that names it.
func (b *chooser) limitOf(v *candidate) (cause.Code, int) {
	switch v.kind() {
	case User:
		return cause.UserLimit, b.limits.user
	case Tool:
		return cause.ToolLimit, b.limits.tool
	}
	return cause.AssistantLimit, b.limits.assistant
}

// locate writes into an entry what of the stored text is sent and what is in its place, by the
// code points of the stored text.
func (f rendering) locate(v *full, e *Entry) {
	if !v.Replaced && v.Lead+v.Tail == 0 {
		e.CharsAfter, e.Cuts, e.Inserted = f.chars, f.cuts, f.insert
		return
	}
	n := e.CharsBefore
	if v.Replaced {
		e.CharsAfter, e.Inserted = 0, []Insert{{0, f.of(v).text}}
		if n > 0 {
			e.Cuts = []Range{{0, n}}
		}
		return
	}
	text := []rune(v.Content)
	tail := len(text) - v.Tail
	own := func(at int) int { return max(0, min(at-v.Lead, n)) }
	insert := func(at int, text string) {
		if text != "" {
			e.Inserted = append(e.Inserted, Insert{at, text})
		}
	}
	from, to := own(f.cut.From), own(f.cut.To)
	insert(0, f.sent(text, 0, v.Lead))
	if e.CharsAfter = n - (to - from); from < to {
		e.Cuts = []Range{{from, to}}
	}
	if !f.whole() && v.Lead <= f.cut.From && f.cut.From < tail {
		insert(from, f.note)
	}
	insert(n, f.sent(text, tail, len(text)))
}

// sent is what of the code points of a candidate's text from one place to another is sent, with the note where the cut
// begins among them.
func (f rendering) sent(text []rune, from, to int) string {
	if f.whole() || f.cut.To <= from || to <= f.cut.From {
		return string(text[from:to])
	}
	if from > f.cut.From {
		return string(text[min(f.cut.To, to):to])
	}
	return string(text[from:f.cut.From]) + f.note + string(text[min(f.cut.To, to):to])
}
