package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile returns texts that would control a terminal, or hide something from its user, if they reached it unchanged.
// Each contains 6543 if it has a number and PAYLOAD if it has a text.
func hostile() []string {
	return []string{
		"\x1b]52;c;UEFZTE9BRA==PAYLOAD\x07",                           // writes the clipboard
		"\x1b]0;PAYLOAD\x07\x1b]2;PAYLOAD\x1b\\",                      // the title
		"\x1b]8;;https://example.com/PAYLOAD\x1b\\link\x1b]8;;\x1b\\", // a hyperlink
		"\x1b[6543;6543H\x1b[6543A\x1b[6543J\x1b[6543m\x1b[?6543h",    // the cursor, the screen, a mode
		"\x1b[6543t\x1b[6543n\x1b[6543c",                              // questions that the terminal answers by typing
		"\x1bP6543;PAYLOAD\x1b\\",                                     // DCS
		"\x1b_PAYLOAD\x1b\\\x1b^PAYLOAD\x1b\\\x1bXPAYLOAD\x1b\\",      // APC, PM, SOS
		"\x1bc\x1b7\x1b8\x1b(0\x1b#8",                                 // reset, save, restore, line drawing
		"\u009b6543m\u009d0;PAYLOAD\u009c\u0090PAYLOAD\u009c",         // C1 as code points
		"\x9b6543m\x9d0;PAYLOAD\x9c",                                  // C1 as bytes
		"\x1b[201~PAYLOAD\x1b[200~",                                   // ends a bracketed paste
		"nul\x00del\x7fbel\abs\bvt\vff\fso\x0esi\x0f",
		"over\rwritten",
		"\u202ePAYLOAD\u202c\u2066PAYLOAD\u2069\u200f\u061c", // right to left
		"zero\u200bwidth\u2060and\u00adsoft\ufeff",
		"bad\xff\xfe\xc3utf\xed\xa0\x80",
		"tags\U000e0050\U000e0041\U000e007f",
		"\u2028line\u2029paragraph\u0085next",
	}
}

// hostileText returns all hostile texts in one.
func hostileText() string { return "begin " + strings.Join(hostile(), " ") + " end" }

// wantHarmless parses what a terminal received. Its escape sequences must be those of a program that draws, without
// parts of a payload, and its text must not contain control or invisible characters.
func wantHarmless(t *testing.T, what string, raw []byte) {
	t.Helper()
	faults := map[string]bool{}
	for rest := raw; len(rest) > 0; {
		n, fault := harmless(rest)
		if fault != "" && !faults[fault] && len(faults) < 5 {
			faults[fault] = true
			t.Errorf("%s: the terminal received %s, before %q", what, fault, rest[:min(len(rest), 60)])
		}
		rest = rest[n:]
	}
}

// harmless parses one character or escape sequence. It returns its length and what is wrong with it.
func harmless(p []byte) (n int, fault string) {
	if p[0] == 0x1b {
		return sequence(p)
	}
	r, n := utf8.DecodeRune(p)
	switch {
	case r == utf8.RuneError && n == 1:
		return 1, fmt.Sprintf("the byte %#x, which is no UTF-8", p[0])
	case strings.ContainsRune("\r\n\t\b", r):
		return n, ""
	case unicode.IsControl(r):
		return n, fmt.Sprintf("the control character %U", r)
	case unicode.Is(unicode.Bidi_Control, r), r == 0x2028, r == 0x2029, r == 0x200b, r == 0x2060,
		r >= 0xe0000 && r <= 0xe007f:
		return n, fmt.Sprintf("the invisible character %U", r)
	}
	return n, ""
}

// sequence parses one escape sequence.
func sequence(p []byte) (n int, fault string) {
	if len(p) < 2 {
		return len(p), ""
	}
	switch p[1] {
	case '[':
		end := 2
		for end < len(p) && (p[end] < 0x40 || p[end] > 0x7e) {
			end++
		}
		end = min(end+1, len(p))
		if bytes.Contains(p[:end], []byte("6543")) || bytes.HasPrefix(p, []byte("\x1b[200~")) ||
			bytes.HasPrefix(p, []byte("\x1b[201~")) {
			return end, fmt.Sprintf("the sequence %q", p[:end])
		}
		return end, ""
	case ']', 'P', '_', '^', 'X':
		end := len(p)
		for i := 2; i < len(p); i++ {
			if p[i] == '\a' {
				end = i + 1
				break
			}
			if p[i] == 0x1b && i+1 < len(p) && p[i+1] == '\\' {
				end = i + 2
				break
			}
		}
		return end, stringFault(p[:end])
	case '(', ')', '#', 'c':
		return 2, fmt.Sprintf("the sequence %q", p[:2])
	}
	return 2, "" // save, restore, keypad: a renderer's own
}

// stringFault checks a sequence that contains a text. The title of the window may contain the session's title with
// control characters made visible.
func stringFault(p []byte) string {
	if bytes.HasPrefix(p, []byte("\x1b]2;")) || bytes.HasPrefix(p, []byte("\x1b]0;")) {
		title := bytes.TrimSuffix(bytes.TrimSuffix(p[4:], []byte("\a")), []byte("\x1b\\"))
		if !bytes.HasPrefix(title, []byte("winnow")) && len(title) > 0 {
			return fmt.Sprintf("the title %q", title)
		}
		for len(title) > 0 {
			n, fault := harmless(title)
			if fault != "" || title[0] < 0x20 {
				return fmt.Sprintf("a title with %s", fault)
			}
			title = title[n:]
		}
		return ""
	}
	if bytes.Contains(p, []byte("PAYLOAD")) || bytes.HasPrefix(p, []byte("\x1b]52")) ||
		bytes.HasPrefix(p, []byte("\x1b]8")) {
		return fmt.Sprintf("the sequence %q", p)
	}
	return ""
}

// wantHarmless finds each hostile text that is passed on unchanged.
func TestHostileTextsAreFound(t *testing.T) {
	t.Parallel()
	for _, text := range hostile() {
		found := text == "over\rwritten" // a carriage return is legitimate in line ends
		for rest := []byte(text); len(rest) > 0; {
			n, fault := harmless(rest)
			found = found || fault != ""
			rest = rest[n:]
		}
		if !found {
			t.Errorf("%q goes through", text)
		}
	}
}
