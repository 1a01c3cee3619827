package inspector

import (
	"bytes"
	"encoding/json"

	"winnow/ui/theme"
)

// LegibleJSON lays JSON out for reading and takes the secrets out, and says how many there were.
func LegibleJSON(raw []byte, hidden theme.Secrets) (string, int) {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		b.Reset()
		b.Write(raw)
	}
	return hidden.Hide(b.String())
}
