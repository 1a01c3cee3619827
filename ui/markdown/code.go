package markdown

import (
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/charmbracelet/x/ansi"
)

// Code is highlighted by pieces of about this many bytes, so that no frame waits for a whole
// file: a piece ends at a blank line after pieceSize bytes, at any line after pieceLimit.
const (
	pieceSize  = 8 << 10
	pieceLimit = 12 << 10
)

// pieces cuts code at line ends. Where a piece ends depends on the text before that point only,
// so that growing code keeps its first pieces.
func pieces(code string) []string {
	var out []string
	for {
		n := pieceEnd(code)
		if n == 0 {
			break
		}
		out = append(out, code[:n])
		code = code[n:]
	}
	if code != "" || len(out) == 0 {
		out = append(out, code)
	}
	return out
}

// pieceEnd returns where the first piece of code ends, 0 if more code may still belong to it.
func pieceEnd(code string) int {
	for at := pieceSize; at < len(code); {
		n := strings.IndexByte(code[at:], '\n')
		if n < 0 {
			return 0
		}
		at += n + 1
		if at >= pieceLimit {
			return at
		}
		if at < len(code) && code[at] == '\n' {
			return at + 1
		}
	}
	return 0
}

// highlighter lays code out and colours it.
type highlighter struct{ *painter }

// The signs at the left of a line of code, two cells wide as the space that stands there else.
const (
	codePadding = "  "
	codeBar     = "│ " // where no ground tells code from text
	codeWrapped = "↪ " // the line above goes on
)

// narrowCode is the width below which code has nothing at its sides.
const narrowCode = 12

// inner returns the cells for code in a block of width cells.
func (h *highlighter) inner(width int) int {
	switch {
	case width < narrowCode:
		return width
	case h.tints():
		return width - 2*len(codePadding)
	}
	return width - len(codePadding)
}

// onGround returns a look of code.
func onGround(r role, a attrs) look { return look{role: r, attrs: a | tinted} }

// label returns the first line of a block, which names its language; none for code that names none.
func (h *highlighter) label(language string, width int) []string {
	if language == "" {
		return nil
	}
	return h.row(nil, []run{{text: OneLine(language, h.inner(width)), look: onGround(mutedRole, 0)}}, width)
}

// lines returns code as lines of at most width cells, and of exactly that where it stands on a ground,
// coloured as language where chroma knows it. Every look ends on its line.
func (h *highlighter) lines(code, language string, width int) (lines []string) {
	code = strings.TrimSuffix(code, "\n")
	lexer := h.lexer(language)
	if lexer == nil {
		return h.plain(code, width)
	}
	defer func() {
		if recover() != nil {
			lines = h.plain(code, width)
		}
	}()
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil {
		return h.plain(code, width)
	}
	var line []run
	c := colourist{shell: shell(lexer), first: true}
	length, breaks := 0, strings.Count(code, "\n")
	for t := tokens(); t != chroma.EOF; t = tokens() {
		length += len(t.Value)
		for text := range strings.Lines(t.Value) {
			text, ended := strings.CutSuffix(text, "\n")
			line = c.add(line, t.Type, text)
			if ended && breaks > 0 { // lexers add one at the end
				lines = h.row(lines, line, width)
				line, c.first = line[:0], true
				breaks--
			}
		}
	}
	if length < len(code) {
		return h.plain(code, width) // a lexer that loses text is not believed
	}
	return h.row(lines, line, width)
}

// plain is lines without colours.
func (h *highlighter) plain(code string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(code, "\n") {
		lines = h.row(lines, []run{{text: line, look: onGround(textRole, 0)}}, width)
	}
	return lines
}

// row adds a line of code to lines: what stands at its left, the code, wrapped at words, and the ground
// up to the right edge.
func (h *highlighter) row(lines []string, line []run, width int) []string {
	for len(line) > 0 {
		last := &line[len(line)-1]
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		line = line[:len(line)-1]
	}
	f := flow{painter: h.painter, width: h.inner(width)}
	total := 0
	for _, r := range line {
		total += cells(r.text)
	}
	if total <= f.width {
		f.put(line)
		f.used = total
	} else {
		for _, r := range line {
			f.text(r.text, r.look)
		}
		f.endWord()
	}
	f.endLine()
	for i, text := range f.lines {
		left := ""
		if width >= narrowCode {
			left = h.left(i > 0, text == "")
		}
		if h.tints() {
			blank := width - f.widths[i]
			if !ascii(text) {
				blank = width - ansi.StringWidth(text)
			}
			if width >= narrowCode {
				blank -= len(codePadding)
			}
			text += h.paint(strings.Repeat(" ", max(0, blank)), onGround(textRole, 0))
		}
		lines = append(lines, left+text)
	}
	return lines
}

// left returns what stands at the left of a line of code.
func (h *highlighter) left(goesOn, empty bool) string {
	switch {
	case goesOn && h.tints():
		return h.paint(codeWrapped, onGround(mutedRole, 0))
	case goesOn:
		return h.paint(codeWrapped, look{role: faintRole})
	case h.tints():
		return h.paint(codePadding, onGround(textRole, 0))
	case empty:
		return h.paint(strings.TrimRight(codeBar, " "), look{role: faintRole})
	}
	return h.paint(codeBar, look{role: faintRole})
}

// knownLexers are the lexers that were looked for, by the name of the language: an unknown name is looked for slowly.
var knownLexers sync.Map

// lexer returns the lexer of language, nil for none. Guessing the language from the code would
// cost more than it shows.
func (h *highlighter) lexer(language string) chroma.Lexer {
	if language == "" || h.style == Plain {
		return nil
	}
	lexer, ok := knownLexers.Load(language)
	if !ok {
		found := lexers.Get(language)
		if found != nil {
			found = chroma.Coalesce(found)
		}
		lexer, _ = knownLexers.LoadOrStore(language, found)
	}
	found, _ := lexer.(chroma.Lexer)
	return found
}

// shell tells whether l reads commands of a shell.
func shell(l chroma.Lexer) bool {
	switch l.Config().Name {
	case "Bash", "Bash Session", "Fish":
		return true
	}
	return false
}

// colourist gives tokens their looks.
type colourist struct {
	shell bool
	first bool // in a shell: the next word is a command
}

// add adds a token of one line to it.
func (c *colourist) add(line []run, t chroma.TokenType, text string) []run {
	if text == "" {
		return line
	}
	l := tokenLook(t)
	if !c.shell || strings.TrimLeft(text, " ") == "" {
		return append(line, run{text: text, look: l})
	}
	switch {
	case l.role == keywordRole || t.InCategory(chroma.Operator) || t.InCategory(chroma.Punctuation) || t == chroma.GenericPrompt:
		// A command follows a pipe, a bracket that opens and a word such as "then".
		c.first = strings.Trim(text, "=])}<>") != ""
	case c.first && (t == chroma.Text || t == chroma.Other):
		c.first = false
		indent := len(text) - len(strings.TrimLeft(text, " "))
		end := len(text)
		if i := strings.IndexByte(text[indent:], ' '); i >= 0 {
			end = indent + i
		}
		line = append(line, run{text: text[:indent], look: l}, run{text: text[indent:end], look: onGround(functionRole, 0)})
		text = text[end:]
	default:
		c.first = false
	}
	if text == "" {
		return line
	}
	return append(line, run{text: text, look: l})
}

// tokenLook returns how a token looks: three colours, so that code stays quiet.
func tokenLook(t chroma.TokenType) look {
	switch t {
	case chroma.CommentPreproc, chroma.OperatorWord, chroma.GenericDeleted:
		return onGround(keywordRole, 0)
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameBuiltin, chroma.NameBuiltinPseudo, chroma.NameClass,
		chroma.NameTag, chroma.NameAttribute, chroma.NameDecorator, chroma.GenericHeading, chroma.GenericSubheading:
		return onGround(functionRole, 0)
	case chroma.GenericInserted:
		return onGround(stringRole, 0)
	case chroma.GenericPrompt:
		return onGround(mutedRole, 0)
	}
	switch {
	case t.InCategory(chroma.Comment):
		return onGround(mutedRole, italic)
	case t.InCategory(chroma.Keyword):
		return onGround(keywordRole, 0)
	case t.InSubCategory(chroma.LiteralString):
		return onGround(stringRole, 0)
	}
	return onGround(textRole, 0)
}
