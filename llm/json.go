package llm

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// members gives the keys and values of a JSON object as they stand in it, without decoding the values; none for
// anything else. The JSON has to be valid.
func members(raw []byte) iter.Seq2[string, json.RawMessage] { return valuesIn(raw, '{') }

// elements does the same for a list.
func elements(raw []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		for _, value := range valuesIn(raw, '[') {
			if !yield(value) {
				return
			}
		}
	}
}

// valuesIn gives the values of an object or a list, by how that opens. Those of a list have no key.
func valuesIn(raw []byte, open byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		if len(raw) == 0 || raw[0] != open {
			return
		}
		for rest := raw[1:]; ; {
			rest = bytes.TrimLeft(rest, ", \t\r\n")
			key := ""
			if open == '{' {
				n := valueLen(rest)
				key = memberKey(rest[:n])
				rest = bytes.TrimLeft(rest[n:], ": \t\r\n")
			}
			n := valueLen(rest)
			if n == 0 || !yield(key, rest[:n:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// frequentKeys are the keys that each chunk of a stream has, by themselves.
var frequentKeys = func() map[string]string {
	keys := map[string]string{}
	for _, key := range strings.Fields("id object created model system_fingerprint choices index delta role content finish_reason logprobs usage") {
		keys[key] = key
	}
	return keys
}()

// memberKey is a key of an object. One that each chunk has costs no memory.
func memberKey(raw []byte) string {
	if n := len(raw); n >= 2 {
		if key, ok := frequentKeys[string(raw[1:n-1])]; ok {
			return key
		}
	}
	return text(raw)
}

// valueLen is how many bytes the JSON value has that a text begins with.
func valueLen(raw []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case b == '{', b == '[':
			depth++
		case b == '}', b == ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i
			}
		case depth == 0 && (b == ',' || b <= ' '):
			return i
		}
	}
	return len(raw)
}

// decoded is a JSON value, nil for what is none.
func decoded(raw []byte) any {
	if len(raw) == 0 || raw[0] == 'n' {
		return nil
	}
	var v any                   // behind the check: it is allocated
	_ = json.Unmarshal(raw, &v) // What cannot be read stays nil.
	return v
}

// object is the members of a JSON object, nil for anything else.
func object(v any) map[string]any {
	members, _ := v.(map[string]any)
	return members
}

// text is a JSON string, "" for anything else.
func text(raw []byte) string {
	if n := len(raw); n >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : n-1])
	}
	s, _ := decoded(raw).(string)
	return s
}

// scalar is a string or a number as text, "" for anything else.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// whole is a number that is whole and not negative.
func whole(v any) (int, bool) {
	n, ok := v.(float64)
	if !ok || n < 0 || n > 1<<53 || n != math.Trunc(n) {
		return 0, false
	}
	return int(n), true
}

// number is a number, or one in a string, that is not negative; 0 for anything else.
func number(v any) int {
	n, err := strconv.ParseFloat(scalar(v), 64)
	if err != nil || n < 0 || n > 1<<40 {
		return 0
	}
	return int(n)
}
