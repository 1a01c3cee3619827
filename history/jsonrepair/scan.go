package jsonrepair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// These functions look at the beginning of a text and change nothing. A length is in bytes, and 0 where the
// text does not begin with what is looked for.

// maxAhead is how far a text is looked at to decide one question, so that the time stays linear.
const maxAhead = 4096

// isSpace is unicode.IsSpace and the byte order mark.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

// isFiller reports whether a character means nothing around the arguments.
func isFiller(r rune) bool { return r == 0 || isSpace(r) || invisible(r) }

func trimFiller(s string) string { return strings.TrimFunc(s, isFiller) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// jsonBlanks are JSON's own blanks.
const jsonBlanks = " \t\r\n"

// skipBlanks is s without the blanks that it begins with.
func skipBlanks(s string) string { return strings.TrimLeft(s, jsonBlanks) }

// trimBlanks is s without the blanks that it ends with.
func trimBlanks(s string) string { return strings.TrimRight(s, jsonBlanks) }

func blankLength(s string) int { return len(s) - len(skipBlanks(s)) }

// startsWithAny reports whether s begins with one of some bytes.
func startsWithAny(s, bytes string) bool { return s != "" && strings.IndexByte(bytes, s[0]) >= 0 }

// startsColon reports whether s is a colon behind blanks.
func startsColon(s string) bool { return strings.HasPrefix(skipBlanks(s), ":") }

// commentLength is the length of the comment that s begins with, or of the dots that stand for something left out.
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
		if end := strings.IndexAny(s[:min(len(s), maxAhead)], "}]"); end >= 0 && len(s) <= maxAhead {
			return end // all of it is in one line: the brackets behind the comment are meant
		}
		return len(s)
	case strings.HasPrefix(s, "..."):
		return len("...")
	}
	return 0
}

// The quotes that models write. Any of a row opens a string; any of the same row, and JSON's own
// for the curly double ones, may close it.
const (
	doubleQuotes = "“”„‟"
	singleQuotes = "'‘’‚‛`´"
)

// quoteAt is the quote that s begins with and its length.
func quoteAt(s string) (quote rune, size int) {
	if s == "" {
		return 0, 0
	}
	if s[0] == '"' || s[0] == '\'' || s[0] == '`' {
		return rune(s[0]), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if s[0] < utf8.RuneSelf || !strings.ContainsRune(doubleQuotes+singleQuotes, r) {
		return 0, 0
	}
	return r, size
}

func startsWithQuote(s string) bool {
	_, size := quoteAt(s)
	return size > 0
}

// closes reports whether r may end a string that quote began.
func closes(quote, r rune) bool {
	switch {
	case quote == '"' || quote == '\'':
		return r == quote
	case strings.ContainsRune(doubleQuotes, quote):
		return r == '"' || strings.ContainsRune(doubleQuotes, r)
	}
	return strings.ContainsRune(singleQuotes, r)
}

// closingQuote is where the first quote ends that can end a string, of which s is the inside; -1 without one.
func closingQuote(s string, quote rune) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r == '\\' {
			i++
		}
		if closes(quote, r) {
			return i
		}
	}
	return -1
}

// stringLength is the length of the string that s begins with, up to the first quote that can end it; -1 where
// no quote can.
func stringLength(s string) int {
	quote, size := quoteAt(s)
	if size == 0 {
		return 0
	}
	end := closingQuote(s[size:], quote)
	if end < 0 {
		return -1
	}
	return size + end
}

// startsWithKey reports whether s begins with a string and a colon behind it.
func startsWithKey(s string) bool {
	n := stringLength(s)
	return n > 0 && startsColon(s[n:])
}

// startsWithName reports whether s begins with a name without quotes, or with the last one only, and a colon
// behind it.
func startsWithName(s string) bool {
	n := nameLength(s)
	_, size := quoteAt(s[n:])
	return n > 0 && startsColon(s[n+size:])
}

// nameLength is the length of the name without quotes that s begins with.
func nameLength(s string) int { return len(s) - len(strings.TrimLeftFunc(s, inName)) }

// inName reports whether r may stand in a name without quotes.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_$-.", r)
}

// wordAt is the word that s begins with: its length, and its JSON where it is a literal or a number.
func wordAt(s string) (length int, literal string, ok bool) {
	length = strings.IndexFunc(s, func(r rune) bool { return isSpace(r) || strings.ContainsRune(`,:"{}[]()/#`, r) })
	if length < 0 {
		length = len(s)
	}
	literal, ok = bareLiteral(s[:length])
	return length, literal, ok
}

// closingBracket is where the bracket stands in s that closes one which is open before s, -1 where there
// is none. Brackets in quotes do not count.
func closingBracket(s string) int {
	depth, quoted := 1, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func closingOf(opening byte) byte {
	if opening == '{' {
		return '}'
	}
	return ']'
}

// opensBracket reports whether more brackets are opened in a text than closed.
func opensBracket(s string) bool {
	return strings.Count(s, "{") > strings.Count(s, "}") || strings.Count(s, "[") > strings.Count(s, "]")
}
