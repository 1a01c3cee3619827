package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
)

// An open block is rendered for each frame while it is short. Each frame earns an allowance for
// long ones: at 30 frames a second a block of 8 KB is then rendered about every second. A frame that
// renders short blocks uses its allowance up; what they owe and what is saved have a limit.
const (
	shortBlock = 2 << 10
	shortCode  = 1 << 10 // colours cost more than prose
	earned     = 240
	maxSaved   = 8 << 10
	maxOwed    = 2 << 10
)

// preview is the open block as it is shown.
type preview struct {
	lines     []string
	shown     int    // how much of the block's text lines cover
	glue      string // the white space at the end of that text, which lines do not show
	flows     bool   // the text is a paragraph: its line breaks are spaces
	tight     bool   // no blank line stands above it
	allowance int    // in bytes to render
}

// earn adds what a frame may cost.
func (p *preview) earn() { p.allowance = min(p.allowance+earned, maxSaved) }

// affords tells whether a text of n bytes may be rendered now, where up to short bytes always
// may, and takes its cost.
func (p *preview) affords(n, short int) bool {
	if n <= short {
		p.allowance = max(p.allowance-n, min(p.allowance, -maxOwed))
		return true
	}
	if p.allowance < min(n, maxSaved) {
		return false
	}
	p.allowance -= n
	return true
}

// reset begins another block.
func (p *preview) reset() { *p = preview{allowance: p.allowance} }

// undecided tells whether an unfinished line may yet become the mark of another block, as "-"
// may be an item, a rule or what makes a heading of the line above. It is not shown until then.
func undecided(line string) bool {
	start := strings.TrimLeft(line, " >-*+.)0123456789")
	if strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~") || tagBegins(start) {
		return true // the name of a language, or of a tag, may go on
	}
	if i := strings.LastIndexByte(line, '['); i >= 0 && len(line)-i <= len("[x]") {
		line = line[:i] // a task's box
	}
	signs := strings.Trim(line, " >-=*_+#`~|:")
	return strings.TrimRight(strings.Trim(signs, "0123456789"), ".)") == ""
}

// show draws the open block after the final lines.
func (s *Stream) show() {
	if s.fence != nil {
		s.showFence()
	} else {
		s.showBlock()
	}
	s.lines = append(s.lines[:s.final], withoutBlankEnd(s.lines[s.final:])...)
}

// withoutBlankEnd cuts the blank lines at the end of lines.
func withoutBlankEnd(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// showBlock shows the open block, unless it is fenced code.
func (s *Stream) showBlock() {
	text := s.tail
	if part := Visible(string(s.part)); !undecided(part) {
		text += part
	}
	switch p := &s.preview; {
	case len(text) == p.shown:
	case p.affords(len(text), shortBlock):
		s.render(text)
	default:
		p.extend(text[p.shown:], s.r)
	}
	s.preview.shown = len(text)
	s.lines = appendBlock(s.lines[:s.final], s.preview.lines, s.preview.tight)
}

// render makes the preview of the open block whose text is given.
func (s *Stream) render(text string) {
	p := &s.preview
	p.lines, p.flows = nil, false
	d := s.parse(text)
	if whole := d.completed(); whole != "" {
		d = s.parse(whole)
	}
	for _, u := range d.units {
		p.flows = u.node.Kind() == ast.KindParagraph
		p.lines = appendBlock(p.lines, d.lines(u), u.tight)
	}
	p.tight = len(d.units) > 0 && d.units[0].tight
	p.glue = ""
	p.cutGlue(text)
}

// extend adds text, as it is, to the last line.
func (p *preview) extend(text string, r *Renderer) {
	text = p.cutGlue(p.glue + text)
	f := flow{painter: r.painter, width: r.prose}
	if last := len(p.lines) - 1; last >= 0 {
		// The last word may go on.
		line := p.lines[last]
		i := strings.LastIndexByte(line, ' ')
		f.resume(line[:max(i, 0)])
		text = ansi.Strip(line[i+1:]) + text
		if i >= 0 {
			text = " " + text
		}
		p.lines = p.lines[:last]
	} else {
		text = strings.TrimLeft(text, "\n")
	}
	for i := strings.IndexByte(text, '\n'); i >= 0; i = strings.IndexByte(text, '\n') {
		f.text(text[:i], look{})
		f.endWord()
		f.endLine()
		text = text[i+1:]
	}
	f.text(text, look{})
	f.endWord()
	if f.used > 0 {
		f.endLine()
	}
	p.lines = append(p.lines, f.lines...)
}

// cutGlue returns text without the white space at its end, which it keeps for what follows.
func (p *preview) cutGlue(text string) string {
	if p.flows {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	cut := strings.TrimRight(text, " \n")
	p.glue = text[len(cut):]
	return cut
}
