package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
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

// highlighter colours code. It remembers the lexers and the sequences of its style: chroma
// searches for both each time.
type highlighter struct {
	style  *chroma.Style // nil for none
	lexers map[string]chroma.Lexer
	start  map[chroma.TokenType]string
}

// HasSyntax says whether there is a style with that name for code blocks.
func HasSyntax(name string) bool { return slices.Contains(styles.Names(), name) }

// newHighlighter returns a highlighter in chroma's style of that name, "" for no colours.
func newHighlighter(style string) *highlighter {
	h := &highlighter{lexers: map[string]chroma.Lexer{}, start: map[chroma.TokenType]string{}}
	if style != "" {
		h.style = styles.Get(style)
	}
	return h
}

// lines returns code as lines of at most width cells, coloured as language where chroma knows
// it. Every colour ends on its line.
func (h *highlighter) lines(code, language string, width int) (lines []string) {
	code = strings.TrimSuffix(code, "\n")
	lexer := h.lexer(language)
	if lexer == nil {
		return plainCode(code, width)
	}
	defer func() {
		if recover() != nil {
			lines = plainCode(code, width)
		}
	}()
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil {
		return plainCode(code, width)
	}
	w := codeWriter{width: width}
	length := 0
	for t := tokens(); t != chroma.EOF; t = tokens() {
		length += len(t.Value)
		w.write(h.sequence(t.Type), t.Value)
	}
	if length < len(code) {
		return plainCode(code, width) // a lexer that loses text is not believed
	}
	return w.finish(strings.Count(code, "\n") + 1)
}

// plainCode returns code as lines of at most width cells without colours.
func plainCode(code string, width int) []string {
	var lines []string
	for _, line := range strings.Split(code, "\n") {
		for _, l := range strings.Split(ansi.Hardwrap(line, width, true), "\n") {
			lines = append(lines, narrow(l, width))
		}
	}
	return lines
}

// lexer returns the lexer of language, nil for none. Guessing the language from the code would
// cost more than it shows.
func (h *highlighter) lexer(language string) chroma.Lexer {
	if h.style == nil || language == "" {
		return nil
	}
	l, ok := h.lexers[language]
	if !ok {
		if l = lexers.Get(language); l != nil {
			l = chroma.Coalesce(l)
		}
		h.lexers[language] = l
	}
	return l
}

// sequence returns the escape sequence that begins a token of type t, "" for none.
func (h *highlighter) sequence(t chroma.TokenType) string {
	if s, ok := h.start[t]; ok {
		return s
	}
	e := h.style.Get(t)
	s := ""
	if e.Bold == chroma.Yes {
		s += "\x1b[1m"
	}
	if e.Italic == chroma.Yes {
		s += "\x1b[3m"
	}
	// The terminal's own colour stands for that of signs and plain text.
	if e.Colour.IsSet() && e.Colour != h.style.Get(chroma.Punctuation).Colour {
		s += fmt.Sprintf("\x1b[38;2;%d;%d;%dm", e.Colour.Red(), e.Colour.Green(), e.Colour.Blue())
	}
	h.start[t] = s
	return s
}

// codeWriter lays tokens out as lines of at most width cells.
type codeWriter struct {
	width int
	lines []string
	line  strings.Builder
	cells int // of line
	row   int // the source line that line belongs to, from 0
}

// write adds text that begins with the sequence start, "" for plain text.
func (w *codeWriter) write(start, text string) {
	for {
		part, rest, more := strings.Cut(text, "\n")
		w.writePart(start, part)
		if !more {
			return
		}
		w.end()
		w.row++
		text = rest
	}
}

// writePart adds text without a newline, and goes on in a new line where it does not fit.
func (w *codeWriter) writePart(start, text string) {
	for text != "" {
		n := ansi.StringWidth(text)
		fits := text
		if w.cells+n > w.width {
			fits = ansi.Truncate(text, w.width-w.cells, "")
			n = ansi.StringWidth(fits)
		}
		text = text[len(fits):]
		if fits == "" && w.cells == 0 {
			// A wide character in one column cannot be shown.
			g, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			fits, n, text = "…", 1, text[max(len(g), 1):]
		}
		if fits != "" {
			if strings.TrimLeft(fits, " ") == "" || start == "" {
				w.line.WriteString(fits)
			} else {
				w.line.WriteString(start + fits + "\x1b[m")
			}
			w.cells += n
		}
		if text != "" {
			w.end()
		}
	}
}

// end closes the current line.
func (w *codeWriter) end() {
	w.lines = append(w.lines, trimRight(w.line.String()))
	w.line.Reset()
	w.cells = 0
}

// finish returns the lines of code that has rows lines: lexers add a newline of their own.
func (w *codeWriter) finish(rows int) []string {
	if w.row < rows {
		w.end()
	}
	return w.lines
}
