package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A formula is shown as it is typed: a terminal cannot set it, and its backslashes, asterisks and
// underscores are no marks of Markdown.

// mathSpan is a formula within a text, with its delimiters: \(…\), \[…\], $…$ or $$…$$.
type mathSpan struct {
	ast.BaseInline
	segments *text.Segments
}

// mathBlock is a formula whose first line is a delimiter alone: \[ or $$.
type mathBlock struct{ ast.BaseBlock }

// The kinds of these nodes.
var (
	spanKind  = ast.NewNodeKind("MathSpan")
	blockKind = ast.NewNodeKind("MathBlock")
)

// Kind implements ast.Node.
func (*mathSpan) Kind() ast.NodeKind { return spanKind }

// Dump implements ast.Node.
func (n *mathSpan) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Kind implements ast.Node.
func (*mathBlock) Kind() ast.NodeKind { return blockKind }

// Dump implements ast.Node.
func (n *mathBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// IsRaw implements ast.Node: what is inside is not parsed.
func (*mathBlock) IsRaw() bool { return true }

// mathSpans finds formulas within a text.
type mathSpans struct{}

// Trigger implements parser.InlineParser.
func (mathSpans) Trigger() []byte { return []byte{'\\', '$'} }

// maxMath is how far the end of a formula is looked for, in bytes.
const maxMath = 4 << 10

// Parse implements parser.InlineParser.
func (mathSpans) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	opening, closing := mathMarks(line)
	if opening == 0 {
		return nil
	}
	row, position := block.Position()
	n := &mathSpan{segments: text.NewSegments()}
	from, length := opening, 0
	for {
		line, segment := block.PeekLine()
		line = line[:min(len(line), maxMath)]
		if i := mathEnd(line, from, closing); i >= 0 {
			n.segments.Append(segment.WithStop(segment.Start + i))
			block.Advance(i)
			return n
		}
		length += len(line)
		if line == nil || closing == "$" || length > maxMath {
			block.SetPosition(row, position)
			return nil
		}
		n.segments.Append(segment)
		block.AdvanceLine()
		from = 0
	}
}

// mathMarks returns the length of the delimiter that line begins with, and the one that ends its formula.
func mathMarks(line []byte) (opening int, closing string) {
	switch {
	case bytes.HasPrefix(line, []byte(`\(`)):
		return 2, `\)`
	case bytes.HasPrefix(line, []byte(`\[`)):
		return 2, `\]`
	case bytes.HasPrefix(line, []byte("$$")):
		return 2, "$$"
	case len(line) > 1 && line[0] == '$' && line[1] != ' ' && line[1] != '\n':
		return 1, "$"
	}
	return 0, ""
}

// mathEnd returns the offset behind the delimiter that ends a formula, which is not before from; -1 for none.
// A dollar ends one only right behind a character, and with no digit after it: prices are no formulas. Where a
// delimiter opens again there is none, so that no text is searched twice.
func mathEnd(line []byte, from int, closing string) int {
	opening := map[string]string{`\)`: `\(`, `\]`: `\[`}[closing]
	for i := from; i < len(line); i++ {
		switch {
		case bytes.HasPrefix(line[i:], []byte(closing)):
			end := i + len(closing)
			if closing == "$" && (i == from || line[i-1] == ' ' || end < len(line) && line[end] >= '0' && line[end] <= '9') {
				return -1
			}
			return end
		case opening != "" && bytes.HasPrefix(line[i:], []byte(opening)):
			return -1
		case line[i] == '\\':
			i++ // what follows is no delimiter
		}
	}
	return -1
}

// mathBlocks finds formulas that are blocks of their own.
type mathBlocks struct{}

// Trigger implements parser.BlockParser.
func (mathBlocks) Trigger() []byte { return []byte{'\\', '$'} }

// Open implements parser.BlockParser.
func (mathBlocks) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if mark := bytes.TrimSpace(line); string(mark) != `\[` && string(mark) != "$$" {
		return nil, parser.NoChildren
	}
	n := &mathBlock{}
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	return n, parser.NoChildren
}

// Continue implements parser.BlockParser. A blank line ends the block: then it was no formula.
func (mathBlocks) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, segment := reader.PeekLine()
	first := node.Lines().At(0)
	last := node.Lines().At(node.Lines().Len() - 1)
	closing := []byte(`\]`)
	if bytes.HasPrefix(bytes.TrimSpace(first.Value(reader.Source())), []byte("$$")) {
		closing = []byte("$$")
	}
	ended := node.Lines().Len() > 1 && bytes.Contains(last.Value(reader.Source()), closing)
	if ended || len(bytes.TrimSpace(line)) == 0 {
		return parser.Close
	}
	node.Lines().Append(segment)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// Close implements parser.BlockParser.
func (mathBlocks) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (mathBlocks) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (mathBlocks) CanAcceptIndentedLine() bool { return false }
