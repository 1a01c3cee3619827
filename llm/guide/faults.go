package guide

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault is something that goes wrong with a real server, or an answer that is hard to show, which
// the guide acts out when a message says "/guide NAME".
type Fault struct {
	Name string
	What string // what happens, one line for the user

	act func(*exchange)
}

// Faults lists all faults in the order in which the guide lists them.
func Faults() []Fault {
	return []Fault{
		{"cut-stream", "the connection breaks in the middle of the answer", (*exchange).cutStream},
		{"no-done", "the answer ends without a finish reason and without [DONE]", (*exchange).noDone},
		{"slow", "a long wait before the first word, then a word at a time", (*exchange).slow},
		{"silent", "a few keep-alive comments, then nothing: esc stops it", (*exchange).silent},
		{"rate-limit", "429 with Retry-After, twice; the third try is answered", (*exchange).rateLimit},
		{"server-error", "500, twice; the third try is answered", (*exchange).serverError},
		{"overflow", "400: the request is too long, with the numbers", (*exchange).overflow},
		{"silent-cut", "the beginning of the conversation is dropped unread; only the token count shows it", (*exchange).silentCut},
		{"bad-key", "401: the key is wrong", (*exchange).badKey},
		{"corrupt-tool-call", "a tool call whose arguments break off at the length limit", (*exchange).corruptToolCall},
		{"half-tool-call", "the connection ends in the middle of a tool call", (*exchange).halfToolCall},
		{"duplicate-tool-ids", "two tool calls with the same id", (*exchange).duplicateToolIDs},
		{"glued-tool-calls", "two tool calls on the same index, so that their arguments run together", (*exchange).gluedToolCalls},
		{"blank-answer", "an answer without any text", (*exchange).blankAnswer},
		{"html", "200 with a web page in place of an answer", (*exchange).html},
		{"error-in-stream", "an error in the middle of the stream, as OpenRouter sends it", (*exchange).errorInStream},
		{"long", "a Markdown answer of 20 KB with code, tables and lists", (*exchange).long},
		{"escapes", "an answer that holds terminal escape sequences", (*exchange).escapes},
		{"reasoning", "an answer with reasoning in front of it", (*exchange).reasoning},
		{"unicode", "Chinese, Japanese, Arabic, Hebrew, emoji and zero-width characters", (*exchange).unicode},
	}
}

// obey does what a "/guide" message says.
func (g *Guide) obey(x *exchange, order string) {
	name, rest, _ := strings.Cut(order, " ")
	faults := Faults()
	switch at := slices.IndexFunc(faults, func(f Fault) bool { return f.Name == name }); {
	case at >= 0:
		faults[at].act(x)
	case name == "tool":
		x.useTool(strings.TrimSpace(rest))
	case name == "":
		x.reply(Signature + " I can act out these faults:\n\n" + faultList(faults))
	default:
		x.reply(fmt.Sprintf("%s I do not know `/guide %s`. These I know:\n\n%s", Signature, name, faultList(faults)))
	}
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

func (x *exchange) cutStream() {
	x.begin()
	x.say(Signature + " This answer breaks off in the middle of a sent")
	x.cut()
}

func (x *exchange) noDone() {
	x.begin()
	x.say(Signature + " This answer looks whole, but the server never says that it is over")
	x.endSilently()
}

// slowdown is how many times slower than usual the slow fault speaks.
const slowdown = 20

func (x *exchange) slow() {
	x.begin()
	x.pause(10 * slowdown * x.guide.o.Pace)
	x.sayAt(Signature+" Some models think for a long time before the first word, and some take their time over each of them.", slowdown*x.guide.o.Pace)
	x.end("stop")
}

// keepAlives is how many comments the silent fault sends before it falls silent.
const keepAlives = 5

func (x *exchange) silent() {
	if x.req.Stream {
		x.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		x.w.WriteHeader(http.StatusOK)
	}
	for range keepAlives {
		x.comment("keep-alive")
		x.pause(slowdown * x.guide.o.Pace)
	}
	<-x.ctx.Done()
}

func (x *exchange) html() {
	x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	x.write("<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body><h1>Sign in to the network</h1>\n" +
		"<p>Your session on this network has ended. Please sign in to go on.</p></body></html>\n")
}

func (x *exchange) errorInStream() {
	failure := map[string]any{"code": 502, "message": "Provider returned error", "metadata": map[string]any{"provider_name": "Guide"}}
	if !x.req.Stream {
		writeJSON(x.w, http.StatusBadGateway, map[string]any{"error": failure})
		return
	}
	x.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	x.comment("OPENROUTER PROCESSING")
	x.comment("OPENROUTER PROCESSING")
	x.begin()
	x.say(Signature + " This answer ends in an error of the")
	x.comment("OPENROUTER PROCESSING")
	none, reason := "", "error"
	c := x.completion("chat.completion.chunk", choice{Delta: &reply{Role: "assistant", Content: &none}, FinishReason: &reason})
	c.Error = failure
	x.data(c)
	x.write("data: [DONE]\n\n")
}

// The refusals.

func (x *exchange) rateLimit() {
	const last = 3
	if n := x.guide.try(x.id, last); n < last {
		wait := x.guide.o.Wait
		x.w.Header().Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
		x.w.Header().Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
		refuse(x.w, (&refusal{
			Message: fmt.Sprintf("Rate limit reached for guide on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in %s.", wait),
			Type:    "requests",
		}).coded(http.StatusTooManyRequests, "rate_limit_exceeded"))
		return
	}
	x.reply(Signature + " I refused this request twice with 429 (too many requests) and a time to wait. This is the answer to the third try.")
}

func (x *exchange) serverError() {
	const last = 3
	if n := x.guide.try(x.id, last); n < last {
		refuse(x.w, &refusal{
			status:  http.StatusInternalServerError,
			Message: "The server had an error while processing your request. Sorry about that!",
			Type:    "server_error",
		})
		return
	}
	x.reply(Signature + " I failed twice with 500 (server error). This is the answer to the third try.")
}

func (x *exchange) overflow() { refuse(x.w, overflow(Window+x.prompt)) }

// silentCut reads the system prompt and the newest message alone, as a server that drops the oldest messages
// does where its window is far too small.
func (x *exchange) silentCut() {
	whole := x.prompt
	kept := x.req
	kept.Messages = nil
	for i, m := range x.req.Messages {
		if m.Role == "system" || i == len(x.req.Messages)-1 {
			kept.Messages = append(kept.Messages, m)
		}
	}
	x.prompt = kept.tokens(x.guide.count)
	if x.prompt*2 > whole {
		x.prompt = whole
		x.reply(Signature + " There is too little to drop yet: ask me a few questions first.")
		return
	}
	x.reply(fmt.Sprintf("%s I read %d of the %d tokens that you sent, and dropped the rest without saying so: an Ollama server with a small window does the same. My token count is all that shows it.", Signature, x.prompt, whole))
}

func (x *exchange) badKey() {
	refuse(x.w, badRequest("", "Incorrect API key provided: sk-guide****0000. You can find your API key at https://platform.openai.com/account/api-keys.").
		coded(http.StatusUnauthorized, "invalid_api_key"))
}

// The tool calls.

// toolName is the first offered tool, or the name that a model would make up.
func (x *exchange) toolName() string {
	if t, ok := x.req.tool(""); ok {
		return t.Name
	}
	return "search_docs"
}

func (x *exchange) corruptToolCall() {
	x.begin()
	x.call(0, x.callID(0), x.toolName(), `{"query": "context panel", "path": "C:\Users\me", "limit`)
	x.end("length")
}

func (x *exchange) halfToolCall() {
	x.begin()
	x.call(0, x.callID(0), x.toolName(), `{"query": "context pa`)
	x.endSilently()
}

func (x *exchange) duplicateToolIDs() {
	x.begin()
	x.call(0, "call_0", x.toolName(), `{"query":"context panel"}`)
	x.call(1, "call_0", x.toolName(), `{"query":"repairs"}`)
	x.end("tool_calls")
}

func (x *exchange) gluedToolCalls() {
	x.begin()
	x.call(0, x.callID(0), x.toolName(), `{"query":"context panel"}`)
	x.call(0, x.callID(1), x.toolName(), `{"query":"repairs"}`)
	x.end("tool_calls")
}

// The answers that are hard to show.

func (x *exchange) blankAnswer() {
	x.begin()
	x.end("stop")
}

func (x *exchange) long() {
	x.begin()
	x.say(longAnswer())
	x.end("stop")
}

func (x *exchange) escapes() { x.reply(escapesAnswer) }

func (x *exchange) reasoning() {
	x.begin()
	x.think("The user wants to see reasoning. Reasoning comes before the answer, in a field of its own, and is not part of the answer. So: first this text, then one sentence.")
	x.say(Signature + " In front of this sentence I sent some reasoning; ctrl+t shows and hides it.")
	x.end("stop")
}

func (x *exchange) unicode() { x.reply(unicodeAnswer) }
