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

// alike lays the request out again with changes taken back, the first of the list first, and counts the messages
// that it begins with like the request as it is.
func (b *builder) alike(messages []Message, back []change) int {
	if len(back) == 0 {
		return len(messages)
	}
	b.swap(back)
	second := b.lay()
	b.swapBack(back)
	return Alike(messages, second.messages(b))
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
