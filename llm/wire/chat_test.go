package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// A chunk that differs from the one before in its text alone is not taken apart. It must be read as it is where another
// key differs too.
func TestChunksThatDifferInTheirTextAlone(t *testing.T) {
	delta := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string {
			text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"<think>", "</think>", `"content":"x"`, "\\", ""}))
			piece, _ := json.Marshal(text.Draw(t, "text"))
			return `{"content":` + string(piece) + `}`
		}),
		rapid.SampledFrom([]string{
			`{"role":"assistant","content":"a"}`, `{"content":null}`, `{"content":"a","reasoning":"b"}`,
			`{"reasoning_content":"why"}`, `{"content":"a","annotations":["n"]}`, `{"content":"\ud83d\ude00"}`,
			`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"content\":\"x\"}"}}]}`, `{}`,
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		alike, unlike := NewAnswer(Chat), NewAnswer(Chat)
		for i, d := range rapid.SliceOf(delta).Draw(t, "deltas") {
			finish := rapid.SampledFrom([]string{"null", "null", "null", `"stop"`}).Draw(t, "finish")
			chunk := fmt.Sprintf(`"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`, d, finish)
			if err := alike.Read([]byte(`{"id":"1",` + chunk)); err != nil {
				t.Fatal(err)
			}
			if err := unlike.Read([]byte(fmt.Sprintf(`{"id":"1","created":%d,`, i) + chunk)); err != nil {
				t.Fatal(err)
			}
			if got, want := alike.Events(), unlike.Events(); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s gives %+v, want %+v", chunk, got, want)
			}
		}
		if got, want := string(alike.Extra()), string(unlike.Extra()); alike.Finish != unlike.Finish || got != want {
			t.Errorf("it ends with %q and %s, want %q and %s", alike.Finish, got, unlike.Finish, want)
		}
	})
}
