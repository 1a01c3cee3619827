package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Stream renders a text that grows. Blocks that can no longer change are rendered once: in Markdown a block is closed
// when the next one opens. The open block is rendered again when Lines is called, less often the longer it is. When it
// is rendered depends on sizes, not on time, so the work is the same on every machine.
//
// After Finish its lines are those of Render for the whole text.
type Stream struct {
	r     *Renderer
	text  strings.Builder // everything written
	read  int             // bytes of text that are final or in tail: complete lines
	tail  string          // the complete lines of the open block, made visible
	at    unit            // the first unit of tail
	lines []string        // final lines, then those of the open block
	final int             // how many of lines are final
	drawn int             // bytes of text that lines show
	skip  int             // calls of Lines that do not render
	done  bool
	links bool // the text has link reference definitions, which affect final blocks too
}

// NewStream returns an empty stream that renders with r.
func NewStream(r *Renderer) *Stream { return &Stream{r: r} }

// Text returns everything written so far.
func (s *Stream) Text() string { return s.text.String() }

// Stale reports whether Lines has not rendered all of the text so far, because rendering a long block again was not yet
// worth it.
func (s *Stream) Stale() bool { return !s.done && s.drawn < s.text.Len() }

// Write appends text. A chunk may end anywhere, even within a character.
func (s *Stream) Write(text string) { s.text.WriteString(text) }

// skipBytes is how many rendered bytes make Lines skip one call.
const skipBytes = 640

// Lines returns the lines of the text so far, or of a little less if the stream is Stale. The slice is valid until the
// next Write.
func (s *Stream) Lines() []string {
	s.skip--
	if !s.Stale() || s.skip >= 0 {
		return s.lines
	}
	text := s.text.String()
	end := s.read + strings.LastIndexByte(text[s.read:], '\n') + 1
	s.tail += Visible(text[s.read:end])
	s.read, s.drawn = end, len(text)
	part := Visible(strings.TrimRightFunc(text[end:], undecidedRune))
	if undecidedLine.MatchString(part) {
		part = ""
	}
	d := s.r.parse(s.tail+part, s.at)
	s.links = s.links || d.links
	last := len(d.units) - 1
	for last > 0 && d.joined(last) {
		last--
	}
	if last > 0 {
		s.finalize(d, last)
		d = s.r.parse(s.tail+part, s.at)
	}
	work := s.r.work
	if closed := closeMarks(part); closed != part && !d.endsInCode() {
		d = s.r.parse(s.tail+closed, s.at)
	}
	s.lines = d.appendUnits(s.lines[:s.final], d.units)
	s.skip = (s.r.work - work + len(d.source)/8) / skipBytes
	return s.lines
}

// Finish renders the rest: no more text will come.
func (s *Stream) Finish() {
	if s.done {
		return
	}
	d := s.r.parse(s.tail+Visible(s.text.String()[s.read:]), s.at)
	s.finalize(d, len(d.units))
	if s.links || d.links {
		s.lines = s.r.Render(s.text.String())
	}
	s.final, s.done, s.tail, s.at = len(s.lines), true, "", unit{}
}

// finalize makes the lines of the first n units of d final.
func (s *Stream) finalize(d *doc, n int) {
	s.lines = d.appendUnits(s.lines[:s.final], d.units[:n])
	s.final = len(s.lines)
	if n < len(d.units) {
		s.at = d.units[n]
		s.tail = s.tail[min(s.at.start, len(s.tail)):]
	}
}

// joined reports whether unit i and the one before may still merge: they are adjacent lines, and the next line may turn
// them into a heading or a table.
func (d *doc) joined(i int) bool {
	switch d.units[i].node.(type) {
	case *ast.Paragraph, *ast.Heading, *extast.Table:
		start := d.units[i].start
		return start == d.units[i-1].start || !bytes.HasSuffix(d.source[:start], []byte("\n\n"))
	}
	return false
}

// endsInCode reports whether d ends in a code block.
func (d *doc) endsInCode() bool {
	return len(d.units) > 0 && isCode(innermost(d.units[len(d.units)-1].node, ast.Node.LastChild))
}

// undecidedRune reports whether the meaning of r at the end of a text depends on what follows: a part of a character, a
// carriage return, or a part of an emoji sequence.
func undecidedRune(r rune) bool { return r == utf8.RuneError || r == '\r' || joins(r) || isTag(r) }

// undecidedLine matches an unfinished line that may become the mark of another block: "-" may be an item, a rule, or
// the underline of a heading. It is not shown until it is complete. The same goes for a fence, whose language may go
// on, and for a link reference definition.
var undecidedLine = regexp.MustCompile("^[ >*+.)\\d-]*(?:```.*|~~~.*|\\[[^\\]]*\\]:.*|" +
	"[ >=*_+#`~|:-]*(?:\\[.?\\]? ?)?|\\d+[.)]? *)$")

// closeMarks closes the open mark of an unfinished line, so that a word is bold from its first letter on. Marks with
// nothing after them and halves of closing marks are cut.
func closeMarks(line string) string {
	line = strings.TrimRight(line, " *~`")
	if i := strings.LastIndex(line, "]("); i >= 0 && !strings.ContainsAny(line[i:], ") ") {
		line += ")"
	}
	for _, mark := range []string{"`", "**", "~~", "*"} {
		i := strings.LastIndex(line, mark)
		begins := i == 0 || i > 0 && strings.IndexByte(" ([{\"'>*~", line[i-1]) >= 0
		if begins && strings.Count(line, mark)%2 == 1 && !strings.HasPrefix(line[i+len(mark):], " ") {
			line += mark
		}
	}
	return line
}
