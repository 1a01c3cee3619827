package markdown

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// gistBytes is how much of a text Gist reads: more than a line of a screen shows.
const gistBytes = 1000

// Gist is how a text begins, in words without Markdown marks: of headings, lists, links and code it has the text alone.
// It is made for a line of a list, so it holds no more than the first thousand bytes.
func Gist(md string) string {
	if len(md) > gistBytes {
		md = strings.ToValidUTF8(md[:gistBytes], "")
	}
	source := []byte(Visible(md))
	var b strings.Builder
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	if gist := strings.Join(strings.Fields(b.String()), " "); gist != "" {
		return gist
	}
	return md // nothing but marks
}
