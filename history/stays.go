package history

import "slices"

// remains is what a request is without all that falls out next, as far as that tells how much of its
// beginning stays as it is.
type remains struct {
	without margin // the request's margin then
	stays   int    // so many of its messages stand in front of what falls out
	behind  bool   // what stands behind them then has not been seen yet
}

// leave notes that view i, which was put at at of the body, falls out next. From from on stands what leads
// to it: that changes too.
func (b *builder) leave(l *layout, i, from, at int) {
	if !b.views[i].made {
		b.miss(&l.without, i)
	}
	if at < l.stays {
		l.behind = at >= from
		l.stays = min(from, at)
	}
}

// remain notes that a message is about to be put that does not fall out. The first one behind those that
// do may be led to as they were, or be joined to what stands in front of them.
func (b *builder) remain(l *layout, m Message, joins bool) {
	l.without.endGap()
	if l.behind {
		l.behind = false
		switch {
		case l.stays == 0:
			if m.Role != User && l.body[0].Content == b.opening(&l.without) {
				l.stays = 1
			}
		case b.merges(&l.body[l.stays-1], m, joins):
			l.stays--
		case b.bridged(&l.body[l.stays-1], m) && l.body[l.stays].Content == bridgeText:
			l.stays++
		}
	}
	l.without.pass(m.Role)
}

// firm is how many messages of the body stay as they are when all of p.Next falls out.
func (l *layout) firm(p *Plan) int {
	stays := min(l.stays, len(l.body))
	for _, a := range p.Added {
		if a.Kind == kindRecalled && slices.ContainsFunc(p.Next, func(i int) bool { return p.Entries[i].Recalled }) {
			stays = min(stays, a.Before)
		}
	}
	return stays
}
