package history

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

const msPerDay = 24 * 60 * 60 * 1000

// The frame of the block of recalled texts.
const (
	recallHead = "Recalled from earlier in this conversation:"
	recallTail = "\n[End of what is recalled]"
)

// label says which message a recalled text is, who said it, and when, where the line above does not. The number of a
// message that stands right behind the one before it is left out: it is the next.
func (b *chooser) label(i int) string {
	if b.follows(i) {
		return "\n" + b.speaker(i) + labelEnd
	}
	return b.numbered(i)
}

// numbered is a label with the number of its message.
func (b *chooser) numbered(i int) string {
	return "\n" + labelNumber(b.candidates[i].from) + b.speaker(i) + labelEnd
}

// speaker is who said a candidate, and when, where the line above does not say it.
func (b *chooser) speaker(i int) string {
	v := &b.candidates[i]
	if v.created != 0 && v.created/msPerDay != v.day() {
		return string(v.kind()) + ", " + dateOf(v.created/msPerDay)
	}
	return string(v.kind())
}

// follows reports whether a candidate would stand in the block right behind the message before it, on the same day.
func (b *chooser) follows(i int) bool {
	if i == 0 || !b.recalled(i-1) {
		return false
	}
	v, before := &b.candidates[i], &b.candidates[i-1]
	return v.from == before.from+1 && v.day() == before.day()
}

const labelEnd = ":\n"

// labelNumber is the number of the message with an index, as labels have it.
func labelNumber(index int) string { return "#" + strconv.Itoa(index+1) + " " }

// day is when a candidate was said, in days since 1970, UTC: the newest day up to there, since only one
// that is later than those before it can stand above messages. It is 0 where it is not known.
func (v *candidate) day() int64 { return v.newest / msPerDay }

// dayLine stands in front of what is recalled of a day.
func dayLine(day int64) string {
	return "\n" + dateOf(day)
}

func dateOf(day int64) string { return time.UnixMilli(day * msPerDay).UTC().Format(time.DateOnly) }

// labels remembers what the labels of recalled texts cost.
type labels struct {
	costs []int32       // with the number, by candidate, 0 not counted yet
	days  map[int64]int // of the line of a day
}

// labelsFor has a place for each candidate.
func (t *thread) labelsFor() *labels {
	l := &t.labels
	l.costs = slices.Grow(l.costs, max(0, len(t.candidates)-len(l.costs)))[:len(t.candidates)]
	if l.days == nil {
		l.days = map[int64]int{}
	}
	return l
}

// forget drops the labels of the candidates from index kept on.
func (l *labels) forget(kept int) {
	kept = min(len(l.costs), kept)
	clear(l.costs[kept:])
	l.costs = l.costs[:kept]
}

// labelCost is what a label costs.
func (b *chooser) labelCost(i int) int {
	if b.follows(i) {
		return b.c.remembered(b.label(i))
	}
	return b.numberedCost(i)
}

// numberedCost is what a label with its number costs.
func (b *chooser) numberedCost(i int) int {
	cost := &b.labels.costs[i]
	if *cost == 0 {
		*cost = int32(b.c.count(b.numbered(i)))
	}
	return int(*cost)
}

// nextLabel is what the label of the candidate behind a recalled one costs less because of it, as a negative number.
func (b *chooser) nextLabel(i int) int {
	next := i + 1
	if next == len(b.candidates) || !b.recalled(next) || !b.follows(next) {
		return 0
	}
	return b.labelCost(next) - b.numberedCost(next)
}

// dayCost is what the line of a day costs.
func (b *chooser) dayCost(day int64) int {
	if day == 0 {
		return 0
	}
	cost, known := b.labels.days[day]
	if !known {
		cost = b.c.count(dayLine(day))
		b.labels.days[day] = cost
	}
	return cost
}

// date adds recalled candidate i to the count of its day, or takes it off with sign -1, and returns the change in cost:
// the line of a day stands once in the block.
func (b *chooser) date(i, sign int) int {
	if !b.recalled(i) || b.ordered() {
		return 0
	}
	day := b.candidates[i].day()
	b.days[day] += sign
	if sign > 0 && b.days[day] == 1 || sign < 0 && b.days[day] == 0 {
		return sign * b.dayCost(day)
	}
	return 0
}

// blockCost is what the block of recalled texts costs with its frame.
func (b *chooser) blockCost(texts int) int {
	if texts == 0 {
		return 0
	}
	return texts + b.c.remembered(recallHead) + b.c.remembered(recallTail)
}

// recalledBlock is the recalled texts in their order, to stand in front of the current message.
type recalledBlock struct {
	text   string
	frame  string // what of it nobody said
	tokens int    // of the frame
	spans  []Span // where in it the text of each entry is
	images []Part // those of the recalled messages, in their order
}

// block is the block of recalled texts, empty where nothing is recalled.
func (r *renderer) block() recalledBlock {
	block, tokens := recalledBlock{}, 0
	var all, own strings.Builder
	all.WriteString(recallHead)
	add := func(s string, cost int) {
		all.WriteString(s)
		own.WriteString(s)
		tokens += cost
	}
	day := int64(0)
	for i := range r.candidates {
		if !r.recalled(i) {
			continue
		}
		v := &r.candidates[i]
		if d := v.day(); d != day && d != 0 {
			day = d
			add(dayLine(day), r.dayCost(day))
		}
		from := all.Len()
		add(r.label(i), r.labelCost(i))
		said := r.t.full(i)
		m := said.Message
		f := r.rendering(i, r.recallDetail[i]).of(&said)
		if m.Content = f.text; v.standIn {
			add(m.Content, f.tokens) // nobody said it: it stands in for a result
			if n := len(block.spans) - 1; n >= 0 && block.spans[n].Entry == v.from {
				block.spans[n].To = all.Len()
			}
			continue
		}
		all.WriteString(m.TextWithCalls())
		for _, p := range f.parts {
			if p.Kind == ImagePart {
				all.WriteString("\n" + p.Attached())
				block.images = append(block.images, p)
				continue
			}
			all.WriteString("\n" + p.Sent())
		}
		block.spans = append(block.spans, Span{Entry: v.from, From: from, To: all.Len(), Recalled: true, Calls: v.callsAsText || v.calls})
	}
	if all.Len() == len(recallHead) {
		return recalledBlock{}
	}
	block.text, block.frame, block.tokens = all.String()+recallTail, recallHead+own.String()+recallTail, r.blockCost(tokens)
	return block
}
