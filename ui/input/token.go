package input

import (
	"bytes"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// kind is what a token is.
type kind int

const (
	unfinishedToken kind = iota // the beginning of a character or a sequence
	textToken                   // a character, or a control character other than those below
	lineToken                   // a line end: CR, LF or CR LF
	escapeToken                 // the escape key
	sequenceToken               // an escape sequence: a key, the mouse, an answer of the terminal
	startToken                  // the start marker of a paste
	endToken                    // its end marker
	garbageToken                // bytes that no terminal sends for a key
)

// token is the first character or sequence of some bytes.
type token struct {
	kind kind
	size int
}

// escapeKey is the escape key so that it cannot be the beginning of something else.
const escapeKey = "\x1b[27u"

// Longest sequences that are waited for.
const (
	maxCSI    = 64
	maxString = 64 << 10
)

// next is the first token of p.
func next(p []byte) token {
	switch {
	case len(p) == 0:
		return token{unfinishedToken, 0}
	case p[0] == 0x1b:
		return escape(p)
	case p[0] == '\r' && len(p) > 1 && p[1] == '\n':
		return token{lineToken, 2}
	case p[0] == '\r' || p[0] == '\n':
		return token{lineToken, 1}
	case p[0] < utf8.RuneSelf:
		return token{textToken, 1}
	case !utf8.FullRune(p):
		return token{unfinishedToken, len(p)}
	}
	if r, size := utf8.DecodeRune(p); r != utf8.RuneError || size > 1 {
		return token{textToken, size}
	}
	return token{garbageToken, 1}
}

// escape is the token of bytes that begin with ESC.
func escape(p []byte) token {
	if len(p) == 1 {
		return token{unfinishedToken, 1}
	}
	switch p[1] {
	case '[':
		return csi(p)
	case 'O':
		return ss3(p)
	case ']', 'P', 'X', '^', '_':
		return controlString(p)
	case interrupt[0]:
		return token{escapeToken, 1}
	case 0x1b:
		if t := escape(p[1:]); len(p) == 2 || (p[2] == '[' || p[2] == 'O') && (t.kind == sequenceToken || t.kind == unfinishedToken) {
			return token{t.kind, t.size + 1} // a key with alt, as some terminals send it
		}
		return token{escapeToken, 1}
	}
	switch t := next(p[1:]); t.kind {
	case textToken:
		return token{sequenceToken, 1 + t.size}
	case lineToken:
		return token{sequenceToken, 2}
	case unfinishedToken:
		return token{unfinishedToken, len(p)}
	}
	return token{escapeToken, 1}
}

// csi is the token of bytes that begin with ESC [.
func csi(p []byte) token {
	for i := 2; i < len(p); i++ {
		switch c := p[i]; {
		case c == '[' && i == 2: // a function key of Linux's console: one letter more
			return fixed(p, 4)
		case c == 'M' && i == 2: // the mouse in its oldest form: three bytes more
			return fixed(p, 6)
		case c >= 0x40 && c <= 0x7e:
			switch string(p[:i+1]) {
			case startMarker:
				return token{startToken, i + 1}
			case endMarker:
				return token{endToken, i + 1}
			}
			return token{sequenceToken, i + 1}
		case c < 0x20 || c > 0x7e || i >= maxCSI:
			return token{garbageToken, i}
		}
	}
	return token{unfinishedToken, len(p)}
}

// fixed is the token of a sequence of n bytes, whose last ones are no control characters.
func fixed(p []byte, n int) token {
	for i := 3; i < min(n, len(p)); i++ {
		if p[i] < 0x20 || p[i] == 0x7f {
			return token{garbageToken, i}
		}
	}
	if len(p) < n {
		return token{unfinishedToken, len(p)}
	}
	return token{sequenceToken, n}
}

// ss3 is the token of bytes that begin with ESC O: numbers and one letter.
func ss3(p []byte) token {
	for i := 2; i < len(p); i++ {
		switch c := p[i]; {
		case c >= '0' && c <= '9' && i < maxCSI:
		case c > 0x20 && c < 0x7f:
			return token{sequenceToken, i + 1}
		default:
			return token{garbageToken, i}
		}
	}
	return token{unfinishedToken, len(p)}
}

// controlString is the token of bytes that begin an OSC, DCS, SOS, PM or APC. Terminals answer in ASCII;
// anything else inside is no answer, and a control character ends it.
func controlString(p []byte) token {
	answer := sequenceToken
	for i := 2; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\a':
			if p[1] != ']' {
				answer = garbageToken
			}
			return token{answer, i + 1}
		case c == 0x1b && i+1 == len(p):
			return token{unfinishedToken, len(p)}
		case c == 0x1b && p[i+1] == '\\':
			return token{answer, i + 2}
		case c < 0x20 || c == 0x7f || i >= maxString:
			return token{garbageToken, i}
		case c >= utf8.RuneSelf:
			answer = garbageToken
		}
	}
	return token{unfinishedToken, len(p)}
}

// abandoned is the keys that the beginning of a sequence means when nothing follows: the escape key, a key
// with alt, or nothing. They are written so that Bubble Tea's reader waits for nothing more.
func abandoned(p []byte) []byte {
	switch {
	case len(p) == 1 && p[0] == 0x1b:
		return []byte(escapeKey)
	case len(p) == 2 && p[1] == 0x1b:
		return []byte(escapeKey + escapeKey)
	case len(p) == 2 && p[0] == 0x1b && p[1] >= 'A' && p[1] <= 'Z':
		return fmt.Appendf(nil, "\x1b[%d;4u", p[1]-'A'+'a')
	case len(p) == 2 && p[0] == 0x1b && p[1] < utf8.RuneSelf:
		return fmt.Appendf(nil, "\x1b[%d;3u", p[1])
	case urxvtShift.Match(p):
		return p
	}
	return nil
}

// urxvtShift is a key with shift in rxvt-unicode, which ends like no other sequence.
var urxvtShift = regexp.MustCompile(`^\x1b\[\d+\$$`)

// reported is what terminals send that nobody types: reports of modes, of the keyboard and of the device,
// colours, and then the mouse, the focus and keys of Kitty's protocol.
var reported = regexp.MustCompile(`\x1b\[\?[\d;]*(?:\$y|u|c)|\x1b\]1[0-2];[ -~]*(?:\x07|\x1b\\)|(\x1b\[<\d+;\d+;\d+[Mm]|\x1b\[[IO]|\x1b\[[\d;:]+u)`)

// maxReports is how many bytes of reports are passed on at once; a terminal is asked few questions.
const maxReports = 512

// reports takes out of a text that may have been pasted what the terminal said meanwhile, and returns
// its answers. The mouse, the focus and keys are not passed on.
func reports(p []byte) (text, answers []byte) {
	if !bytes.Contains(p, []byte("\x1b[")) && !bytes.Contains(p, []byte("\x1b]")) {
		return p, nil
	}
	last := 0
	for _, at := range reported.FindAllSubmatchIndex(p, -1) {
		text = append(text, p[last:at[0]]...)
		last = at[1]
		if at[2] < 0 && len(answers)+at[1]-at[0] <= maxReports {
			answers = append(answers, p[at[0]:at[1]]...)
		}
	}
	return append(text, p[last:]...), answers
}
