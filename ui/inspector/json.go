package inspector

import (
	"bytes"
	"encoding/json"

	"winnow/ui/theme"
)

// NewBodyMsg lays the body of a request out for reading.
func NewBodyMsg(number int, raw []byte, err error, hidden theme.Secrets) BodyMsg {
	text, n := LegibleJSON(raw, hidden)
	return BodyMsg{Answer: Answer{number, err}, Text: text, Bytes: len(raw), Secrets: n}
}

// LegibleJSON lays JSON out for reading and takes the secrets out, and says how many there were.
func LegibleJSON(raw []byte, hidden theme.Secrets) (string, int) {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		b.Reset()
		b.Write(raw)
	}
	return hidden.Hide(b.String())
}
