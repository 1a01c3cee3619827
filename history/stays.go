package history

import "slices"

// next are the entries that lose text together when the request grows, and what each view was before: the
// steps that raised them are taken back, the last one first, until one of them takes text away.
func (b *builder) next() ([]int, []change) {
	var all []change
	then := map[int]change{}
	for _, step := range slices.Backward(b.taken) {
		var list []int
		for _, c := range slices.Backward(step) {
			then[c.view] = c
			all = append(all, c)
		}
		for _, c := range step {
			v, was := &b.views[c.view], then[c.view]
			if v.made || b.seen(c.view, was.was, was.back) == b.seen(c.view, b.depth[c.view], b.back[c.view]) {
				continue
			}
			list = append(list, v.from)
		}
		if len(list) > 0 {
			slices.Sort(list)
			return slices.Compact(list), all
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

// layOut writes what is chosen as messages, and says how many of them stay as they are when changes are taken
// back, the first of the list first.
func (b *builder) layOut(back []change) (l layout, stays int) {
	from := b.firstMoved(back)
	l = b.beginLayout(b.bill.messages + len(b.turn.views))
	b.placeAll(&l, span{0, from})
	second := l.branch()
	b.placeAll(&l, span{from, len(b.views)})
	b.close(&l)
	system := l.system
	b.end(&l)
	if len(back) == 0 {
		return l, l.all()
	}
	b.swap(back)
	stays = b.alike(second, &l, system, from)
	b.swapBack(back)
	return l, stays
}

// alike goes on with a second layout of what is chosen from a view on, and counts the messages of l that it
// begins with; system is the system prompt of l without what the turn adds. The second layout is written up to
// the first message that differs: behind that it may still change the system prompt.
func (b *builder) alike(second layout, l *layout, system string, from int) int {
	same := second.first
	compare := func(upto int) {
		for ; same < upto && !second.sealed; same++ {
			if same == l.len() || !sameWords(second.message(same), l.message(same)) {
				second.sealed = true
				return
			}
		}
	}
	for i := from; i < len(b.views); i++ {
		// The newest message of the user and the last message may still change.
		if b.place(&second, i); !second.sealed {
			compare(min(second.askedAt, second.len()-1))
		}
	}
	b.close(&second)
	if second.system != system {
		return 0
	}
	if !second.sealed {
		b.end(&second)
		compare(second.len())
	}
	return same + l.all() - l.len()
}

// firstMoved is the first view of which the body holds something else when changes are taken back, the number of
// views where it is none.
func (b *builder) firstMoved(back []change) int {
	placed := make([]depth, len(back))
	for k, c := range back {
		placed[k] = b.placedAt(c.view)
	}
	b.swap(back)
	first := len(b.views)
	for k, c := range back {
		if b.placedAt(c.view) != placed[k] {
			first = min(first, c.view)
		}
	}
	b.swapBack(back)
	return first
}

// swap takes changes back in their order; each then holds what it took.
func (b *builder) swap(changes []change) {
	for k := range changes {
		b.swapOne(&changes[k])
	}
}

// swapBack undoes swap.
func (b *builder) swapBack(changes []change) {
	for k := range slices.Backward(changes) {
		b.swapOne(&changes[k])
	}
}

func (b *builder) swapOne(c *change) {
	b.depth[c.view], c.was = c.was, b.depth[c.view]
	b.back[c.view], c.back = c.back, b.back[c.view]
}
