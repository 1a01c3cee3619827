package history

import (
	"container/heap"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The frame of the block of recalled texts.
const (
	recallHead = "Recalled from earlier in this conversation:"
	recallTail = "\n[End of what is recalled]"
)

// recall is what the current message is about, the most relevant first: at the limits of a recalled
// text, then whole. What the block holds already and what would exceed the policy's tokens is passed
// over.
func (b *builder) recall() iter.Seq[increment] {
	return func(yield func(increment) bool) {
		if b.o.Policy.RecallShare == 0 {
			return
		}
		b.about = b.t.relevant(b.question())
		var taken []span
		for u := range b.about.units(b.t) {
			if b.roomToRecall() < frameMessage {
				return
			}
			if inc := (increment{span: u, deep: brief, recall: true}); b.worthRecalling(inc) {
				taken = append(taken, u)
				if !yield(inc) {
					return
				}
			}
		}
		for _, u := range taken {
			if inc := (increment{span: u, deep: whole, recall: true}); b.worthRecalling(inc) && !yield(inc) {
				return
			}
		}
	}
}

// question is the text of the current message.
func (b *builder) question() string {
	for i := range b.turn.views {
		if b.turn.views[i].Role == User {
			return b.turn.views[i].Content
		}
	}
	return ""
}

func (b *builder) roomToRecall() int { return b.o.Policy.RecallMaxTokens - b.bill.recalled }

// worthRecalling reports whether an increment adds text, and no more than may be recalled. An image
// cannot stand in a text.
func (b *builder) worthRecalling(inc increment) bool {
	cost := 0
	for i := inc.from; i < inc.to; i++ {
		v := &b.views[i]
		if b.barred(i) || holdsImage(v.Parts) {
			return false
		}
		before, after := b.form(i, max(b.depth[i], b.back[i])), b.form(i, inc.deep)
		if b.back[i] < inc.deep && after.chars > before.chars || b.depth[i] == out && b.back[i] == out {
			cost += after.tokens + b.labelCost(i)
			if b.recalled(i) {
				cost -= before.tokens + b.labelCost(i)
			}
		}
	}
	return cost > 0 && cost <= b.roomToRecall()
}

func holdsImage(parts []Part) bool {
	for _, p := range parts {
		if p.Kind == ImagePart {
			return true
		}
	}
	return false
}

// recalled reports whether recall shows more of a view than its place does.
func (b *builder) recalled(i int) bool {
	return b.back[i] != out && (b.depth[i] == out || b.form(i, b.back[i]).chars > b.form(i, b.depth[i]).chars)
}

// units are the tool groups and single messages that are relevant, the most relevant first, of equals
// the newer. They come one by one: few of many are taken.
func (r relevance) units(t *thread) iter.Seq[span] {
	return func(yield func(span) bool) {
		var h unitHeap
		for end := len(r.scores); end > 0; {
			u := t.groupBefore(end)
			best := 0.0
			for i := u.from; i < u.to; i++ {
				best = max(best, r.scores[i])
			}
			if best > 0 {
				h = append(h, scoredUnit{u, best})
			}
			end = u.from
		}
		for heap.Init(&h); len(h) > 0; {
			if u := heap.Pop(&h).(scoredUnit); !yield(u.span) {
				return
			}
		}
	}
}

type scoredUnit struct {
	span
	score float64
}

// unitHeap has the most relevant unit first.
type unitHeap []scoredUnit

func (h unitHeap) Len() int { return len(h) }
func (h unitHeap) Less(i, j int) bool {
	if h[i].score != h[j].score {
		return h[i].score > h[j].score
	}
	return h[i].from > h[j].from
}
func (h unitHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *unitHeap) Push(x any)   { *h = append(*h, x.(scoredUnit)) }
func (h *unitHeap) Pop() any {
	last := len(*h) - 1
	u := (*h)[last]
	*h = (*h)[:last]
	return u
}

// label says of whom and from when a recalled text is: the day, and for the newest day of the
// conversation the time, in UTC.
func (b *builder) label(i int) string {
	v := &b.views[i]
	text := "\n[#" + strconv.Itoa(v.from+1) + " " + string(v.kind())
	if v.CreatedMS != 0 {
		said := time.UnixMilli(v.CreatedMS).UTC()
		if day := said.Format(time.DateOnly); day != b.labels.day {
			text += ", " + day
		} else {
			text += ", " + said.Format("15:04")
		}
	}
	return text + "] "
}

// labels remembers what each view's label costs, as long as the newest day stays the same.
type labels struct {
	day   string
	costs []int32 // by view, 0 not counted yet
}

// labelsFor are the labels for the state of the conversation.
func (t *thread) labelsFor() *labels {
	l := &t.labels
	if n := len(t.views); n > 0 {
		if day := time.UnixMilli(t.views[n-1].CreatedMS).UTC().Format(time.DateOnly); day != l.day {
			*l = labels{day: day}
		}
	}
	l.costs = slices.Grow(l.costs, max(0, len(t.views)-len(l.costs)))[:len(t.views)]
	return l
}

// forget drops the labels of the views from index kept on.
func (l *labels) forget(kept int) {
	kept = min(len(l.costs), kept)
	clear(l.costs[kept:])
	l.costs = l.costs[:kept]
}

// labelCost is what a label costs, counted once.
func (b *builder) labelCost(i int) int {
	cost := &b.labels.costs[i]
	if *cost == 0 {
		*cost = int32(b.c.count(b.label(i)))
	}
	return int(*cost)
}

// blockCost is what the block of recalled texts costs with its frame.
func (b *builder) blockCost(texts int) int {
	if texts == 0 {
		return 0
	}
	return texts + b.c.remembered(recallHead) + b.c.remembered(recallTail)
}

// block is the recalled texts in their order, to stand in front of the current message.
func (b *builder) block() (text string, labels int) {
	var s strings.Builder
	for i := range b.views {
		if !b.recalled(i) {
			continue
		}
		v := b.views[i].Message
		v.Content = b.form(i, b.back[i]).text
		s.WriteString(b.label(i))
		s.WriteString(callsAsText(v))
		for _, p := range v.Parts {
			s.WriteString("\n" + p.Text)
		}
		labels += b.labelCost(i)
	}
	if s.Len() == 0 {
		return "", 0
	}
	return recallHead + s.String() + recallTail, labels
}
