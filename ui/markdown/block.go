package markdown

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
)

// block returns the lines of one block at width cells.
func (d *doc) block(n ast.Node, width int) []string {
	width = max(width, 1)
	switch n := n.(type) {
	case *ast.List:
		return d.list(n, width)
	case *ast.Blockquote:
		if width < 4 {
			return d.blocks(n, width)
		}
		return prefixed(d.blocks(n, width-2), d.quote.Styled("│")+" ", d.quote.Styled("│")+" ")
	case *ast.FencedCodeBlock:
		return d.codeBlock(n, string(n.Language(d.source)), width)
	case *ast.CodeBlock:
		return d.codeBlock(n, "", width)
	case *ast.ThematicBreak:
		return []string{d.muted.Styled(strings.Repeat("─", width))}
	case *ast.HTMLBlock:
		raw := d.raw(n)
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(d.source))
		}
		return wrap(strings.TrimRight(raw, "\n"), width)
	}
	return d.leaf(n, width)
}

// blocks returns the lines of the blocks inside n, with a blank line between two of them unless
// one of them is a list or the text right above a list.
func (d *doc) blocks(n ast.Node, width int) []string {
	var lines []string
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling() // rendering moves a leaf to a document of its own
		if c.Kind() != ast.KindLinkReferenceDefinition {
			tight := n.Kind() == ast.KindListItem && c.Kind() == ast.KindList
			if len(lines) > 0 && !tight {
				lines = append(lines, "")
			}
			lines = append(lines, d.block(c, width)...)
		}
		c = next
	}
	return lines
}

// list returns the lines of a list inside another block.
func (d *doc) list(n *ast.List, width int) []string {
	var lines []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		lines = append(lines, d.item(item, number, width)...)
		number++
	}
	return lines
}

// item returns the lines of a list's item; its number counts in an ordered list only.
func (d *doc) item(n ast.Node, number, width int) []string {
	marker := "• "
	if l, ok := n.Parent().(*ast.List); ok && l.IsOrdered() {
		marker = fmt.Sprintf("%d. ", number)
	}
	if first := n.FirstChild(); first != nil {
		if box, ok := first.FirstChild().(*extast.TaskCheckBox); ok {
			marker = "[ ] "
			if box.IsChecked {
				marker = "[✓] "
			}
			first.RemoveChild(first, box)
		}
	}
	indent := ansi.StringWidth(marker)
	if indent > width/2 {
		// In a narrow column a long number is on a line of its own.
		return append(wrap(marker, width), d.blocks(n, width)...)
	}
	lines := prefixed(d.blocks(n, width-indent), marker, strings.Repeat(" ", indent))
	if len(lines) == 0 {
		return []string{strings.TrimRight(marker, " ")}
	}
	return lines
}

// prefixed puts first before the first line and rest before the others; blank lines get no
// trailing spaces.
func prefixed(lines []string, first, rest string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = trimRight(first + line)
		first = rest
	}
	return out
}

// raw returns the source lines of n as they stand.
func (d *doc) raw(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		b.Write(seg.Value(d.source))
	}
	return b.String()
}

// codeBlock returns the lines of code, two cells in.
func (d *doc) codeBlock(n ast.Node, language string, width int) []string {
	var lines []string
	for _, piece := range pieces(d.raw(n)) {
		lines = append(lines, d.code.lines(piece, language, codeWidth(width))...)
	}
	return prefixed(lines, codeIndent(width), codeIndent(width))
}

// codeIndent returns the indent of a line of code in a column of width cells.
func codeIndent(width int) string {
	if width < 12 {
		return ""
	}
	return "  "
}

// codeWidth returns the cells for code in a column of width cells.
func codeWidth(width int) int { return width - len(codeIndent(width)) }

// leaf returns the lines of a paragraph, heading or table, rendered by glamour. Whatever goes
// wrong there, the reader gets the text.
func (d *doc) leaf(n ast.Node, width int) (lines []string) {
	raw := d.raw(n)
	if raw == "" {
		// A table has no lines of its own: its source ends where the next block begins.
		raw = d.span(n)
	}
	defer func() {
		if recover() != nil {
			// glamour is left inside the blocks it was in.
			d.inline = d.glamour(0)
			clear(d.tables)
			lines = nil
		}
		if len(lines) == 0 {
			lines = wrap(strings.Trim(raw, "\n"), width)
		}
	}()
	d.sanitize(n)
	if t, ok := n.(*extast.Table); ok {
		return d.table(t, width)
	}
	out := d.rendered(d.inline, n)
	if strings.TrimSpace(out) == "" {
		return nil
	}
	return fit(wrap(onlyStyles(out), width), width)
}

// rendered returns n as r renders it, without newlines at either end.
func (d *doc) rendered(r renderer.Renderer, n ast.Node) string {
	one := ast.NewDocument()
	one.AppendChild(one, n)
	var buf bytes.Buffer
	if err := r.Render(&buf, d.source, one); err != nil {
		panic(err) // leaf recovers
	}
	return strings.Trim(buf.String(), "\n")
}

// span returns the source from n to the next block.
func (d *doc) span(n ast.Node) string {
	stop := d.end
	if next := n.NextSibling(); next != nil && next.Pos() > n.Pos() {
		stop = d.lineStart(next.Pos())
	}
	start := d.lineStart(n.Pos())
	return string(d.source[start:max(start, stop)])
}

// sanitize replaces, inside a leaf, what glamour would drop, decode into something unsafe or print
// on standard output: raw HTML becomes text, a soft line break a space, and an entity for
// a control character becomes the picture of that character.
func (d *doc) sanitize(n ast.Node) {
	inCode := n.Kind() == ast.KindCodeSpan
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		switch c := c.(type) {
		case *ast.RawHTML:
			var b strings.Builder
			for i := range c.Segments.Len() {
				seg := c.Segments.At(i)
				b.Write(seg.Value(d.source))
			}
			n.ReplaceChild(n, c, d.text(literal(strings.ReplaceAll(b.String(), "\n", " "))))
		case *ast.Text:
			d.sanitizeText(n, c, inCode)
		case *ast.String:
			n.ReplaceChild(n, c, d.text(literal(Visible(string(c.Value)))))
		case *ast.Link:
			d.sanitizeLink(c)
		case *ast.AutoLink:
			link := ast.NewLink()
			link.AppendChild(link, d.text(literal(Visible(string(c.Label(d.source))))))
			link.Destination = []byte(noAddress)
			n.ReplaceChild(n, c, link)
		case *ast.Image:
			d.sanitizeImage(c)
		case *ast.Emphasis:
			d.sanitize(c)
			if d.style == Plain {
				// glamour would put the marks around each piece inside.
				mark := strings.Repeat("*", c.Level)
				n.InsertBefore(n, c, d.text(mark))
				for inner := c.FirstChild(); inner != nil; inner = c.FirstChild() {
					n.InsertBefore(n, c, inner)
				}
				n.ReplaceChild(n, c, d.text(mark))
			}
		default:
			d.sanitize(c)
		}
		c = next
	}
}

// sanitizeText is sanitize for one piece of text inside n.
func (d *doc) sanitizeText(n ast.Node, c *ast.Text, inCode bool) {
	value := string(c.Segment.Value(d.source))
	was := value
	if inCode {
		// Code shows its entities as written; glamour would decode them.
		value = literal(value)
	} else if strings.IndexByte(value, '&') >= 0 {
		if u := html.UnescapeString(value); firstUnsafe(u) != len(u) {
			value = strings.ReplaceAll(Visible(u), "&", "&amp;")
		}
	}
	if c.SoftLineBreak() && !c.HardLineBreak() {
		c.SetSoftLineBreak(false)
		value += " "
	}
	if value != was {
		t := d.text(value)
		t.SetHardLineBreak(c.HardLineBreak())
		n.ReplaceChild(n, c, t)
	}
}

// text returns a node with s as its text, which is added after the source.
func (d *doc) text(s string) *ast.Text {
	start := len(d.source)
	d.source = append(d.source, s...)
	return ast.NewTextSegment(text.NewSegment(start, len(d.source)))
}

// literal escapes what glamour would decode in a text.
func literal(s string) string { return strings.ReplaceAll(s, "&", "&amp;") }
