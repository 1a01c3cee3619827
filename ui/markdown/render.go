package markdown

import (
	"bytes"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Renderer renders Markdown to lines. It may not be shared by goroutines: it keeps what it has made.
type Renderer struct {
	*painter
	room
	parser parser.Parser
	code   *highlighter
}

// New returns a renderer for a pane of so many cells, where lines of prose take at most as many as are
// given for them. A width below 1 counts as 1.
func New(style Style, prose, pane int) *Renderer {
	p := &painter{style: style}
	pane = max(pane, 1)
	return &Renderer{
		painter: p,
		room:    room{prose: min(max(prose, 1), pane), pane: pane},
		// Without definition lists: a line that begins with a colon would reach back over a blank
		// line into a paragraph that is already final.
		parser: goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(
			parser.WithBlockParsers(util.Prioritized(mathBlocks{}, 650)),
			parser.WithInlineParsers(util.Prioritized(mathSpans{}, 50)),
		)).Parser(),
		code: &highlighter{p},
	}
}

// Render returns md as lines of at most the width of r, without blank lines at either end, and without
// trailing spaces but for the ground under code. The only escape sequences in them are colours,
// attributes and links, each ended on its line. An empty text has no lines.
func (r *Renderer) Render(md string) []string {
	d := r.parse(Visible(md), nil)
	var lines []string
	for _, u := range d.units {
		lines = appendBlock(lines, d.lines(u), u.tight)
	}
	return withoutBlankEnd(lines)
}

// appendBlock adds a block to lines, with a blank line between unless it is tight. Nothing begins with a
// blank line, and a block without lines is none.
func appendBlock(lines, block []string, tight bool) []string {
	if len(lines) == 0 {
		for len(block) > 0 && block[0] == "" {
			block = block[1:]
		}
	}
	if len(lines) > 0 && len(block) > 0 && !tight {
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
	return wrap(text, r.prose)
}

// doc is a parsed text on its way to lines.
type doc struct {
	*Renderer
	source []byte // the text, which the parser's nodes point into
	end    int    // where it ends
	refs   []parser.Reference
	units  []unit
}

// unit is the smallest piece of a text that is rendered by itself and stays as it is while text
// is added after it: a top-level block, or one item of a top-level list.
type unit struct {
	node      ast.Node
	start     int  // the offset of its first line
	continues bool // it is a further item of the list before it
	tight     bool // no blank line stands above it
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
		tight := len(d.units) > 0 && smallHeading(d.units[len(d.units)-1].node)
		switch n.Kind() {
		case ast.KindLinkReferenceDefinition:
		case ast.KindList:
			number := n.(*ast.List).Start
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				d.units = append(d.units, unit{
					node:      item,
					start:     d.lineStart(item.Pos()),
					continues: item.PreviousSibling() != nil,
					tight:     item.PreviousSibling() != nil || tight,
					number:    number,
				})
				number++
			}
		default:
			d.units = append(d.units, unit{node: n, start: d.lineStart(n.Pos()), tight: tight})
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
		return d.item(u.node, u.number, d.room)
	}
	return d.block(u.node, d.room)
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
	return Truncate(line, width, "…")
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
