package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// completed returns the text of d with the inline marks closed that are open at its end, so that
// a word is bold from its first letter on and not when its last has come. It returns "" where
// nothing is open.
func (d *doc) completed() string {
	if len(d.units) == 0 {
		return ""
	}
	leaf := d.units[len(d.units)-1].node
	for leaf.LastChild() != nil && leaf.LastChild().Type() == ast.TypeBlock {
		leaf = leaf.LastChild()
	}
	switch leaf.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading:
	default:
		return ""
	}
	raw := strings.TrimRight(d.raw(leaf), " \n")
	whole := strings.TrimRight(string(d.source), " \n")
	if !strings.HasSuffix(whole, raw[strings.LastIndexByte(raw, '\n')+1:]) {
		return ""
	}
	cut, closing := openMarks(raw)
	if cut == 0 && closing == "" {
		return ""
	}
	return strings.TrimRight(whole[:len(whole)-cut], " \n") + closing
}

// openMarks returns what completes text: how many bytes at its end are a mark with nothing
// behind it yet, and the marks that close those still open. It knows code, emphasis with
// asterisks, what is struck, the address of a link, formulas, and the beginning of a tag.
func openMarks(text string) (cut int, closing string) {
	var open []string
	for i := 0; i < len(text); {
		c := text[i]
		run := text[i:]
		run = run[:len(run)-len(strings.TrimLeft(run, string(c)))]
		next := i + len(run)
		switch {
		case strings.HasPrefix(text[i:], `\(`), strings.HasPrefix(text[i:], `\[`):
			opening, closing := mathMarks([]byte(text[i:]))
			end := mathEnd([]byte(text[i:]), opening, closing)
			if end < 0 {
				return 0, closing + closeAll(open)
			}
			next = i + end
		case c == '\\':
			next = i + 2
		case c == '<' && tagBegins(text[i:]):
			return len(text) - i, closeAll(open)
		case c == '`':
			length := codeSpan(text[next:], len(run))
			if length < 0 {
				if next == len(text) {
					return len(run), closeAll(open)
				}
				return 0, strings.Repeat("`", len(run)-partOf(text, next, len(run))) + closeAll(open)
			}
			next += length
		case c == '~' && len(run) == 1 && next < len(text): // a home directory
		case c == '*', c == '~' && len(run) <= 2:
			last := len(open) - 1
			switch {
			case last >= 0 && open[last][0] == c && !spaceBefore(text, i):
				if next == len(text) && len(run) < len(open[last]) {
					open[last] = open[last][len(run):]
				} else if run == open[last] {
					open = open[:last]
				}
			case next == len(text) && opens(text, i):
				return len(run), closeAll(open)
			case next < len(text) && opens(text, i) && text[next] != ' ' && text[next] != '\n':
				open = append(open, run)
			}
		case strings.HasPrefix(text[i:], "]("):
			if address := text[i+2:]; !strings.ContainsAny(address, ") \n") {
				return 0, ")" + closeAll(open)
			}
		default:
			next = i + 1
		}
		i = next
	}
	return 0, closeAll(open)
}

// codeSpan returns the length of text up to and with the run of count backquotes that closes a
// span of code, -1 for none.
func codeSpan(text string, count int) int {
	for at := 0; at < len(text); {
		i := strings.IndexByte(text[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		run := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		at += run
		if run == count {
			return at
		}
	}
	return -1
}

// partOf returns how many of the count backquotes that close the code from offset start on
// already stand at the end of text.
func partOf(text string, start, count int) int {
	code := text[start:]
	if run := len(code) - len(strings.TrimRight(code, "`")); run < count && run < len(code) {
		return run
	}
	return 0
}

// opens tells whether a mark at offset i may open: it begins the text or a word.
func opens(text string, i int) bool {
	return i == 0 || strings.IndexByte(" \n([{\"'>*~", text[i-1]) >= 0
}

// spaceBefore tells whether white space is right before offset i, or nothing.
func spaceBefore(text string, i int) bool {
	return i == 0 || text[i-1] == ' ' || text[i-1] == '\n'
}

// closeAll returns the marks that close those in open, the last one first.
func closeAll(open []string) string {
	var b strings.Builder
	for i := len(open) - 1; i >= 0; i-- {
		b.WriteString(open[i])
	}
	return b.String()
}
