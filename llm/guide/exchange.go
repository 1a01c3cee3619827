package guide

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// exchange is one request and the answer to it, in the order of the wire: begin, any of think, say
// and call, finish, end. Whether the answer streams or comes as one JSON body is the request's
// choice and makes no difference to the caller. After a failed write every step does nothing.
type exchange struct {
	guide   *Guide
	w       http.ResponseWriter
	ctx     context.Context
	req     request
	id      string
	created int64
	prompt  int // tokens of the request

	whole reply // what was said so far
	err   error // the client is gone
}

// reply is the assistant's message, and in a stream a piece of it.
type reply struct {
	Role             string     `json:"role,omitempty"`
	Content          *string    `json:"content,omitempty"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []toolCall `json:"tool_calls,omitempty"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      *reply  `json:"message,omitempty"` // in one JSON body
	Delta        *reply  `json:"delta,omitempty"`   // in a stream
	FinishReason *string `json:"finish_reason"`
}

// completion is a JSON answer, or one chunk of a stream.
type completion struct {
	ID      string         `json:"id"`
	Object  string         `json:"object"`
	Created int64          `json:"created"`
	Model   string         `json:"model"`
	Choices []choice       `json:"choices"`
	Usage   *usage         `json:"usage,omitempty"`
	Error   map[string]any `json:"error,omitempty"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Details    struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// checkWindow refuses a request that does not fit, with the reply it asks for, into the window.
func (x *exchange) checkWindow() *refusal {
	if x.prompt >= Window {
		return overflow(x.prompt)
	}
	if reply := x.req.maxTokens(); x.prompt+reply > Window {
		return overflowWithReply(x.prompt, reply)
	}
	return nil
}

// begin opens the answer.
func (x *exchange) begin() {
	x.whole.Role = "assistant"
	if !x.req.Stream {
		return
	}
	x.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.WriteHeader(http.StatusOK)
	none := ""
	x.chunk(choice{Delta: &reply{Role: "assistant", Content: &none}})
}

// think sends reasoning.
func (x *exchange) think(text string) {
	for _, piece := range pieces(text) {
		x.whole.ReasoningContent += piece
		x.delta(reply{ReasoningContent: piece})
	}
}

// say sends text in small pieces.
func (x *exchange) say(text string) { x.sayAt(text, x.guide.o.Pace) }

func (x *exchange) sayAt(text string, pace time.Duration) {
	for _, piece := range pieces(text) {
		if x.err != nil {
			return
		}
		if x.whole.Content == nil {
			x.whole.Content = new(string)
		}
		*x.whole.Content += piece
		x.send(reply{Content: &piece})
		x.pause(pace)
	}
}

// call sends a tool call whose arguments come in pieces. A second call on the same index lengthens
// the first one in a JSON answer, as it does in a client that joins by index alone.
func (x *exchange) call(index int, id, name, arguments string) {
	open := toolCall{ID: id, Type: "function"}
	open.Function.Name = name
	if index < len(x.whole.ToolCalls) {
		x.whole.ToolCalls[index].Function.Arguments += arguments
	} else {
		whole := open
		whole.Function.Arguments = arguments
		x.whole.ToolCalls = append(x.whole.ToolCalls, whole)
	}
	open.Index = &index
	x.delta(reply{ToolCalls: []toolCall{open}})
	for _, piece := range pieces(arguments) {
		more := toolCall{Index: &index}
		more.Function.Arguments = piece
		x.delta(reply{ToolCalls: []toolCall{more}})
	}
}

// delta sends a piece of the answer in a stream, at the guide's pace.
func (x *exchange) delta(piece reply) {
	x.send(piece)
	x.pause(x.guide.o.Pace)
}

func (x *exchange) send(piece reply) {
	if x.req.Stream {
		x.chunk(choice{Delta: &piece})
	}
}

// end closes the answer: the reason, the usage where it is wanted and known, the end mark.
func (x *exchange) end(reason string) {
	if !x.req.Stream {
		if x.whole.Content == nil {
			x.whole.Content = new(string)
		}
		c := x.completion("chat.completion", choice{Message: &x.whole, FinishReason: &reason})
		c.Usage = x.usage()
		writeJSON(x.w, http.StatusOK, c)
		return
	}
	x.chunk(choice{Delta: &reply{}, FinishReason: &reason})
	if u := x.usage(); u != nil && x.req.StreamOptions.IncludeUsage {
		c := x.completion("chat.completion.chunk")
		c.Usage = u
		x.data(c)
	}
	x.write("data: [DONE]\n\n")
}

// endSilently closes the answer without a reason, a usage or an end mark.
func (x *exchange) endSilently() {
	if !x.req.Stream {
		if x.whole.Content == nil {
			x.whole.Content = new(string)
		}
		writeJSON(x.w, http.StatusOK, x.completion("chat.completion", choice{Message: &x.whole}))
	}
}

// cut breaks the connection: in the middle of a stream, or of a JSON body.
func (x *exchange) cut() {
	if !x.req.Stream {
		body, _ := json.Marshal(x.completion("chat.completion", choice{Message: &x.whole})) // plain structs always encode
		x.w.Header().Set("Content-Type", "application/json")
		x.write(string(body[:len(body)/2]))
	}
	panic(http.ErrAbortHandler)
}

// usage is what the answer cost, nil where nobody counts exactly.
func (x *exchange) usage() *usage {
	if x.guide.o.Count == nil {
		return nil
	}
	text := ""
	if x.whole.Content != nil {
		text = *x.whole.Content
	}
	u := &usage{Prompt: x.prompt}
	u.Details.Reasoning = x.guide.count(x.whole.ReasoningContent)
	u.Completion = u.Details.Reasoning + x.guide.count(text) + callTokens(x.whole.ToolCalls, x.guide.count)
	u.Total = u.Prompt + u.Completion
	return u
}

func (x *exchange) completion(object string, choices ...choice) completion {
	if choices == nil {
		choices = []choice{}
	}
	return completion{ID: "chatcmpl-" + x.id, Object: object, Created: x.created, Model: Model, Choices: choices}
}

func (x *exchange) chunk(c choice) { x.data(x.completion("chat.completion.chunk", c)) }

func (x *exchange) data(c completion) {
	b, err := json.Marshal(c)
	if err != nil {
		x.err = fmt.Errorf("encode a chunk: %w", err)
		return
	}
	x.write("data: " + string(b) + "\n\n")
}

// comment sends a line that says nothing but that the server lives.
func (x *exchange) comment(text string) {
	if x.req.Stream {
		x.write(": " + text + "\n\n")
	}
}

func (x *exchange) write(text string) {
	if x.err != nil {
		return
	}
	if _, err := x.w.Write([]byte(text)); err != nil {
		x.err = err
		return
	}
	if f, ok := x.w.(http.Flusher); ok {
		f.Flush()
	}
}

// pause waits, in a stream only, for d or until the client is gone.
func (x *exchange) pause(d time.Duration) {
	if x.err != nil || d <= 0 || !x.req.Stream {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-x.ctx.Done():
		x.err = x.ctx.Err()
	}
}

// longestPiece is the most code points of a piece.
const longestPiece = 12

// pieces cuts text into the small pieces in which it streams: words with the space behind them, and
// long words in parts. Joined they are the text.
func pieces(text string) []string {
	var all []string
	var b strings.Builder
	n, spaced := 0, false
	for _, r := range text {
		space := unicode.IsSpace(r)
		if n >= longestPiece || spaced && !space {
			all = append(all, b.String())
			b.Reset()
			n = 0
		}
		b.WriteRune(r)
		n++
		spaced = space
	}
	if n > 0 {
		all = append(all, b.String())
	}
	return all
}
