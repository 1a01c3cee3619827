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
	lists  []doclist // those of one word follow each other, the oldest segment first
	size   int       // in bytes
	open   bool      // there may be several words
	shaded bool      // the word is in a phrase

	// What is in the window, by id less the first of it:
	in      set
	at      [window]int32  // where the places begin, 0 for none; with open: 1 + the entry of the last word
	list    [window]int32  // in which list
	shadows [window]uint64 // see shadowOf, where shaded
	entries []posting      // with open
}

// posting says where the places of one of several words in a message are.
type posting struct {
	list, at int32
	next     int32 // 1 + the entry of another word of the same message, 0 for none
}

func newPostings(ctx context.Context, tx *sql.Tx, segments []segment, word string, open bool) (*postings, error) {
	all, err := doclists(ctx, tx, segments, word, open)
	if err != nil {
		return nil, err
	}
	p := &postings{open: open}
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
	p.in = set{}
	clear(p.at[:])
	p.entries = p.entries[:0]
	for i := range p.lists {
		d := &p.lists[i]
		for d.id >= low {
			after := 0
			n := uint(d.id - low)
			switch {
			case d.id > high || !only.has(n):
				after = afterPlaces(d.data, d.at)
			case p.open:
				after = p.put(int32(i), d, n)
			default:
				if p.shaded {
					p.shadows[n], after = shadowOf(d.data, d.at)
				} else {
					after = afterPlaces(d.data, d.at)
				}
				// What a newer segment has of a message replaces what an older one has, and where it has no place, the message
				// has the word no more.
				if after > d.at+1 {
					p.at[n], p.list[n] = int32(d.at), int32(i)
					p.in.add(n)
				} else {
					p.in.remove(n)
				}
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

// put notes that a list of one of several words is at a message of the window, and returns where the places in it have
// ended. For each of the words, a newer segment replaces an older one.
func (p *postings) put(list int32, d *doclist, i uint) (after int) {
	head := p.at[i]
	shadow, after := shadowOf(d.data, d.at)
	if head != 0 {
		shadow |= p.shadows[i]
	}
	p.shadows[i] = shadow
	known := head != 0 && p.lists[p.entries[head-1].list].term == d.term
	switch gone := after == d.at+1; {
	case known && gone:
		if p.at[i] = p.entries[head-1].next; p.at[i] == 0 {
			p.in.remove(i)
		}
	case known:
		p.entries[head-1].list, p.entries[head-1].at = list, int32(d.at)
	case !gone:
		p.entries = append(p.entries, posting{list, int32(d.at), head})
		p.at[i] = int32(len(p.entries))
		p.in.add(i)
	}
	return after
}

// places adds the places of the word in a message of the window to out, in order: as the index counts the message's words,
// less by. A place before that is left out.
func (p *postings) places(i uint, by int, out []int) (_ []int, err error) {
	if !p.open {
		return placesIn(p.lists[p.list[i]].data, int(p.at[i]), by, out)
	}
	for head := p.at[i]; head != 0 && err == nil; {
		e := p.entries[head-1]
		out, err = placesIn(p.lists[e.list].data, int(e.at), by, out)
		head = e.next
	}
	slices.Sort(out)
	return out, err
}

// placesIn adds the places that begin at a byte to out, each less by.
func placesIn(data string, at, by int, out []int) ([]int, error) {
	for place := -by; ; {
		step, next, ok := number(data, at)
		switch {
		case !ok || step == 1: // a place in another column of the index, and there is none
			return nil, errMalformed
		case step == 0:
			return out, nil
		}
		at = next
		if place += int(step) - 2; place >= 0 {
			out = append(out, place)
		}
	}
}
