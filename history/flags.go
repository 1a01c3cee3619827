package history

// exclude bars what the user took out, a message with its whole tool group.
func (b *builder) exclude() {
	if len(b.o.Flags) == 0 {
		return
	}
	groups := map[int]bool{}
	for _, v := range b.views {
		if b.o.Flags[v.ID] == Exclude && !v.made {
			groups[v.group] = true
		}
	}
	for i, v := range b.views {
		if groups[v.group] {
			if v.Role == System {
				b.fixed -= v.tokens + frameMessage + frameJoint
			}
			b.depth[i], b.why[i] = out, whyExcluded
		}
	}
}

// pin takes what the user wants whole, a message with its whole tool group.
func (b *builder) pin() {
	if len(b.o.Flags) == 0 {
		return
	}
	groups := map[int]bool{}
	for _, v := range b.views {
		if b.o.Flags[v.ID] == Pin && !v.made {
			groups[v.group] = true
		}
	}
	for i, v := range b.views {
		if groups[v.group] {
			b.raise(increment{span: span{i, i + 1}, deep: whole, why: whyPinned}, true)
		}
	}
}

// barred reports whether a view is not the priority list's to raise.
func (b *builder) barred(i int) bool {
	return b.why[i] == whyExcluded || b.why[i] == whyCap || b.views[i].Role == System
}
