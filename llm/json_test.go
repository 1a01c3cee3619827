package llm

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzMembers compares members and elements with encoding/json.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{"id":"1","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`, ` {}`, `[]`, `[1,"]",[{"a":"}"}],null]`,
		"{\"a\" : 1 ,\n\"b\":[ 1 , 2 ]\t,\"c\":\"\\\\\\\"}\"}", `{"cont\u0065nt":"x","x\"y":-1e3}`, `{"a":1,"a":2}`, `{"a"`, `[1,`, `{"a":}`, `[}`, `:`, "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw := []byte(text)
		read := make(map[string]json.RawMessage)
		for key, value := range members(raw) {
			read[key] = value
		}
		var list []json.RawMessage
		for value := range elements(raw) {
			list = append(list, value)
		}
		if !json.Valid(raw) {
			return // It ended, that is all.
		}
		raw = bytes.TrimSpace(raw)
		var want map[string]json.RawMessage
		if raw[0] == '{' && len(text) == len(raw) {
			if err := json.Unmarshal(raw, &want); err != nil || len(want) != len(read) || len(want) > 0 && !reflect.DeepEqual(read, want) {
				t.Errorf("%s has the members %q, want %q", raw, read, want)
			}
		}
		var all []json.RawMessage
		if raw[0] == '[' && len(text) == len(raw) {
			if err := json.Unmarshal(raw, &all); err != nil || len(all) != len(list) || len(all) > 0 && !reflect.DeepEqual(list, all) {
				t.Errorf("%s has the elements %q, want %q", raw, list, all)
			}
		}
	})
}

// TestATextIsTakenWithoutDecoding plants the keys of a delta where they can be mistaken.
func TestATextIsTakenWithoutDecoding(t *testing.T) {
	for _, raw := range []string{
		`{"content":"b","choices":[{"delta":{"content" :"a"}}]}`, `{"content":"b","choices":[{"delta":{"cont\u0065nt":"a"}}]}`,
		`{"x\"content":"b","choices":[{"delta":{"content" :"a"}}]}`, `{"choices":[{"delta":{"x":{"content":"b"},"content":"a"}},{"delta":{"content":"c"}}]}`,
	} {
		var a answer
		events, refused := a.add([]byte(raw))
		events = append(events, a.think.end()...)
		if want := []Event{TextDelta{"a"}}; refused || !reflect.DeepEqual(events, want) {
			t.Errorf("%s gives %v, want %v", raw, events, want)
		}
	}
}
