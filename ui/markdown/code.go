package markdown

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
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
		return hardWrap(code, width)
	}
	defer func() {
		if recover() != nil {
			lines = hardWrap(code, width)
		}
	}()
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil {
		return hardWrap(code, width)
	}
	var b strings.Builder
	length := 0
	for t := tokens(); t != chroma.EOF; t = tokens() {
		length += len(t.Value)
		start := h.sequence(t.Type)
		for text := range strings.Lines(t.Value) {
			text, end := strings.CutSuffix(text, "\n")
			if start == "" || strings.TrimLeft(text, " ") == "" {
				b.WriteString(text)
			} else {
				b.WriteString(start + text + "\x1b[m")
			}
			if end {
				b.WriteByte('\n')
			}
		}
	}
	if length < len(code) {
		return hardWrap(code, width) // a lexer that loses text is not believed
	}
	text := b.String()
	if strings.Count(text, "\n") > strings.Count(code, "\n") {
		text = strings.TrimSuffix(text, "\n") // lexers add one of their own
	}
	return hardWrap(text, width)
}

// hardWrap returns text as lines of at most width cells, broken where they are full. Every colour ends on
// its line.
func hardWrap(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) <= width || ansi.StringWidth(line) <= width {
			lines = append(lines, line)
			continue
		}
		line = ansi.Hardwrap(line, width, true)
		if strings.IndexByte(line, '\x1b') >= 0 {
			var b strings.Builder
			w := lipgloss.NewWrapWriter(&b)
			_, _ = io.WriteString(w, line)
			_ = w.Close()
			line = b.String()
		}
		for part := range strings.SplitSeq(line, "\n") {
			lines = append(lines, narrow(part, width))
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
	// Signs and plain text have the terminal's own colour.
	if e.Colour.IsSet() && e.Colour != h.style.Get(chroma.Punctuation).Colour {
		s += fmt.Sprintf("\x1b[38;2;%d;%d;%dm", e.Colour.Red(), e.Colour.Green(), e.Colour.Blue())
	}
	h.start[t] = s
	return s
}
