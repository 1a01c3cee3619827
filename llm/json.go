package llm

import (
	"encoding/json"
	"math"
	"strconv"
)

// fields is a JSON object with its values as they came. Those that are missing are nil.
type fields map[string]json.RawMessage

// value is a decoded value, nil for none.
func (f fields) value(key string) any { return decoded(f[key]) }

// text is a string, "" for anything else.
func (f fields) text(key string) string {
	s, _ := f.value(key).(string)
	return s
}

// object is an object, nil for anything else.
func (f fields) object(key string) fields {
	var object fields
	_ = json.Unmarshal(f[key], &object) // What is none stays nil.
	return object
}

// isError says that an object is an error and no part of an answer.
func (f fields) isError() bool {
	return !isBlank(f["error"]) || f.text("object") == "error" || f.text("type") == "error"
}

// complains says that an object which is no part of an answer is an error.
func (f fields) complains() bool {
	return f["message"] != nil || f["detail"] != nil || f["errors"] != nil
}

// isBlank says that a value is none: some servers send an error with each chunk.
func isBlank(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`, "false", "{}":
		return true
	}
	return false
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// decoded is a JSON value, nil for what is none.
func decoded(raw []byte) any {
	var v any
	_ = json.Unmarshal(raw, &v) // What cannot be read stays nil.
	return v
}

// object is the members of a JSON object, nil for anything else.
func object(v any) map[string]any {
	members, _ := v.(map[string]any)
	return members
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
