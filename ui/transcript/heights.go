package transcript

// heights is a Fenwick tree over the heights of the items in lines: changing one height and
// summing the first n cost the logarithm of their number.
type heights struct{ tree []int } // tree[i-1] sums the lowbit(i) heights that end at i

// push adds a height at the end.
func (h *heights) push(v int) {
	i := len(h.tree) + 1
	for step := 1; step < i&-i; step *= 2 {
		v += h.tree[i-step-1]
	}
	h.tree = append(h.tree, v)
}

// add adds d to height i, counted from 0.
func (h *heights) add(i, d int) {
	for i++; i <= len(h.tree); i += i & -i {
		h.tree[i-1] += d
	}
}

// sum returns the sum of the first n heights.
func (h *heights) sum(n int) int {
	s := 0
	for ; n > 0; n &= n - 1 {
		s += h.tree[n-1]
	}
	return s
}

// at returns height i.
func (h *heights) at(i int) int { return h.sum(i+1) - h.sum(i) }
