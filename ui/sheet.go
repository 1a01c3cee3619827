package ui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/ui/theme"
)

// tone is what a passage of a text is, which decides how it is drawn.
type tone uint8

// The tones. Each that means something has a sign as well.
const (
	saidTone     tone = iota // text as it was said, or as it is sent
	unsentTone               // text that the model does not get
	addedTone                // text that nobody said
	restTone                 // text that is here beside what is looked at
	partTone                 // the part of a text that is looked at
	titleTone                // the screen's own headings
	quietTone                // the screen's own remarks
	warnTone                 // the same, where something is wrong
	selectedTone             // the heading that is selected
)

// passage is a part of a text in one tone. Passages follow each other on one line until one holds a
// newline.
type passage struct {
	tone tone
	text string
}

// sheet is a text to scroll through. Nothing but what is on the screen is made ready for it, so that a
// text of many megabytes is there at once.
type sheet struct {
	passages []passage
	starts   []mark // of every line
	offsets  []int  // where each passage begins, in bytes of all
	size     int    // bytes of all

	top  spot
	w, h int
	rows map[int][]strip // of some lines, at width w
}

// mark is a byte of a passage.
type mark struct{ passage, at int }

// spot is a row of a line.
type spot struct{ line, row int }

// longestLine is the bytes after which a line is broken whatever it holds: a line is wrapped as a
// whole.
const longestLine = 8 << 10

// newSheet makes a sheet. The texts are not copied.
func newSheet(passages []passage) *sheet {
	s := &sheet{passages: passages, rows: map[int][]strip{}}
	length := 0 // of the line so far
	s.starts = append(s.starts, mark{})
	for i, p := range passages {
		s.offsets = append(s.offsets, s.size)
		s.size += len(p.text)
		for at := 0; at < len(p.text); {
			room := longestLine - length
			if room == 0 {
				s.starts = append(s.starts, mark{i, at})
				length = 0
				continue
			}
			end := strings.IndexByte(p.text[at:min(len(p.text), at+room+1)], '\n')
			switch {
			case end >= 0:
				at += end + 1
			case len(p.text)-at <= room:
				length += len(p.text) - at
				at = len(p.text)
				continue
			default:
				at = breakAt(p.text, at, at+room)
			}
			length = 0
			s.starts = append(s.starts, mark{i, at})
		}
	}
	if last := s.starts[len(s.starts)-1]; len(s.starts) > 1 && last.passage == len(passages)-1 && last.at == len(passages[last.passage].text) && strings.HasSuffix(passages[last.passage].text, "\n") {
		s.starts = s.starts[:len(s.starts)-1]
	}
	return s
}

// breakAt is where a line that is too long is broken, at most at end: behind a blank where there is
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

// text is all of it, as it was given.
func (s *sheet) text() string {
	var b strings.Builder
	b.Grow(s.size)
	for _, p := range s.passages {
		b.WriteString(p.text)
	}
	return b.String()
}

// line is the passages of a line, without what ends it.
func (s *sheet) line(i int) []passage {
	from := s.starts[i]
	to := mark{len(s.passages) - 1, 0}
	if to.passage >= 0 {
		to.at = len(s.passages[to.passage].text)
	}
	if i+1 < len(s.starts) {
		to = s.starts[i+1]
	}
	var list []passage
	for k := from.passage; k <= to.passage; k++ {
		text := s.passages[k].text
		if k == to.passage {
			text = text[:to.at]
		}
		if k == from.passage {
			text = text[from.at:]
		}
		if text != "" {
			list = append(list, passage{s.passages[k].tone, text})
		}
	}
	return endless(list)
}

// endless takes the end of a line off its passages.
func endless(line []passage) []passage {
	for _, end := range []string{"\n", "\r"} {
		n := len(line)
		if n == 0 || !strings.HasSuffix(line[n-1].text, end) {
			return line
		}
		line[n-1].text = strings.TrimSuffix(line[n-1].text, end)
		if line[n-1].text == "" {
			line = line[:n-1]
		}
	}
	return line
}

// resize gives the sheet its size in cells. The line at the top stays there.
func (s *sheet) resize(w, h int) {
	if w != s.w {
		s.rows = map[int][]strip{}
		s.top.row = 0
	}
	s.w, s.h = w, h
	s.settle()
}

// mostRows is how many lines are kept wrapped.
const mostRows = 1 << 10

// wrapped is a line's rows. Every line has one.
func (s *sheet) wrapped(i int) []strip {
	if rows, ok := s.rows[i]; ok {
		return rows
	}
	if len(s.rows) >= mostRows {
		clear(s.rows)
	}
	rows := wrapLine(withSigns(s.line(i)), max(1, s.w-marginWidth-1))
	s.rows[i] = rows
	return rows
}

// scroll moves by rows.
func (s *sheet) Scroll(by int) {
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

func (s *sheet) up() {
	if s.top.row > 0 {
		s.top.row--
		return
	}
	if s.top.line > 0 {
		s.top.line--
		s.top.row = len(s.wrapped(s.top.line)) - 1
	}
}

// first and last go to the ends.
func (s *sheet) First() { s.top = spot{} }

func (s *sheet) Last() {
	end := len(s.starts) - 1
	s.top = spot{end, len(s.wrapped(end)) - 1}
	s.settle()
}

// place is the line at the top, and goTo brings one there.
func (s *sheet) place() int { return s.top.line }

func (s *sheet) goTo(line int) {
	s.top = spot{line, 0}
	s.settle()
}

// show brings the beginning of a passage to the top.
func (s *sheet) show(i int) {
	line, _ := slices.BinarySearchFunc(s.starts, i, func(at mark, i int) int {
		if at.passage < i {
			return -1
		}
		return 1
	})
	s.goTo(line)
}

// settle goes back as far as the screen would be empty below the end.
func (s *sheet) settle() {
	s.top.line = max(0, min(s.top.line, len(s.starts)-1))
	rows := s.wrapped(s.top.line)
	s.top.row = max(0, min(s.top.row, len(rows)-1))
	left := len(rows) - s.top.row
	for i := s.top.line + 1; i < len(s.starts) && left < s.h; i++ {
		left += len(s.wrapped(i))
	}
	for ; left < s.h && s.top != (spot{}); left++ {
		s.up()
	}
}

// view draws the rows on the screen.
func (s *sheet) view(st theme.Styles) []string {
	var lines []string
	row := s.top.row
	for i := s.top.line; i < len(s.starts) && len(lines) < s.h; i++ {
		for _, r := range s.wrapped(i)[row:] {
			if len(lines) == s.h {
				break
			}
			lines = append(lines, r.draw(st))
		}
		row = 0
	}
	return lines
}

// position says how far down the text the screen is, "" where it holds all of it.
func (s *sheet) position() string {
	end, left := s.top.line, s.h+s.top.row
	for ; end < len(s.starts) && left > 0; end++ {
		left -= len(s.wrapped(end))
	}
	all := end >= len(s.starts) && left >= 0
	switch {
	case all && s.top == (spot{}):
		return ""
	case all:
		return "100 %"
	}
	at := s.starts[min(end, len(s.starts)-1)]
	return theme.Thousands(min(99, (s.offsets[at.passage]+at.at)*100/max(1, s.size))) + " %"
}
