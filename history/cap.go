package history

import "winnow/history/cause"

// cap bars what is over the policy's number of messages: the opener counts first, then the newest.
// Tool groups stay together, and an answer stays with its question, so the number may be missed by less
// than one group and its question.
func (b *chooser) cap() {
	left := b.o.Policy.MaxMessages
	if left >= len(b.candidates) {
		return
	}
	left -= b.cost.messages
	count := func(s unit) (n int) {
		for i := s.from; i < s.to; i++ {
			if !b.barred(i) && b.placeDetail[i] == out && !b.candidates[i].standIn {
				n++
			}
		}
		return n
	}
	// What the cap allows of the opener is its beginning.
	for b.opener.to > b.opener.from && count(b.opener) > left {
		b.opener.to = b.t.groupBefore(b.opener.to).from
	}
	left -= count(b.opener)
	asked := -1 // the question that came in with an answer
	for end := len(b.candidates); end > 0; {
		g := b.t.groupBefore(end)
		end = g.from
		if g.from == asked || g.from >= b.opener.from && g.to <= b.opener.to {
			continue
		}
		n, q := count(g), b.questionOf(g.from)
		withQuestion := n > 0 && q >= 0 && q != asked && (q < b.opener.from || q >= b.opener.to)
		if withQuestion {
			n += count(unit{q, q + 1})
		}
		if n <= left {
			if left -= n; withQuestion {
				asked = q
			}
			continue
		}
		left = 0
		for i := g.from; i < g.to; i++ {
			if !b.barred(i) && b.placeDetail[i] == out {
				b.cause[i] = cause.MessageCap
			}
		}
	}
}
