package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"

	"winnow/history"
	"winnow/llm/pricing"
)

// JSON returns a value as indented JSON for programs. An exported field is named by its json tag, or else by its name
// in snake case. The fields of an embedded struct are inlined. A time is RFC 3339 in UTC, or null if it is zero; a
// duration is in milliseconds, with _ms appended to its name; a history.Cause is its sentence; history.NoLimit is null;
// an empty list is []; byte slices are omitted.
func (p *Page) JSON(value any) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(p.plain(reflect.ValueOf(value)))
	return text.String(), err
}

// object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON encodes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	text := bytes.NewBufferString("{")
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	for i, m := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := encoder.Encode(m.name); err != nil {
			return nil, err
		}
		text.WriteByte(':')
		if err := encoder.Encode(m.value); err != nil {
			return nil, err
		}
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// plain converts a value to types of encoding/json, by the rules of JSON.
func (p *Page) plain(v reflect.Value) any {
	if !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		return nil
	}
	switch x := v.Interface().(type) {
	case time.Time:
		if x.IsZero() {
			return nil
		}
		return x.UTC().Format(time.RFC3339)
	case time.Duration:
		return x.Milliseconds()
	case history.Cause:
		return p.Clean(x.Sentence())
	case pricing.Money:
		if x < 0 { // unknown
			return nil
		}
		return json.Number(x.Decimal())
	case error:
		return p.Clean(ErrorText(x))
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return p.plain(v.Elem())
	case reflect.Struct:
		return p.members(v)
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = p.plain(v.Index(i))
		}
		return list
	case reflect.Map:
		object := map[string]any{}
		for key, value := range v.Seq2() {
			object[fmt.Sprint(key)] = p.plain(value)
		}
		return object
	case reflect.String:
		return p.Clean(v.String())
	case reflect.Int:
		if v.Int() == history.NoLimit {
			return nil
		}
	}
	return v.Interface()
}

// members returns the fields of a struct as members of an object.
func (p *Page) members(v reflect.Value) (o object) {
	for f, value := range v.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-" || f.Type.Kind() == reflect.Func:
			continue
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Uint8:
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			o = append(o, p.members(value)...)
			continue
		case name == "":
			name = snake(f.Name)
			if f.Type == reflect.TypeFor[time.Duration]() {
				name += "_ms"
			}
		}
		o = append(o, member{name, p.plain(value)})
	}
	return o
}

// snake returns a Go name in snake case: ToolCallID becomes tool_call_id.
func snake(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		begins := i > 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
