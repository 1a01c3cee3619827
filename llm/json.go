package llm

import (
	"encoding/json"
	"strconv"
)

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

// whole is a number that is not negative, without its fraction.
func whole(v any) (int, bool) {
	n, ok := v.(float64)
	return int(n), ok && n >= 0 && n <= 1<<53
}

// number is a number, or one in a string, that is not negative; 0 for anything else.
func number(v any) int {
	n, err := strconv.ParseFloat(scalar(v), 64)
	if err != nil || n < 0 || n > 1<<40 {
		return 0
	}
	return int(n)
}
