package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// extent is the length of the JSON value that valid JSON begins with.
func extent(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringLength(text[i:]) - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i
			}
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// stringLength is the length of the string that text begins with, both quotes included.
func stringLength(text []byte) int {
	for i := 1; i < len(text); {
		end := bytes.IndexByte(text[i:], '"')
		if end < 0 {
			return len(text)
		}
		i += end + 1
		if !escaped(text[1 : i-1]) {
			return i
		}
	}
	return len(text)
}

// Members are the members of a valid JSON object in their order, key and value as they are there.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		rest := punctuation(object[1:])
		for len(rest) > 0 && rest[0] == '"' {
			n := stringLength(rest)
			key := rest[:n]
			rest = punctuation(rest[n:])
			n = extent(rest)
			if !yield(key, rest[:n]) {
				return
			}
			rest = punctuation(rest[n:])
		}
	}
}

// Items are the values of a valid JSON list as they are there.
func Items(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		rest := punctuation(list[1:])
		for len(rest) > 0 && rest[0] != ']' {
			n := extent(rest)
			if !yield(rest[:n]) {
				return
			}
			rest = punctuation(rest[n:])
		}
	}
}

// punctuation is text without the blanks, commas and colons that it begins with.
func punctuation(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n,:") }

// Unquote is the text of a valid JSON string, byte for byte. encoding/json would replace what is not
// UTF-8; here bytes stay as they are, and half of a surrogate pair becomes the three bytes that
// would stand for it, so that nothing of a file is lost.
func Unquote(raw []byte) string {
	raw = raw[1 : len(raw)-1]
	at := bytes.IndexByte(raw, '\\')
	if at < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for at >= 0 {
		out = append(out, raw[:at]...)
		raw = raw[at+1:]
		switch c := raw[0]; c {
		case 'u':
			var n int
			out, n = appendEscape(out, raw)
			raw = raw[n:]
		default:
			out = append(out, plainEscape(c))
			raw = raw[1:]
		}
		at = bytes.IndexByte(raw, '\\')
	}
	return string(append(out, raw...))
}

func plainEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c // a quote, a slash or a backslash
}

// appendEscape appends the character that raw begins with, uXXXX behind its backslash or two of them
// as a pair, and returns how much of raw it is.
func appendEscape(out, raw []byte) ([]byte, int) {
	r := hexRune(raw)
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), 5
	}
	if len(raw) >= 11 && raw[5] == '\\' && raw[6] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(raw[6:])); pair != utf8.RuneError {
			return utf8.AppendRune(out, pair), 11
		}
	}
	return append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F), 5
}

// hexRune is the XXXX of uXXXX.
func hexRune(raw []byte) rune {
	n, err := strconv.ParseUint(string(raw[1:5]), 16, 16)
	if err != nil {
		return utf8.RuneError // Not in valid JSON.
	}
	return rune(n)
}

// Member is the value of one key of an object, nil for none and for what is no object.
func Member(object []byte, key string) []byte {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	var found []byte
	for name, value := range Members(object) {
		if Unquote(name) == key {
			found = value
		}
	}
	return found
}

// Text is a text, "" for any other value.
func Text(raw []byte) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	return Unquote(raw)
}

// Scalar is a text or a number as text.
func Scalar(raw []byte) (string, bool) {
	switch {
	case len(raw) == 0:
		return "", false
	case raw[0] == '"':
		return Unquote(raw), true
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw), true
	}
	return "", false
}

// SyntaxError says what is wrong with a text that is not JSON.
func SyntaxError(raw []byte) error {
	var value any
	err := json.Unmarshal(raw, &value)
	var at *json.SyntaxError
	if errors.As(err, &at) {
		return fmt.Errorf("is not JSON (byte %d of it: %w)", at.Offset, err)
	}
	return errors.New("is not JSON")
}

// Kind names the kind of a JSON value with its article.
func Kind(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "a truth value"
	case 'n':
		return "null"
	}
	return "a number"
}
