package markdown

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// isCode reports whether n is a code block.
func isCode(n ast.Node) bool {
	return n.Kind() == ast.KindFencedCodeBlock || n.Kind() == ast.KindCodeBlock
}

// CodeBlocks returns the texts of the fenced code blocks in md, without their fences.
func CodeBlocks(md string) (list []string) {
	source := []byte(md)
	_ = ast.Walk(newParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == ast.KindFencedCodeBlock {
			list = append(list, strings.TrimSuffix(string(n.Lines().Value(source)), "\n"))
		}
		return ast.WalkContinue, nil
	})
	return list
}

// pieceEnd returns the end of the first piece of code: after the first line break beyond 4 KB. Code is highlighted in
// pieces, so that a growing block keeps its first pieces and no frame waits for a whole file.
func pieceEnd(code string) int {
	const size = 4 << 10 // bytes
	if i := strings.IndexByte(code[min(size, len(code)):], '\n'); i >= 0 {
		return size + i + 1
	}
	return len(code)
}

// codeBlock returns the lines of a code block. The first one names its language.
func (d *doc) codeBlock(n ast.Node, language string, width int) (lines []string) {
	if language != "" {
		lines = d.appendCode(lines, d.code[chroma.GenericPrompt].paint(OneLine(language, max(1, width-4))), width)
	}
	for code := string(n.Lines().Value(d.source)); code != ""; {
		end := pieceEnd(code)
		lines = append(lines, d.pieceLines(piece{code[:end], language, width})...)
		code = code[end:]
	}
	return lines
}

// appendCode appends a line of code, wrapped at words, on its background or with a bar on its left.
func (r *Renderer) appendCode(lines []string, code string, width int) []string {
	left, wrappedLeft, inner := r.faint.paint("│")+" ", r.faint.paint("↪")+" ", max(1, width-2)
	if r.style.Tint != "" {
		left, wrappedLeft = r.code[chroma.Text].paint("  "), r.code[chroma.GenericPrompt].paint("↪ ")
		inner = max(1, width-4)
	}
	parts := []string{code}
	if ansi.StringWidth(code) > inner {
		parts = wrapped(protected(code), inner)
	}
	for _, part := range parts {
		line := strings.TrimRight(left+part, " ")
		if r.style.Tint != "" {
			line += r.code[chroma.Text].paint(strings.Repeat(" ", max(0, width-ansi.StringWidth(line))))
		}
		lines = append(lines, line)
		left = wrappedLeft
	}
	return lines
}

// piece is a piece of code in a language, for a width in cells.
type piece struct {
	code, language string
	width          int
}

// pieceLines returns the lines of a piece of code. It caches some, for blocks that grow.
func (r *Renderer) pieceLines(p piece) []string {
	const most = 64
	lines, ok := r.pieces[p]
	if !ok {
		r.work += len(p.code)
		code := spacesAtEnds.ReplaceAllString(strings.TrimSuffix(p.code, "\n"), "")
		for _, line := range r.coloured(tokens(r.lexer(p.language), code)) {
			lines = r.appendCode(lines, line, p.width)
		}
		if len(r.pieces) >= most {
			clear(r.pieces)
		}
		r.pieces[p] = lines
	}
	return lines
}

// coloured returns the lines of tokens in their colours, at least one.
func (r *Renderer) coloured(tokens []chroma.Token) (lines []string) {
	for _, tokens := range chroma.SplitTokensIntoLines(tokens) {
		var line strings.Builder // a line of minified code has many tokens
		var open ink
		for _, t := range tokens {
			text := strings.TrimSuffix(t.Value, "\n")
			if to := r.inkOf(t.Type); to != open && text != "" {
				line.WriteString(open.end() + string(to))
				open = to
			}
			line.WriteString(text)
		}
		lines = append(lines, line.String()+open.end())
	}
	if lines == nil {
		return []string{""}
	}
	return lines
}

// lexer returns the lexer of a language, or one without colours for an unknown language. It does not guess the
// language, which is slow, and caches names, because chroma is slow for unknown ones.
func (r *Renderer) lexer(language string) chroma.Lexer {
	if r.lexers[language] == nil {
		r.lexers[language] = cmp.Or(lexers.Get(language), lexers.Fallback)
	}
	return r.lexers[language]
}

// tokens splits code into tokens. If the lexer panics, fails or loses text, it returns a single token.
func tokens(lexer chroma.Lexer, code string) (all []chroma.Token) {
	defer func() {
		if recover() != nil || !strings.HasPrefix(chroma.Stringify(all...), code) {
			all = []chroma.Token{{Type: chroma.Text, Value: code}}
		}
	}()
	all, _ = chroma.Tokenise(lexer, nil, code)
	return all
}

// codeInks returns the colours of code by token type or category.
func codeInks(s Style) map[chroma.TokenType]ink {
	inks := map[chroma.TokenType]ink{}
	add := func(colour string, types ...chroma.TokenType) {
		for _, t := range types {
			inks[t] = newInk(colour, s.Tint)
		}
	}
	add(s.Text, chroma.Text)
	add(s.Muted, chroma.Comment, chroma.GenericPrompt)
	add(s.Keyword, chroma.Keyword, chroma.CommentPreproc, chroma.OperatorWord)
	add(s.String, chroma.LiteralString)
	add(s.Number, chroma.LiteralNumber)
	add(s.Deleted, chroma.GenericDeleted)
	add(s.Inserted, chroma.GenericInserted)
	add(s.Function, chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameBuiltin, chroma.NameBuiltinPseudo,
		chroma.NameClass, chroma.NameTag, chroma.NameAttribute, chroma.NameDecorator,
		chroma.GenericHeading, chroma.GenericSubheading)
	inks[chroma.Comment] = ink(ansi.Style{}.Italic(true).String()) + inks[chroma.Comment]
	return inks
}

// inkOf returns the colour of a token type.
func (r *Renderer) inkOf(t chroma.TokenType) ink {
	return cmp.Or(r.code[t], r.code[t.SubCategory()], r.code[t.Category()], r.code[chroma.Text])
}

const columnGap = 3 // cells

// table has the cells of a table, styled but not wrapped. The first row is the head.
type table struct {
	rows   [][]string
	aligns []lipgloss.Position
}

// table returns the lines of a table: a bold head, a rule, and the rows. If the table is too wide, its cells are
// wrapped; if a column would be too narrow, each row becomes a list of its cells.
func (d *doc) table(n *extast.Table, width int) []string {
	t := d.readTable(n)
	gaps := columnGap * (len(t.aligns) - 1)
	widths := t.widths(width - gaps)
	if widths == nil {
		return t.stacked(width)
	}
	var rows [][]string
	for _, cells := range t.rows {
		rows = append(rows, t.row(cells, widths))
	}
	for _, w := range widths {
		gaps += w
	}
	lines := append(rows[0], newInk(d.style.Rule, "").paint(strings.Repeat("─", gaps)))
	wraps := slices.ContainsFunc(rows[1:], func(row []string) bool { return len(row) > 1 })
	for i, row := range rows[1:] {
		lines = appendBlock(lines, row, wraps && i > 0)
	}
	return lines
}

// readTable renders the cells of a table. A column of numbers is aligned right unless the table says otherwise.
func (d *doc) readTable(n *extast.Table) *table {
	t := &table{aligns: make([]lipgloss.Position, len(n.Alignments))}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			var block ast.Node = ast.NewParagraph()
			if row.Kind() == extast.KindTableHeader {
				block = ast.NewHeading(2)
			}
			cells = append(cells, d.leaf(cell, block))
		}
		t.rows = append(t.rows, cells)
	}
	for i, align := range n.Alignments {
		switch {
		case align == extast.AlignRight, align == extast.AlignNone && t.numbers(i):
			t.aligns[i] = lipgloss.Right
		case align == extast.AlignCenter:
			t.aligns[i] = lipgloss.Center
		}
	}
	return t
}

// numbers reports whether a column has only numbers below its head.
func (t *table) numbers(column int) bool {
	all := ""
	for _, row := range t.rows[1:] {
		all += restored.Replace(ansi.Strip(row[column]))
	}
	return strings.ContainsAny(all, "0123456789") && strings.Trim(all, "0123456789.,%$€£+-−–~ ") == ""
}

// widths returns the widths of the columns, at most total cells together. The widest columns are narrowed first, but
// each column keeps room for its longest word of up to 24 cells. It returns nil if that is impossible.
func (t *table) widths(total int) []int {
	widths, least := make([]int, len(t.aligns)), make([]int, len(t.aligns))
	missing, spare := -total, total
	for i := range widths {
		widths[i], least[i] = 1, 1
		for _, row := range t.rows {
			text := ansi.Strip(row[i])
			widths[i] = max(widths[i], min(total, lipgloss.Width(text)))
			for _, word := range strings.Fields(text) {
				least[i] = max(least[i], min(24, ansi.StringWidth(word)))
			}
		}
		missing, spare = missing+widths[i], spare-least[i]
	}
	if spare < 0 {
		return nil
	}
	for ; missing > 0; missing-- {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		widths[widest]--
	}
	return widths
}

// row returns the lines of a row.
func (t *table) row(cells []string, widths []int) []string {
	var columns []string
	for i, w := range widths {
		lines := wrapped(cells[i], w)
		for y, line := range lines {
			lines[y] = lipgloss.PlaceHorizontal(w, t.aligns[i], line)
		}
		columns = append(columns, lipgloss.PlaceHorizontal(w+columnGap, lipgloss.Left, strings.Join(lines, "\n")))
	}
	lines := strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, columns...), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// stacked returns the lines of a table with each cell on lines of its own, after the head of its column.
func (t *table) stacked(width int) (lines []string) {
	if len(t.rows) == 1 {
		return wrapped(strings.Join(t.rows[0], "\n"), width)
	}
	for _, row := range t.rows[1:] {
		var block []string
		for column, cell := range row {
			text := strings.TrimPrefix(t.rows[0][column]+": "+cell, ": ")
			block = append(block, prefixed(wrapped(text, max(1, width-2)), "", "  ")...)
		}
		lines = appendBlock(lines, block, true)
	}
	return lines
}
