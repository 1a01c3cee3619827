package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// Stream renders a text that grows. What can no longer change is rendered once: in Markdown a block is closed for good
// when the next one opens. The open block is rendered again when its lines are asked for, a long one less often, the
// longer it is: the work is bounded by sizes, not by time, and is the same on every machine.
//
// After Finish its lines are those of Render for the whole text.
type Stream struct {
	r     *Renderer
	text  strings.Builder // everything written, as it came
	read  int             // how much of text is final or in tail: complete lines
	tail  string          // the visible lines of the open block
	at    unit            // the first of tail
	lines []string        // final lines, then those of the open block
	final int             // how many of lines are final
	drawn int             // how much of text lines show
	skip  int             // how often Lines does not render
	done  bool
	links bool // the text has definitions of links, which count for final blocks too
}

// NewStream returns an empty stream that renders with r.
func NewStream(r *Renderer) *Stream { return &Stream{r: r} }

// Text returns everything written so far.
func (s *Stream) Text() string { return s.text.String() }

// Stale tells whether Lines returned less than the text so far: it was not yet worth rendering a long block again.
func (s *Stream) Stale() bool { return !s.done && s.drawn < s.text.Len() }

// Write adds text to the end; a chunk may end anywhere, within a character too.
func (s *Stream) Write(text string) { s.text.WriteString(text) }

// skipBytes is how much Lines renders before it skips a call.
const skipBytes = 640

// Lines returns the lines of the text so far, or of a little less where it is Stale. The slice is good until the next
// Write.
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

// Finish renders what is still open: no more text will come.
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

// finalize makes the lines of the first n blocks of d final.
func (s *Stream) finalize(d *doc, n int) {
	s.lines = d.appendUnits(s.lines[:s.final], d.units[:n])
	s.final = len(s.lines)
	if n < len(d.units) {
		s.at = d.units[n]
		s.tail = s.tail[min(s.at.start, len(s.tail)):]
	}
}

// joined tells whether unit i and the one before may still become something else together: they are one run of lines,
// and the next line may make a heading or a table of it.
func (d *doc) joined(i int) bool {
	switch d.units[i].node.(type) {
	case *ast.Paragraph, *ast.Heading, *extast.Table:
		start := d.units[i].start
		return start == d.units[i-1].start || !bytes.HasSuffix(d.source[:start], []byte("\n\n"))
	}
	return false
}

// endsInCode tells whether the last lines of d are code.
func (d *doc) endsInCode() bool {
	return len(d.units) > 0 && isCode(innermost(d.units[len(d.units)-1].node, ast.Node.LastChild))
}

// undecidedRune tells whether what r is, at the end of a text, depends on what follows: a part of a character, a
// carriage return, or what joins the parts of an emoji.
func undecidedRune(r rune) bool { return r == utf8.RuneError || r == '\r' || joins(r) || isTag(r) }

// undecidedLine is an unfinished line that may yet become the mark of another block, as "-" may be an item, a rule or
// what makes a heading of the line above. It is not shown until then, nor is a fence, whose language may go on, or the
// definition of a link.
var undecidedLine = regexp.MustCompile("^[ >*+.)\\d-]*(?:```.*|~~~.*|\\[[^\\]]*\\]:.*|" +
	"[ >=*_+#`~|:-]*(?:\\[.?\\]? ?)?|\\d+[.)]? *)$")

// closeMarks returns an unfinished line with a mark closed that is open at its end, so that a word is bold from its
// first letter on and not when its last has come. Marks with nothing behind them, and halves of closing ones, are cut.
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
