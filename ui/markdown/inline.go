package markdown

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// inline collects the runs of a paragraph, heading or cell.
type inline struct {
	*doc
	runs []run
	look look
	open []opened // the tags that are open
}

// inlineRuns returns what is inside n in a look.
func (d *doc) inlineRuns(n ast.Node, l look) []run {
	in := inline{doc: d, look: l}
	in.children(n)
	return in.runs
}

func (in *inline) add(s string) {
	if s != "" {
		in.runs = append(in.runs, run{text: s, look: in.look})
	}
}

// atStart tells whether a line break is what came last.
func (in *inline) atStart() bool {
	last := len(in.runs) - 1
	return last >= 0 && in.runs[last].end
}

// mark adds a sign that says what no attribute can: only where there are none.
func (in *inline) mark(s string) {
	if in.style == Plain {
		in.add(s)
	}
}

func (in *inline) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		in.node(c)
	}
}

// with adds the children of n in a look that has more attributes.
func (in *inline) with(n ast.Node, r role, a attrs) {
	before := in.look
	if r != textRole {
		in.look.role = r
	}
	in.look.attrs |= a
	in.children(n)
	in.look = before
}

func (in *inline) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		value := string(n.Segment.Value(in.source))
		if !n.IsRaw() {
			value = unescaped(value)
		}
		if in.atStart() {
			value = strings.TrimLeft(value, " ")
		}
		in.add(value)
		switch {
		case n.HardLineBreak():
			in.runs = append(in.runs, run{end: true})
		case n.SoftLineBreak() && !in.atStart():
			in.add(" ")
		}
	case *ast.String:
		in.add(Visible(string(n.Value)))
	case *ast.CodeSpan:
		in.code(strings.ReplaceAll(in.plainText(n), "\n", " "))
	case *ast.Emphasis:
		mark, r, a := "*", textRole, italic
		if n.Level > 1 {
			mark, r, a = "**", strongRole, bold
		}
		in.mark(mark)
		in.with(n, r, a)
		in.mark(mark)
	case *extast.Strikethrough:
		in.mark("~~")
		in.with(n, textRole, struck)
		in.mark("~~")
	case *extast.TaskCheckBox:
		in.add(taskBox(n) + " ")
	case *mathSpan:
		in.add(strings.ReplaceAll(segments(n.segments, in.source), "\n", " "))
	case *ast.RawHTML:
		in.html(strings.ReplaceAll(segments(n.Segments, in.source), "\n", " "))
	case *ast.Link:
		in.link(n, string(n.Destination))
	case *ast.AutoLink:
		in.autoLink(n)
	case *ast.Image:
		in.image(n, string(n.Destination))
	default:
		in.children(n)
	}
}

// code adds a piece of code within a sentence.
func (in *inline) code(s string) {
	if !in.tints() {
		in.runs = append(in.runs, run{text: "`" + s + "`", look: in.look, solid: true})
		return
	}
	l := in.look
	l.role, l.attrs = strongRole, l.attrs|tinted
	in.runs = append(in.runs, run{text: " " + s + " ", look: l, solid: true})
}

// segments returns the text of segments.
func segments(s *text.Segments, source []byte) string {
	var b strings.Builder
	for i := range s.Len() {
		seg := s.At(i)
		b.Write(seg.Value(source))
	}
	return b.String()
}

// unescaped returns a text as it is read: without the backslashes before its signs, and with the
// characters that its entities name, visible ones.
func unescaped(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, `\&`)
		if i < 0 {
			i = len(s)
		}
		b.WriteString(s[:i])
		s = s[i:]
		switch {
		case s == "":
		case s[0] == '\\' && len(s) > 1 && util.IsPunct(s[1]):
			b.WriteByte(s[1])
			s = s[2:]
		case s[0] == '&' && entity(s) > 0:
			n := entity(s)
			b.WriteString(Visible(html.UnescapeString(s[:n])))
			s = s[n:]
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}

// entity returns the length of the entity that s begins with, 0 for none.
func entity(s string) int {
	const longest = 33 // &CounterClockwiseContourIntegral;
	i := strings.IndexByte(s[:min(len(s), longest)], ';')
	if i < 2 || html.UnescapeString(s[:i+1]) == s[:i+1] {
		return 0
	}
	return i + 1
}
