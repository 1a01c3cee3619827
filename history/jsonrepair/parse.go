package jsonrepair

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDepth is how deeply objects and arrays may be nested.
const maxDepth = 512

// maxAhead is how many bytes are examined to tell a name from other text, so that parsing stays linear.
const maxAhead = 256

// parser copies one value from src to out as valid JSON. Valid parts are copied byte for byte. If src ends too early,
// the value is closed without any name, number or literal that may be incomplete.
type parser struct {
	src     string
	pos     int
	out     []byte
	cut     bool // src ended inside the value
	failed  bool // no reading is certain
	plain   bool // the first quote ends a string, whatever follows it
	ranOver bool // a string with quotes inside it ran to the end of src
	objects int  // number of open objects
	lists   int  // number of open arrays
}

// stringPosition is where a string occurs. It decides what may follow the string.
type stringPosition int

const (
	atTop stringPosition = iota
	atKey
	inObject
	inList
)

// parse reads the object or array at the start of src. A string with inner quotes that never ends has probably lost its
// closing quote, so a reading in which the first quote ends each string is preferred if it succeeds.
func parse(src string, plain bool) *parser {
	p := &parser{src: src, plain: plain}
	p.value(atTop)
	if p.ranOver {
		if again := parse(src, true); !again.failed {
			return again
		}
	}
	return p
}

func (p *parser) rest() string { return p.src[p.pos:] }

func (p *parser) emit(text string) { p.out = append(p.out, text...) }

// replace writes text in place of the next n bytes.
func (p *parser) replace(n int, text string) {
	p.emit(text)
	p.pos += n
}

// copy copies n valid bytes.
func (p *parser) copy(n int) { p.replace(n, p.src[p.pos:p.pos+n]) }

// breakOff drops the rest of src, an incomplete part of a name, an escape, a number or a literal.
func (p *parser) breakOff() bool {
	p.cut, p.pos = true, len(p.src)
	return false
}

// fail gives up on the whole value.
func (p *parser) fail() bool {
	p.failed = true
	return false
}

// value reads one value. If it returns false, the caller must remove what it has written for it.
func (p *parser) value(where stringPosition) (kept bool) {
	rest := p.rest()
	quote, _ := quoteAt(rest)
	switch {
	case rest == "":
		return p.breakOff()
	case quote != 0:
		p.text(where)
	case p.objects+p.lists == maxDepth:
		return p.fail()
	case rest[0] == '{':
		p.objects++
		p.items('}', p.member)
		p.objects--
	case rest[0] == '[':
		p.lists++
		p.items(']', func() bool { return p.value(inList) })
		p.lists--
	default:
		return p.bare()
	}
	return !p.failed
}

// items reads an object or an array with its brackets.
func (p *parser) items(closing byte, item func() bool) {
	p.copy(1)
	for first := true; !p.failed; {
		mark := len(p.out)
		comma := p.separator()
		rest := p.rest()
		broken := rest == "" || strings.HasPrefix(rest, "```")
		p.cut = p.cut || broken
		switch {
		case broken || p.goesOnOutside(closing):
			p.out = append(p.out[:mark], closing)
			return
		case rest[0] == closing:
			if comma {
				p.out = p.out[:mark]
			}
			p.copy(1)
			return
		case rest[0] == '}' || rest[0] == ']':
			p.out = p.out[:mark] // an unmatched closing bracket
			p.pos++
			continue
		case first && comma:
			p.out = p.out[:mark]
		case !first && !comma:
			p.out = append(p.out[:mark], ',')
		}
		if item() {
			first = false
		} else {
			p.out = p.out[:mark]
		}
	}
}

// separator copies what precedes a member or an element: white space and at most one comma.
func (p *parser) separator() (comma bool) {
	for p.blanks(); strings.HasPrefix(p.rest(), ","); p.blanks() {
		if comma {
			p.pos++
		} else {
			p.copy(1)
		}
		comma = true
	}
	return comma
}

// goesOnOutside reports whether the closing bracket is missing because the enclosing value continues here.
func (p *parser) goesOnOutside(closing byte) bool {
	if closing == ']' {
		return p.objects > 0 && strings.HasPrefix(p.rest(), "}")
	}
	return p.lists > 0 && startsWithAny(p.rest(), "]{")
}

// member reads one member of an object.
func (p *parser) member() (kept bool) {
	quote, _ := quoteAt(p.rest())
	if quote == 0 {
		p.bareName()
	} else {
		p.text(atKey)
	}
	p.blanks()
	rest := p.rest()
	switch {
	case rest == "":
		return p.breakOff()
	case rest[0] == ':':
		p.copy(1)
	case quote == 0 || startsWithAny(rest, ",}]"):
		return p.fail()
	default:
		p.emit(":")
	}
	p.blanks()
	return !startsWithAny(p.rest(), ",}]") && p.value(inObject)
}

// bareName reads a name without quotes, or with only the closing one.
func (p *parser) bareName() {
	rest := p.rest()
	behind := strings.TrimLeftFunc(rest, isNameRune)
	name := rest[:len(rest)-len(behind)]
	if name == "" {
		p.fail()
		return
	}
	_, size := quoteAt(behind)
	p.replace(len(name)+size, `"`+name+`"`)
}

// bare reads a number, a literal, or unquoted text, which becomes a string.
func (p *parser) bare() (kept bool) {
	rest := p.rest()
	word := wordOf(rest)
	if literal := literalOf(word); word == rest && isOpen(word) {
		return p.breakOff()
	} else if literal != "" {
		p.replace(len(word), literal)
		return true
	}
	n := strings.IndexAny(rest, ",}]\n")
	if n < 0 {
		n = len(rest)
	}
	text := strings.TrimRightFunc(rest[:n], isFiller)
	if text == "" || strings.ContainsAny(text, `"{[(`) {
		return p.fail()
	}
	p.emit(`"`)
	for end := p.pos + len(text); p.pos < end; {
		p.character()
	}
	p.emit(`"`)
	return true
}

// text reads a string.
func (p *parser) text(where stringPosition) {
	opening, size := quoteAt(p.rest())
	p.replace(size, `"`)
	isPath := windowsPath.MatchString(p.rest()[:min(len(p.rest()), maxAhead)])
	for inner := false; ; {
		rest := p.rest()
		quote, size := quoteAt(rest)
		switch {
		case rest == "":
			p.emit(`"`)
			p.cut = true
			p.ranOver = p.ranOver || inner
			return
		case rest[0] == '\\' && !isPath:
			p.escape()
		case !closes(opening, quote):
			p.character()
		case p.ends(rest[size:], where):
			p.replace(size, `"`)
			return
		default:
			p.character()
			inner = true
		}
	}
}

// ends reports whether a quote ends its string, judging by what follows it.
func (p *parser) ends(behind string, where stringPosition) bool {
	next, comma := strings.CutPrefix(strings.TrimLeft(behind, jsonBlanks), ",")
	next = strings.TrimLeft(next, jsonBlanks)
	quote, _ := quoteAt(next)
	switch {
	case where == atKey || p.plain || next == "":
		return true
	case where == atTop:
		return false
	case startsWithAny(next, ",}") || next[0] == ']' && p.lists > 0:
		return true
	case commentLength(next) > 0 || strings.HasPrefix(next, "```"):
		return true
	case where == inObject:
		return isMember(next) && (quote != 0 || next != behind)
	}
	word := wordOf(next)
	return quote != 0 || startsWithAny(next, "{[-0123456789:") || comma && (literals[word] != "" || isOpen(word))
}

// escape copies an escape sequence. The backslash of an invalid one becomes a character.
func (p *parser) escape() {
	rest := p.rest()
	switch n := escapeLength(rest); {
	case n > 0:
		p.copy(n)
	case n < 0:
		p.breakOff()
	case rest[1] == '\'':
		p.replace(2, "'")
	default:
		p.replace(1, `\\`)
	}
}

// character copies the next character as part of a string.
func (p *parser) character() {
	rest := p.rest()
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r < ' ' || r == '"' || r == '\\':
		quoted, _ := json.Marshal(string(r))
		p.replace(1, string(quoted[1:len(quoted)-1]))
	case !utf8.FullRuneInString(rest):
		p.breakOff()
	case r == utf8.RuneError:
		p.replace(size, string(utf8.RuneError))
	default:
		p.copy(size)
	}
}

// blanks copies white space. Comments are removed, and white space that JSON does not allow becomes a space.
func (p *parser) blanks() {
	for p.pos < len(p.src) {
		rest := p.rest()
		r, size := utf8.DecodeRuneInString(rest)
		switch n := commentLength(rest); {
		case startsWithAny(rest, jsonBlanks):
			p.copy(1)
		case n > 0:
			p.pos += n
		case isFiller(r):
			p.replace(size, " ")
		default:
			return
		}
	}
}

// jsonBlanks is the white space of JSON.
const jsonBlanks = " \t\r\n"

// isFiller reports whether a character has no meaning between tokens.
func isFiller(r rune) bool { return r == 0 || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_$-.", r)
}

// startsWithAny reports whether s begins with one of the given bytes.
func startsWithAny(s, bytes string) bool { return s != "" && strings.IndexByte(bytes, s[0]) >= 0 }

// The quotes that models write besides JSON's own. Any quote of a row may close a string that another one of that row
// opened.
const (
	doubleQuotes = "\"“”„‟"
	singleQuotes = "'‘’‚‛`´"
)

// quoteAt returns the quote at the start of s and its length, or 0.
func quoteAt(s string) (quote rune, size int) {
	if quote, size = utf8.DecodeRuneInString(s); strings.ContainsRune(doubleQuotes+singleQuotes, quote) {
		return quote, size
	}
	return 0, 0
}

// closes reports whether a quote may close a string that opening began.
func closes(opening, quote rune) bool {
	switch {
	case opening == '"' || opening == '\'':
		return quote == opening
	case strings.ContainsRune(doubleQuotes, opening):
		return strings.ContainsRune(doubleQuotes, quote)
	}
	return strings.ContainsRune(singleQuotes, quote)
}

// comment matches a comment, or dots that stand for omitted text.
var comment = regexp.MustCompile(`^(?s:/\*.*?(?:\*/|$)|(?://|#)[^\n]*|\.\.\.)`)

// commentLength returns the length of the comment at the start of s.
func commentLength(s string) int {
	if !startsWithAny(s, "/#.") {
		return 0
	}
	return len(comment.FindString(s))
}

// member matches a name and a colon, or text that is cut off before the colon.
var member = regexp.MustCompile(`^(?s:"(?:[^"\\]|\\.?)*(?:"|$)|'(?:[^'\\]|\\.?)*(?:'|$)` +
	`|[“”„‟][^"“”„‟]*(?:["“”„‟]|$)|[‘’‚‛´][^'‘’‚‛´]*(?:['‘’‚‛´]|$)` +
	`|[\pL\pN_$.-]+["'“”‘’]?)[ \t\r\n]*(?::|$)`)

// isMember reports whether s begins with a member of an object.
func isMember(s string) bool { return member.MatchString(s[:min(len(s), maxAhead)]) }

// wordOf returns the word at the start of s.
func wordOf(s string) string {
	n := strings.IndexFunc(s, func(r rune) bool { return isFiller(r) || strings.ContainsRune(",:\"{}[]()/#", r) })
	if n < 0 {
		return s
	}
	return s[:n]
}

// literals maps the literals that models write to those of JSON.
var literals = map[string]string{
	"true": "true", "True": "true", "false": "false", "False": "false",
	"null": "null", "None": "null", "undefined": "null",
}

// literalOf returns a number or a literal as JSON has it, or "" for any other word and for numbers beyond a float64.
func literalOf(word string) string {
	var number float64
	if startsWithAny(word, "-0123456789") && json.Unmarshal([]byte(word), &number) == nil {
		return word
	}
	return literals[word]
}

// isOpen reports whether a word at the end of the text is a number or a literal that may be incomplete.
func isOpen(word string) bool {
	for literal := range literals {
		if strings.HasPrefix(literal, word) && literal != word {
			return true
		}
	}
	return startsWithAny(word, "-0123456789") && strings.Trim(word, "0123456789+-.eE") == ""
}

// windowsPath matches a Windows path with single backslashes, at least one of which is not a valid JSON escape. Then
// none of the others is meant as an escape either.
var windowsPath = regexp.MustCompile(`^[A-Za-z]:(?:\\[^\\"\n]+)*\\(?:[^"\\/bfnrtu\n]|u[[:xdigit:]]{0,3}[^[:xdigit:]])`)

// validEscape matches an escape of JSON, with surrogates in pairs.
var validEscape = regexp.MustCompile(`^\\(?:["\\/bfnrt]|u(?:[0-9abcefABCEF][[:xdigit:]]|[dD][0-7])[[:xdigit:]]{2}` +
	`|u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2})`)

// escapeLength returns the length of the escape at the start of s: 0 if it is invalid, -1 if it is incomplete.
func escapeLength(s string) int {
	const whole = `\ud800\udc00`
	s = s[:min(len(s), len(whole))]
	if n := len(validEscape.FindString(s)); n > 0 {
		return n
	}
	if len(s) < len(whole) && validEscape.MatchString(s+whole[len(s):]) {
		return -1
	}
	return 0
}
