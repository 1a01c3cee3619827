package inspector

import (
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/ui/theme"
)

// Kind is what a segment of a text is, which decides how it is drawn.
type Kind uint8

// The kinds. What a color says, a mark left of the text or bold letters say as well.
const (
	Sent     Kind = iota // text of a message that is sent
	Unsent               // text that the model does not get
	Marker               // text of winnow's own in the place of what is not sent
	Added                // other text that nobody said
	Plain                // text that is read, whatever is sent
	Rest                 // text around the inspected part
	Part                 // the inspected part of a text
	Title                // the screen's own headings
	Quiet                // the screen's own remarks
	Warning              // the same, where something is wrong
	Selected             // the heading that is selected
	Glyph                // the glyph of a verdict: it stands left of the line that it begins
	Verdict              // a verdict in words, in the colour of that glyph
	Aside                // a remark at the right end of what follows it, or of its line where nothing follows
)

// Segment is a part of a text in one kind. Segments follow each other on one line until one holds a
// newline.
type Segment struct {
	Kind Kind
	Text string
}

// Pager is a text to scroll through. Nothing but what is on the screen is made ready for it, so that a
// text of many megabytes is there at once.
type Pager struct {
	segments []Segment
	offsets  []int  // where each segment begins in the text
	text     string // of all segments
	starts   []int  // where each line begins in the text

	Wide bool // a line of text may be as wide as the screen: it is no prose
	top  spot
	w, H int
	Rows map[int][]row // of some lines, at width w
}

// spot is a row of a line.
type spot struct{ line, row int }

// longestLine is the bytes after which a line is broken whatever it holds: a line is wrapped as a
// whole.
const longestLine = 8 << 10

// NewPager makes a pager.
func NewPager(segments []Segment) *Pager {
	s := &Pager{segments: segments, starts: []int{0}, Rows: map[int][]row{}}
	size := 0
	for _, p := range segments {
		s.offsets = append(s.offsets, size)
		size += len(p.Text)
	}
	var b strings.Builder
	b.Grow(size)
	for _, p := range segments {
		b.WriteString(p.Text)
	}
	s.text = b.String()
	for at := 0; ; s.starts = append(s.starts, at) {
		rest := s.text[at:min(len(s.text), at+longestLine+1)]
		switch end := strings.IndexByte(rest, '\n'); {
		case end >= 0:
			at += end + 1
		case len(rest) <= longestLine:
			return s
		default:
			at = breakAt(s.text, at, at+longestLine)
		}
		if at == len(s.text) {
			return s
		}
	}
}

// breakAt is where a line that is too long is broken, at most at end: after a blank where there is
// one near, else between two characters.
func breakAt(text string, from, end int) int {
	near := max(from+1, end-256)
	if end <= near {
		end = near
	}
	if blank := strings.LastIndexByte(text[near:end], ' '); blank >= 0 {
		return near + blank + 1
	}
	for k := end; k > near; k-- {
		if utf8.RuneStart(text[k]) {
			return k
		}
	}
	return end
}

// Text is all of it, as it was given.
func (s *Pager) Text() string { return s.text }

// Line is the segments of a line, without what ends it.
func (s *Pager) Line(i int) []Segment {
	from, to := s.starts[i], len(s.text)
	if i+1 < len(s.starts) {
		to = s.starts[i+1]
	}
	to = from + len(strings.TrimSuffix(strings.TrimSuffix(s.text[from:to], "\n"), "\r"))
	k, begins := slices.BinarySearch(s.offsets, from)
	if !begins {
		k = max(0, k-1) // it begins inside the one before
	}
	var list []Segment
	for ; k < len(s.segments) && s.offsets[k] < to; k++ {
		end := s.offsets[k] + len(s.segments[k].Text)
		if text := s.text[max(from, s.offsets[k]):max(from, min(to, end))]; text != "" {
			list = append(list, Segment{s.segments[k].Kind, text})
		}
	}
	return list
}

// Resize gives the pager its size in cells. The line at the top stays there.
func (s *Pager) Resize(w, h int) {
	if w != s.w {
		s.Rows = map[int][]row{}
		s.top.row = 0
	}
	s.w, s.H = w, h
	s.settle()
}

// maxRows is how many lines are kept wrapped.
const maxRows = 1 << 10

// wrapped is a line's rows. Every line has one.
func (s *Pager) wrapped(i int) []row {
	if rows, ok := s.Rows[i]; ok {
		return rows
	}
	if len(s.Rows) >= maxRows {
		clear(s.Rows)
	}
	right := textWidth(s.w)
	w := right
	if !s.Wide {
		w = min(w, measure)
	}
	rows := rowsOf(s.Line(i), s.kindAt(s.starts[i]), w, right)
	s.Rows[i] = rows
	return rows
}

// kindAt is the kind of the text at a byte, Quiet behind its end.
func (s *Pager) kindAt(at int) Kind {
	k, begins := slices.BinarySearch(s.offsets, at)
	if !begins {
		k--
	}
	for ; k >= 0 && k < len(s.segments); k++ { // Those without text begin where the next one does.
		if at < s.offsets[k]+len(s.segments[k].Text) {
			return s.segments[k].Kind
		}
	}
	return Quiet
}

// Scroll moves by rows.
func (s *Pager) Scroll(by int) {
	for ; by > 0; by-- {
		s.top.row++
		if s.top.row < len(s.wrapped(s.top.line)) {
			continue
		}
		if s.top.line+1 >= len(s.starts) {
			s.top.row--
			break
		}
		s.top = spot{s.top.line + 1, 0}
	}
	for ; by < 0 && s.top != (spot{}); by++ {
		s.up()
	}
	s.settle()
}

func (s *Pager) up() {
	if s.top.row > 0 {
		s.top.row--
		return
	}
	if s.top.line > 0 {
		s.top.line--
		s.top.row = len(s.wrapped(s.top.line)) - 1
	}
}

// First goes to the beginning.
func (s *Pager) First() { s.top = spot{} }

// Last goes to the end.
func (s *Pager) Last() {
	end := len(s.starts) - 1
	s.top = spot{end, len(s.wrapped(end)) - 1}
	s.settle()
}

// Offset is the line at the top.
func (s *Pager) Offset() int { return s.top.line }

// GoTo scrolls a line to the top.
func (s *Pager) GoTo(line int) {
	s.top = spot{line, 0}
	s.settle()
}

// Show scrolls to the first line that begins after the beginning of a segment.
func (s *Pager) Show(i int) {
	line, _ := slices.BinarySearch(s.starts, s.offsets[i]+min(i, 1))
	s.GoTo(line)
}

// settle goes back as far as the screen would be empty below the end.
func (s *Pager) settle() {
	s.top.line = max(0, min(s.top.line, len(s.starts)-1))
	rows := s.wrapped(s.top.line)
	s.top.row = max(0, min(s.top.row, len(rows)-1))
	left := len(rows) - s.top.row
	for i := s.top.line + 1; i < len(s.starts) && left < s.H; i++ {
		left += len(s.wrapped(i))
	}
	for ; left < s.H && s.top != (spot{}); left++ {
		s.up()
	}
}

// View draws the rows on the screen.
func (s *Pager) View(st theme.Styles) []string {
	var lines []string
	row := s.top.row
	for i := s.top.line; i < len(s.starts) && len(lines) < s.H; i++ {
		for _, r := range s.wrapped(i)[row:] {
			if len(lines) == s.H {
				break
			}
			lines = append(lines, r.draw(st, s.w))
		}
		row = 0
	}
	return lines
}

// Page is how many rows are on the screen.
func (s *Pager) Page() int { return s.H }

// Position says how far down the text the screen is, "" where it holds all of it.
func (s *Pager) Position() string {
	end := s.end()
	switch {
	case end.line < len(s.starts):
		return theme.Thousands(min(99, s.starts[end.line]*100/max(1, len(s.text)))) + " %"
	case s.top == (spot{}):
		return ""
	}
	return "100 %"
}

// end is the first row below the screen.
func (s *Pager) end() spot {
	at, left := s.top, s.H
	for at.line < len(s.starts) {
		n := len(s.wrapped(at.line)) - at.row
		if left < n {
			return spot{at.line, at.row + left}
		}
		left -= n
		at = spot{at.line + 1, 0}
	}
	return at
}
