package history

import (
	"fmt"
	"slices"
	"sort"
)

// excludeTurn leaves out what the user excluded of the running turn, a message with its whole tool group. The
// current message stays: without it there is nothing to ask.
func (b *builder) excludeTurn() {
	if len(b.o.Flags) == 0 {
		return
	}
	groups := map[int]bool{}
	for _, v := range b.turn.views {
		if !v.made && b.o.Flags[v.ID] == Exclude {
			groups[v.group] = true
		}
	}
	if len(groups) == 0 {
		return
	}
	asked := false
	b.turn.views = slices.DeleteFunc(slices.Clone(b.turn.views), func(v view) bool {
		if first := v.Role == User && !asked; first || !groups[v.group] {
			asked = asked || first
			return false
		}
		if !v.made {
			e := &b.turn.base[v.from]
			e.Disposition, e.Reason = Excluded, sentenceExcluded
		}
		return true
	})
}

// endOpen leaves out answers at the end of the running turn: a model continues such a text instead of
// answering, where its server takes it at all.
func (b *builder) endOpen() {
	views := b.turn.views
	for n := len(views) - 1; n >= 0 && (views[n].Role == Assistant || views[n].Role == System); n-- {
		if views[n].Role == System {
			continue // it is sent with the system prompt
		}
		e := &b.turn.base[views[n].from]
		e.Disposition, e.Reason = Dropped, sentenceTrailing
		views = slices.Delete(views, n, n+1)
	}
	b.turn.views = views
}

// shortenTurn finds what the long results of the running turn cost at their limit. So much is sent in
// any case; whole they stand in the priority list, behind the newest exchange. The current message
// and what the model said stay as they are.
func (b *builder) shortenTurn() {
	b.cut = map[int]form{}
	for i := range b.turn.views {
		v := &b.turn.views[i]
		if v.kind() != Tool {
			continue
		}
		// A form that costs no less is no help.
		s := cutResult(v.Content, v.chars, b.o.Policy.ToolMaxChars)
		f := formOf(v, s, b.c.remembered)
		if f.tokens >= v.tokens {
			continue
		}
		f.note = f.sentence(v, "the running turn does not fit with all of this result")
		b.fixed += f.tokens - v.tokens
		b.turnRest += v.tokens - f.tokens
		b.cut[i] = f
	}
}

// cutCurrent cuts the current message to what is left beside everything else that must be sent, where the user
// chose that. It keeps the longest beginning that fits.
func (b *builder) cutCurrent() {
	over := b.need() - b.room.counted
	i := slices.IndexFunc(b.turn.views, func(v view) bool { return v.Role == User })
	if !b.o.CutCurrent || over <= 0 || i < 0 {
		return
	}
	v := &b.turn.views[i]
	at := func(keep int) form {
		return formOf(v, prefixCut(b.o.Policy, v.Content, v.chars, keep, b.o.Policy.UserSuffix), b.c.count)
	}
	keep := sort.Search(v.chars, func(n int) bool { return at(n+1).tokens > v.tokens-over })
	if keep == 0 {
		return
	}
	f := at(keep)
	f.note = fmt.Sprintf("cut by you: %s of %s characters are sent, so that the request fits", grouped(f.chars), grouped(v.chars))
	b.fixed += f.tokens - v.tokens
	b.cut[i], b.byUser = f, i
}

// appendTurn writes the running turn, the current message first.
func (b *builder) appendTurn(p *Plan, l *layout) {
	entries := slices.Clone(b.turn.base)
	asked := false
	for i := range b.turn.views {
		v := &b.turn.views[i]
		f, cut := b.cut[i]
		if cut = cut && (i == b.byUser || b.bill.turn < b.turnRest); !cut {
			f = form{shortened: shortened{text: v.Content}, tokens: v.tokens, chars: v.chars}
		}
		at := 0
		if v.Role == System {
			p.Sum.Frame += frameJoint
			l.hoist(f.text)
		} else {
			at = b.sayTurn(p, l, v, f.text, v.Role == User && !asked)
			asked = asked || v.Role == User
		}
		if v.made {
			p.Added = append(p.Added, Added{Kind: kindResult, Before: at, Text: f.text, Tokens: f.tokens, Reason: sentenceNoResult})
			continue
		}
		if v.Role != System {
			l.reach(p, len(p.Entries)+stored(entries[:v.from]))
		}
		p.Sum.Draft += f.tokens
		e := &entries[v.from]
		e.Disposition, e.Reason, e.Level, e.Whole = Kept, sentenceTurn, Whole, true
		e.TokensAfter = f.tokens
		f.locate(v, e)
		if cut {
			e.Disposition, e.Reason, e.Level = Cut, f.note, Shortened
		}
		e.Place = e.Level
		if e.Whole = len(e.Cuts) == 0; v.replaced && !e.Whole {
			e.Reason = sentenceNote
		}
	}
	for _, e := range entries {
		if e.Index += len(b.c.past); e.ID != 0 {
			p.Entries = append(p.Entries, e)
		}
	}
}

// stored is how many of the entries are of stored messages: a draft has none in the plan.
func stored(entries []Entry) int {
	n := 0
	for _, e := range entries {
		if e.ID != 0 {
			n++
		}
	}
	return n
}

// sayTurn writes a message of the running turn and says where it stands. The recalled block stands in
// front of the current one.
func (b *builder) sayTurn(p *Plan, l *layout, v *view, text string, current bool) int {
	b.open(p, l, v)
	m := v.said(text)
	block := len(p.Added)
	if current {
		m.Content = b.putRecalled(p, l) + m.Content
	}
	b.remain(l, m, v.joins)
	at := b.put(p, l, m, v.joins)
	// A bridge may have been added behind the block.
	if block < len(p.Added) && p.Added[block].Kind == kindRecalled {
		p.Added[block].Before = at
	}
	return at
}

// putRecalled is the block of recalled texts for the front of the current message.
func (b *builder) putRecalled(p *Plan, l *layout) string {
	if b.o.Policy.Placement == InOrder {
		return ""
	}
	text, frame, tokens := b.block()
	if text == "" {
		return ""
	}
	p.Added = append(p.Added, Added{
		Kind: kindRecalled, Before: -1, Text: frame, Tokens: tokens,
		Reason: "holds what your message is about from earlier in the conversation",
	})
	return text + joint
}
