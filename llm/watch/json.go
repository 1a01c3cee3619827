package watch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"winnow/llm/wire"
)

// value is a part of valid JSON.
type value struct {
	name  string // of a member of an object, or [3] of an item of an array
	place string // as in .messages.[3].content
	raw   []byte
	from  int // where raw begins in the body
}

// values are the members of an object or the items of an array.
type values []value

// parts returns the members of an object or the items of an array, none of any other value. It reads the bytes once and
// leaves inner values as they are.
func (v value) parts() values {
	if len(v.raw) == 0 || v.raw[0] != '{' && v.raw[0] != '[' {
		return nil
	}
	var all values
	var name string
	depth, from := 0, 1
	for i := 0; i < len(v.raw); i++ {
		switch v.raw[i] {
		case '"':
			i += stringLen(v.raw[i:]) - 1
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		c := v.raw[i]
		if depth > 1 || depth == 1 && c != ':' && c != ',' {
			continue
		}
		raw := bytes.TrimLeft(v.raw[from:i], " \t\r\n")
		part := value{name, v.place, bytes.TrimSpace(raw), v.from + i - len(raw)}
		from = i + 1
		switch {
		case c == ':':
			name = part.str()
		case len(raw) > 0:
			if v.raw[0] == '[' {
				part.name = fmt.Sprintf("[%d]", len(all))
			}
			part.place += "." + part.name
			all = append(all, part)
		}
	}
	return all
}

// stringLen returns the length of the string at the beginning of JSON, with its quotes.
func stringLen(raw []byte) int {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// list returns the items of an array, and any other value as a list of itself.
func (v value) list() values {
	if len(v.raw) == 0 || v.raw[0] == '[' {
		return v.parts()
	}
	return values{v}
}

// get returns the first of these members that is there and not null. A dot in a name leads to a member of a member.
func (vs values) get(names ...string) value {
	for _, name := range names {
		name, inner, dotted := strings.Cut(name, ".")
		for _, v := range slices.Backward(vs) { // Of members with the same name, the last one counts.
			if v.name != name {
				continue
			}
			if dotted {
				v = v.parts().get(inner)
			}
			if v.raw != nil && string(v.raw) != "null" {
				return v
			}
		}
	}
	return value{}
}

// isString reports whether the value is a string.
func (v value) isString() bool { return len(v.raw) > 0 && v.raw[0] == '"' }

// str returns a string, "" for any other value.
func (v value) str() string {
	var s string
	if v.isString() && bytes.IndexByte(v.raw, '\\') < 0 {
		return string(v.raw[1 : len(v.raw)-1])
	}
	_ = json.Unmarshal(v.raw, &s) // Another value leaves it empty.
	return s
}

// compact returns the JSON of the value without blanks, "" if there is none.
func (v value) compact() string {
	var b bytes.Buffer
	_ = json.Compact(&b, v.raw) // The JSON is valid; what is empty stays so.
	return b.String()
}

// text returns a string, and the compact JSON of any other value.
func (v value) text() string {
	if v.isString() {
		return v.str()
	}
	return v.compact()
}

// prose returns the text of a content for people: of a string, or of all parts. A part without text is shown as JSON in
// which encoded data, such as an image, is cut short.
func (v value) prose() string {
	const data, shown = 200, 24 // bytes
	var all []string
	for _, p := range v.list() {
		t := p
		if !p.isString() {
			t = p.parts().get("text", "thinking", "refusal")
		}
		if t.isString() {
			all = append(all, t.str())
			continue
		}
		words := strings.Split(p.compact(), `"`)
		for i, w := range words {
			if len(w) > data && !strings.ContainsFunc(w, isProse) {
				words[i] = w[:shown] + "…"
			}
		}
		all = append(all, strings.Join(words, `"`))
	}
	return strings.Join(all, "\n")
}

// isProse reports whether encoded data cannot contain a character.
func isProse(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`\[]{}`, c) }

// canonical returns JSON without blanks, and with each string escaped in one way.
func canonical(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		part := raw[:1]
		if raw[0] == '"' {
			part = raw[:stringLen(raw)]
		}
		raw = raw[len(part):]
		if bytes.Contains(part, []byte(`\u`)) || bytes.Contains(part, []byte(`\/`)) { // Others have one escape.
			part, _ = wire.EncodeJSON(value{raw: part}.str()) // Strings always encode.
		}
		if part[0] > ' ' {
			out = append(out, part...)
		}
	}
	return out
}
