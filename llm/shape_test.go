package llm

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"winnow/llm/pricing"

	"pgregory.net/rapid"
)

// TestShapeChangesNothing reads random streams twice: with shapes, and forgetting the shape before
// every chunk.
func TestShapeChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var fast, slow answer
		for i := range rapid.IntRange(1, 12).Draw(t, "chunks") {
			raw := randomChunk(t)
			got, gotErr := fast.add(raw)
			slow.shape = shape{}
			want, wantErr := slow.add(raw)
			if !reflect.DeepEqual(got, want) || (gotErr == nil) != (wantErr == nil) {
				t.Fatalf("chunk %d, %s: with shapes %v (%v), without %v (%v)", i, raw, got, gotErr, want, wantErr)
			}
		}
		got, gotEnd := fast.end(true)
		want, wantEnd := slow.end(true)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotEnd, wantEnd) {
			t.Fatalf("the end: with shapes %v %+v, without %v %+v", got, gotEnd, want, wantEnd)
		}
	})
}

// randomChunk is a chunk that often resembles another one.
func randomChunk(t *rapid.T) []byte {
	content, err := json.Marshal(rapid.OneOf(
		rapid.SampledFrom([]string{"a", "", "two words", `quote " here`, "\n", "<think>", "</think>", `"content":"x"`, "漢字"}),
		rapid.String(),
	).Draw(t, "content"))
	if err != nil {
		t.Fatal(err)
	}
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	delta := pick("role", "", `"role":"assistant",`) + `` + pick("key", `"content":`, `"content":`, `"content" :`, `"cont\u0065nt":`) + pick("blank", "", " ") + string(content) +
		pick("more", "", "", `,"reasoning_content":null`, `,"reasoning":"hm"`, `,"refusal":"no"`, `,"tool_calls":[]`,
			`,"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]`, `,"note":"x"`, `,"annotations":[1]`, `,"content":"twice"`)
	extra := pick("extra", "", "", `"fp":"x",`, `"fp":"y",`, `"list":[1],`, `"content":"a",`, `"x\"content":"a",`)
	usage := pick("usage", "", "", `,"usage":null`, `,"usage":{"prompt_tokens":3,"completion_tokens":1}`, `,"usage":{"prompt_tokens":4}`)
	if rapid.IntRange(0, 5).Draw(t, "no choice") == 0 {
		return []byte(`{"id":"1",` + extra + `"choices":[]` + usage + `}`)
	}
	return []byte(`{"id":"1",` + extra + `"choices":[{"index":0,"delta":{` + delta + `},"finish_reason":` + pick("finish", "null", "null", `"stop"`) + `}` +
		pick("second", "", "", `,{"index":1,"delta":{"content":"other"}}`) + `]` + usage + `}`)
}

func TestShapeReadsTheUsualStream(t *testing.T) {
	var a answer
	var said strings.Builder
	fast := 0
	for _, piece := range []string{"Hel", "lo", " \"you\"", "\n", "漢字"} {
		content, _ := json.Marshal(piece)
		raw := []byte(`{"id":"1","choices":[{"index":0,"delta":{"content":` + string(content) + `},"finish_reason":null}]}`)
		if _, ok := a.shape.text(raw); ok {
			fast++
		}
		events, err := a.add(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			said.WriteString(e.(TextDelta).Text)
		}
	}
	events, _ := a.end(true)
	for _, e := range events {
		said.WriteString(e.(TextDelta).Text)
	}
	if said.String() != "Hello \"you\"\n漢字" || fast != 4 {
		t.Errorf("the stream says %q, %d of its chunks by their shape; want all but the first", said.String(), fast)
	}
}

// TestShapeTakesNoOtherText plants the delta's key where it can be mistaken.
func TestShapeTakesNoOtherText(t *testing.T) {
	for _, c := range []struct{ name, first, second string }{
		{"a blank before the colon", `{"content":"a","choices":[{"delta":{"content" :"a"}}]}`, `{"content":"b","choices":[{"delta":{"content" :"a"}}]}`},
		{"an escaped key", `{"content":"a","choices":[{"delta":{"cont\u0065nt":"a"}}]}`, `{"content":"b","choices":[{"delta":{"cont\u0065nt":"a"}}]}`},
		{"a key that ends so", `{"x\"content":"a","choices":[{"delta":{"content" :"a"}}]}`, `{"x\"content":"b","choices":[{"delta":{"content" :"a"}}]}`},
	} {
		var a answer
		for _, raw := range []string{c.first, c.second} {
			events, err := a.add([]byte(raw))
			if want := []Event{TextDelta{"a"}}; err != nil || !reflect.DeepEqual(events, want) {
				t.Errorf("%s: %s gives %v (%v), want %v", c.name, raw, events, err, want)
			}
		}
	}
}

func TestShapeEndsWithAChunkOfAnother(t *testing.T) {
	var a answer
	says := []byte(`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3}}`)
	var usages []pricing.Usage
	for _, raw := range [][]byte{says, []byte(`{"choices":[],"usage":{"prompt_tokens":4}}`), says} {
		events, err := a.add(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if u, ok := e.(UsageReport); ok {
				usages = append(usages, u.Usage)
			}
		}
	}
	if len(usages) != 3 || usages[2].Prompt != 3 {
		t.Errorf("the usages are %v, want 3, 4 and 3 again", usages)
	}
}
