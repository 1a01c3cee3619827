package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Object is a JSON object that grows by members in the bytes of a file. Empty, it is no object.
type Object []byte

// Add adds a member as it is in the file.
func (o *Object) Add(key, value []byte) {
	if len(*o) == 0 {
		*o = append(*o, '{')
	} else {
		(*o)[len(*o)-1] = ','
	}
	*o = append(*o, key...)
	*o = append(*o, ':')
	*o = append(*o, value...)
	*o = append(*o, '}')
}

// Set adds a member whose key needs no escaping.
func (o *Object) Set(key string, value []byte) { o.Add([]byte(`"`+key+`"`), value) }

// Marshal returns a value as JSON, without escaping what only HTML needs escaped.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(buf.Bytes()), err
}

// Quote writes a text of any bytes as a JSON string.
func Quote(text string) []byte {
	out := []byte{'"'}
	for i := range len(text) {
		switch b := text[i]; {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < ' ':
			out = fmt.Appendf(out, `\u%04x`, b)
		default:
			out = append(out, b)
		}
	}
	return append(out, '"')
}
