package history

import (
	"slices"

	"winnow/history/cause"
	"winnow/history/relevance"
	"winnow/history/repair"
)

// thread is a run of messages as it may be sent: repaired, grouped and counted.
type thread struct {
	reading
	recounts   int // of the conversation when it was read
	candidates []candidate
	turns      []turn
	entries    []Entry                 // the verdict on each message before anything is chosen
	places     []int                   // the candidate of each message, -1 where it has none
	groups     map[int][]int           // see Plan.Group; a message that is alone has none
	ids        map[string]bool         // of the calls
	index      *relevance.Index        // of the candidates, as far as they were searched already
	shortened  map[limits][]*rendering // texts at the limits of a policy, by candidate
}

// candidate is one message as it may be sent.
type candidate struct {
	*repair.Draft
	load
	group  int   // the position of the message that asked for the tools, else its own
	turn   int   // index into the thread's turns
	at     int   // tokens of the conversation in front of its group, all whole
	tokens int   // what it costs whole beside its frame
	text   int   // the part of tokens that goes when its text is cut
	chars  int   // code points of its text
	newest int64 // when the newest message up to here was said, Unix milliseconds
}

// kind is the role whose limits hold for a candidate: a tool's result that is sent as text stays one.
func (v *candidate) kind() Role {
	if v.Joins {
		return Tool
	}
	return v.Role
}

// unit is a half-open run of candidates, by index.
type unit struct{ from, to int }

func (u unit) holds(i int) bool { return u.from <= i && i < u.to }

// turn is a message of the user with all that answers it. A history that opens with an answer has that in a turn of its
// own.
type turn struct {
	unit
	at     int // tokens of the conversation in front of it, all whole
	tokens int
	asked  int // the candidate of the user's message, -1 for none
}

// read repairs, groups and counts messages.
func (c *Conversation) read(past []Message, sizes []size, r reading) *thread {
	t := &thread{reading: r, ids: map[string]bool{}, shortened: map[limits][]*rendering{}}
	repaired := repair.Run(past, repair.Options{
		Offset: r.offset, Used: r.used, IDs: t.ids, Remedies: r.remedies,
		Tools: r.tools, NoImages: r.imageless,
	})
	t.entries = make([]Entry, len(past))
	for i := range past {
		e := Entry{
			ID: past[i].ID, Index: i, Role: past[i].Role, CharsBefore: sizes[i].chars,
			Repairs: repaired.Repairs[i],
		}
		e.Disposition, e.Cause.Code = Blank, cause.Blank
		if code, unsent := repaired.Unsent[i]; unsent {
			e.drop(code)
		} else if past[i].Unreadable() {
			e.Disposition, e.Cause.Code = Isolated, cause.Unreadable
		}
		if m, changed := repaired.Before[i]; changed {
			was := sizes[i].of(&m, &past[i], c.remembered)
			e.TokensBefore = was.text + was.rest
		}
		t.entries[i] = e
	}
	t.candidates = make([]candidate, 0, len(repaired.Drafts))
	for _, d := range repaired.Drafts {
		v := candidate{Draft: d, group: d.From}
		if d.Head != nil {
			v.group = d.Head.From
		}
		is := sizes[d.From].of(&d.Message, &past[d.From], c.remembered)
		v.chars, v.text, v.tokens = is.chars, is.text, is.text+is.rest
		if _, changed := repaired.Before[d.From]; !changed && !v.StandIn {
			t.entries[v.From].TokensBefore = v.tokens
		}
		t.candidates = append(t.candidates, v)
	}
	t.group(repaired.Heads)
	t.carry(repaired.Before, c.remembered)
	t.number()
	return t
}

// drop says that a message is not sent.
func (e *Entry) drop(code cause.Code) { e.Disposition, e.Cause = Dropped, Cause{Code: code} }

// of is the size of a message as it is sent, whose size is this as it was said.
func (z size) of(sent, said *Message, count Counter) size {
	if sent.Content != said.Content {
		z.chars, z.text = runes(sent.Content), count(sent.Content)
	}
	if !same(sent.ToolCalls, said.ToolCalls) || !same(sent.Parts, said.Parts) {
		z.rest = overhead(sent, count)
	}
	return z
}

// same reports whether two slices are the same memory.
func same[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// group finds the messages that are sent or left out together: a call with its results, and with the results of it that
// are not sent.
func (t *thread) group(heads map[int]int) {
	members := map[int][]int{}
	for at := range t.entries {
		if head, ok := heads[at]; ok {
			members[head] = append(members[head], at)
		}
	}
	t.groups = map[int][]int{}
	for head, list := range members {
		list = append(list, head)
		slices.Sort(list)
		for _, at := range list {
			t.groups[at] = list
		}
	}
}

// groupOf is the group of a message, which is the message alone where it has no other.
func groupOf(groups map[int][]int, i int) []int {
	if list := groups[i]; list != nil {
		return list
	}
	return []int{i}
}

// images is how many of the parts of a message are images.
func images(parts []Part) int {
	n := 0
	for _, p := range parts {
		if p.Kind == ImagePart {
			n++
		}
	}
	return n
}

// number gives the candidates their turn and their place in the conversation. A message of the user begins a turn: one
// that was never answered is a turn by itself.
func (t *thread) number() {
	t.places = make([]int, len(t.entries))
	for i := range t.places {
		t.places[i] = -1
	}
	newest := int64(0)
	for i := range t.candidates {
		v := &t.candidates[i]
		if !v.StandIn {
			t.places[v.From] = i
		}
		newest = max(newest, v.CreatedMS)
		v.newest = newest
		if len(t.turns) == 0 || v.Role == User {
			next := turn{unit: unit{i, i}, asked: -1}
			if n := len(t.turns); n > 0 {
				next.at = t.turns[n-1].at + t.turns[n-1].tokens
			}
			if v.Role == User {
				next.asked = i
			}
			t.turns = append(t.turns, next)
		}
		v.turn = len(t.turns) - 1
		x := &t.turns[v.turn]
		if v.at = x.at + x.tokens; i > x.from && t.candidates[i-1].group == v.group {
			v.at = t.candidates[i-1].at
		}
		x.tokens += v.tokens + frameMessage
		x.to = i + 1
	}
}

// takeOver keeps what was made of the candidates at the beginning that are the same as they were: the index where they
// have the same text, shortened texts where they cost the same too.
func (t *thread) takeOver(was *thread) {
	for l := range was.shortened {
		t.shortened[l] = make([]*rendering, len(t.candidates))
	}
	same := 0
	for ; same < min(len(t.candidates), len(was.candidates)); same++ {
		v, w := &t.candidates[same], &was.candidates[same]
		if v.searched() != w.searched() {
			break
		}
		for l, list := range was.shortened {
			if v.rendersLike(w) {
				t.shortened[l][same] = list[same]
			}
		}
	}
	if t.index = was.index; t.index != nil {
		t.index.Truncate(min(same, t.index.Len()))
	}
}

// rendersLike reports whether two candidates of one text have the same renderings.
func (v *candidate) rendersLike(w *candidate) bool {
	return v.kind() == w.kind() && v.Frame == w.Frame && v.tokens == w.tokens && v.text == w.text && v.load == w.load &&
		slices.EqualFunc(v.Parts, w.Parts, samePart)
}

// groupBefore is the unit of a tool group or a single message that ends in front of candidate end.
func (t *thread) groupBefore(end int) unit {
	from := end - 1
	for from > 0 && t.candidates[from-1].group == t.candidates[end-1].group {
		from--
	}
	return unit{from, end}
}

// block is a run of candidates that enters and leaves a request as one: its size in tokens, and its number among the
// blocks of that size.
type block struct{ size, number int }

// The sizes of blocks.
const (
	blockLeast = 256 // tokens; no block is divided further
	blockShare = 2   // a block is at most one part in so many of the way from its beginning to the end
)

// block is the block that a candidate belongs to. Blocks end at fixed token positions from the start of the
// conversation, so that a new message moves no border. They are the larger the further they are from the end, up to
// largest: whatever the budget is, what fits then changes in steps of about a quarter of it. Turns stay in one block,
// but one that is longer than the largest block is divided between its tool groups.
func (t *thread) block(i, largest int) block {
	v, newest := &t.candidates[i], &t.turns[len(t.turns)-1]
	at, end := v.at, newest.at+newest.tokens
	if x := &t.turns[v.turn]; x.tokens <= largest {
		at = x.at
	}
	size := largest
	for size > blockLeast && end-at/size*size < blockShare*size {
		size /= 2
	}
	return block{size, at / size}
}

func (t *thread) blockBefore(end, largest int) unit {
	from, b := end-1, t.block(end-1, largest)
	for from > 0 && t.block(from-1, largest) == b {
		from--
	}
	return unit{from, end}
}
