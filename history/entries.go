package history

import (
	"encoding/json"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"

	"winnow/history/cause"
)

// Entries are the verdicts of a plan, one per message. Nearly all messages of a long conversation have equal verdicts,
// so those are kept as runs, and what a verdict says of the stored message is shared with the other plans of the
// conversation. Entries are never changed: a copy is as good as the original.
type Entries struct {
	sizes sizes
	runs  []run
}

// run is a run of entries with equal verdicts, up to the next run.
type run struct {
	from    int   // the first entry
	verdict Entry // the first entry without its ID, role and sizes
	whole   bool  // the entries cost after what they cost before
	odd     bool  // a single entry that sizes cannot hold: the verdict is all of it
}

// EntriesOf are entries in this order.
func EntriesOf(list ...Entry) Entries { return EntriesFrom(slices.Values(list)) }

// EntriesFrom are the entries of a sequence.
func EntriesFrom(list iter.Seq[Entry]) Entries {
	var w EntryWriter
	for e := range list {
		w.Add(e)
	}
	return w.Entries()
}

// Len is the number of entries.
func (l Entries) Len() int { return l.sizes.n }

// At is the entry at an index.
func (l Entries) At(i int) Entry { return l.runs[l.runOf(i)].at(i, l.sizes) }

// ID is the ID of the entry at an index.
func (l Entries) ID(i int) int64 {
	if s := l.sizes.at(i); s.role != 0 {
		return s.id
	}
	return l.At(i).ID
}

// runOf is the run of the entry at an index.
func (l Entries) runOf(i int) int {
	return sort.Search(len(l.runs), func(k int) bool { return l.runs[k].from > i }) - 1
}

// at is an entry of the run.
func (r *run) at(i int, of sizes) Entry {
	e := r.verdict
	if r.odd {
		return e
	}
	s := of.at(i)
	e.ID, e.Index, e.Role, e.TokensBefore, e.CharsBefore = s.id, e.Index+i-r.from, roles[s.role], int(s.tokens), int(s.chars)
	if r.whole {
		e.TokensAfter, e.CharsAfter = e.TokensBefore, e.CharsBefore
	}
	return e
}

// All yields all entries with their indexes.
func (l Entries) All() iter.Seq2[int, Entry] {
	return func(yield func(int, Entry) bool) {
		for k := range l.runs {
			for i := l.runs[k].from; i < l.end(k); i++ {
				if !yield(i, l.runs[k].at(i, l.sizes)) {
					return
				}
			}
		}
	}
}

// Sent yields the entries of messages that are in the request, with their indexes.
func (l Entries) Sent() iter.Seq2[int, Entry] {
	return func(yield func(int, Entry) bool) {
		for k := range l.runs {
			if !l.runs[k].verdict.Sent() {
				continue
			}
			for i := l.runs[k].from; i < l.end(k); i++ {
				if !yield(i, l.runs[k].at(i, l.sizes)) {
					return
				}
			}
		}
	}
}

// Runs yields the first entry of each run of equal verdicts, and how many entries the run has. The others of the run
// differ from it in ID, Index, Role and their sizes alone. One that is cut or repaired is a run of its own.
func (l Entries) Runs() iter.Seq2[Entry, int] {
	return func(yield func(Entry, int) bool) {
		for k := range l.runs {
			if !yield(l.At(l.runs[k].from), l.end(k)-l.runs[k].from) {
				return
			}
		}
	}
}

// end is the index behind the last entry of a run.
func (l Entries) end(run int) int {
	if run+1 < len(l.runs) {
		return l.runs[run+1].from
	}
	return l.sizes.n
}

// Find is the index of the entry of a message, -1 where there is none. IDs rise along a conversation, but not strictly
// across branches, so the entry is looked for from the end, where the new ones are.
func (l Entries) Find(id int64) int {
	for i := l.Len() - 1; i >= 0; i-- {
		if l.ID(i) == id {
			return i
		}
	}
	return -1
}

// List is the entries as a slice of its own.
func (l Entries) List() []Entry {
	list := slices.Grow([]Entry(nil), l.Len())
	for _, e := range l.All() {
		list = append(list, e)
	}
	return list
}

// MarshalJSON writes the entries as a list.
func (l Entries) MarshalJSON() ([]byte, error) { return json.Marshal(l.List()) }

// UnmarshalJSON reads a list of entries.
func (l *Entries) UnmarshalJSON(text []byte) error {
	var list []Entry
	err := json.Unmarshal(text, &list)
	*l = EntriesOf(list...)
	return err
}

// EntryWriter writes entries from the first to the last.
type EntryWriter struct {
	list    Entries // its sizes may be there already
	written int     // entries with a verdict
	own     bool    // nobody shares the last chunk of the sizes
}

// Add writes the next entry.
func (w *EntryWriter) Add(e Entry) {
	s, fits := sizeOf(e)
	if !fits {
		s = size{}
	}
	if w.written == w.list.sizes.n {
		w.list.sizes.push(s, &w.own)
	}
	if n := len(w.list.runs); n == 0 || !fits || !w.list.runs[n-1].holds(e, w.written) {
		r := run{from: w.written, verdict: e, whole: e.resembles(), odd: !fits}
		if fits {
			r.verdict.ID, r.verdict.Role, r.verdict.TokensBefore, r.verdict.CharsBefore = 0, "", 0, 0
		}
		if r.whole && fits {
			r.verdict.TokensAfter, r.verdict.CharsAfter = 0, 0
		}
		w.list.runs = append(w.list.runs, r)
	}
	w.written++
}

// again writes the next entry, of a message whose sizes are known, with the verdict of the one before it.
func (w *EntryWriter) again() { w.written++ }

// Entries are those that are written. Nothing may be written afterwards.
func (w *EntryWriter) Entries() Entries {
	w.list.runs = slices.Clip(w.list.runs)
	return w.list
}

// resembles reports whether a message that is sent costs in the request what it costs whole.
func (e *Entry) resembles() bool {
	return e.Sent() && e.TokensAfter == e.TokensBefore && e.CharsAfter == e.CharsBefore
}

// holds reports whether an entry continues a run at an index.
func (r *run) holds(e Entry, at int) bool {
	v := &r.verdict
	if r.odd || e.Disposition != v.Disposition || e.Cause != v.Cause || e.Level != v.Level || e.Place != v.Place ||
		e.Pinned != v.Pinned || e.Whole != v.Whole || e.Recalled != v.Recalled || e.Index != v.Index+at-r.from {
		return false
	}
	if e.Cuts != nil || e.Inserted != nil || e.Repairs != nil || v.Cuts != nil || v.Inserted != nil || v.Repairs != nil {
		return false
	}
	if r.whole {
		return e.resembles()
	}
	return !e.resembles() && e.TokensAfter == v.TokensAfter && e.CharsAfter == v.CharsAfter
}

// size is what every verdict on a message says of it.
type size struct {
	id            int64
	tokens, chars uint32
	role          uint8 // index into roles, 0 where the message is none that sizes can hold
}

var roles = [...]Role{"", System, User, Assistant, Tool}

// userIndex is the index of User in roles.
const userIndex = 2

// sizeOf is the size of the message of an entry, and whether it fits.
func sizeOf(e Entry) (size, bool) {
	role := slices.Index(roles[:], e.Role)
	fits := role > 0 && e.TokensBefore >= 0 && e.TokensBefore <= math.MaxUint32 && e.CharsBefore >= 0 && e.CharsBefore <= math.MaxUint32
	return size{id: e.ID, tokens: uint32(e.TokensBefore), chars: uint32(e.CharsBefore), role: uint8(max(0, role))}, fits
}

// sizes are the sizes of the messages of a conversation, in chunks that several of them share: what changes a chunk makes
// a copy of it first.
type sizes struct {
	chunks []*[chunk]size
	n      int
}

// chunk is how many sizes are shared as one.
const chunk = 256

func (l sizes) at(i int) *size { return &l.chunks[i/chunk][i%chunk] }

// push puts one size more to the end of a list whose last chunk is shared, unless own says that it is not; own is true
// afterwards.
func (l *sizes) push(s size, own *bool) {
	switch {
	case l.n == len(l.chunks)*chunk:
		l.chunks = append(slices.Clip(l.chunks), &[chunk]size{})
	case !*own:
		l.chunks = slices.Clone(l.chunks)
		was := *l.chunks[l.n/chunk]
		l.chunks[l.n/chunk] = &was
	}
	*own = true
	l.n++
	*l.at(l.n - 1) = s
}

// bases are the verdicts on the messages of a thread as they begin, before anything is chosen: blank, but for those of
// messages that are repaired or cannot be sent.
type bases struct {
	sizes
	owned  []bool        // chunks of sizes that no plan shares
	listed bool          // no plan shares the list of chunks
	marked map[int]Entry // the verdicts that are not blank, without sizes
}

// share is the sizes for a plan: they stay as they are.
func (b *bases) share() sizes {
	clear(b.owned)
	b.listed = false
	return b.sizes
}

// clone is the same for another thread.
func (b *bases) clone() bases {
	return bases{sizes: b.share(), owned: make([]bool, len(b.chunks)), marked: maps.Clone(b.marked)}
}

// own makes the chunk of an index one that no plan shares.
func (b *bases) own(i int) *size {
	if k := i / chunk; !b.owned[k] {
		if !b.listed {
			b.chunks, b.listed = slices.Clone(b.chunks), true
		}
		was := *b.chunks[k]
		b.chunks[k], b.owned[k] = &was, true
	}
	return b.sizes.at(i)
}

// append puts the verdict on the next message to the end.
func (b *bases) append(e Entry) {
	if b.n == len(b.chunks)*chunk {
		b.chunks, b.owned, b.listed = append(slices.Clip(b.chunks), &[chunk]size{}), append(b.owned, true), true
	}
	b.n++
	b.change(b.n-1, func(old *Entry) { *old = e })
}

// cut drops the verdicts from an index on.
func (b *bases) cut(n int) {
	if n >= b.n {
		return
	}
	maps.DeleteFunc(b.marked, func(at int, _ Entry) bool { return at >= n })
	kept := (n + chunk - 1) / chunk
	b.chunks, b.owned, b.n = slices.Clip(b.chunks[:kept]), b.owned[:kept], n
	if rest := n % chunk; rest > 0 {
		b.own(n - 1)
		clear(b.chunks[n/chunk][rest:])
	}
}

// blank reports whether a verdict is the one that a message begins with.
func (e *Entry) blank() bool {
	return e.Disposition == Blank && e.Cause == Cause{Code: cause.Blank} && e.Repairs == nil
}

// verdict is the verdict at an index.
func (b *bases) verdict(i int) Entry {
	s := b.sizes.at(i)
	e, marked := b.marked[i]
	if !marked {
		e = Entry{Role: roles[s.role], Disposition: Blank, Cause: Cause{Code: cause.Blank}}
	}
	e.ID, e.Index, e.TokensBefore, e.CharsBefore = s.id, i, int(s.tokens), int(s.chars)
	return e
}

// change changes the verdict at an index.
func (b *bases) change(i int, how func(*Entry)) {
	e := b.verdict(i)
	how(&e)
	s, fits := sizeOf(e)
	*b.own(i) = s
	delete(b.marked, i)
	if !fits || !e.blank() {
		if b.marked == nil {
			b.marked = map[int]Entry{}
		}
		b.marked[i] = e
	}
}

// cost sets what the message at an index costs whole.
func (b *bases) cost(i, tokens int) {
	if b.sizes.at(i).tokens != uint32(tokens) {
		b.own(i).tokens = uint32(tokens)
	}
}

// plain reports whether the verdict at an index is blank.
func (b *bases) plain(i int) bool {
	_, marked := b.marked[i]
	return !marked
}

// stored is how many of the first n verdicts are on stored messages: a draft has none in the plan.
func (b *bases) stored(n int) int {
	stored := 0
	for i := range n {
		if b.sizes.at(i).id != 0 {
			stored++
		}
	}
	return stored
}
