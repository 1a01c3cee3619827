package history

import (
	"slices"
	"sort"

	"winnow/history/cause"
)

// excludeTurn leaves out what the user excluded of the running turn, a message with its whole tool group. The
// current message stays: without it there is nothing to ask.
func (b *chooser) excludeTurn() {
	if len(b.o.Flags) == 0 {
		return
	}
	groups := map[int]bool{}
	for _, v := range b.turn.candidates {
		if !v.standIn && b.o.Flags[b.turn.id(&v)] == Exclude {
			groups[v.group] = true
		}
	}
	if len(groups) == 0 {
		return
	}
	asked := false
	b.turn.candidates = slices.DeleteFunc(slices.Clone(b.turn.candidates), func(v candidate) bool {
		if first := v.role() == User && !asked; first || !groups[v.group] {
			asked = asked || first
			return false
		}
		if !v.standIn {
			b.turn.base.change(v.from, func(e *Entry) { e.Disposition, e.Cause = Excluded, Cause{Code: cause.Excluded} })
		}
		return true
	})
}

// dropTrailing leaves out answers at the end of the running turn: a model continues such a text instead of
// answering, if its server takes it at all.
func (b *chooser) dropTrailing() {
	list := b.turn.candidates
	for n := len(list) - 1; n >= 0 && (list[n].role() == Assistant || list[n].role() == System); n-- {
		if list[n].role() == System {
			continue // it is sent with the system prompt
		}
		b.turn.base.change(list[n].from, func(e *Entry) { e.Disposition, e.Cause = Dropped, Cause{Code: cause.Trailing} })
		list = slices.Delete(list, n, n+1)
	}
	b.turn.candidates = list
}

// shortenTurn finds what the long results of the running turn cost at their limit. So much is sent in
// any case; whole they stand in the priority list, behind the newest turn. The current message
// and what the model said stay as they are.
func (b *chooser) shortenTurn() {
	b.cut = map[int]rendering{}
	for i := range b.turn.candidates {
		v := &b.turn.candidates[i]
		if v.kind() != Tool {
			continue
		}
		// A rendering that costs no less is no help.
		m := b.turn.full(i)
		s := cutResult(&m, b.o.Policy.ToolMaxChars)
		f := renderingOf(&m, s, b.c.remembered)
		if f.tokens >= v.tokens {
			continue
		}
		f.cause = f.causeOfCut(&m, cause.TurnLimit, 0)
		b.fixed += f.tokens - v.tokens
		b.turnRest += v.tokens - f.tokens
		b.cut[i] = f
	}
}

// cutCurrent cuts the current message to what is left beside everything else that must be sent, where the user
// chose that. It keeps the longest beginning that fits.
func (b *chooser) cutCurrent() {
	over := b.need() - b.budget.counted
	i := slices.IndexFunc(b.turn.candidates, func(v candidate) bool { return v.role() == User })
	if !b.o.CutCurrent || over <= 0 || i < 0 {
		return
	}
	v := b.turn.full(i)
	at := func(keep int) rendering {
		return renderingOf(&v, prefixCut(b.o.Policy, v.Content, v.chars, keep, b.o.Policy.UserSuffix), b.c.count)
	}
	keep := sort.Search(v.chars, func(n int) bool { return at(n+1).tokens > v.tokens-over })
	if keep == 0 {
		return
	}
	f := at(keep)
	f.cause = &Cause{Code: cause.CutByUser, Have: f.chars, Want: v.chars}
	b.fixed += f.tokens - v.tokens
	b.cut[i], b.byUser = f, i
}

// turnRendering is what is sent of a candidate of the running turn.
func (r *renderer) turnRendering(i int) rendering {
	if f, ok := r.cut[i]; ok && (i == r.byUser || r.cost.turn < r.turnRest) {
		return f
	}
	v := &r.turn.candidates[i]
	return r.turn.wholeOf(v)
}

// judgeTurn writes the verdicts on the running turn. A draft has none.
func (r *renderer) judgeTurn(p *Plan, w *judgement) {
	entries := make([]Entry, r.turn.base.n)
	for i := range entries {
		entries[i] = r.turn.base.verdict(i)
	}
	for i := range r.turn.candidates {
		v := &r.turn.candidates[i]
		if v.standIn {
			continue
		}
		f := r.turnRendering(i)
		p.Sum.Draft += f.tokens
		e := &entries[v.from]
		e.Disposition, e.Cause, e.Level, e.TokensAfter = Kept, Cause{Code: cause.Turn}, Whole, f.tokens
		said := r.turn.framed(v)
		f.show(&said, e)
		if !f.whole() {
			e.Level = Shortened
		}
		e.Place = e.Level
	}
	for _, e := range entries {
		if e.Index += r.c.base.n; e.ID != 0 {
			w.Add(e)
		}
	}
}

// layTurn writes the running turn, the current message first.
func (r *renderer) layTurn() {
	asked := false
	for i := range r.turn.candidates {
		v := r.turn.full(i)
		f := r.turnRendering(i).of(&v)
		if v.Role == System {
			r.frame += frameJoint
			r.hoist(f.text, Span{Entry: r.turnEntry(v.candidate), To: len(f.text)})
			continue
		}
		at, from := r.writeTurn(&v, f.text, v.Role == User && !asked)
		asked = asked || v.Role == User
		if v.standIn {
			r.added = append(r.added, Added{Kind: AddedStandIn, Before: at, From: from, To: from + len(f.text), Text: f.text, Tokens: f.tokens, Cause: Cause{Code: cause.NoResult}})
			continue
		}
		r.spans = append(r.spans, Span{Entry: r.turnEntry(v.candidate), Message: at, From: from, To: from + len(f.text), Calls: v.callsAsText})
		r.reach(r.t.base.n + r.turn.base.stored(v.from))
	}
}

// turnEntry is the index in the plan of the entry of a candidate of the running turn, -1 for a draft, which has none.
func (r *renderer) turnEntry(v *candidate) int {
	if r.turn.base.at(v.from).id == 0 {
		return -1
	}
	return r.t.base.n + r.turn.base.stored(v.from)
}

// writeTurn writes a message of the running turn, with the recalled block in front of the current one. It returns the
// index of the message that holds its text and the byte that the text begins at there.
func (r *renderer) writeTurn(v *full, text string, current bool) (at, from int) {
	if r.len() == 0 && v.Role != User {
		r.begin()
	}
	m := v.messageWith(text)
	block, spans, front := len(r.added), len(r.spans), 0
	if current {
		recalled, images := r.putRecalled()
		m.Content = recalled + m.Content
		if len(images) > 0 {
			m.Parts = slices.Concat(images, m.Parts)
		}
		front = len(m.Content) - len(text)
	}
	at, from = r.put(m, v.joins)
	// A bridge may have been added behind the block.
	if block < len(r.added) && r.added[block].Kind == AddedRecalled {
		a := &r.added[block]
		a.Before, a.From, a.To = at, from, from+front-len(joint)
	}
	for k := spans; k < len(r.spans); k++ {
		s := &r.spans[k]
		s.Message, s.From, s.To = at, s.From+from, s.To+from
	}
	return at, from + front
}

// putRecalled is the block of recalled texts for the front of the current message, and the images of the recalled
// messages, which stand in front of the current message's own.
func (r *renderer) putRecalled() (text string, images []Part) {
	if r.ordered() {
		return "", nil
	}
	block := r.block()
	if block.text == "" {
		return "", nil
	}
	r.spans = append(r.spans, block.spans...)
	r.added = append(r.added, Added{
		Kind: AddedRecalled, Before: -1, Text: block.frame, Tokens: block.tokens,
		Cause: Cause{Code: cause.RecalledBlock},
	})
	return block.text + joint, block.images
}
