// Package markdown turns text that others wrote (a model, a tool, a file name, a paste) into lines for a terminal.
//
// Visible makes every control character of a text visible, so that no text is ever executed by the terminal. OneLine,
// Truncate and Gist are for titles and rows of lists.
//
// A Renderer renders a whole text at one width, and a Stream a text that grows. goldmark parses the text, glamour
// renders the words of each paragraph, heading, cell and item, and chroma splits code into tokens. This package lays
// out the rest: lists, quotes, tables, code blocks, and formulas.
//
// The package does not scroll and does not know messages.
package markdown

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Style is the colours of the parts of a text. Each colour is "#rrggbb", the number of a terminal colour, or an
// attribute: "bold", "faint" or "default", which is none. Bubble Tea reduces colours to what the terminal can show. The
// zero Style has attributes only.
type Style struct {
	Text   string
	Strong string // headings, bold text, code within a sentence
	Muted  string // numbers and bullets of lists, the language and the comments of a code block
	Faint  string // the bar beside a quote, and beside code if Tint is ""
	Rule   string // the line below a table's head

	// Colours of code, readable on Tint.
	Keyword, String, Function, Number string
	Deleted, Inserted                 string // the lines of a diff

	Tint       string // the background of code; if it is "", a bar or backticks mark code
	OpensLinks bool   // the terminal opens links (OSC 8); otherwise the address follows the text
}

// ink is the escape sequence that starts a colour, "" for none.
type ink string

// newInk returns the ink of a colour on a background, "" for none.
func newInk(colour, ground string) ink {
	style := lipgloss.NewStyle().Bold(colour == "bold").Faint(colour == "faint")
	if strings.ContainsAny(colour, "#0123456789") {
		style = style.Foreground(lipgloss.Color(colour))
	}
	if ground != "" {
		style = style.Background(lipgloss.Color(ground))
	}
	begins, _, _ := strings.Cut(style.Render("x"), "x")
	return ink(begins)
}

// end returns the sequence that ends the colour.
func (i ink) end() string {
	if i == "" {
		return ""
	}
	return xansi.ResetStyle
}

func (i ink) paint(text string) string {
	if text == "" {
		return ""
	}
	return string(i) + text + i.end()
}

// leaves returns the style for glamour. It has no faint parts, because glamour ignores that attribute.
func (s Style) leaves() ansi.StyleConfig {
	yes := true
	block := func(colour string, bold, underlined *bool) (b ansi.StyleBlock) {
		if b.Bold, b.Underline = bold, underlined; colour == "bold" {
			b.Bold = &yes
		} else if strings.ContainsAny(colour, "#0123456789") {
			b.Color = &colour
		}
		return b
	}
	styles := ansi.StyleConfig{
		Document:      block(s.Text, nil, nil),
		H1:            block(s.Strong, &yes, &yes),
		H2:            block(s.Strong, &yes, nil),
		H3:            block(s.Text, &yes, nil),
		Strong:        block(s.Strong, &yes, nil).StylePrimitive,
		Emph:          ansi.StylePrimitive{Italic: &yes},
		Strikethrough: ansi.StylePrimitive{CrossedOut: &yes},
		LinkText:      ansi.StylePrimitive{Underline: &yes},
	}
	if s.Tint != "" {
		styles.Code = block(s.Strong, nil, nil)
		styles.Code.BackgroundColor = &s.Tint
	}
	return styles
}

// Renderer renders Markdown to lines. It caches, so goroutines must not share it.
type Renderer struct {
	style  Style
	size   size
	parser parser.Parser
	leaves renderer.Renderer       // glamour's
	lexers map[string]chroma.Lexer // by the name of the language
	code   map[chroma.TokenType]ink
	faint  ink
	pieces map[piece][]string // cache of highlighted code
	work   int                // bytes rendered so far, for Stream
}

// size is the width of a block in cells: prose is narrower than code and tables, which use the whole pane.
type size struct{ prose, pane int }

// less returns the size without n cells.
func (at size) less(n int) size { return size{max(1, at.prose-n), max(1, at.pane-n)} }

// New returns a renderer for a pane of so many cells, with lines of prose of at most prose cells. A width below 1
// counts as 1.
func New(style Style, prose, pane int) *Renderer {
	pane = max(pane, 1)
	return &Renderer{
		style:  style,
		size:   size{min(max(prose, 1), pane), pane},
		parser: newParser(),
		leaves: newLeaves(style),
		lexers: map[string]chroma.Lexer{"": lexers.Fallback},
		code:   codeInks(style),
		faint:  newInk(style.Faint, ""),
		pieces: map[piece][]string{},
	}
}

// newParser returns a parser of GitHub Flavored Markdown with formulas. It has no definition lists, because a line that
// begins with a colon would change a paragraph that a stream has already finished.
func newParser() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(
		parser.WithBlockParsers(util.Prioritized(formulaBlocks{parser.NewHTMLBlockParser()}, 650)),
		parser.WithInlineParsers(util.Prioritized(formulaSpans{}, 50)),
	)).Parser()
}

// newLeaves returns a renderer of glamour's that does not wrap, so it serves all widths.
func newLeaves(style Style) renderer.Renderer {
	leaves := ansi.NewRenderer(ansi.Options{Styles: style.leaves(), PreserveNewLines: true})
	return renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(leaves, 1000)))
}

// Render returns md as lines of at most the width of r, without trailing spaces except for the background of code. The
// only escape sequences are colours, attributes and links, each ended on its line. An empty text has no lines.
func (r *Renderer) Render(md string) []string {
	d := r.parse(Visible(md), unit{})
	return d.appendUnits(nil, d.units)
}

// RenderPlain returns text that is not Markdown, wrapped at the width of r. Line breaks and leading spaces stay. An
// empty text has no lines.
func (r *Renderer) RenderPlain(text string) []string {
	return fitted(wrapped(protected(strings.Trim(Visible(text), "\n")), r.size.prose), r.size.prose)
}

// doc is a parsed text.
type doc struct {
	*Renderer
	source []byte // the text that the parser's nodes refer to
	links  bool   // the text has link reference definitions
	units  []unit
}

// unit is the smallest piece of a text that is rendered by itself and stays the same while text is appended: a
// top-level block, or one item of a top-level list.
type unit struct {
	node   ast.Node
	start  int      // offset of its first line
	above  ast.Node // the previous unit, nil for none
	number int      // of a list item, in its list
}

// parse parses visible text. At is the place of its first unit in the whole text.
func (r *Renderer) parse(md string, at unit) *doc {
	d := &doc{Renderer: r, source: []byte(md)}
	context := parser.NewContext()
	root := r.parser.Parse(text.NewReader(d.source), parser.WithContext(context))
	d.links = len(context.References()) > 0
	add := func(n ast.Node, number int) {
		start := bytes.LastIndexByte(d.source[:min(max(n.Pos(), 0), len(d.source))], '\n') + 1
		d.units = append(d.units, unit{n, start, at.above, number})
		at = unit{above: n}
	}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		list, ok := n.(*ast.List)
		if !ok {
			add(n, 0)
			continue
		}
		number := list.Start
		if n == root.FirstChild() && at.above != nil {
			number = at.number
		}
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			add(item, number)
			number++
		}
	}
	return d
}

// appendUnits appends the lines of units.
func (d *doc) appendUnits(lines []string, units []unit) []string {
	for _, u := range units {
		block := fitted(d.block(u.node, u.number, d.size), d.size.pane)
		lines = appendBlock(lines, block, needsBlankLine(u.above, u.node))
	}
	return lines
}

// fitted truncates lines that are still too wide, such as a wide character in one column.
func fitted(lines []string, width int) []string {
	for i, line := range lines {
		lines[i] = strings.TrimRight(Truncate(line, width, "…"), " ")
	}
	return lines
}

// block returns the lines of a block. Number is that of a list item.
func (d *doc) block(n ast.Node, number int, at size) []string {
	switch n := n.(type) {
	case *ast.List:
		return d.blocks(n, n.Start, at)
	case *ast.ListItem:
		return d.item(n, number, at)
	case *ast.Blockquote:
		bar := d.faint.paint("│") + " "
		return prefixed(d.blocks(n, 0, at.less(2)), bar, bar)
	case *ast.FencedCodeBlock:
		return d.codeBlock(n, string(n.Language(d.source)), at.pane)
	case *ast.CodeBlock:
		return d.codeBlock(n, "", at.pane)
	case *extast.Table:
		return d.table(n, at.pane)
	case *ast.HTMLBlock:
		html := string(n.Lines().Value(d.source))
		if n.HasClosure() {
			html += string(n.ClosureLine.Value(d.source))
		}
		return wrapped(protected(strings.Trim(tagTexts.Replace(html), "\n")), at.prose)
	case *ast.ThematicBreak:
		return []string{newInk(d.style.Rule, "").paint(strings.Repeat("─", at.prose))}
	case *ast.Heading:
		return wrapped(d.leaf(n, ast.NewHeading(min(n.Level, 3))), at.prose)
	}
	return wrapped(d.leaf(n, ast.NewParagraph()), at.prose)
}

// blocks returns the lines of the blocks inside n, numbered from number if they are list items.
func (d *doc) blocks(n ast.Node, number int, at size) (lines []string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines = appendBlock(lines, d.block(c, number, at), needsBlankLine(c.PreviousSibling(), c))
		number++
	}
	return lines
}

// item returns the lines of a list item.
func (d *doc) item(n *ast.ListItem, number int, at size) []string {
	marker := "•"
	if n.Parent().(*ast.List).IsOrdered() {
		marker = fmt.Sprintf("%d.", number)
	}
	if first := n.FirstChild(); first != nil && first.FirstChild() != nil {
		if box, ok := first.FirstChild().(*extast.TaskCheckBox); ok {
			marker = map[bool]string{true: "[✓]", false: "[ ]"}[box.IsChecked]
		}
	}
	indent := xansi.StringWidth(marker) + 1
	lines := d.blocks(n, 0, at.less(indent))
	if len(lines) == 0 {
		lines = []string{""}
	}
	return prefixed(lines, newInk(d.style.Muted, "").paint(marker)+" ", strings.Repeat(" ", indent))
}

// prefixed puts first before the first line and rest before the others, without trailing spaces.
func prefixed(lines []string, first, rest string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(first+line, " ")
		first = rest
	}
	return out
}

// needsBlankLine reports whether a blank line separates two blocks. It always does around code and tables. It does not
// between items, between the text of an item and its nested list, or below a small heading.
func needsBlankLine(above, n ast.Node) bool {
	if above == nil {
		return false
	}
	heading, ok := above.(*ast.Heading)
	small := ok && heading.Level > 2
	inList := n.Kind() == ast.KindListItem && above.Kind() == ast.KindListItem ||
		n.Kind() == ast.KindList && n.Parent().Kind() == ast.KindListItem
	return standsApart(innermost(above, ast.Node.LastChild)) || standsApart(innermost(n, ast.Node.FirstChild)) ||
		!small && !inList
}

// standsApart reports whether n has blank lines above and below.
func standsApart(n ast.Node) bool { return isCode(n) || n.Kind() == extast.KindTable }

// innermost follows step, to the last or first child, down to the innermost block. A table counts as one block.
func innermost(n ast.Node, step func(ast.Node) ast.Node) ast.Node {
	next := step(n)
	if next == nil || next.Type() != ast.TypeBlock || n.Kind() == extast.KindTable {
		return n
	}
	return innermost(next, step)
}

// appendBlock appends a block to lines, after a blank line if apart. An empty block adds nothing.
func appendBlock(lines, block []string, apart bool) []string {
	if len(lines) > 0 && len(block) > 0 && apart {
		lines = append(lines, "")
	}
	return append(lines, block...)
}

// wrapped wraps a styled text with signs into lines of at most width cells, at words if possible. Each line ends its
// own styles. An empty text has no lines.
func wrapped(s string, width int) []string {
	if s == "" {
		return nil
	}
	if xansi.StringWidth(s) > width {
		s = lipgloss.Wrap(s, width, "")
	}
	return strings.Split(restored.Replace(spacesAtEnds.ReplaceAllString(s, "$1")), "\n")
}

// spacesAtEnds matches spaces at line ends together with the sequences after them, and styles that end where they
// begin.
var spacesAtEnds = regexp.MustCompile(`(?m)\x1b\[[0-9;]+m\x1b\[m| +((?:\x1b\[[0-9;]*m|\x1b]8;;\a)*)$`)
