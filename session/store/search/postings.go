package search

import (
	"context"
	"database/sql"
	"math/bits"
	"slices"
)

// window is how many ids are looked at together: as many as have their room in the fastest memory.
const window = 1 << 12

// doclist is where the reading of a doclist is: at a message, the newest first.
type doclist struct {
	data string
	at   int   // where the places in the message begin
	id   int64 // of the message, 0 at the end
	term int32 // the word
}

// next goes to the next message. after is where the places in this one have ended; the first message is next of 0.
func (d *doclist) next(after int) error {
	switch {
	case after == len(d.data):
		d.at, d.id = after, 0
		return nil
	case after > len(d.data):
		return errMalformed
	}
	step, at, ok := number(d.data, after)
	id := int64(step)
	if d.id != 0 {
		id = d.id - id
	}
	if !ok || id <= 0 || d.id != 0 && id >= d.id {
		return errMalformed
	}
	d.at, d.id = at, id
	return nil
}

// afterPlaces is where the places that begin at a byte have ended: behind a zero, beyond the end where there is none. A
// zero is in none of the places, because a number has no more bytes than it needs.
func afterPlaces(data string, at int) int {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	for ; at+8 <= len(data); at += 8 {
		s := data[at : at+8]
		eight := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if zeros := (eight - ones) &^ eight & tops; zeros != 0 {
			return at + bits.TrailingZeros64(zeros)/8 + 1
		}
	}
	for at < len(data) && data[at] != 0 {
		at++
	}
	return at + 1
}

// set is a set of the ids of a window, each less the first of them.
type set [window / 64]uint64

func (s *set) has(i uint) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s *set) add(i uint)      { s[i/64] |= 1 << (i % 64) }
func (s *set) remove(i uint)   { s[i/64] &^= 1 << (i % 64) }
func (s *set) empty() bool     { return *s == set{} }

// each calls f with each of the set, the greatest first, until it returns false.
func (s *set) each(f func(i uint) (more bool)) {
	for n := len(s) - 1; n >= 0; n-- {
		for rest := s[n]; rest != 0; {
			top := bits.Len64(rest) - 1
			rest &^= 1 << top
			if !f(uint(n*64 + top)) {
				return
			}
		}
	}
}

// postings are the messages of one word of a query, or of all words that begin with it, and of a window of ids where the
// places in each are.
type postings struct {
	lists []doclist // those of one word follow each other, the oldest segment first
	size  int       // in bytes

	in      set            // of the window
	heads   [window]int32  // of each id of the window: 1 + its entry of the last word, 0 for none
	shadows [window]uint64 // see shadowOf; only of a word in a phrase
	shaded  bool           // it is one
	entries []posting
}

// posting says where the places of a word in a message are.
type posting struct {
	list, at int32
	next     int32 // 1 + the entry of another word of the same message, 0 for none
}

func newPostings(ctx context.Context, tx *sql.Tx, segments []segment, word string, open bool) (*postings, error) {
	all, err := doclists(ctx, tx, segments, word, open)
	if err != nil {
		return nil, err
	}
	p := &postings{}
	for term, lists := range all {
		for _, data := range lists {
			d := doclist{data: data, term: int32(term)}
			if err := d.next(0); err != nil {
				return nil, err
			}
			p.lists = append(p.lists, d)
			p.size += len(data)
		}
	}
	return p, nil
}

// newest returns the newest message up to high, 0 for none. Those behind high are not looked at any more.
func (p *postings) newest(high int64) (id int64, err error) {
	for i := range p.lists {
		d := &p.lists[i]
		for d.id > high {
			if err := d.next(afterPlaces(d.data, d.at)); err != nil {
				return 0, err
			}
		}
		id = max(id, d.id)
	}
	return id, nil
}

// fill reads the window of ids from low to high. It notes those of a set alone.
func (p *postings) fill(low, high int64, only *set) error {
	clear(p.in[:])
	clear(p.heads[:])
	p.entries = p.entries[:0]
	for i := range p.lists {
		d := &p.lists[i]
		for d.id >= low {
			after := 0
			if n := uint(d.id - low); d.id > high || !only.has(n) {
				after = afterPlaces(d.data, d.at)
			} else {
				after = p.put(int32(i), d, n)
			}
			// Most messages are near the one before.
			if after < len(d.data) && d.data[after]-1 < 0x7f && d.id > 0x7f {
				d.id -= int64(d.data[after])
				d.at = after + 1
			} else if err := d.next(after); err != nil {
				return err
			}
		}
	}
	return nil
}

// shadowOf is a bit for each of the places that begin at a byte, of which those that are 64 apart share one, and where the
// places have ended, as afterPlaces has it.
func shadowOf(data string, at int) (shadow uint64, after int) {
	place := 0
	for at < len(data) && data[at] != 0 {
		step := int(data[at])
		at++
		if step >= 0x80 {
			long, next, ok := number(data, at-1)
			if !ok {
				return 0, len(data) + 1
			}
			step, at = int(long), next
		}
		place += step - 2
		shadow |= 1 << (place & 63)
	}
	return shadow, at + 1
}

// put notes that a list is at a message of the window, and returns where the places in it have ended. What a newer segment
// has of a word and a message replaces what an older one has, and where the newer one has no place, the message has the word
// no more.
func (p *postings) put(list int32, d *doclist, i uint) (after int) {
	head := p.heads[i]
	if p.shaded {
		var shadow uint64
		shadow, after = shadowOf(d.data, d.at)
		if head != 0 {
			shadow |= p.shadows[i]
		}
		p.shadows[i] = shadow
	} else {
		after = afterPlaces(d.data, d.at)
	}
	known := head != 0 && p.lists[p.entries[head-1].list].term == d.term
	switch gone := after == d.at+1; {
	case known && gone:
		if p.heads[i] = p.entries[head-1].next; p.heads[i] == 0 {
			p.in.remove(i)
		}
	case known:
		p.entries[head-1].list, p.entries[head-1].at = list, int32(d.at)
	case !gone:
		p.entries = append(p.entries, posting{list, int32(d.at), head})
		p.heads[i] = int32(len(p.entries))
		p.in.add(i)
	}
	return after
}

// places adds the places of the word in a message of the window to out, in order: as the index counts the message's words,
// less by. A place before that is left out.
func (p *postings) places(i uint, by int, out []int) ([]int, error) {
	head := p.heads[i]
	several := head != 0 && p.entries[head-1].next != 0
	for head != 0 {
		e := p.entries[head-1]
		data, at, place := p.lists[e.list].data, int(e.at), -by
		for {
			// Most numbers have one byte.
			var step uint64
			if at < len(data) && data[at] < 0x80 {
				step = uint64(data[at])
				at++
			} else {
				var ok bool
				if step, at, ok = number(data, at); !ok {
					return nil, errMalformed
				}
			}
			if step < 2 {
				if step == 1 {
					return nil, errMalformed // of another column, and there is none
				}
				break
			}
			if place += int(step) - 2; place >= 0 {
				out = append(out, place)
			}
		}
		head = e.next
	}
	if several {
		slices.Sort(out)
	}
	return out, nil
}
