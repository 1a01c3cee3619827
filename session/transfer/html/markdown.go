package html

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	goldmarkrenderer "github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	maxHighlighted = 200_000 // bytes of code
	headingsBelow  = 2       // levels by which headings of an answer are lowered, below those of the page
)

// renderer writes Markdown and code as HTML.
type renderer struct {
	md      goldmark.Markdown
	format  *chromahtml.Formatter
	classes *chroma.Style // empty: the style sheet of the page has the colours
}

func newRenderer() *renderer {
	r := &renderer{
		format:  chromahtml.New(chromahtml.WithClasses(true), chromahtml.PreventSurroundingPre(true)),
		classes: chroma.MustNewStyle("classes", nil),
	}
	// Without these parsers, HTML is shown as text.
	isHTML := func(p util.PrioritizedValue) bool {
		return p.Value == any(parser.NewHTMLBlockParser()) || p.Value == any(parser.NewRawHTMLParser())
	}
	r.md = goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(slices.DeleteFunc(parser.DefaultBlockParsers(), isHTML)...),
			parser.WithInlineParsers(slices.DeleteFunc(parser.DefaultInlineParsers(), isHTML)...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(goldmarkrenderer.WithNodeRenderers(util.Prioritized(r, 1))),
	)
	return r
}

// colours returns the style sheet of code for light and dark pages.
func (r *renderer) colours() (string, error) {
	var css strings.Builder
	if err := r.format.WriteCSS(&css, styles.Get("github")); err != nil {
		return "", err
	}
	css.WriteString("@media (prefers-color-scheme: dark) {\n")
	if err := r.format.WriteCSS(&css, styles.Get("github-dark")); err != nil {
		return "", err
	}
	css.WriteString("}\n")
	return css.String(), nil
}

// markdown renders an answer. HTML in it is shown as text, links to other schemes than web and mail lose their address,
// and images become links, so that opening the page causes no requests.
func (r *renderer) markdown(source string) template.HTML {
	raw := []byte(source)
	doc := r.md.Parser().Parse(text.NewReader(raw))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			h.Level = min(6, h.Level+headingsBelow)
		}
		return ast.WalkContinue, nil
	})
	var b bytes.Buffer
	if err := r.md.Renderer().Render(&b, raw, doc); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(source) + "</pre>")
	}
	return template.HTML(b.String())
}

// code highlights a text in the named language, "" for none.
func (r *renderer) code(source, language string) template.HTML {
	plain := template.HTML(template.HTMLEscapeString(source))
	if language == "" || len(source) > maxHighlighted {
		return plain
	}
	lexer := lexers.Get(language)
	if lexer == nil {
		return plain
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, source)
	if err != nil {
		return plain
	}
	var b bytes.Buffer
	if err := r.format.Format(&b, r.classes, tokens); err != nil {
		return plain
	}
	return template.HTML(b.String())
}

// RegisterFuncs implements goldmark's NodeRenderer.
func (r *renderer) RegisterFuncs(reg goldmarkrenderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindFencedCodeBlock, r.codeBlock)
	reg.Register(ast.KindCodeBlock, r.codeBlock)
	reg.Register(ast.KindImage, link)
	reg.Register(ast.KindLink, link)
	reg.Register(ast.KindAutoLink, link)
}

func (r *renderer) codeBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	language := ""
	if f, ok := n.(*ast.FencedCodeBlock); ok {
		language = string(f.Language(source))
	}
	fmt.Fprintf(w, `<figure class="code">`)
	if language != "" {
		fmt.Fprintf(w, "<figcaption>%s</figcaption>", template.HTMLEscapeString(language))
	}
	fmt.Fprintf(w, `<pre class="chroma">%s</pre></figure>`+"\n", r.code(string(n.Lines().Value(source)), language))
	return ast.WalkSkipChildren, nil
}

// safeLink matches the addresses that links may have: web pages and mail addresses.
var safeLink = regexp.MustCompile(`(?i)^(https?://|mailto:).`)

// link renders a link, or an image as a link. If the address is not safe, only the text is rendered.
func link(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	var to []byte
	label := ""
	switch n := n.(type) {
	case *ast.Link:
		to = n.Destination
	case *ast.Image:
		to, label = n.Destination, "Image: "
	case *ast.AutoLink:
		to, label = n.URL(source), template.HTMLEscapeString(string(n.Label(source)))
		if n.AutoLinkType == ast.AutoLinkEmail {
			to = append([]byte("mailto:"), to...)
		}
	}
	leads := safeLink.Match(to)
	if entering && leads {
		address := template.HTMLEscapeString(string(util.URLEscape(to, true)))
		fmt.Fprintf(w, `<a href="%s" rel="noopener noreferrer">`, address)
	}
	if entering {
		w.WriteString(label)
	} else if leads {
		w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}
