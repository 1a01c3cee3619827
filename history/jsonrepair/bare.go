package jsonrepair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bare reads a value without quotes: a literal, a number, or text that lost its quotes.
func (p *parser) bare(where place) (kept bool) {
	if kept, ok := p.code(where); ok {
		return kept
	}
	rest := p.src[p.pos:]
	n := wordLength(rest)
	if n == len(rest) {
		return p.unfinished(rest)
	}
	if literal, ok := bareLiteral(rest[:n]); ok && !bracketOfCode(rest[n:], where) && !strings.ContainsRune(`:"[`, rune(rest[n])) && !joinsText(rest[n:]) && !(where == inObject && groupFollows(rest[n:])) && !wordsFollow(rest[n:], where) {
		if literal != rest[:n] {
			p.faults |= faultLiteral
		}
		p.emit(literal)
		p.pos += n
		return true
	}
	n = bareLength(rest, where)
	if n < 0 {
		return p.unfinished(rest)
	}
	text := strings.TrimSpace(rest[:n])
	if openNumber(text) {
		p.faults |= faultValue
		p.pos += n
		return false
	}
	end, ok := bareEnd(rest[n:])
	if ok && end > 0 {
		return p.lostFirstQuote(where)
	}
	if !ok || !plainText(text) {
		return p.fail()
	}
	p.faults |= faultBare
	p.emit(`"` + strings.ReplaceAll(text, `\`, `\\`) + `"`)
	p.pos += n
	return true
}

// lostFirstQuote reads a string whose first quote got lost.
func (p *parser) lostFirstQuote(where place) (kept bool) {
	p.faults |= faultBare
	p.doubled, p.windows, p.from = false, windowsPath(p.src[p.pos:]), p.pos
	p.emit(`"`)
	p.open = !p.textBody('"', where) || p.open
	return !p.broken
}

// groupFollows reports whether s, behind a number in an object, goes on with more digits of it: 1,234. It
// does not where a name without quotes begins there.
func groupFollows(s string) bool {
	return len(s) > 1 && s[0] == ',' && isDigit(s[1]) && !startsWithName(s[1:])
}

// wordsFollow reports whether s, behind a literal, goes on as the text that the literal began: 5 apples,
// 50 %". It is none where a name or another literal follows, whose comma got lost.
func wordsFollow(s string, where place) bool {
	next := strings.TrimLeft(s, " \t")
	if _, size := quoteAt(next); len(next) == len(s) || next == "" || size > 0 || commentLength(next) > 0 || strings.IndexByte("\r\n,:=+(){}[]", next[0]) >= 0 {
		return false
	}
	word := wordLength(next)
	if _, literal := bareLiteral(next[:word]); literal || startsWithName(next) {
		return false
	}
	n := bareLength(next, where)
	return n >= 0 && (next[n] != '"' || !startsWithKey(next[n:], '"', 1))
}

// bareLength is how far a text without quotes goes at most, -1 where it goes to the end. In an object
// it goes over a comma that no name follows: Paris, France. Brackets that stand in the text and are
// closed there belong to it.
func bareLength(s string, where place) int {
	for n := 0; ; n++ {
		next := strings.IndexAny(s[n:], "\n,{}[]\"")
		if next < 0 {
			return -1
		}
		n += next
		if n > 0 && s[n] == '"' && s[n-1] == '\\' {
			continue // an escaped quote in a text that lost its first one
		}
		if inside := bracketsLength(s[n:]); n > 0 && inside > 0 && (where == inObject || !isSpace(rune(s[n-1]))) {
			n += inside - 1
			continue
		}
		if s[n] != ',' || where != inObject || !goesOn(s[n+1:]) {
			return n
		}
	}
}

// bracketsLength is how far the brackets that s begins with go, with the words between them, and to
// the end of the text where they are not closed there. It is 0 where s begins with none, and where
// there are no words, or quotes or lines, between them.
func bracketsLength(s string) int {
	depth := 0
	for i, c := range []byte(s) {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return wordyLength(s[:i+1])
			}
		case '"', '\n':
			return 0
		default:
			if depth == 0 {
				return 0
			}
		}
	}
	return wordyLength(s)
}

// wordyLength is the length of s, 0 where it is all blanks and brackets.
func wordyLength(s string) int {
	if strings.Trim(s, "{}[] \t\r") == "" {
		return 0
	}
	return len(s)
}

// goesOn reports whether s, behind a comma, is more words of a text and no name, also none that broke
// off.
func goesOn(s string) bool {
	s = s[blankLength(s):]
	n := nameLength(s)
	if n == 0 || startsWithName(s) {
		return false
	}
	return strings.TrimLeft(s[n:], " \t\r\n") != ""
}

// bareEnd is how many bytes at the beginning of s still belong to a text without quotes before it:
// the quote at its end, where only the first one got lost. A name may follow it without a comma.
func bareEnd(s string) (n int, ok bool) {
	switch {
	case strings.IndexByte("\n,}]", s[0]) >= 0:
		return 0, true
	case s[0] != '"':
		return 0, false
	case startsWithKey(s, '"', 1):
		return 0, true
	}
	next := s[1:][blankLength(s[1:]):]
	return 1, next != "" && strings.IndexByte(",}]", next[0]) >= 0
}

// unfinished reads a word or a text at the end of the arguments. A number may have had more digits
// and a literal more letters, and are dropped; JSON's whole literals cannot go on. A text is kept as
// far as it came, as one in quotes is.
func (p *parser) unfinished(word string) (kept bool) {
	p.open, p.pos = true, len(p.src)
	if word == "true" || word == "false" || word == "null" {
		p.emit(word)
		return true
	}
	text := strings.TrimSpace(word)
	if r, _ := utf8.DecodeRuneInString(text); !unicode.IsLetter(r) || beginsLiteral(text) || !plainText(text) {
		return false
	}
	p.faults |= faultBare
	p.emit(`"` + strings.ReplaceAll(text, `\`, `\\`) + `"`)
	return true
}

// beginsLiteral reports whether a text may be the beginning of a literal.
func beginsLiteral(text string) bool {
	for _, literal := range []string{"true", "false", "null", "none", "nil", "undefined", "nan", "infinity"} {
		if strings.HasPrefix(literal, strings.ToLower(text)) {
			return true
		}
	}
	return false
}

// wordLength is how far a literal or a number at the beginning of s can reach, in bytes.
func wordLength(s string) int {
	for i, r := range s {
		if isSpace(r) || strings.ContainsRune(`,:"{}[]()/#`, r) {
			return i
		}
	}
	return len(s)
}

// joinsText reports whether s goes on as the text that a word began: "1/2" is no number.
func joinsText(s string) bool { return s[0] == '/' && commentLength(s) == 0 }

// plainText reports whether a text without quotes can be taken as a string. A colon makes that
// doubtful, but in an address and in a time of day.
func plainText(s string) bool {
	if s == "" || strings.Contains(s, `"`) || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	for i, c := range []byte(s) {
		if c != ':' || strings.HasPrefix(s[i:], "://") {
			continue
		}
		if i == 0 || i+1 == len(s) || !isDigit(s[i-1]) || !isDigit(s[i+1]) {
			return false
		}
	}
	return true
}

// bareLiteral is the JSON for a literal or a number of JSON, Python or JavaScript.
func bareLiteral(word string) (literal string, ok bool) {
	switch word {
	case "true", "True", "TRUE":
		return "true", true
	case "false", "False", "FALSE":
		return "false", true
	case "null", "None", "Null", "NULL", "nil", "undefined", "NaN", "Infinity", "-Infinity", "+Infinity":
		return "null", true
	}
	return bareNumber(word)
}
