package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
)

// Stream renders a text that grows. What can no longer change is rendered once: in Markdown a
// block is closed for good when the next one opens. The open block is rendered again each time
// its lines are asked for, as long as it is short; a long one as often as its allowance permits,
// and what came since is shown after it as it was written. The work is counted in bytes, not in
// time, and is the same on every machine.
//
// After Finish its lines are those of Render for the whole text.
type Stream struct {
	r    *Renderer
	text strings.Builder // everything written, as it came

	lines []string // final lines, then those of the open block
	final int      // how many of lines are final

	tail   string // complete visible lines of the open block
	part   []byte // the line after them, as it came
	parsed int    // how much of tail was parsed last

	continues bool // the open block is a further item of the list before it
	number    int  // that item's number
	tight     bool // no blank line stands above the open block
	refs      []parser.Reference
	brackets  bool // a final block may use a link definition
	stale     bool // a definition came after a block that may use it
	fence     *fence

	preview preview // the open block as it is shown
	fresh   []byte  // what came since the last frame
	done    bool
}

// NewStream returns an empty stream that renders with r.
func NewStream(r *Renderer) *Stream { return &Stream{r: r} }

// Write adds text to the end; a chunk may end anywhere, within a character too.
func (s *Stream) Write(text string) {
	if text == "" || s.done {
		return
	}
	s.text.WriteString(text)
	s.fresh = append(s.fresh, text...)
}

// Text returns everything written so far.
func (s *Stream) Text() string { return s.text.String() }

// Lines returns the lines of the text so far. The slice is good until the next Write.
func (s *Stream) Lines() []string {
	if s.done || !s.take() {
		return s.lines
	}
	s.show()
	return s.lines
}

// Finish renders what is still open: no more text will come.
func (s *Stream) Finish() {
	if s.done {
		return
	}
	s.take()
	s.done = true
	s.tail += Visible(string(append(s.part, s.fresh...)))
	s.part = nil
	if s.fence != nil {
		s.closeFence(len(s.tail))
	} else {
		d := s.parse(s.tail)
		s.settle(d, len(d.units))
	}
	if s.stale {
		s.lines = s.r.Render(s.text.String())
		s.final = len(s.lines)
	}
	s.lines = withoutBlankEnd(s.lines[:s.final])
	s.final = len(s.lines)
}

// take adds what was written since the last frame to the open block, and tells whether
// there was any.
func (s *Stream) take() bool {
	if len(s.fresh) == 0 {
		return false
	}
	// A character cut in two and a CR whose LF may follow wait for the rest.
	n := len(s.fresh) - unfinished(s.fresh)
	piece := string(s.fresh[:n])
	s.fresh = append(s.fresh[:0], s.fresh[n:]...)
	if piece == "" {
		return false
	}
	s.preview.earn()
	s.part = append(s.part, piece...)
	at := strings.LastIndexByte(string(s.part), '\n') + 1
	if at == 0 {
		return true
	}
	lines := Visible(string(s.part[:at]))
	s.tail += lines
	s.part = append(s.part[:0], s.part[at:]...)
	if s.fence == nil && s.worthParsing(lines) {
		s.advance()
	}
	if s.fence != nil {
		s.advanceFence()
	}
	return true
}

// unfinished returns how many bytes at the end of b cannot be judged yet.
func unfinished(b []byte) int {
	if b[len(b)-1] == '\r' {
		return 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if utf8.FullRune(b[len(b)-n:]) {
				return undecidedRunes(b)
			}
			return n + undecidedRunes(b[:len(b)-n])
		}
	}
	return 0
}

// undecidedRunes returns how many bytes at the end of b the next character decides about: a
// joiner, or a flag with the tags that it has so far.
func undecidedRunes(b []byte) int {
	r, n := utf8.DecodeLastRune(b)
	if joins(r) {
		return n
	}
	end := len(b)
	for range maxTags {
		if r == cancelTag || !tag(r) {
			break
		}
		b = b[:len(b)-n]
		r, n = utf8.DecodeLastRune(b)
	}
	if r == blackFlag {
		return end - len(b) + n
	}
	return 0
}

// worthParsing tells whether the new complete lines may have closed a block. A big block is not
// parsed at every line.
func (s *Stream) worthParsing(lines string) bool {
	grown := len(s.tail) - s.parsed
	if grown*4 >= s.parsed {
		return true
	}
	if grown*32 < s.parsed && s.parsed > 8<<10 {
		return false
	}
	return strings.HasPrefix(lines, "\n") || strings.Contains(lines, "\n\n") || strings.Contains(lines, "```")
}

// parse returns the blocks of the open text, which may go on in the list that came before.
func (s *Stream) parse(text string) *doc {
	d := s.r.parse(text, s.refs)
	if len(d.refs) > len(s.refs) && s.brackets {
		s.stale = true
	}
	if len(d.units) > 0 {
		d.units[0].tight = s.tight
	}
	if s.continues && len(d.units) > 0 && d.units[0].node.Kind() == ast.KindListItem {
		d.units[0].continues, d.units[0].tight = true, true
		for i := range d.units {
			if i > 0 && !d.units[i].continues {
				break
			}
			d.units[i].number = s.number + i
		}
	}
	return d
}

// advance renders the blocks that are closed for good.
func (s *Stream) advance() {
	d := s.parse(s.tail)
	s.parsed = len(s.tail)
	last := len(d.units) - 1
	if last < 0 {
		return
	}
	// What the parser made of one run of lines stays together: a line that follows may yet
	// turn all of it into something else.
	for last > 0 && d.joined(last) {
		last--
	}
	open := d.units[last]
	end := s.tail[len(strings.TrimRight(s.tail, " \n")):]
	if strings.Count(end, "\n") > 1 && closedByBlank(open.node) {
		s.settle(d, len(d.units))
		s.tail, s.parsed, s.continues = "", 0, false
		s.preview.reset()
		return
	}
	if last > 0 {
		s.settle(d, last)
		s.tail = s.tail[open.start:]
		s.parsed = len(s.tail)
		s.continues, s.number = open.continues, open.number
		s.preview.reset()
	}
	if n, ok := open.node.(*ast.FencedCodeBlock); ok && last == len(d.units)-1 {
		if last == 0 {
			s.tail = s.tail[open.start:]
		}
		s.fence = newFence(s.tail, string(n.Language(d.source)))
	}
}

// closedByBlank tells whether a blank line ends n for good. A list, a code block or a block of
// HTML may go on after it.
func closedByBlank(n ast.Node) bool {
	switch n.(type) {
	case *ast.Paragraph, *ast.Heading, *extast.Table, *ast.ThematicBreak, *ast.Blockquote, *mathBlock:
		return true
	}
	return false
}

// joined tells whether unit i and the one before were one run of text lines to the parser.
func (d *doc) joined(i int) bool {
	switch d.units[i].node.(type) {
	case *ast.Paragraph, *ast.Heading, *extast.Table:
	default:
		return false
	}
	switch d.units[i-1].node.(type) {
	case *ast.Paragraph, *extast.Table:
	default:
		return false
	}
	if d.units[i].start == d.units[i-1].start {
		return true // a table begins, to the parser, where the text above it does
	}
	before := string(d.source[:d.units[i].start])
	return strings.TrimSpace(before[strings.LastIndexByte(strings.TrimSuffix(before, "\n"), '\n')+1:]) != ""
}

// settle makes the lines of the first n blocks of d final.
func (s *Stream) settle(d *doc, n int) {
	s.lines = s.lines[:s.final]
	for _, u := range d.units[:n] {
		s.lines = appendBlock(s.lines, d.lines(u), u.tight)
	}
	s.final = len(s.lines)
	if n > 0 {
		s.tight = smallHeading(d.units[n-1].node)
	}
	stop := d.end
	if n < len(d.units) {
		stop = d.units[n].start
	}
	s.brackets = s.brackets || strings.Contains(string(d.source[:stop]), "[")
	s.refs = d.refs
}

// Renderer returns what s renders with.
func (s *Stream) Renderer() *Renderer { return s.r }

// Finished tells whether Finish was called.
func (s *Stream) Finished() bool { return s.done }
