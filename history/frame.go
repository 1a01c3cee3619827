package history

// locate writes into an entry what of the stored text is sent and what is in its place, by the
// code points of the stored text.
func (f rendering) locate(v *candidate, e *Entry) {
	if !v.Replaced && v.Lead+v.Tail == 0 {
		e.CharsAfter = f.chars
		if !f.whole() {
			e.Cuts, e.Inserted = []Range{f.cut}, []Insert{{f.cut.From, f.note}}
		}
		return
	}
	n := e.CharsBefore
	if v.Replaced {
		e.CharsAfter, e.Inserted = 0, []Insert{{0, f.text}}
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
