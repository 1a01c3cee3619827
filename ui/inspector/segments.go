package inspector

import (
	"unicode/utf8"

	"winnow/history"
)

// SegmentsOf is a message's text in segments: what is sent, what is not, and what is sent instead.
func SegmentsOf(text string, e history.Entry) []Segment {
	if !e.Sent() {
		return []Segment{{Unsent, text}}
	}
	v := viewing{text: text, inserted: e.Inserted}
	for _, cut := range e.Cuts {
		v.insert(Sent, cut.From)
		v.write(Sent, cut.From)
		v.insert(Unsent, cut.To-1)
		v.write(Unsent, cut.To)
	}
	v.insert(Sent, maxRunes)
	v.write(Sent, maxRunes)
	return v.page
}

// maxRunes is more code points than any text has.
const maxRunes = 1 << 40

// viewing is a text on its way into segments.
type viewing struct {
	page     Page
	text     string
	at       int // bytes that are written
	runes    int // code points that are written
	inserted []history.Insert
}

// write adds the text up to a code point.
func (v *viewing) write(t Kind, end int) {
	if end <= v.runes {
		return
	}
	from := v.at
	v.at = runesOn(v.text, from, end-v.runes)
	v.runes = end
	v.page.Add(t, v.text[from:v.at])
}

// insert adds what was put into the text up to a code point, and the text in front of each.
func (v *viewing) insert(t Kind, upTo int) {
	for len(v.inserted) > 0 && v.inserted[0].At <= upTo {
		v.write(t, v.inserted[0].At)
		v.page.Add(Added, v.inserted[0].Text)
		v.inserted = v.inserted[1:]
	}
}

// runesOn is the index of the byte n code points after at. Long texts are counted by blocks, which is
// many times faster.
func runesOn(text string, at, n int) int {
	const block = 4 << 10
	for n >= block && len(text)-at > block {
		end := at + block
		for end > at+block-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		n -= utf8.RuneCountInString(text[at:end])
		at = end
	}
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}
