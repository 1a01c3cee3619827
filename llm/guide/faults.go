package guide

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Fault is something that goes wrong with a real server, or an answer that is hard to show, which
// the guide acts out when a message says "/guide NAME".
type Fault struct {
	Name string
	What string // what happens, one line for the user

	act func(*question) *http.Response
}

// Faults lists all faults in the order in which the guide lists them.
func Faults() []Fault {
	return []Fault{
		{"cut-stream", "the connection breaks in the middle of the answer", (*question).cutStream},
		{"no-done", "the answer ends without a finish reason and without [DONE]", (*question).noDone},
		{"slow", "a long wait before the first word, then a word at a time", (*question).slow},
		{"silent", "a few keep-alive comments, then nothing: esc stops it", (*question).silent},
		{"rate-limit", "429 with Retry-After, twice; the third try is answered", (*question).rateLimit},
		{"server-error", "500, twice; the third try is answered", (*question).serverError},
		{"overflow", "400: the request is too long, with the numbers", (*question).overflow},
		{"silent-cut", "the beginning of the conversation is dropped unread; only the token count shows it", (*question).silentCut},
		{"bad-key", "401: the key is wrong", (*question).badKey},
		{"corrupt-tool-call", "a tool call whose arguments break off at the length limit", (*question).corruptToolCall},
		{"half-tool-call", "the connection ends in the middle of a tool call", (*question).halfToolCall},
		{"duplicate-tool-ids", "two tool calls with the same id", (*question).duplicateToolIDs},
		{"glued-tool-calls", "two tool calls on the same index, so that their arguments run together", (*question).gluedToolCalls},
		{"empty-arguments", "a tool call without arguments", (*question).emptyArguments},
		{"list-arguments", "a tool call whose arguments are a list and not an object", (*question).listArguments},
		{"nameless-tool-call", "a tool call without the name of a tool", (*question).namelessToolCall},
		{"null-character", "an answer with a NUL character in it", (*question).nullCharacter},
		{"blank-answer", "an answer without any text", (*question).blankAnswer},
		{"html", "200 with a web page in place of an answer", (*question).html},
		{"error-in-stream", "an error in the middle of the stream, as OpenRouter sends it", (*question).errorInStream},
		{"long", "a Markdown answer of 20 KB with code, tables and lists", (*question).long},
		{"escapes", "an answer with terminal escape sequences", (*question).escapes},
		{"reasoning", "an answer with reasoning in front of it", (*question).reasoning},
		{"unicode", "Chinese, Japanese, Arabic, Hebrew, emoji and zero-width characters", (*question).unicode},
	}
}

// obey does what a "/guide" message says.
func (q *question) obey(order string) *http.Response {
	name, rest, _ := strings.Cut(order, " ")
	faults := Faults()
	switch at := slices.IndexFunc(faults, func(f Fault) bool { return f.Name == name }); {
	case at >= 0:
		return faults[at].act(q)
	case name == "tool":
		return q.useTool(strings.TrimSpace(rest))
	case name == "":
		return q.reply(Signature + " I can act out these faults:\n\n" + faultList(faults))
	}
	return q.reply(fmt.Sprintf("%s I do not know `/guide %s`. These I know:\n\n%s", Signature, name, faultList(faults)))
}

func faultList(faults []Fault) string {
	var b strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&b, "- `/guide %s`: %s\n", f.Name, f.What)
	}
	b.WriteString("- `/guide tool`: call a tool, where the request offers one\n")
	return b.String()
}

// The faults of the connection.

func (q *question) cutStream() *http.Response {
	return q.stream(func(w *writer) {
		w.begin()
		w.say(Signature + " This answer breaks off in the middle of a sent")
		w.err = io.ErrUnexpectedEOF
	})
}

func (q *question) noDone() *http.Response {
	return q.stream(func(w *writer) {
		w.begin()
		w.say(Signature + " This answer looks whole, but the server never says that it is over")
	})
}

// slowdown is how many times slower than usual the slow fault speaks.
const slowdown = 20

func (q *question) slow() *http.Response {
	pace := slowdown * q.guide.o.Pace
	return q.stream(func(w *writer) {
		w.begin()
		w.pause(10 * pace)
		w.sayAt(Signature+" Some models think for a long time before the first word, and some take their time over each of them.", pace)
		w.end(openai.FinishReasonStop)
	})
}

// keepAlives is how many comments the silent fault sends before it falls silent.
const keepAlives = 5

func (q *question) silent() *http.Response {
	return q.stream(func(w *writer) {
		for range keepAlives {
			w.comment("keep-alive")
			w.pause(slowdown * q.guide.o.Pace)
		}
		<-w.ctx.Done()
	})
}

func (q *question) html() *http.Response {
	resp := q.stream(func(w *writer) {
		w.write("<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body><h1>Sign in to the network</h1>\n" +
			"<p>Your session on this network has ended. Please sign in to go on.</p></body></html>\n")
	})
	resp.Header.Set("Content-Type", "text/html; charset=utf-8")
	return resp
}

func (q *question) errorInStream() *http.Response {
	return q.stream(func(w *writer) {
		w.comment("OPENROUTER PROCESSING")
		w.comment("OPENROUTER PROCESSING")
		w.begin()
		w.say(Signature + " This answer ends in an error of the")
		w.comment("OPENROUTER PROCESSING")
		w.chunk(chunk{
			Choices: []choice{{FinishReason: "error"}},
			Error:   &openai.APIError{Code: http.StatusBadGateway, Message: "Provider returned error", Type: "upstream_error"},
		})
		w.write("data: [DONE]\n\n")
	})
}

// The refusals.

// tries is how often a request is sent until a fault that passes lets it through.
const tries = 3

func (q *question) rateLimit() *http.Response {
	if q.guide.try(q.id) == tries {
		return q.reply(Signature + " I refused this request twice with 429 (too many requests) and a time to wait. This is the answer to the third try.")
	}
	wait := q.guide.o.Wait
	message := fmt.Sprintf("Rate limit reached for guide on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in %s.", wait)
	resp := refuse(coded(&openai.APIError{Message: message, Type: "requests"}, http.StatusTooManyRequests, "rate_limit_exceeded"))
	resp.Header.Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
	resp.Header.Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	return resp
}

func (q *question) serverError() *http.Response {
	if q.guide.try(q.id) == tries {
		return q.reply(Signature + " I failed twice with 500 (server error). This is the answer to the third try.")
	}
	return refuse(&openai.APIError{
		HTTPStatusCode: http.StatusInternalServerError,
		Message:        "The server had an error while processing your request. Sorry about that!",
		Type:           "server_error",
	})
}

func (q *question) overflow() *http.Response { return refuse(overflow(Window + q.prompt)) }

// silentCut reads the system prompt and the newest message alone, as a server that drops the oldest messages
// does where its window is far too small.
func (q *question) silentCut() *http.Response {
	whole, kept := q.prompt, q.req
	kept.Messages = nil
	for i, m := range q.req.Messages {
		if m.Role == openai.ChatMessageRoleSystem || i == len(q.req.Messages)-1 {
			kept.Messages = append(kept.Messages, m)
		}
	}
	read := kept.tokens(q.guide.o.Count)
	if read*2 > whole {
		return q.reply(Signature + " There is too little to drop yet: ask me a few questions first.")
	}
	q.prompt = read
	return q.reply(fmt.Sprintf("%s I read %d of the %d tokens that you sent, and dropped the rest without saying so: an Ollama server with a small window does the same. My token count is all that shows it.", Signature, read, whole))
}

func (q *question) badKey() *http.Response {
	e := badRequest("", "Incorrect API key provided: sk-guide****0000. You can find your API key at https://platform.openai.com/account/api-keys.")
	return refuse(coded(e, http.StatusUnauthorized, "invalid_api_key"))
}

// The tool calls.

// toolName is the first offered tool, or the name that a model would make up.
func (q *question) toolName() string {
	if t, ok := q.req.tool(""); ok {
		return t.Name
	}
	return "search_docs"
}

func (q *question) corruptToolCall() *http.Response {
	return q.stream(func(w *writer) {
		w.begin()
		w.call(0, q.callID(0), q.toolName(), `{"query": "context panel", "path": "C:\Users\me", "limit`)
		w.end(openai.FinishReasonLength)
	})
}

func (q *question) halfToolCall() *http.Response {
	return q.stream(func(w *writer) {
		w.begin()
		w.call(0, q.callID(0), q.toolName(), `{"query": "context pa`)
	})
}

func (q *question) duplicateToolIDs() *http.Response {
	return q.twoCalls(0, 1, "call_0", "call_0")
}

func (q *question) gluedToolCalls() *http.Response {
	return q.twoCalls(0, 0, q.callID(0), q.callID(1))
}

func (q *question) emptyArguments() *http.Response { return q.oneCall(q.toolName(), "") }

func (q *question) listArguments() *http.Response {
	return q.oneCall(q.toolName(), `["context panel", "repairs"]`)
}

func (q *question) namelessToolCall() *http.Response {
	return q.oneCall("", `{"query":"context panel"}`)
}

func (q *question) oneCall(name, arguments string) *http.Response {
	return q.stream(func(w *writer) {
		w.begin()
		w.call(0, q.callID(0), name, arguments)
		w.end(openai.FinishReasonToolCalls)
	})
}

func (q *question) nullCharacter() *http.Response {
	return q.reply(Signature + " The next word has a NUL character in it: har\x00bour. It is stored as it came, and sent back with a replacement character.")
}

func (q *question) twoCalls(index1, index2 int, id1, id2 string) *http.Response {
	return q.stream(func(w *writer) {
		w.begin()
		w.call(index1, id1, q.toolName(), `{"query":"context panel"}`)
		w.call(index2, id2, q.toolName(), `{"query":"repairs"}`)
		w.end(openai.FinishReasonToolCalls)
	})
}

// The answers that are hard to show.

func (q *question) blankAnswer() *http.Response { return q.reply("") }

func (q *question) long() *http.Response {
	return q.stream(func(w *writer) {
		w.begin()
		w.say(longAnswer())
		w.end(openai.FinishReasonStop)
	})
}

func (q *question) escapes() *http.Response { return q.reply(escapesAnswer) }

func (q *question) reasoning() *http.Response {
	return q.stream(func(w *writer) {
		w.begin()
		w.think("The user wants to see reasoning. Reasoning comes before the answer, in a field of its own, and is not part of the answer. So: first this text, then one sentence.")
		w.say(Signature + " In front of this sentence I sent some reasoning; ctrl+t shows and hides it.")
		w.end(openai.FinishReasonStop)
	})
}

func (q *question) unicode() *http.Response { return q.reply(unicodeAnswer) }
