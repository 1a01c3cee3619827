package markdown

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
)

// table returns the lines of a sanitized table: as wide as its cells are where that fits, else with
// the cells wrapped; nil where even that is too wide.
func (d *doc) table(n *extast.Table, width int) []string {
	if d.style != Plain {
		d.embolden(n.FirstChild())
	}
	narrow := d.tables[width]
	if narrow == nil {
		narrow = d.glamour(width)
		d.tables[width] = narrow
	}
	for _, r := range []renderer.Renderer{d.inline, narrow} {
		lines := strings.Split(d.rendered(r, n), "\n")
		tooWide := slices.ContainsFunc(lines, func(line string) bool { return ansi.StringWidth(line) > width })
		if tooWide {
			continue
		}
		lines = fit(lines, width)
		for len(lines) > 0 && lines[0] == "" {
			lines = lines[1:]
		}
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(line, "│", d.muted.Styled("│"))
			if strings.Trim(line, "─┼") == "" {
				lines[i] = d.muted.Styled(line)
			}
		}
		return lines
	}
	return nil
}

// embolden makes the text of a table's head strong.
func (d *doc) embolden(head ast.Node) {
	for cell := head.FirstChild(); cell != nil; cell = cell.NextSibling() {
		strong := ast.NewEmphasis(2)
		for c := cell.FirstChild(); c != nil; c = cell.FirstChild() {
			strong.AppendChild(strong, c)
		}
		cell.AppendChild(cell, strong)
	}
}
