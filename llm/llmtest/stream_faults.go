package llmtest

import (
	"fmt"
	"strings"
)

// data is an event of a stream.
func data(text string) string { return "data: " + text + "\n\n" }

// chunk is an event with a delta.
func chunk(delta string) string { return data(`{"choices":[{"index":0,"delta":{` + delta + `}}]}`) }

// finished is the event that ends an answer.
func finished(reason string) string {
	return data(fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason))
}

func usage(prompt, answer int) string {
	return data(fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, prompt, answer))
}

const done = "data: [DONE]\n\n"

// The answer of a server that has no fault, in halves, and the call that it makes instead where a stage wants one, with
// the result that it expects.
const (
	FirstHalf     = "The harbour is open "
	SecondHalf    = "until nine."
	Thought       = "They ask about the harbour. "
	SecondThought = "Look it up."
	Tool          = "lookup"
	CallID        = "call_1"
	FirstArgument = `{"place":"the har`
	LastArgument  = `bour"}`
	Result        = "The harbour has a wall and a light."
)

// sound is a sound answer.
var sound = chunk(`"content":"`+FirstHalf+`"`) + chunk(`"content":"`+SecondHalf+`"`) + finished("stop") + done

// response is the same answer in the format of the Responses API.
var response = data(`{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,`+
	`"delta":"`+FirstHalf+SecondHalf+`"}`) +
	data(`{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","id":"msg_1",`+
		`"role":"assistant","content":[{"type":"output_text","text":"`+FirstHalf+SecondHalf+`"}]}],`+
		`"usage":{"input_tokens":40,"output_tokens":8}}}`)

// call is a piece of a tool call, with the fields of it that are given.
func call(fields string) string { return chunk(`"tool_calls":[{` + fields + `}]`) }

func streamFaults() []Fault {
	errorEvent := func(name, what, stream string) Fault {
		return Fault{Name: "error-" + name, What: "an error event " + what, Stream: stream, End: Closes}
	}
	inOrder := func(name, what, stream string) Fault {
		return Fault{Name: name, What: what, Stream: stream}
	}
	asked := []Stage{FirstByte, Window, Prices, Plan, AfterTool, Title, Summary}
	early := []Stage{FirstByte, AfterTool, Title, Summary}
	return []Fault{
		{Name: "cut", What: "the connection is reset", End: Cuts, Lead: true},
		{
			Name: "cut-line", What: "the connection is reset in the middle of a line",
			Stream: `data: {"choices":[{"index":0,"del`, End: Cuts,
		},
		{
			Name: "torn-line", What: "the stream ends in the middle of a line",
			Stream: `data: {"choices":[{"index":0,"del`, End: Closes,
		},
		{
			Name: "no-done", What: "the stream ends in order without saying that the answer is over", End: Closes,
			Lead: true,
		},
		{Name: "hang", What: "nothing comes any more", End: Hangs, Lead: true},
		{
			Name: "keep-alive-hang", What: "a few keep-alive comments, then nothing",
			Stream: strings.Repeat(": keep-alive\n\n", 5), End: Hangs,
		},
		inOrder("keep-alives", "151 keep-alive comments", strings.Repeat(": keep-alive\n\n", 151)),
		inOrder(
			"pings", "pings, numbers and texts in the place of objects",
			"data: ping\n\ndata: 1\n\ndata: \"keep-alive\"\n\ndata: null\n\n",
		),
		inOrder("ping-events", "events named ping", "event: ping\ndata: {\"type\":\"ping\"}\n\n"),
		inOrder("blank-lines", "600 blank lines", strings.Repeat("\r\n", 600)),
		inOrder(
			"empty-choices", "events without choices",
			data(`{"choices":[]}`)+data(`{"id":"x","object":"chat.completion.chunk","choices":null}`),
		),
		{Name: "bad-json", What: "an event that is not JSON", Stream: data(`{"choices":[{]}`), End: Closes},
		{
			Name: "page-inside", What: "the page of a proxy in the middle of the stream",
			Stream: page("504 Gateway Time-out"), End: Closes, At: []Stage{Text, Reasoning, Calls},
		},

		errorEvent("plain", "as OpenAI sends it", data(jsonError("The server had an error.", "server_error", ""))),
		errorEvent(
			"comment", "after a comment, as OpenRouter sends it",
			": OPENROUTER PROCESSING\n\n"+data(`{"error":{"message":"The server had an error.","code":502}}`),
		),
		errorEvent(
			"named", "named error",
			"event: error\n"+data(`{"error":{"message":"The server had an error.","type":"overloaded_error"}}`),
		),
		errorEvent("words", "as a text", data(`{"error":"The server had an error."}`)),
		errorEvent("space", "with a space in front", data(`{ "error": {"message":"The server had an error."}}`)),
		errorEvent(
			"beside", "beside an id and choices",
			data(
				`{"id":"1","error":{"code":502,"message":"The server had an error."},"choices":[{"index":0,`+
					`"delta":{"content":""},"finish_reason":"error"}]}`,
			),
		),
		errorEvent(
			"object", "with its fields at the top, as vLLM sends it",
			data(`{"object":"error","message":"The server had an error.","type":"internal","code":500}`),
		),
		errorEvent(
			"field", "as a field of its own, as an old llama.cpp sends it",
			"error: {\"code\":500,\"message\":\"The server had an error.\"}\n\n",
		),
		errorEvent("bare", "as a bare line, as Ollama sends it", "{\"error\":\"The server had an error.\"}\n"),
		errorEvent(
			"list", "in a list, as Gemini sends it",
			data(`[{"error":{"code":500,"message":"The server had an error."}}]`),
		),
		{
			Name: "finish-error", What: "the finish reason is error, without a reason", Stream: finished("error"),
			End: Closes,
		},
		{
			Name: "overflow-inside", What: "the request is too long, said in the stream",
			Stream: data(
				`{"error":{"message":"This endpoint's maximum context length is {L} tokens. However, you requested ` +
					`about {P} tokens ({P} of text input).","code":400}}`,
			),
			End: Closes, Times: 1, Past: true, At: []Stage{FirstByte, Text},
		},
		{
			Name: "rate-inside", What: "a rate limit, said in the stream",
			Stream: data(`{"error":{"message":"Rate limit exceeded","code":429}}`), End: Closes,
			At: []Stage{FirstByte, Text},
		},

		{Name: "empty", What: "200 and nothing else", End: Closes, Whole: true, At: asked, Lead: true},
		{Name: "done-alone", What: "[DONE] and nothing else", Stream: done, End: Closes, Whole: true},
		{
			Name: "comments-alone", What: "comments and nothing else", Stream: ": one\n\n: two\n\n", End: Closes,
			Whole: true,
		},
		{
			Name: "page", What: "200 with a web page", Stream: page("Sign in to the network"), End: Closes, Whole: true,
			At: asked, Lead: true,
		},
		{
			Name: "json-error", What: "200 with an error in the place of a stream",
			Stream: jsonError("no such deployment", "invalid_request_error", ""), End: Closes, Whole: true, At: asked,
		},
		{
			Name: "json-other", What: "200 with other JSON", Stream: `{"status":"ok"}`, End: Closes, Whole: true,
			At: asked,
		},
		{
			Name: "json-answer", What: "the answer in one piece in the place of a stream",
			Stream: `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"` +
				FirstHalf + SecondHalf +
				`"},"finish_reason":"stop"}],"usage":{"prompt_tokens":40,"completion_tokens":8}}`,
			End: Closes, Whole: true, At: early,
		},
		{
			Name: "blank-answer", What: "an answer without any text", Stream: finished("stop") + usage(40, 0) + done,
			End: Closes, Whole: true, At: early,
		},
		{
			Name: "spaces-alone", What: "an answer of blanks alone",
			Stream: chunk(`"content":" \n "`) + finished("stop") + done, End: Closes, Whole: true, At: early,
		},
		{
			Name: "length-nothing", What: "the length limit before the first word",
			Stream: finished("length") + usage(40, 0) + done, End: Closes, Whole: true, At: early,
		},
		{
			Name: "reasoning-alone", What: "reasoning and no answer",
			Stream: chunk(`"reasoning_content":"`+Thought+`"`) + finished("stop") + done, End: Closes, Whole: true,
			At: []Stage{FirstByte, AfterTool},
		},
		{
			Name: "crlf", What: "other line ends, and no blank lines between events",
			Stream: strings.NewReplacer("\n\n", "\r\n").Replace(sound), End: Closes, Whole: true,
			At: []Stage{FirstByte},
		},

		{
			Name: "finish-length", What: "the answer is cut at the length limit",
			Stream: chunk(`"content":"`+FirstHalf+`"`) + finished("length") + done, End: Closes, Whole: true,
			At: []Stage{End},
		},
		{
			Name: "finish-filter", What: "the answer is cut by a content filter",
			Stream: chunk(`"content":"`+FirstHalf+`"`) + finished("content_filter") + done, End: Closes, Whole: true,
			At: []Stage{End},
		},
		{
			Name: "finish-unknown", What: "a finish reason that nobody knows",
			Stream: chunk(`"content":"`+FirstHalf+SecondHalf+`"`) + finished("eos_token") + done, End: Closes,
			Whole: true, At: []Stage{End},
		},
		{
			Name: "finish-tools", What: "the finish reason names tools, and none is called",
			Stream: chunk(`"content":"`+FirstHalf+SecondHalf+`"`) + finished("tool_calls") + done, End: Closes,
			Whole: true, At: []Stage{End},
		},
		{
			Name: "finish-none", What: "[DONE] without a finish reason",
			Stream: chunk(`"content":"`+FirstHalf+SecondHalf+`"`) + done, End: Closes, Whole: true, At: []Stage{End},
		},
		{
			Name: "refusal", What: "the model refuses, in a field of its own",
			Stream: chunk(`"refusal":"I cannot help with that."`) + finished("stop") + done, End: Closes, Whole: true,
			At: []Stage{End},
		},

		{Name: "usage-none", What: "no token counts", Stream: sound, End: Closes, Whole: true, At: []Stage{End}},
		{
			Name: "usage-zero", What: "counts of 0", Stream: strings.Replace(sound, done, usage(0, 0)+done, 1),
			End: Closes, Whole: true, At: []Stage{End},
		},
		{
			Name: "usage-null", What: "null in the place of counts",
			Stream: strings.Replace(sound, done, data(`{"choices":[],"usage":null}`)+done, 1), End: Closes, Whole: true,
			At: []Stage{End},
		},
		{
			Name: "usage-negative", What: "counts below 0", Stream: strings.Replace(sound, done, usage(-7, -1)+done, 1),
			End: Closes, Whole: true, At: []Stage{End},
		},
		{
			Name: "usage-words", What: "counts that are texts",
			Stream: strings.Replace(
				sound, done, data(`{"choices":[],"usage":{"prompt_tokens":"many","completion_tokens":"8"}}`)+done, 1,
			),
			End: Closes, Whole: true, At: []Stage{End},
		},
		{
			Name: "usage-cached", What: "more cached tokens than tokens",
			Stream: strings.Replace(
				sound, done,
				data(
					`{"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":8,`+
						`"prompt_tokens_details":{"cached_tokens":36}}}`,
				)+done,
				1,
			),
			End: Closes, Whole: true, At: []Stage{End},
		},
		{
			Name: "silent-cut", What: "the server read only a part of the request and does not say so",
			Stream: strings.Replace(sound, done, usage(60, 8)+done, 1), End: Closes, Whole: true, Past: true,
			At: []Stage{End},
		},
		{
			Name: "over-window", What: "the server counts more tokens than its window has",
			Stream: strings.Replace(sound, done, usage(9000, 8)+done, 1), End: Closes, Whole: true, Past: true,
			At: []Stage{End},
		},
	}
}

// Faults lists every fault.
func Faults() []Fault {
	var all []Fault
	for _, list := range [][]Fault{
		connectionFaults(), refusalFaults(), waitFaults(), overflowFaults(), fieldFaults(), streamFaults(),
		callFaults(),
	} {
		all = append(all, list...)
	}
	return all
}
