package markdown

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// room is the cells that a block may take: prose less than code and tables, for which every cell counts.
type room struct{ prose, pane int }

// less returns the room that is left beside something of n cells.
func (at room) less(n int) room { return room{max(1, at.prose-n), max(1, at.pane-n)} }

// block returns the lines of one block.
func (d *doc) block(n ast.Node, at room) []string {
	switch n := n.(type) {
	case *ast.List:
		return d.list(n, at)
	case *ast.Blockquote:
		if at.prose < 4 {
			return d.blocks(n, at)
		}
		bar := d.paint("│", look{role: faintRole})
		return quoted(d.blocks(n, at.less(2)), bar)
	case *ast.FencedCodeBlock:
		return d.codeBlock(n, string(n.Language(d.source)), at)
	case *ast.CodeBlock:
		return d.codeBlock(n, "", at)
	case *ast.ThematicBreak:
		return []string{d.paint(strings.Repeat("─", at.prose), look{role: ruleRole})}
	case *ast.HTMLBlock:
		raw := d.raw(n)
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(d.source))
		}
		return d.htmlBlock(strings.TrimRight(raw, "\n"), at.prose)
	case *mathBlock:
		in := inline{doc: d}
		in.addLines(strings.TrimRight(d.raw(n), "\n"))
		return d.flowed(in.runs, at.pane)
	}
	return d.leaf(n, at)
}

// blocks returns the lines of the blocks inside n, with a blank line between two of them unless
// one of them is a list or the text right above a list, or a small heading.
func (d *doc) blocks(n ast.Node, at room) []string {
	var lines []string
	tight := false
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == ast.KindLinkReferenceDefinition {
			continue
		}
		tight = tight || n.Kind() == ast.KindListItem && c.Kind() == ast.KindList
		block := d.block(c, at)
		if len(lines) > 0 && len(block) > 0 && !tight {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
		tight = smallHeading(c)
	}
	return lines
}

// smallHeading tells whether n is a heading that no blank line separates from its text.
func smallHeading(n ast.Node) bool {
	h, ok := n.(*ast.Heading)
	return ok && h.Level > 2
}

// list returns the lines of a list inside another block.
func (d *doc) list(n *ast.List, at room) []string {
	var lines []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		lines = append(lines, d.item(item, number, at)...)
		number++
	}
	return lines
}

// item returns the lines of a list's item; its number counts in an ordered list only.
func (d *doc) item(n ast.Node, number int, at room) []string {
	marker := "• "
	if l, ok := n.Parent().(*ast.List); ok && l.IsOrdered() {
		marker = fmt.Sprintf("%d. ", number)
	}
	if first := n.FirstChild(); first != nil {
		if box, ok := first.FirstChild().(*extast.TaskCheckBox); ok {
			marker = taskBox(box) + " "
			first.RemoveChild(first, box)
		}
	}
	muted := look{role: mutedRole}
	indent := cells(marker)
	if indent > at.prose/2 {
		// In a narrow column a long number is on a line of its own.
		return append(d.flowed([]run{{text: strings.TrimRight(marker, " "), look: muted}}, at.prose), d.blocks(n, at)...)
	}
	sign := d.paint(strings.TrimRight(marker, " "), muted)
	lines := prefixed(d.blocks(n, at.less(indent)), sign+" ", strings.Repeat(" ", indent))
	if len(lines) == 0 {
		return []string{sign}
	}
	return lines
}

// taskBox returns the box of a task.
func taskBox(box *extast.TaskCheckBox) string {
	if box.IsChecked {
		return "[✓]"
	}
	return "[ ]"
}

// prefixed puts first before the first line and rest before the others; blank lines get no
// trailing spaces.
func prefixed(lines []string, first, rest string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if out[i] = first + line; line == "" {
			out[i] = trimRight(first)
		}
		first = rest
	}
	return out
}

// quoted puts a bar before each line.
func quoted(lines []string, bar string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if out[i] = bar; line != "" {
			out[i] += " " + line
		}
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

// codeBlock returns the lines of code.
func (d *doc) codeBlock(n ast.Node, language string, at room) []string {
	lines := d.code.label(language, at.pane)
	raw := d.raw(n)
	if raw == "" {
		return lines
	}
	for _, piece := range pieces(raw) {
		lines = append(lines, d.code.lines(piece, language, at.pane)...)
	}
	return lines
}

// leaf returns the lines of a paragraph, heading or table. Whatever goes wrong there, the reader gets the
// text.
func (d *doc) leaf(n ast.Node, at room) (lines []string) {
	raw := d.raw(n)
	if raw == "" {
		// A table has no lines of its own: its source ends where the next block begins.
		raw = d.span(n)
	}
	defer func() {
		if recover() != nil {
			lines = nil
		}
		if len(lines) == 0 {
			lines = d.flowed([]run{{text: strings.ReplaceAll(strings.Trim(raw, "\n"), "\n", " ")}}, at.prose)
		}
	}()
	l := look{}
	switch n := n.(type) {
	case *extast.Table:
		return d.table(n, at)
	case *ast.Heading:
		l = look{role: strongRole, attrs: bold}
	}
	return d.flowed(d.inlineRuns(n, l), at.prose)
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
