package jsonrepair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blanks copies blanks and leaves out comments and dots that stand for something left out. The end of
// a code block is the end of the text.
func (p *parser) blanks() {
	for !p.done() {
		rest := p.src[p.pos:]
		n := blankLength(rest)
		p.emit(rest[:n])
		p.pos += n
		rest = rest[n:]
		if n = commentLength(rest); n > 0 {
			p.faults |= faultComment
			p.pos += n
			continue
		}
		if strings.HasPrefix(rest, "```") {
			p.src = p.src[:p.pos]
			return
		}
		r, size := utf8.DecodeRuneInString(rest)
		if size == 0 || !isSpace(r) {
			return
		}
		p.faults |= faultBlank
		p.emit(" ")
		p.pos += size
	}
}

// isSpace is unicode.IsSpace and the byte order mark.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

// blankLength is the length of JSON's own blanks at the beginning of s, in bytes.
func blankLength(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r\n")) }

// commentLength is the length of the comment or the dots at the beginning of s, in bytes.
func commentLength(s string) int {
	switch {
	case strings.HasPrefix(s, "/*"):
		if end := strings.Index(s[2:], "*/"); end >= 0 {
			return end + 4
		}
		return len(s)
	case strings.HasPrefix(s, "//"), strings.HasPrefix(s, "#"):
		if end := strings.IndexByte(s, '\n'); end >= 0 {
			return end
		}
		if end := strings.IndexAny(s[:min(len(s), mostAhead)], "}]"); end >= 0 && len(s) <= mostAhead {
			return end // all of it is in one line: the brackets behind the comment are meant
		}
		return len(s)
	case strings.HasPrefix(s, "..."):
		return len("...")
	}
	return 0
}
