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
	Plain   Kind = iota // text that is read, whatever is sent
	Rest                // text around the inspected part
	Title               // the screen's own headings
	Quiet               // the screen's own remarks
	Warning             // the same, where something is wrong
	Glyph               // the glyph of a verdict: it stands left of its line
	Verdict             // a verdict in words, in the colour of that glyph
	Aside               // a remark at the right end of what stands before it

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
	lines [][]Segment
	begin []int // the line in which each segment of the text begins

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
	s := &Pager{Rows: map[int][]row{}}
	var line Page
	room := longestLine
	for _, p := range segments {
		s.begin = append(s.begin, len(s.lines))
		for p.Text != "" {
			n := lineLength(p.Text, room)
			line.Add(p.Kind, p.Text[:n])
			room -= n
			ends := strings.HasSuffix(p.Text[:n], "\n")
			if p.Text = p.Text[n:]; ends || p.Text != "" {
				s.lines = append(s.lines, line)
				line, room = nil, longestLine
			}
		}
	}
	if line != nil || len(s.lines) == 0 {
		s.lines = append(s.lines, line)
	}
	return s
}

// lineLength is how much of a text goes onto a line with so many bytes of room: up to its first newline, or all of it,
// or up to the last blank, or else up to a code point.
func lineLength(text string, room int) int {
	part := text[:min(len(text), room)]
	if end := strings.IndexByte(part, '\n'); end >= 0 {
		return end + 1
	}
	if len(part) == len(text) {
		return len(text)
	}
	if blank := strings.LastIndexByte(part, ' '); blank >= 0 {
		return blank + 1
	}
	end := room
	for end > max(0, room-utf8.UTFMax) && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// Text is all of it, as it was given.
func (s *Pager) Text() string { return Page(slices.Concat(s.lines...)).text() }

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
	s.Rows[i] = rowsOf(s.lines[i], w, right)
	return s.Rows[i]
}

// move is so many rows below a spot, or above it, as far as there are rows.
func (s *Pager) move(at spot, by int) spot {
	for ; by < 0 && at != (spot{}); by++ {
		if at.row == 0 {
			at = spot{at.line - 1, len(s.wrapped(at.line - 1))}
		}
		at.row--
	}
	for ; by > 0 && at.line < len(s.lines); by-- {
		if at.row++; at.row >= len(s.wrapped(at.line)) {
			at = spot{at.line + 1, 0}
		}
	}
	return at
}

// settle goes back as far as the screen would be empty below the end.
func (s *Pager) settle() {
	last := s.move(spot{len(s.lines), 0}, -s.H)
	if s.top.line > last.line || s.top.line == last.line && s.top.row > last.row {
		s.top = last
	}
}

// Scroll moves by rows.
func (s *Pager) Scroll(by int) {
	s.top = s.move(s.top, by)
	s.settle()
}

// First goes to the beginning.
func (s *Pager) First() { s.top = spot{} }

// Last goes to the end.
func (s *Pager) Last() { s.GoTo(len(s.lines)) }

// Offset is the line at the top.
func (s *Pager) Offset() int { return s.top.line }

// GoTo scrolls a line to the top.
func (s *Pager) GoTo(line int) {
	s.top = spot{line, 0}
	s.settle()
}

// Show scrolls to the first line that begins after the beginning of a segment.
func (s *Pager) Show(i int) { s.GoTo(s.begin[i] + min(i, 1)) }

// View draws the rows on the screen.
func (s *Pager) View(st theme.Styles) []string {
	var lines []string
	for at := s.top; at.line < len(s.lines) && len(lines) < s.H; at = s.move(at, 1) {
		lines = append(lines, s.wrapped(at.line)[at.row].draw(st, s.w))
	}
	return lines
}

// Page is how many rows are on the screen.
func (s *Pager) Page() int { return s.H }

// Position says how far down the text the screen is, "" where it holds all of it.
func (s *Pager) Position() string {
	end := s.end()
	if s.top == (spot{}) && end.line == len(s.lines) {
		return ""
	}
	return theme.Thousands(end.line*100/len(s.lines)) + " %"
}

// end is the first row below the screen.
func (s *Pager) end() spot { return s.move(s.top, s.H) }
