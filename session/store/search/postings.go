package search

import (
	"cmp"
	"context"
	"database/sql"
	"math/bits"
	"slices"
)

// window is how many ids are looked at together: as many as have their room in the fastest memory.
const window = 1 << 12

// set is a set of the ids of a window, each less the first of them.
type set [window / 64]uint64

func (s *set) add(i uint)    { s[i/64] |= 1 << (i % 64) }
func (s *set) remove(i uint) { s[i/64] &^= 1 << (i % 64) }
func (s *set) empty() bool   { return *s == set{} }

// len is how many the set has.
func (s *set) len() int {
	n := 0
	for _, some := range s {
		n += bits.OnesCount64(some)
	}
	return n
}

// upTo is the greatest of the set that is not above i.
func (s *set) upTo(i uint) (_ uint, ok bool) {
	n := i / 64
	rest := s[n] << (63 - i%64) >> (63 - i%64)
	for rest == 0 && n > 0 {
		n--
		rest = s[n]
	}
	return n*64 + uint(bits.Len64(rest)) - 1, rest != 0
}

// and leaves what is in another set too.
func (s *set) and(o *set) {
	for n := range s {
		s[n] &= o[n]
	}
}

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
	word   queryWord
	lists  []doclist // those of one word follow each other, the oldest segment first
	size   int       // in bytes
	shaded bool      // the word is in a phrase

	// What is in the window, by id less the first of it:
	in      set
	at      [window]int32  // where the places begin, 0 for none; of an open word: 1 + the entry of the last word
	list    [window]int32  // in which list
	shadows [window]uint64 // see shadowOf, where shaded
	entries []posting      // of an open word
}

// posting says where the places of one of several words in a message are.
type posting struct {
	list, at int32
	next     int32 // 1 + the entry of another word of the same message, 0 for none
}

// postings reads the postings of all words. It ends at the first that is in few messages or in none, and returns that word.
func (q Query) postings(ctx context.Context, tx *sql.Tx, few int) (all []*postings, rare string, err error) {
	segments, err := readSegments(ctx, tx)
	if err != nil {
		return nil, "", err
	}
	var words []queryWord
	for _, p := range q {
		for _, w := range p.all() {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	// The longer a word, the rarer, mostly.
	slices.SortStableFunc(words, func(a, b queryWord) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, w := range words {
		p, err := newPostings(ctx, tx, segments, w)
		if err != nil {
			return nil, "", err
		}
		if !w.open && p.few(few) {
			return nil, w.text, nil
		}
		all = append(all, p)
	}
	return all, "", nil
}

func newPostings(ctx context.Context, tx *sql.Tx, segments []segment, w queryWord) (*postings, error) {
	terms, err := doclists(ctx, tx, segments, w)
	if err != nil {
		return nil, err
	}
	p := &postings{word: w}
	for term, lists := range terms {
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

// few reports whether the lists have n messages at most.
func (p *postings) few(n int) bool {
	for _, d := range p.lists {
		for ; d.id != 0; n-- {
			if n <= 0 || d.next(afterPlaces(d.data, d.at)) != nil {
				return false
			}
		}
	}
	return n >= 0
}

// newest returns the newest message up to high, 0 for none. Those behind high are not looked at any more.
func (p *postings) newest(high int64) (id int64, err error) {
	for i := range p.lists {
		d := &p.lists[i]
		if err := d.skipTo(high); err != nil {
			return 0, err
		}
		id = max(id, d.id)
	}
	return id, nil
}

// manyIn says from how many messages of a window on it is quicker to read all that a list has there than to skip to them.
const manyIn = window / 8

// fill reads the window of ids from low to high. Of the messages in it, those of a set are asked for.
func (p *postings) fill(low, high int64, asked *set) error {
	p.in = set{}
	if p.word.open {
		clear(p.at[:])
		p.entries = p.entries[:0]
	}
	read := p.readAsked
	if !p.word.open && asked.len() >= manyIn {
		read = p.readAll
	}
	for i := range p.lists {
		d := &p.lists[i]
		if err := d.skipTo(high); err != nil {
			return err
		}
		if err := read(int32(i), d, low, asked); err != nil {
			return err
		}
	}
	p.in.and(asked)
	return nil
}

// readAsked reads what a list has of the messages that are asked for.
func (p *postings) readAsked(list int32, d *doclist, low int64, asked *set) error {
	for d.id >= low {
		i, ok := asked.upTo(uint(d.id - low))
		if !ok {
			break
		}
		var err error
		if id := low + int64(i); id < d.id {
			err = d.skipTo(id)
		} else {
			err = d.next(p.note(list, d, i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readAll reads what a list has of the window, in the way of note where a message has few places, and without a branch
// that depends on them.
func (p *postings) readAll(list int32, d *doclist, low int64, _ *set) error {
	data, at, id := d.data, d.at, d.id
	for id >= low {
		i := uint(id-low) % window
		if at+10 <= len(data) && id > 0x7f {
			eight := eightAt(data, at)
			zeros := firstZero(eight)
			size := bits.TrailingZeros64(zeros) / 8
			mask := zeros&-zeros>>7 - 1 // all bits of the bytes before the zero
			if step := data[at+size+1]; 1 <= size && size <= 7 && eight&mask&highest == 0 && 1 <= step && step <= 0x7f {
				if p.shaded {
					p.shadows[i] = shadowOfEight(eight, mask)
				}
				p.at[i], p.list[i] = int32(at), list
				p.in.add(i)
				at += size + 2
				id -= int64(step)
				continue
			}
		}
		d.at, d.id = at, id
		if err := d.next(p.note(list, d, i)); err != nil {
			return err
		}
		at, id = d.at, d.id
	}
	d.at, d.id = at, id
	return nil
}

// note notes that a list is at a message of the window, and returns where the places in it have ended.
func (p *postings) note(list int32, d *doclist, i uint) (after int) {
	if p.word.open {
		return p.put(list, d, i)
	}
	if p.shaded {
		p.shadows[i], after = shadowOf(d.data, d.at)
	} else {
		after = afterPlaces(d.data, d.at)
	}
	// What a newer segment has of a message replaces what an older one has, and where it has no place, the message
	// has the word no more.
	if after > d.at+1 {
		p.at[i], p.list[i] = int32(d.at), list
		p.in.add(i)
	} else {
		p.in.remove(i)
	}
	return after
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
	if !p.word.open {
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
