package markdown

import (
	"bytes"
	"strings"

	glamour "charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Renderer renders Markdown to lines of at most its width. It may not be shared by goroutines:
// glamour keeps the blocks it is inside of in the renderer.
type Renderer struct {
	style  Style
	width  int
	parser parser.Parser
	inline renderer.Renderer         // one paragraph or heading, neither wrapped nor padded
	tables map[int]renderer.Renderer // by width: only a table is laid out by glamour
	code   *highlighter
	muted  ansi.Style
	quote  ansi.Style
}

// New returns a renderer for lines of at most width cells; a width below 1 counts as 1.
func New(style Style, width int) *Renderer {
	r := &Renderer{style: style, width: max(width, 1), tables: map[int]renderer.Renderer{}}
	// Without definition lists: a line that begins with a colon would reach back over a blank
	// line into a paragraph that is already final.
	r.parser = goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	r.inline = r.glamour(0)
	r.code = newHighlighter(style.Syntax)
	if style != Plain {
		r.muted = ansi.Style{}.ForegroundColor(lipgloss.Color(style.Muted))
		r.quote = ansi.Style{}.ForegroundColor(lipgloss.Color(style.Quote))
	}
	return r
}

// Render returns md as lines of at most the width of r, without trailing spaces and without
// blank lines at either end. The only escape sequences in them are colours and attributes, each
// ended on its line. An empty text has no lines.
func (r *Renderer) Render(md string) []string {
	d := r.parse(Visible(md), nil)
	var lines []string
	for _, u := range d.units {
		lines = appendBlock(lines, d.lines(u), u.continues)
	}
	return withoutBlankEnd(lines)
}

// appendBlock adds a block to lines, with a blank line between unless the block continues
// what came before. Nothing begins with a blank line, and a block without lines is none.
func appendBlock(lines, block []string, continues bool) []string {
	if len(lines) == 0 {
		for len(block) > 0 && block[0] == "" {
			block = block[1:]
		}
	}
	if len(lines) > 0 && len(block) > 0 && !continues {
		lines = append(lines, "")
	}
	return append(lines, block...)
}

// Plain returns text as it is, not read as Markdown, wrapped at the width of r. Line breaks and
// leading spaces stay. An empty text has no lines.
func (r *Renderer) Plain(text string) []string {
	text = strings.Trim(Visible(text), "\n")
	if text == "" {
		return nil
	}
	return wrap(text, r.width)
}

// glamour returns glamour's renderer for one block at width cells, 0 for unlimited.
func (r *Renderer) glamour(width int) renderer.Renderer {
	ar := glamour.NewRenderer(glamour.Options{
		WordWrap:         width,
		InlineTableLinks: true,
		PreserveNewLines: true, // only hard breaks are left, see leaf
		Styles:           r.style.config(),
		ChromaFormatter:  "terminal16m", // the other formatters pick between equal colours at random
	})
	return renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(ar, 1000)))
}

// doc is a parsed text on its way to lines.
type doc struct {
	*Renderer
	source []byte // the text; what the parser's nodes point into, and grows with what replaces them
	end    int    // where the text ends in source
	refs   []parser.Reference
	units  []unit
}

// unit is the smallest piece of a text that is rendered by itself and stays as it is while text
// is added after it: a top-level block, or one item of a top-level list.
type unit struct {
	node      ast.Node
	start     int  // the offset of its first line
	continues bool // it is a further item of the list before it
	number    int  // of an item: its number in its list
}

// parse reads visible text with the link definitions already known.
func (r *Renderer) parse(md string, known []parser.Reference) *doc {
	d := &doc{Renderer: r, source: []byte(md), end: len(md)}
	pc := parser.NewContext()
	for _, ref := range known {
		pc.AddReference(ref)
	}
	root := r.parser.Parse(text.NewReader(d.source), parser.WithContext(pc))
	d.refs = pc.References()
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n.Kind() {
		case ast.KindLinkReferenceDefinition:
		case ast.KindList:
			number := n.(*ast.List).Start
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				d.units = append(d.units, unit{
					node:      item,
					start:     d.lineStart(item.Pos()),
					continues: item.PreviousSibling() != nil,
					number:    number,
				})
				number++
			}
		default:
			d.units = append(d.units, unit{node: n, start: d.lineStart(n.Pos())})
		}
	}
	return d
}

// lineStart returns the offset of the line that holds offset pos.
func (d *doc) lineStart(pos int) int {
	pos = min(max(pos, 0), d.end)
	return bytes.LastIndexByte(d.source[:pos], '\n') + 1
}

// lines returns the lines of u.
func (d *doc) lines(u unit) []string {
	if u.node.Kind() == ast.KindListItem {
		return d.item(u.node, u.number, d.width)
	}
	return d.block(u.node, d.width)
}

// fit wraps lines that came from a library at width cells, without trailing spaces and with no
// escape sequence but colours and attributes.
func fit(lines []string, width int) []string {
	for i := 0; i < len(lines); i++ {
		line := trimRight(onlyStyles(lines[i]))
		lines[i] = line
		if ansi.StringWidth(line) > width {
			return append(lines[:i:i], fit(append(wrap(line, width), lines[i+1:]...), width)...)
		}
	}
	return lines
}

// wrap breaks text at width cells, words whole where they fit, colours carried over the break.
func wrap(s string, width int) []string {
	lines := strings.Split(s, "\n")
	if strings.IndexByte(s, 0x1b) >= 0 {
		lines = strings.Split(lipgloss.Wrap(s, width, ""), "\n")
	}
	out := lines[:0:0]
	for _, line := range lines {
		if len(line) > width && ansi.StringWidth(line) > width {
			for _, l := range strings.Split(ansi.Wrap(line, width, ""), "\n") {
				out = append(out, narrow(l, width))
			}
			continue
		}
		out = append(out, line)
	}
	for i := range out {
		out[i] = trimRight(out[i])
	}
	return out
}

// narrow replaces what does not fit into width cells at all: a wide character in one column.
func narrow(line string, width int) string {
	if ansi.StringWidth(line) <= width {
		return line
	}
	return ansi.Truncate(line, width, "…")
}

// trimRight cuts the spaces at the end of a line, also those among the sequences that end it.
func trimRight(line string) string {
	cut, styled := strings.TrimRight(line, " "), false
	for strings.HasSuffix(cut, "m") {
		i := strings.LastIndex(cut, "\x1b[")
		if i < 0 || strings.Trim(cut[i+2:len(cut)-1], "0123456789;:") != "" {
			break
		}
		cut, styled = strings.TrimRight(cut[:i], " "), true
	}
	if styled && strings.Contains(cut, "\x1b[") {
		return cut + "\x1b[m"
	}
	return cut
}

// onlyStyles keeps of the escape sequences in line those that set colours and attributes, and
// makes any other control character visible. Hyperlinks go too: a link shows its address, and
// what a click opens is then what is read.
func onlyStyles(line string) string {
	if firstUnsafe(line) == len(line) {
		return line
	}
	var b strings.Builder
	state := byte(0)
	for len(line) > 0 {
		seq, _, n, next := ansi.DecodeSequence(line, state, nil)
		state = next
		switch {
		case len(seq) > 2 && strings.HasPrefix(seq, "\x1b[") && strings.Trim(seq[2:len(seq)-1], "0123456789;:") == "" && seq[len(seq)-1] == 'm':
			b.WriteString(seq)
		case strings.HasPrefix(seq, "\x1b]8;"):
		default:
			b.WriteString(Visible(seq))
		}
		line = line[n:]
	}
	return b.String()
}
