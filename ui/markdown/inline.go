package markdown

import (
	"bytes"
	"cmp"
	"html"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Signs replace characters that glamour or its wrapper would misinterpret. They are private characters one cell wide,
// except for wordBreak, which has no width.
const (
	backslash = "\U0010fff0" // would be unescaped a second time
	ampersand = "\U0010fff1" // would begin an entity: &#27; is an escape sequence
	hyphen    = "\U0010fff2" // does not end a line: the wrapper breaks after hyphens
	hardSpace = "\U0010fff3" // a space that does not end a line
	secondOf  = "\U0010fff4" // the second cell of a keycap emoji, 1️⃣, which the wrapper counts as one
	wordBreak = "\u2028"     // a line may end here without a space; Visible text has none
)

var (
	signs    = strings.NewReplacer(`\`, backslash, "&", ampersand, "-", hyphen, "\ufe0f\u20e3", "\ufe0f\u20e3"+secondOf)
	restored = strings.NewReplacer(backslash, `\`, ampersand, "&", hyphen, "-", hardSpace, " ",
		secondOf, "", wordBreak, "")

	joinedByHyphen = regexp.MustCompile(`(\p{L})` + hyphen + `(\p{L})`)
	// Scripts without spaces may be broken after each character, but not after an opening bracket or before a closing
	// sign.
	wide    = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\x{3000}-\x{303f}\x{ff01}-\x{ff60}ー]`)
	noBreak = regexp.MustCompile(`([（［｛〈《「『【〔〖])` + wordBreak + `|` + wordBreak + `([、。，．：；！？）］｝〉》」』】〕〗’”…ー々ゝゞ])`)
)

// protected replaces characters by signs so that glamour and its wrapper leave text unchanged.
func protected(s string) string {
	s = joinedByHyphen.ReplaceAllString(signs.Replace(s), "$1-$2")
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= '\u2e80' && r < 0xf0000 }) {
		return s
	}
	return noBreak.ReplaceAllString(wide.ReplaceAllString(s, "$0"+wordBreak), "$1$2")
}

// inline copies the words of a leaf for glamour into a source of their own. The copy has nothing but text, code,
// emphasis, strikethrough and links: glamour prints a warning for other nodes.
type inline struct {
	*doc
	copied []byte // the source of the copy
}

// leaf returns the styled words of n, not wrapped. They are copied into block, an empty paragraph or heading.
func (d *doc) leaf(n, block ast.Node) (words string) {
	in := inline{doc: d}
	in.children(block, n)
	root := ast.NewDocument()
	root.AppendChild(root, block)
	root.SetParent(extast.NewTable()) // within a table glamour does not append addresses to links
	defer func() {
		if recover() != nil {
			d.leaves = newLeaves(d.style) // glamour panicked: its state is unusable
			words = string(in.copied)
		}
	}()
	d.work += len(in.copied)
	var b bytes.Buffer
	_ = d.leaves.Render(&b, in.copied, root)
	return strings.Trim(b.String(), "\n")
}

// children copies the children of n into parent.
func (in *inline) children(parent, n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		in.node(parent, c)
	}
}

// node copies n into parent.
func (in *inline) node(parent, n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		in.add(parent, unescaped(string(n.Value(in.source))))
		if n.HardLineBreak() {
			in.add(parent, "\n")
		} else if n.SoftLineBreak() {
			in.add(parent, " ")
		}
	case *ast.String:
		in.add(parent, string(n.Value))
	case *ast.CodeSpan:
		in.codeSpan(parent, n)
	case *ast.RawHTML:
		in.add(parent, tagTexts.Replace(strings.ReplaceAll(string(n.Segments.Value(in.source)), "\n", " ")))
	case *ast.Emphasis:
		emphasis := ast.NewEmphasis(n.Level)
		in.children(emphasis, n)
		parent.AppendChild(parent, emphasis)
	case *extast.Strikethrough:
		struck := extast.NewStrikethrough() // glamour ignores styles inside it
		in.add(struck, strings.ReplaceAll(unescaped(in.rawText(n)), "\n", " "))
		parent.AppendChild(parent, struck)
	case *ast.Link:
		in.link(parent, n, unescaped(string(n.Destination)), unescaped(in.rawText(n)))
	case *ast.Image:
		in.add(parent, "image: ")
		in.link(parent, n, unescaped(string(n.Destination)), unescaped(in.rawText(n)))
	case *ast.AutoLink:
		address := string(n.URL(in.source))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
			address = "mailto:" + address
		}
		in.link(parent, n, address, string(n.Label(in.source)))
	}
}

// add adds literal text. No line begins with a space.
func (in *inline) add(parent ast.Node, s string) {
	start := len(in.copied)
	if start == 0 || in.copied[start-1] == '\n' {
		s = strings.TrimLeft(s, " ")
	}
	in.copied = append(in.copied, protected(s)...)
	if last, ok := parent.LastChild().(*ast.Text); ok && last.Segment.Stop == start {
		last.Segment.Stop = len(in.copied)
	} else if s != "" {
		parent.AppendChild(parent, ast.NewTextSegment(text.NewSegment(start, len(in.copied))))
	}
}

// codeSpan adds inline code. Short code is not broken at its spaces.
func (in *inline) codeSpan(parent ast.Node, n *ast.CodeSpan) {
	code := strings.ReplaceAll(in.rawText(n), "\n", " ")
	if len(code) <= 20 {
		code = strings.ReplaceAll(code, " ", hardSpace)
	}
	edge := "`"
	if in.style.Tint != "" {
		edge = hardSpace
	}
	span := ast.NewCodeSpan()
	in.add(span, edge+code+edge)
	parent.AppendChild(parent, span)
}

// rawText returns the text inside n without Markdown marks, but with its escapes.
func (d *doc) rawText(n ast.Node) string {
	var b strings.Builder
	switch n := n.(type) {
	case *ast.Text:
		b.Write(n.Value(d.source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte('\n')
		}
	case *ast.String:
		b.Write(n.Value)
	case *ast.AutoLink:
		b.Write(n.Label(d.source))
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		b.Write(n.Lines().Value(d.source))
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(d.rawText(c))
	}
	if n.Type() == ast.TypeBlock {
		b.WriteByte('\n')
	}
	return b.String()
}

// gistBytes is how many bytes of a text Gist reads.
const gistBytes = 1000

// Gist returns the beginning of a text as plain words without Markdown marks. It reads only the first thousand bytes,
// because it is meant for a line of a list.
func Gist(md string) string {
	md = strings.ToValidUTF8(md[:min(len(md), gistBytes)], "")
	d := doc{source: []byte(Visible(md))}
	gist := d.rawText(newParser().Parse(text.NewReader(d.source)))
	return cmp.Or(strings.Join(strings.Fields(gist), " "), md) // the text may consist of marks
}

// link adds a link. The address follows its text if it says more, and a link that cannot be opened from a terminal is
// plain text. If the terminal does not open links, the text is underlined, which glamour does for an anchor.
func (in *inline) link(parent, n ast.Node, address, said string) {
	target := safeAddress(address)
	said = cmp.Or(strings.TrimSpace(said), address)
	switch opens := ast.NewLink(); {
	case target != "":
		opens.Destination = []byte("#")
		if in.style.OpensLinks {
			opens.Destination = []byte(target)
		}
		in.add(opens, strings.ReplaceAll(said, "\n", " "))
		parent.AppendChild(parent, opens)
	case n.FirstChild() != nil:
		in.children(parent, n)
	default:
		in.add(parent, said)
	}
	opens := in.style.OpensLinks && target != ""
	misleading := strings.ContainsAny(said, ":/@") || strings.HasPrefix(said, "www.")
	if absolute.MatchString(address) && bare(said) != bare(address) && (!opens || misleading) {
		in.add(parent, " ("+address+")")
	}
}

// bare returns an address without https:// or mailto: and without a trailing slash.
func bare(address string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "mailto:"), "/")
}

var (
	absolute     = regexp.MustCompile(`^[a-zA-Z][\w+.-]*:`)
	openable     = regexp.MustCompile(`^(?i:https?://[^/?#]|mailto:)[^<␀-␡]*$`)
	notPrintable = regexp.MustCompile(`[^!-~]`)
)

// safeAddress returns an address that the terminal may open, "" if it must not: only web pages and mail, in printable
// ASCII, of at most 2,000 bytes, because several terminals refuse longer ones. Other schemes could start programs. An
// address in which Visible has replaced a control character is refused.
func safeAddress(address string) string {
	if len(address) > 2000 || !openable.MatchString(address) {
		return ""
	}
	return notPrintable.ReplaceAllStringFunc(address, url.PathEscape)
}

var escapes = regexp.MustCompile("\\\\[!-/:-@[-`{-~]|&#?\\w{1,32};")

// unescaped resolves backslash escapes and entities. The result is visible text.
func unescaped(s string) string {
	return escapes.ReplaceAllStringFunc(s, func(escape string) string {
		if escape[0] == '\\' {
			return escape[1:]
		}
		return Visible(html.UnescapeString(escape))
	})
}

// tagTexts replaces HTML tags that only format text. Other tags stay, because they may be the subject of the text.
var tagTexts = strings.NewReplacer("<br>", "\n", "<br/>", "\n", "<br />", "\n", "<kbd>", "[", "</kbd>", "]",
	"<details>", "", "</details>", "", "<summary>", "", "</summary>", "", "<sub>", "_", "</sub>", "", "<sup>", "^",
	"</sup>", "")

// Formulas are shown as they are typed, because a terminal cannot typeset them, and their backslashes, asterisks and
// underscores are not Markdown. A formula on lines of its own becomes a code block, and one within a text an
// ast.String, which the parser uses for nothing else.

// formula matches a formula with its delimiters at the beginning of a text. A closing dollar must follow a non-space
// and precede a non-digit, so that prices are not formulas.
var formula = regexp.MustCompile(`^(?:\\\(.+?\\\)|\\\[.+?\\\]|\$\$[^$]+\$\$|(\$[^\s$](?:[^$]*[^\s$\\])?\$)(?:\D|$))`)

// formulaEnd matches the end of a formula on lines of its own.
var formulaEnd = regexp.MustCompile(`\\]|\$\$`)

// formulaSpans parses formulas within a text.
type formulaSpans struct{}

// Trigger implements parser.InlineParser.
func (formulaSpans) Trigger() []byte { return []byte{'\\', '$'} }

// Parse implements parser.InlineParser.
func (formulaSpans) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	const longest = 4 << 10 // bytes
	line, _ := block.PeekLine()
	found := formula.FindSubmatchIndex(line[:min(len(line), longest)])
	if found == nil {
		return nil
	}
	end := cmp.Or(max(found[3], 0), found[1])
	block.Advance(end)
	return ast.NewString(line[:end])
}

// formulaBlocks parses formulas on lines of their own: the first line is a delimiter, \[ or $$. They may begin
// wherever an HTML block may.
type formulaBlocks struct{ parser.BlockParser }

// Trigger implements parser.BlockParser.
func (formulaBlocks) Trigger() []byte { return []byte{'\\', '$'} }

// Open implements parser.BlockParser.
func (formulaBlocks) Open(_ ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if mark := string(bytes.TrimSpace(line)); mark != `\[` && mark != "$$" {
		return nil, parser.NoChildren
	}
	block := ast.NewCodeBlock()
	block.Lines().Append(segment)
	reader.AdvanceToEOL()
	return block, parser.NoChildren
}

// Continue implements parser.BlockParser. A blank line ends the block: then it was no formula.
func (formulaBlocks) Continue(
	node ast.Node, reader text.Reader, _ parser.Context,
) parser.State {
	line, segment := reader.PeekLine()
	lines := node.Lines()
	last := lines.At(lines.Len() - 1)
	ended := lines.Len() > 1 && formulaEnd.Match(last.Value(reader.Source()))
	if ended || len(bytes.TrimSpace(line)) == 0 {
		return parser.Close
	}
	lines.Append(segment)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}
