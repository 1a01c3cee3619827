package guide

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// answer is what the guide sends for a request.
type answer struct {
	text      string
	arguments string // of a call of a tool, which breaks off at the length limit; "" is no call
	cut       bool   // the connection breaks behind the text
}

// calledTool is the tool that the guide calls in an answer with arguments.
const calledTool = "search_docs"

// stream sends an answer to a prompt of some tokens. Its goroutine ends with the answer, the context or the body.
func (g *Guide) stream(ctx context.Context, prompt int, a answer) *http.Response {
	body, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		for _, event := range g.events(prompt, a) {
			time.Sleep(g.pace)
			if _, err := io.WriteString(in, event); err != nil {
				return
			}
		}
		if a.cut {
			in.CloseWithError(io.ErrUnexpectedEOF)
		}
		in.Close()
	}()
	header := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: body}
}

// object is one of JSON.
type object map[string]any

// events are those of an answer, in the order of the wire.
func (g *Guide) events(prompt int, a answer) []string {
	var list []string
	event := func(v object) {
		text, _ := json.Marshal(v) // plain values always encode
		list = append(list, "data: "+string(text)+"\n\n")
	}
	chunk := func(delta object, finish any) {
		choice := object{"index": 0, "delta": delta, "finish_reason": finish}
		event(object{"object": "chat.completion.chunk", "model": Model, "choices": []object{choice}})
	}
	chunk(object{"role": "assistant"}, nil)
	for _, word := range strings.SplitAfter(a.text, " ") {
		chunk(object{"content": word}, nil)
	}
	if a.cut {
		return list
	}
	finish := "stop"
	if a.arguments != "" {
		function := object{"name": calledTool, "arguments": a.arguments}
		call := object{"index": 0, "id": "call_guide", "type": "function", "function": function}
		chunk(object{"tool_calls": []object{call}}, nil)
		finish = "length"
	}
	chunk(object{}, finish)
	usage := object{"prompt_tokens": prompt, "completion_tokens": g.count(a.text + a.arguments)}
	event(object{"choices": []object{}, "usage": usage})
	return append(list, "data: [DONE]\n\n")
}
