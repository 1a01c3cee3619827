package html

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	goldmarkrenderer "github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	mostColoured  = 200_000 // bytes of code that are highlighted
	headingsBelow = 2       // levels that the headings of an answer go down: the page and its messages have those above
)

// renderer writes Markdown and code as HTML.
type renderer struct {
	md      goldmark.Markdown
	format  *chromahtml.Formatter
	classes *chroma.Style           // without colours: those of the classes are in the page's style sheet
	lexers  map[string]chroma.Lexer // by language, nil for none: looking for an unknown name is slow
}

func newRenderer() *renderer {
	r := &renderer{
		format:  chromahtml.New(chromahtml.WithClasses(true), chromahtml.PreventSurroundingPre(true)),
		classes: chroma.MustNewStyle("classes", nil),
		lexers:  map[string]chroma.Lexer{"": nil},
	}
	r.md = goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(goldmarkrenderer.WithNodeRenderers(util.Prioritized(r, 1))),
	)
	return r
}

// styleSheet returns the colours of code, on a light and on a dark page.
func (r *renderer) styleSheet() (string, error) {
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

// lexer returns the lexer of a language, nil for none.
func (r *renderer) lexer(language string) chroma.Lexer {
	lexer, known := r.lexers[language]
	if !known {
		if lexer = lexers.Get(language); lexer != nil {
			lexer = chroma.Coalesce(lexer)
		}
		r.lexers[language] = lexer
	}
	return lexer
}

// markdown renders an answer. What it holds of HTML is shown as the text that it is; its links lead only where a link
// may lead, and its images are links, because a page that is opened must ask nobody for them.
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

// code highlights a text by the name of its language.
func (r *renderer) code(source, language string) template.HTML {
	plain := template.HTML(template.HTMLEscapeString(source))
	if len(source) > mostColoured {
		return plain
	}
	lexer := r.lexer(language)
	if lexer == nil {
		return plain
	}
	tokens, err := lexer.Tokenise(nil, source)
	if err != nil {
		return plain
	}
	var b bytes.Buffer
	if err := r.format.Format(&b, r.classes, tokens); err != nil {
		return plain
	}
	return template.HTML(b.String())
}

// RegisterFuncs takes over the nodes that the library would write otherwise.
func (r *renderer) RegisterFuncs(reg goldmarkrenderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindFencedCodeBlock, r.codeBlock)
	reg.Register(ast.KindCodeBlock, r.codeBlock)
	reg.Register(ast.KindHTMLBlock, rawBlock)
	reg.Register(ast.KindRawHTML, rawInline)
	reg.Register(ast.KindImage, r.image)
	reg.Register(ast.KindLink, r.link)
	reg.Register(ast.KindAutoLink, autoLink)
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

// rawBlock shows HTML that stands between paragraphs.
func rawBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		block := n.(*ast.HTMLBlock)
		raw := string(n.Lines().Value(source))
		if block.HasClosure() {
			raw += string(block.ClosureLine.Value(source))
		}
		fmt.Fprintf(w, "<p class=\"raw\">%s</p>\n", template.HTMLEscapeString(strings.TrimRight(raw, "\n")))
	}
	return ast.WalkSkipChildren, nil
}

// rawInline shows HTML that stands in a paragraph.
func rawInline(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(template.HTMLEscapeString(string(n.(*ast.RawHTML).Segments.Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

// link writes a link that leads to a web page, an address for mail or a place below; any other stays its text.
func (r *renderer) link(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	return anchor(w, string(n.(*ast.Link).Destination), entering), nil
}

// image writes an image as a link to it.
func (r *renderer) image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	status := anchor(w, string(n.(*ast.Image).Destination), entering)
	if entering {
		w.WriteString("Image: ")
	}
	return status, nil
}

// autoLink writes an address that is its own text.
func autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := n.(*ast.AutoLink)
	to := string(link.URL(source))
	if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
		to = "mailto:" + to
	}
	anchor(w, to, true)
	w.WriteString(template.HTMLEscapeString(string(link.Label(source))))
	return anchor(w, to, false), nil
}

// anchor begins or ends a link, where it leads to what a reader may want to open.
func anchor(w util.BufWriter, to string, entering bool) ast.WalkStatus {
	allowed := false
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		allowed = allowed || len(to) > len(scheme) && strings.EqualFold(to[:len(scheme)], scheme)
	}
	switch {
	case !allowed:
	case entering:
		address := template.HTMLEscapeString(string(util.URLEscape([]byte(to), true)))
		fmt.Fprintf(w, `<a href="%s" rel="noopener noreferrer">`, address)
	default:
		w.WriteString("</a>")
	}
	return ast.WalkContinue
}
