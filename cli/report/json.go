package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"

	"winnow/ui/markdown"
)

// WriteJSON writes one indented JSON value and a line feed.
func WriteJSON(out io.Writer, v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := out.Write(inert(text.Bytes()))
	return err
}

// inert escapes in a JSON text what a terminal would act on or hide, so that it means the same and can be
// looked at. The encoder leaves what is no control character in ASCII.
func inert(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		acts := r != '\n' && (r < ' ' || r > '~') && markdown.Visible("a"+string(r)+"a") != "a"+string(r)+"a"
		switch {
		case !acts:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}
