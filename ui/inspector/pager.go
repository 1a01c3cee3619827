package inspector

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/ui/theme"
)

// Kind is what a segment of a text is, which decides how it is drawn.
type Kind uint8

// The kinds. What a color says, a mark left of the text or bold letters say as well.
const (
	Plain   Kind = iota // text that is read, whatever is sent
	Rest                // text around the inspected part
	Title               // the screen's own headings
	Quiet               // the screen's own remarks
	Warning             // the same, where something is wrong
	Glyph               // the glyph of a verdict: it stands left of the line that it begins
	Verdict             // a verdict in words, in the colour of that glyph
	Aside               // a remark at the right end of what follows it, or of its line where nothing follows

	// A row that holds one of these has a mark on its left; of several kinds the last one here decides which.

	Sent     // text of a message that is sent
	Unsent   // text that the model does not get
	Marker   // text of winnow's own in the place of what is not sent
	Part     // the inspected part of a text
	Added    // other text that nobody said
	Selected // the heading that is selected
)

// Segment is a part of a text in one kind. Segments follow each other on one line until one holds a newline.
type Segment struct {
	Kind Kind
	Text string
}

// Pager is a text to scroll through. Only the lines on the screen are wrapped, so that a text of many megabytes opens
// at once.
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

// spot is a row of a line. The one behind the last row is row 0 of the line behind the last.
type spot struct{ line, row int }

// longestLine is the bytes after which a line is broken whatever it holds: a line is wrapped as a whole.
const longestLine = 8 << 10

// NewPager makes a pager.
func NewPager(segments []Segment) *Pager {
	s := &Pager{segments: segments, text: Page(segments).text(), starts: []int{0}, Rows: map[int][]row{}}
	begin := 0
	for _, p := range segments {
		s.offsets = append(s.offsets, begin)
		begin += len(p.Text)
	}
	for at := lineLength(s.text); at < len(s.text); at += lineLength(s.text[at:]) {
		s.starts = append(s.starts, at)
	}
	return s
}

// lineLength is the bytes of the first line of a text, with its end. A line that is too long is broken after a blank
// near its end, else between two code points.
func lineLength(text string) int {
	if len(text) > longestLine {
		text = text[:longestLine+1]
	}
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end + 1
	}
	if len(text) <= longestLine {
		return len(text)
	}
	const near = longestLine - 256
	if blank := strings.LastIndexByte(text[near:longestLine], ' '); blank >= 0 {
		return near + blank + 1
	}
	end := longestLine
	for end > near && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// Text is all of it, as it was given.
func (s *Pager) Text() string { return s.text }

// segmentAt is the segment that holds a byte of the text.
func (s *Pager) segmentAt(at int) int {
	behind, _ := slices.BinarySearch(s.offsets, at+1)
	return max(0, behind-1)
}

// line is the segments of a line with its end.
func (s *Pager) line(i int) []Segment {
	if len(s.segments) == 0 {
		return nil
	}
	from, k := s.starts[i], s.segmentAt(s.starts[i])
	return between(s.segments[k:], from-s.offsets[k], s.lineEnd(i)-s.offsets[k])
}

// lineEnd is where a line ends in the text.
func (s *Pager) lineEnd(i int) int {
	if i+1 < len(s.starts) {
		return s.starts[i+1]
	}
	return len(s.text)
}

// between is a part of the text of segments, in bytes.
func between(segments []Segment, from, to int) []Segment {
	var list []Segment
	for at := 0; at < to && len(segments) > 0; segments = segments[1:] {
		p := segments[0]
		begin, end := max(0, from-at), min(len(p.Text), to-at)
		if begin < end {
			list = append(list, Segment{p.Kind, p.Text[begin:end]})
		}
		at += len(p.Text)
	}
	return list
}

// Resize gives the pager its size in cells. The line at the top stays there.
func (s *Pager) Resize(w, h int) {
	if w != s.w {
		clear(s.Rows)
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
	s.Rows[i] = rowsOf(s.line(i), w, right)
	return s.Rows[i]
}

// move is so many rows below a spot, or above it, and the rows that there are too few for that.
func (s *Pager) move(at spot, by int) (to spot, missing int) {
	for by < -at.row && at.line > 0 {
		by += at.row
		at = spot{at.line - 1, len(s.wrapped(at.line - 1))}
	}
	for by > 0 && at.line < len(s.starts) {
		below := len(s.wrapped(at.line)) - at.row
		if by < below {
			return spot{at.line, at.row + by}, 0
		}
		by -= below
		at = spot{at.line + 1, 0}
	}
	if by > 0 {
		return at, by
	}
	return spot{at.line, max(0, at.row+by)}, 0
}

// settle goes back as far as the screen would be empty below the end.
func (s *Pager) settle() {
	top, _ := s.move(spot{min(s.top.line, len(s.starts)), 0}, s.top.row)
	_, missing := s.move(top, s.H)
	s.top, _ = s.move(top, -missing)
}

// Scroll moves by rows.
func (s *Pager) Scroll(by int) {
	s.top, _ = s.move(s.top, by)
	s.settle()
}

// First goes to the beginning.
func (s *Pager) First() { s.top = spot{} }

// Last goes to the end.
func (s *Pager) Last() { s.GoTo(math.MaxInt) }

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

// View draws the rows on the screen.
func (s *Pager) View(st theme.Styles) []string {
	var lines []string
	for i, row := s.top.line, s.top.row; i < len(s.starts) && len(lines) < s.H; i, row = i+1, 0 {
		rows := s.wrapped(i)[row:]
		for _, r := range rows[:min(len(rows), s.H-len(lines))] {
			lines = append(lines, r.draw(st, s.w))
		}
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
		return theme.Thousands(min(99, s.starts[end.line]*100/cmp.Or(len(s.text), 1))) + " %"
	case s.top == (spot{}):
		return ""
	}
	return "100 %"
}

// end is the first row below the screen.
func (s *Pager) end() spot {
	end, _ := s.move(s.top, s.H)
	return end
}
