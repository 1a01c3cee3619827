package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/ui/markdown"
)

// JSON is a value as programs read it, indented. The rule for all of it: a field that is exported has its name in small
// letters with underscores, or that of its json tag; an embedded struct gives its fields; a time is RFC 3339 in UTC and
// null where there is none; a duration is milliseconds, with _ms behind its name; a cause is its sentence; no limit is
// null; an empty list is []; bytes are left out.
func (p *Page) JSON(value any) (string, error) {
	e := encoder{clean: p.Clean}
	e.value(reflect.ValueOf(value))
	var text bytes.Buffer
	if err := json.Indent(&text, e.text.Bytes(), "", "  "); err != nil {
		return "", err
	}
	return inert(text.String()) + "\n", nil
}

// encoder writes JSON by the rule of Page.JSON.
type encoder struct {
	text  bytes.Buffer
	clean func(string) string
}

func (e *encoder) value(v reflect.Value) {
	if !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		e.text.WriteString("null")
		return
	}
	switch x := v.Interface().(type) {
	case time.Time:
		if x.IsZero() {
			e.text.WriteString("null")
		} else {
			e.quote(x.UTC().Format(time.RFC3339))
		}
		return
	case time.Duration:
		fmt.Fprint(&e.text, x.Milliseconds())
		return
	case history.Cause:
		e.quote(x.Sentence())
		return
	case pricing.Money:
		if x < 0 { // not said
			e.text.WriteString("null")
		} else {
			e.text.WriteString(x.Decimal())
		}
		return
	case error:
		e.quote(ErrorText(x))
		return
	case json.RawMessage:
		e.text.Write(x)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		e.value(v.Elem())
	case reflect.Struct:
		e.text.WriteByte('{')
		e.fields(v)
		e.close('}')
	case reflect.Slice, reflect.Array:
		e.text.WriteByte('[')
		for i := range v.Len() {
			e.value(v.Index(i))
			e.text.WriteByte(',')
		}
		e.close(']')
	case reflect.Map:
		e.text.WriteByte('{')
		byName := map[string]reflect.Value{}
		for it := v.MapRange(); it.Next(); {
			byName[fmt.Sprint(it.Key())] = it.Value()
		}
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			e.member(name, byName[name])
		}
		e.close('}')
	case reflect.String:
		e.quote(v.String())
	case reflect.Int:
		if v.Int() == history.NoLimit {
			e.text.WriteString("null")
			return
		}
		fmt.Fprint(&e.text, v.Int())
	default:
		text, _ := json.Marshal(v.Interface()) // numbers and booleans always encode
		e.text.Write(text)
	}
}

// fields writes the fields of a struct.
func (e *encoder) fields(v reflect.Value) {
	for i := range v.NumField() {
		f, field := v.Type().Field(i), v.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || tag == "-" || f.Type.Kind() == reflect.Func:
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Uint8 && f.Type != rawType:
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct:
			e.fields(field)
		case tag != "":
			e.member(tag, field)
		case f.Type == reflect.TypeFor[time.Duration]():
			e.member(snake(f.Name)+"_ms", field)
		default:
			e.member(snake(f.Name), field)
		}
	}
}

var rawType = reflect.TypeFor[json.RawMessage]()

func (e *encoder) member(name string, v reflect.Value) {
	e.quote(name)
	e.text.WriteByte(':')
	e.value(v)
	e.text.WriteByte(',')
}

// close ends a list or an object, without the comma behind the last of it.
func (e *encoder) close(bracket byte) {
	if last := e.text.Len() - 1; e.text.Bytes()[last] == ',' {
		e.text.Truncate(last)
	}
	e.text.WriteByte(bracket)
}

func (e *encoder) quote(text string) {
	encoded := json.NewEncoder(&e.text)
	encoded.SetEscapeHTML(false)
	encoded.Encode(e.clean(text)) // a text always encodes
	e.text.Truncate(e.text.Len() - 1)
}

// snake is a name of Go in small letters with underscores: ToolCallID is tool_call_id.
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

// inert escapes in a JSON text what a terminal would act on or hide, so that it means the same and can be looked at.
func inert(text string) string {
	var b strings.Builder
	for _, r := range text {
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
	return b.String()
}
