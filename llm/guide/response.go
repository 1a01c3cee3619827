package guide

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	openai "github.com/sashabaranov/go-openai"
)

// question is one request, and what its answer needs to know of it.
type question struct {
	guide   *Guide
	ctx     context.Context
	req     request
	id      string
	created int64
	prompt  int // tokens of the request
}

// chunk is one event of a stream. The library's type has more keys, which a client would keep.
type chunk struct {
	ID      string           `json:"id"`
	Object  string           `json:"object"`
	Created int64            `json:"created"`
	Model   string           `json:"model"`
	Choices []choice         `json:"choices"`
	Usage   *openai.Usage    `json:"usage,omitempty"`
	Error   *openai.APIError `json:"error,omitempty"`
}

type choice struct {
	Index        int                                    `json:"index"`
	Delta        openai.ChatCompletionStreamChoiceDelta `json:"delta"`
	FinishReason openai.FinishReason                    `json:"finish_reason"`
}

// stream answers with what script writes, as it is written. The script runs on a goroutine of its own, which
// ends with the script, the request's context or the body.
func (q *question) stream(script func(*writer)) *http.Response {
	ctx, cancel := context.WithCancel(q.ctx)
	out, in := io.Pipe()
	w := &writer{question: q, ctx: ctx, out: in}
	unwatch := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		defer cancel()
		script(w)
		unwatch()
		if w.err == nil {
			w.err = ctx.Err() // a script that ended because of the cancel has not said all
		}
		in.CloseWithError(w.err)
	}()
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
		Body:       streamBody{out, cancel},
	}
}

// streamBody is the client's end of a stream. Closing it ends the script.
type streamBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b streamBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// reply answers with a text, as much of it as fits into the request and the window.
func (q *question) reply(text string) *http.Response {
	return q.stream(func(w *writer) {
		w.begin()
		fitting := q.fit(text)
		w.say(fitting)
		if len(fitting) < len(text) {
			w.end(openai.FinishReasonLength)
			return
		}
		w.end(openai.FinishReasonStop)
	})
}

// fit is the longest beginning of text that fits into the reply.
func (q *question) fit(text string) string {
	available := Window - q.prompt
	if limit := q.req.maxTokens(); limit > 0 {
		available = limit
	}
	if q.guide.o.Count(text) <= available {
		return text
	}
	all := pieces(text)
	low, high := 0, len(all)
	for low < high {
		mid := (low + high + 1) / 2
		if q.guide.o.Count(strings.Join(all[:mid], "")) <= available {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return strings.Join(all[:low], "")
}

// writer writes a stream in the order of the wire: begin, any of think, say and call, end. After a failed
// write every step does nothing.
type writer struct {
	*question
	ctx context.Context
	out *io.PipeWriter
	err error // what ended the stream

	text, reasoning strings.Builder // said so far
	calls           []openai.ToolCall
}

// begin opens the answer.
func (w *writer) begin() { w.delta(openai.ChatCompletionStreamChoiceDelta{Role: "assistant"}) }

// think sends reasoning.
func (w *writer) think(text string) {
	w.reasoning.WriteString(text)
	for _, piece := range pieces(text) {
		w.delta(openai.ChatCompletionStreamChoiceDelta{ReasoningContent: piece})
		w.pause(w.guide.o.Pace)
	}
}

// say sends text in small pieces.
func (w *writer) say(text string) { w.sayAt(text, w.guide.o.Pace) }

func (w *writer) sayAt(text string, pace time.Duration) {
	w.text.WriteString(text)
	for _, piece := range pieces(text) {
		w.delta(openai.ChatCompletionStreamChoiceDelta{Content: piece})
		w.pause(pace)
	}
}

// call sends a tool call whose arguments come in pieces.
func (w *writer) call(index int, id, name, arguments string) {
	function := openai.FunctionCall{Name: name, Arguments: arguments}
	w.calls = append(w.calls, openai.ToolCall{Function: function})
	w.piece(openai.ToolCall{Index: &index, ID: id, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: name}})
	for _, piece := range pieces(arguments) {
		w.piece(openai.ToolCall{Index: &index, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Arguments: piece}})
	}
}

func (w *writer) piece(call openai.ToolCall) {
	w.delta(openai.ChatCompletionStreamChoiceDelta{ToolCalls: []openai.ToolCall{call}})
	w.pause(w.guide.o.Pace)
}

func (w *writer) delta(d openai.ChatCompletionStreamChoiceDelta) {
	w.chunk(chunk{Choices: []choice{{Delta: d}}})
}

// end closes the answer: the reason, the usage where it is wanted, the end mark.
func (w *writer) end(reason openai.FinishReason) {
	w.chunk(chunk{Choices: []choice{{FinishReason: reason}}})
	if o := w.req.StreamOptions; o != nil && o.IncludeUsage {
		w.chunk(chunk{Choices: []choice{}, Usage: w.usage()})
	}
	w.write("data: [DONE]\n\n")
}

// usage is what the answer cost.
func (w *writer) usage() *openai.Usage {
	count := w.guide.o.Count
	reasoning := count(w.reasoning.String())
	u := &openai.Usage{PromptTokens: w.prompt, CompletionTokens: reasoning + count(w.text.String()) + callTokens(w.calls, count)}
	u.CompletionTokensDetails = &openai.CompletionTokensDetails{ReasoningTokens: reasoning}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u
}

func (w *writer) chunk(c chunk) {
	c.ID, c.Object, c.Created, c.Model = "chatcmpl-"+w.id, "chat.completion.chunk", w.created, Model
	text, _ := json.Marshal(c) // plain structs always encode
	w.write("data: " + string(text) + "\n\n")
}

// comment sends a line that says nothing but that the server lives.
func (w *writer) comment(text string) { w.write(": " + text + "\n\n") }

func (w *writer) write(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.out, text)
	}
}

// pause waits for d or until the client is gone.
func (w *writer) pause(d time.Duration) {
	if w.err != nil || d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-w.ctx.Done():
		w.err = w.ctx.Err()
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
