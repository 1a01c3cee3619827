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

// Signs stand for what glamour or its wrapper would take for something else. They are private characters of one cell,
// but for wordBreak, which has none.
const (
	backslash = "\U0010fff0" // would be read as an escape a second time
	ampersand = "\U0010fff1" // would begin an entity: &#27; an escape sequence
	hyphen    = "\U0010fff2" // one that no line ends behind: the wrapper breaks behind every other
	hardSpace = "\U0010fff3" // a space at which no line ends
	secondOf  = "\U0010fff4" // the second cell of a digit that is an emoji, 1️⃣, for which the wrapper counts one
	wordBreak = "\u2028"     // where a line may end though no space is there; Visible leaves none in a text
)

var (
	signs    = strings.NewReplacer(`\`, backslash, "&", ampersand, "-", hyphen, "\ufe0f\u20e3", "\ufe0f\u20e3"+secondOf)
	restored = strings.NewReplacer(backslash, `\`, ampersand, "&", hyphen, "-", hardSpace, " ",
		secondOf, "", wordBreak, "")

	joinedByHyphen = regexp.MustCompile(`(\p{L})` + hyphen + `(\p{L})`)
	// Scripts without spaces may be broken behind each character, but not behind a bracket that opens, and not before a
	// sign that closes.
	wide    = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\x{3000}-\x{303f}\x{ff01}-\x{ff60}ー]`)
	noBreak = regexp.MustCompile(`([（［｛〈《「『【〔〖])` + wordBreak + `|` + wordBreak + `([、。，．：；！？）］｝〉》」』】〕〗’”…ー々ゝゞ])`)
)

// protected returns text with the signs that make glamour and its wrapper leave it as it is.
func protected(s string) string {
	s = joinedByHyphen.ReplaceAllString(signs.Replace(s), "$1-$2")
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= '\u2e80' && r < 0xf0000 }) {
		return s
	}
	return noBreak.ReplaceAllString(wide.ReplaceAllString(s, "$0"+wordBreak), "$1$2")
}

// inline copies the words of a leaf for glamour, with all text as it is read, in a source of its own. What it copies
// has nothing in it but texts, code, emphasis, struck text and links: of other nodes glamour prints a warning.
type inline struct {
	*doc
	copied []byte // the source of the copy
}

// leaf returns the words of n in colours, not wrapped. They are copied into an empty block, a paragraph or a heading.
func (d *doc) leaf(n, block ast.Node) (words string) {
	in := inline{doc: d}
	in.children(block, n)
	root := ast.NewDocument()
	root.AppendChild(root, block)
	root.SetParent(extast.NewTable()) // in a table glamour does not add the address to the text of a link
	defer func() {
		if recover() != nil {
			d.leaves = newLeaves(d.style) // the old one may hold half a text
			words = string(in.copied)
		}
	}()
	d.work += len(in.copied)
	var b bytes.Buffer
	_ = d.leaves.Render(&b, in.copied, root)
	return strings.Trim(b.String(), "\n")
}

// children copies what is inside n into parent.
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
		struck := extast.NewStrikethrough() // glamour ignores the marks inside it
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

// add adds text as it is to be shown. No line begins with a space.
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

// codeSpan adds code within a sentence. Short code is not broken at its spaces.
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

// rawText returns the text inside n as it is written there, without marks.
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

// gistBytes is how much of a text Gist reads: more than a line of a screen shows.
const gistBytes = 1000

// Gist returns how a text begins, in words without Markdown marks: of headings, lists, links and code it has the text
// alone. It is made for a line of a list, so it holds no more than the first thousand bytes.
func Gist(md string) string {
	md = strings.ToValidUTF8(md[:min(len(md), gistBytes)], "")
	d := doc{source: []byte(Visible(md))}
	gist := d.rawText(newParser().Parse(text.NewReader(d.source)))
	return cmp.Or(strings.Join(strings.Fields(gist), " "), md) // a text may be nothing but marks
}

// link adds a link: its text alone where it leads nowhere from a terminal, and its address where that says more. Where
// the terminal opens no links the text is only underlined, which glamour does with that of an anchor.
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
	misleading := strings.ContainsAny(said, ":/@") || strings.HasPrefix(said, "www.")
	if absolute.MatchString(address) && bare(said) != bare(address) && (!in.style.OpensLinks || target == "" || misleading) {
		in.add(parent, " ("+address+")")
	}
}

// bare returns an address without what a reader does not miss: the usual scheme and a slash at the end.
func bare(address string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "mailto:"), "/")
}

var (
	absolute     = regexp.MustCompile(`^[a-zA-Z][\w+.-]*:`)
	openable     = regexp.MustCompile(`^(?i:https?://[^/?#]|mailto:)[^<␀-␡]*$`)
	notPrintable = regexp.MustCompile(`[^!-~]`)
)

// safeAddress returns an address as a terminal may open it, "" for one that it may not: pages and mail alone, of at
// most 2,000 bytes, because several terminals refuse longer ones, and nothing but printable ASCII. Others would start a
// program of the reader's. An address with a control character in it, which Visible has named, is none.
func safeAddress(address string) string {
	if len(address) > 2000 || !openable.MatchString(address) {
		return ""
	}
	return notPrintable.ReplaceAllStringFunc(address, url.PathEscape)
}

var escapes = regexp.MustCompile("\\\\[!-/:-@[-`{-~]|&#?\\w{1,32};")

// unescaped returns a text as it is read: without the backslashes before its signs, and with the characters that its
// entities name, visible ones.
func unescaped(s string) string {
	return escapes.ReplaceAllStringFunc(s, func(escape string) string {
		if escape[0] == '\\' {
			return escape[1:]
		}
		return Visible(html.UnescapeString(escape))
	})
}

// tagTexts replaces the tags that say how a text looks. Any other is text, as it may be what somebody asks about.
var tagTexts = strings.NewReplacer("<br>", "\n", "<br/>", "\n", "<br />", "\n", "<kbd>", "[", "</kbd>", "]",
	"<details>", "", "</details>", "", "<summary>", "", "</summary>", "", "<sub>", "_", "</sub>", "", "<sup>", "^",
	"</sup>", "")

// A formula is shown as it is typed: a terminal cannot set it, and its backslashes, asterisks and underscores are no
// marks of Markdown. So a formula on lines of its own is a block of code, and one within a text a string, which the
// parser makes of nothing else.

// formula is a formula at the beginning of a line, with its delimiters. A dollar ends one only right behind a
// character, and with no digit after it: prices are no formulas.
var formula = regexp.MustCompile(`^(?:\\\(.+?\\\)|\\\[.+?\\\]|\$\$[^$]+\$\$|(\$[^\s$](?:[^$]*[^\s$\\])?\$)(?:\D|$))`)

// formulaEnd is what ends a formula on lines of its own.
var formulaEnd = regexp.MustCompile(`\\]|\$\$`)

// formulaSpans finds formulas within a text.
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

// formulaBlocks finds formulas that are blocks of their own: the first line is a delimiter alone, \[ or $$. They may
// stand wherever a block of HTML may.
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
func (formulaBlocks) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
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
