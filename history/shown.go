package history

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Shown says for every message of the request which entries' texts it is, by their index, in order. A
// message that several were joined to is the text of all of them; the system prompt and what nobody
// said is no entry's. Where a recalled text stands in the block, RecalledIn finds it. A message that a
// repair moved and that was joined to others is not found.
func (p Plan) Shown() [][]int { return shownIn(p, holdsBlock(p)) }

// Span is a part of a message of the request: bytes of its content.
type Span struct {
	Message  int // index into Plan.Messages
	From, To int
}

// RecalledIn finds the text of entry i in the block of recalled texts, with the label in front of it.
// It finds nothing for a message that was not recalled, or that recall brought back to its own place.
func (p Plan) RecalledIn(i int) (Span, bool) {
	frame, ok := p.block()
	if !ok || i < 0 || i >= len(p.Entries) || !p.Entries[i].brought() {
		return Span{}, false
	}
	order := inBlock(frame)
	nth := slices.Index(order, i)
	if nth < 0 {
		return Span{}, false
	}
	text := p.Messages[frame.Before].Content
	labels, behind, ok := p.labelsIn(text, order[:min(nth+2, len(order))])
	if !ok {
		return Span{}, false
	}
	if nth == len(order)-1 {
		rest := strings.Index(text[behind:], recallTail)
		if rest < 0 {
			return Span{}, false
		}
		return Span{frame.Before, labels[nth], behind + rest}, true
	}
	found := Span{frame.Before, labels[nth], labels[nth+1]}
	if day := found.To - len(dayLine(0)); day > found.From && dayIn(frame, text[day:found.To], text[found.To:]) {
		found.To = day
	}
	return found, true
}

// labelsIn finds the labels of the first entries of a block in the text that holds it, and what stands
// behind the last of these entries. It is false where the block is one of other messages.
func (p Plan) labelsIn(text string, entries []int) (labels []int, behind int, ok bool) {
	at := strings.Index(text, recallHead)
	if at < 0 {
		return nil, 0, false
	}
	for _, i := range entries {
		if i >= len(p.Entries) || !p.Entries[i].brought() {
			return nil, 0, false
		}
		e := p.Entries[i]
		label := strings.Index(text[at:], labelHead(e.Index))
		if label < 0 {
			return nil, 0, false
		}
		at += label
		labels = append(labels, at)
		// What a message says may look like the label of another, so it is stepped over.
		if end := strings.Index(text[at:], labelEnd); end >= 0 {
			at = step(text, at+end+len(labelEnd), e.shown())
		}
	}
	return labels, at, true
}

// inBlock are the entries whose texts stand in the block of recalled texts, by their index, in its order:
// results stand behind their call, wherever they were said. A stand-in has the label of its call.
func inBlock(frame Added) []int {
	var list []int
	for line := range strings.SplitSeq(frame.Text, "\n") {
		label, ok := strings.CutPrefix(line, strings.TrimPrefix(labelStart, "\n"))
		if !ok {
			continue
		}
		number, _, _ := strings.Cut(label, " ")
		if n, err := strconv.Atoi(number); err == nil && n > 0 && !slices.Contains(list, n-1) {
			list = append(list, n-1)
		}
	}
	return list
}

// dayIn says that line is the line of a day, which stands in front of the first label of that day.
func dayIn(frame Added, line, rest string) bool {
	head, _, _ := strings.Cut(rest, " ")
	_, err := time.Parse("\n"+time.DateOnly, line)
	return err == nil && strings.Contains(frame.Text, line+head)
}

// block is the added text that frames the recalled texts.
func (p Plan) block() (Added, bool) {
	for _, a := range p.Added {
		if a.Kind == kindRecalled && a.Before >= 0 && a.Before < len(p.Messages) {
			return a, true
		}
	}
	return Added{}, false
}

// shown is how many code points stand for the text of a message in the request.
func (e Entry) shown() int {
	n := e.CharsAfter
	for _, in := range e.Inserted {
		n += runes(in.Text)
	}
	return n
}

// step is the index of the byte n code points behind at.
func step(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}
