package jsonrepair

import (
	"strings"
	"unicode/utf8"
)

// asciiOf is the character of JSON that a full-width one stands for between tokens.
var asciiOf = map[rune]byte{'｛': '{', '｝': '}', '［': '[', '］': ']', '：': ':', '，': ',', '＂': '"', '＇': '\''}

// invisible reports whether a character shows nothing and has no place between the tokens of JSON.
func invisible(r rune) bool {
	switch {
	case r == '\u00ad', r == '\u180e', r == '\ufeff', '\u200b' <= r && r <= '\u200f', '\u202a' <= r && r <= '\u202e', '\u2060' <= r && r <= '\u2064':
		return true
	}
	return false
}

// plainTokens writes blanks for the invisible characters between the tokens of a text, and ASCII for
// full-width quotes, brackets, colons and commas there. The inside of strings stays as it is, but for a
// double quote in a full-width pair, which is escaped. changed is false where there was nothing to write.
func plainTokens(text string) (plain string, changed bool) {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && (invisible(r) || asciiOf[r] != 0) }) {
		return text, false
	}
	var b strings.Builder
	quote := rune(0) // what began the string that is open, 0 between tokens
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		switch {
		case quote != 0 && r == '\\' && rest != "":
			_, next := utf8.DecodeRuneInString(rest)
			b.WriteString(text[i : i+size+next])
			i += size + next
			continue
		case quote != 0 && closesWide(quote, r) && continuesJSON(rest):
			b.WriteByte(asciiQuote(quote))
			changed = changed || r != quote || wideQuote(r)
			quote = 0
		case quote == '＂' && r == '"':
			b.WriteString(`\"`)
		case quote != 0:
			b.WriteString(text[i : i+size])
		case r == '"' || r == '\'' || wideQuote(r) || strings.ContainsRune(doubleQuotes, r):
			quote = r
			changed = changed || wideQuote(r)
			b.WriteByte(asciiQuote(r))
		case invisible(r):
			changed = true
			b.WriteByte(' ')
		case asciiOf[r] != 0:
			changed = true
			b.WriteByte(asciiOf[r])
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String(), changed
}

func wideQuote(r rune) bool { return r == '＂' || r == '＇' }

// closesWide reports whether r may end the string that quote began.
func closesWide(quote, r rune) bool {
	if wideQuote(quote) {
		return r == quote
	}
	return closes(quote, r)
}

// asciiQuote is the quote of ASCII that takes the place of another.
func asciiQuote(quote rune) byte {
	if quote == '\'' || quote == '＇' {
		return '\''
	}
	return '"'
}

// continuesJSON reports whether s, behind a quote, goes on as JSON does behind a string.
func continuesJSON(s string) bool {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return isSpace(r) || invisible(r) })
	if s == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	if wide := asciiOf[r]; wide != 0 {
		r = rune(wide)
	}
	return strings.ContainsRune(",:}]", r)
}
