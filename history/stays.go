package history

// remains is what a request is after the next step back, as far as that tells how much of its beginning
// stays as it is.
type remains struct {
	back    map[int]change // what the step takes back, by the view
	without margin         // the request's margin then
	stays   int            // so many of its messages stand in front of what changes
	behind  bool           // what stands behind them then has not been seen yet
}

// next are the entries that lose text together when the request grows, and what each view is then: the
// steps that raised them are taken back, the last one first, until one of them takes text away.
func (b *builder) next() ([]int, map[int]change) {
	back := map[int]change{}
	for k := len(b.taken) - 1; k >= 0; k-- {
		var list []int
		for _, c := range b.taken[k] {
			back[c.view] = c
			v := &b.views[c.view]
			if v.made || b.seen(c.view, c.was, c.back) == b.seen(c.view, b.depth[c.view], b.back[c.view]) {
				continue
			}
			if n := len(list); n == 0 || list[n-1] != v.from {
				list = append(list, v.from)
			}
		}
		if len(list) > 0 {
			return list, back
		}
	}
	return nil, nil
}

// seen is how many characters of a view a request holds, -1 where it does not hold it.
func (b *builder) seen(i int, d, back depth) int {
	switch {
	case b.brings(i, d, back):
		return b.form(i, back).chars
	case d == out:
		return -1
	}
	return b.form(i, d).chars
}

// then is how deep view i, which has depth d in its place, is after the next step back.
func (b *builder) then(l *layout, i int, d depth) depth {
	c, changes := l.back[i]
	switch {
	case !changes:
		return d
	case b.o.Policy.Placement == InOrder && b.brings(i, c.was, c.back):
		return c.back
	}
	return c.was
}

// shorten notes that the message at at of the body loses some of its text.
func (l *layout) shorten(at int) {
	if at < l.stays {
		l.stays, l.behind = at, false
	}
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

// firm is how many messages of the body stay as they are after the next step back.
func (b *builder) firm(p *Plan, l *layout) int {
	stays := min(l.stays, len(l.body))
	for _, a := range p.Added {
		if a.Kind == kindRecalled && b.forgets(l.back) {
			stays = min(stays, a.Before)
		}
	}
	return stays
}

// forgets says that a step back changes what the recalled block holds.
func (b *builder) forgets(back map[int]change) bool {
	for i, c := range back {
		was, is := b.brings(i, b.depth[i], b.back[i]), b.brings(i, c.was, c.back)
		if was != is || is && b.form(i, c.back).text != b.form(i, b.back[i]).text {
			return true
		}
	}
	return false
}
