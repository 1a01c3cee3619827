package llmtest

import (
	"fmt"
	"time"
)

// jsonError is an error as OpenAI and most others write it.
func jsonError(message, kind, code string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%q}}`, message, kind, code)
}

const proxyPage = "<!DOCTYPE html>\n<html><head><title>%s</title></head>" +
	"<body><h1>%[1]s</h1><hr><center>nginx</center></body></html>\n"

func page(title string) string { return fmt.Sprintf(proxyPage, title) }

var html = []string{"Content-Type", "text/html"}

func refusalFaults() []Fault {
	elsewhere := []string{"Location", "https://login.example.net/"}
	return []Fault{
		{Name: "301", What: "301 to another address", Status: 301, Header: elsewhere},
		{Name: "302", What: "302 to a sign-in page", Status: 302, Header: elsewhere},
		{Name: "303", What: "303 to another address", Status: 303, Header: elsewhere},
		{Name: "307", What: "307 to another address", Status: 307, Header: elsewhere},
		{Name: "308", What: "308 to another address", Status: 308, Header: elsewhere},
		{Name: "308-nowhere", What: "308 without an address", Status: 308},
		{
			Name: "400", What: "400 in the server's own words", Status: 400,
			Body: jsonError("Invalid value for 'seed'.", "invalid_request_error", "invalid_value"),
		},
		{
			Name: "400-plain", What: "400 as plain text", Status: 400, Header: []string{"Content-Type", "text/plain"},
			Body: "bad request line 7",
		},
		{
			Name: "401", What: "401: the key is wrong", Status: 401,
			Body: jsonError("Incorrect API key provided: sk-not-****0000.", "invalid_request_error", "invalid_api_key"),
			Lead: true,
		},
		{
			Name: "402", What: "402: no credit", Status: 402,
			Body: jsonError("Insufficient Balance", "unknown_error", "invalid_request_error"),
		},
		{
			Name: "no-quota", What: "429: no credit", Status: 429,
			Body: jsonError(
				"You exceeded your current quota, please check your plan and billing details.", "insufficient_quota",
				"insufficient_quota",
			),
		},
		{
			Name: "403", What: "403: not for this account", Status: 403,
			Body: jsonError(
				"Your organization must be verified to use this model.", "invalid_request_error", "unsupported_country",
			),
		},
		{
			Name: "403-page", What: "403 with the page of a firewall", Status: 403, Header: html,
			Body: page("Attention Required! | Cloudflare"),
		},
		{
			Name: "404-model", What: "404: the model is not known", Status: 404,
			Body: jsonError(
				"The model 'm' does not exist or you do not have access to it.", "invalid_request_error",
				"model_not_found",
			),
		},
		{Name: "404-route", What: "404: the address has no such API", Status: 404, Body: `{"detail":"Not Found"}`},
		{Name: "404-page", What: "404 with a web page", Status: 404, Header: html, Body: page("404 Not Found")},
		{Name: "405", What: "405 with a web page", Status: 405, Header: html, Body: page("405 Not Allowed")},
		{
			Name: "407", What: "407: a proxy wants a password", Status: 407, Header: html,
			Body: page("407 Proxy Authentication Required"),
		},
		{
			Name: "408", What: "408: the server timed out", Status: 408,
			Body: jsonError("Request timeout", "timeout", ""),
		},
		{
			Name: "409", What: "409: a conflict that passes", Status: 409,
			Body: jsonError("Another request is being processed.", "conflict", ""),
		},
		{
			Name: "422", What: "422 as FastAPI writes it", Status: 422,
			Body: `{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not ` +
				`permitted"}]}`,
		},
		{
			Name: "429", What: "429 without a time", Status: 429,
			Body: jsonError("Rate limit reached.", "requests", "rate_limit_exceeded"), Lead: true,
		},
		{
			Name: "429-long", What: "429 with a wait of over a minute", Status: 429,
			Header: []string{"Retry-After", "3600"},
			Body:   jsonError("Daily limit reached.", "requests", "rate_limit_exceeded"),
		},
		{Name: "429-page", What: "429 with a web page", Status: 429, Header: html, Body: page("429 Too Many Requests")},
		{
			Name: "rate-words", What: "400 that means a rate limit", Status: 400,
			Body: jsonError("Too many tokens, please wait before trying again.", "", ""),
		},
		{
			Name: "500", What: "500", Status: 500,
			Body: jsonError("The server had an error while processing your request.", "server_error", ""), Lead: true,
		},
		{Name: "500-empty", What: "500 without a body", Status: 500},
		{
			Name: "502-page", What: "502 with the page of a proxy", Status: 502, Header: html,
			Body: page("502 Bad Gateway"),
		},
		{
			Name: "503", What: "503: the model is being loaded", Status: 503,
			Body: `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`,
		},
		{
			Name: "503-page", What: "503 with the page of a proxy", Status: 503, Header: html,
			Body: page("503 Service Temporarily Unavailable"),
		},
		{
			Name: "504-page", What: "504 with the page of a proxy", Status: 504, Header: html,
			Body: page("504 Gateway Time-out"),
		},
		{
			Name: "520-page", What: "520 with the page of a proxy", Status: 520, Header: html,
			Body: page("api.example.com | 520: Web server is returning an unknown error"),
		},
		{
			Name: "529", What: "529: overloaded", Status: 529,
			Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		},
		{
			Name: "error-text", What: "an error that is a plain text", Status: 500,
			Body: `{"error":"model runner has unexpectedly stopped"}`,
		},
		{
			Name: "error-list", What: "an error in a list, as Gemini writes it", Status: 503,
			Body: `[{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]`,
		},
		{
			Name: "error-top", What: "an error without a field of its own, as vLLM writes it", Status: 500,
			Body: `{"object":"error","message":"EngineCore encountered an issue.","type":"InternalServerError",` +
				`"code":500}`,
		},
		{
			Name: "error-inside", What: "an error in an error, as OpenRouter writes it", Status: 502,
			Body: `{"error":{"message":"Provider returned error","code":502,"metadata":{"provider_name":"A",` +
				`"raw":"{\"error\":{\"message\":\"upstream connect error\"}}"}}}`,
		},
		{
			Name: "slow-headers", What: "the headers take 100 seconds", Status: 200,
			Header: []string{"Content-Type", "text/event-stream"}, Body: sound, After: 100 * time.Second,
			At: []Stage{Headers, AfterTool},
		},

		{
			Name: "responses-only", What: "the model exists on the Responses API alone", Status: 404,
			Body: jsonError(
				"This model is only supported in v1/responses and not in v1/chat/completions.", "invalid_request_error",
				"",
			),
			While: `"messages"`,
		},
	}
}

// waitFaults are 429 with every way to say how long to wait: five seconds each. They pass at the second try.
func waitFaults() []Fault {
	var faults []Fault
	for _, w := range []struct {
		name, what string
		header     []string
		body       string
	}{
		{"ms", "retry-after-ms", []string{"Retry-After-Ms", "5000"}, ""},
		{"seconds", "Retry-After in seconds", []string{"Retry-After", "5"}, ""},
		{"date", "Retry-After as a date", []string{"Retry-After", "{http-date}"}, ""},
		{
			"openai", "x-ratelimit-reset as OpenAI writes it",
			[]string{
				"X-Ratelimit-Reset-Requests", "5s", "X-Ratelimit-Remaining-Requests", "0", "X-Ratelimit-Reset-Tokens",
				"12ms",
			},
			"",
		},
		{"groq", "x-ratelimit-reset as Groq writes it", []string{"X-Ratelimit-Reset-Tokens", "0m5.0s"}, ""},
		{
			"anthropic", "anthropic-ratelimit-reset as a time",
			[]string{"Anthropic-Ratelimit-Requests-Reset", "{rfc3339}", "Anthropic-Ratelimit-Requests-Remaining", "0"},
			"",
		},
		{"openrouter", "x-ratelimit-reset in milliseconds since 1970", []string{"X-Ratelimit-Reset", "{epoch-ms}"}, ""},
		{
			"openrouter-body", "the same in the body", nil,
			`{"error":{"message":"Rate limit exceeded","code":429,` +
				`"metadata":{"headers":{"X-RateLimit-Reset":"{epoch-ms}"}}}}`,
		},
		{"epoch", "x-ratelimit-reset in seconds since 1970", []string{"X-Ratelimit-Reset", "{epoch}"}, ""},
		{
			"gemini", "retryDelay in the body", nil,
			`[{"error":{"code":429,"message":"Rate limit exceeded","status":"RESOURCE_EXHAUSTED",` +
				`"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"5s"}]}}]`,
		},
		{
			"text", "the wait in the text", nil,
			jsonError("Rate limit exceeded. Please try again in 5s.", "tokens", "rate_limit_exceeded"),
		},
	} {
		if w.body == "" {
			w.body = jsonError("Rate limit exceeded", "requests", "rate_limit_exceeded")
		}
		faults = append(
			faults,
			Fault{
				Name: "wait-" + w.name, What: "429 with " + w.what, Status: 429, Header: w.header, Body: w.body,
				Times: 1, At: []Stage{Headers, AfterTool},
			},
		)
	}
	return faults
}

// overflowFaults are the words of every server for a request that is too long. Those with a number pass once the
// request is smaller.
func overflowFaults() []Fault {
	var faults []Fault
	add := func(what string, status int, times int, list ...[3]string) {
		for _, l := range list {
			faults = append(
				faults,
				Fault{
					Name: "overflow-" + l[0], What: what + ", as " + l[1] + " says it", Status: status, Body: l[2],
					Times: times, Past: true, At: []Stage{Headers, Summary},
				},
			)
		}
	}
	const (
		numbers   = "the request is too long, with numbers"
		noNumbers = "the request is too long, without numbers"
	)
	add(
		numbers, 400, 1,
		[3]string{
			"openai", "OpenAI",
			jsonError(
				"This model's maximum context length is {L} tokens. However, your messages resulted in {P} tokens. "+
					"Please reduce the length of the messages.",
				"invalid_request_error", "context_length_exceeded",
			),
		},
		[3]string{
			"llamacpp", "llama.cpp",
			`{"error":{"code":400,"type":"exceed_context_size_error","message":"request ({P} tokens) exceeds the ` +
				`available context size ({L} tokens), try increasing it","n_prompt_tokens":{P},"n_ctx":{L}}}`,
		},
		[3]string{
			"vllm", "vLLM",
			`{"object":"error","message":"This model's maximum context length is {L} tokens. However, you requested ` +
				`{P} tokens ({P} in the messages, 0 in the completion). Please reduce the length of the messages or ` +
				`completion.","type":"BadRequestError","code":400}`,
		},
		[3]string{
			"openrouter", "OpenRouter",
			jsonError(
				"This endpoint's maximum context length is {L} tokens. However, you requested about {P} tokens ({P} "+
					"of text input). Please reduce the length of either one.",
				"", "400",
			),
		},
		[3]string{
			"lmstudio", "LM Studio",
			`{"error":"Trying to keep the first {P} tokens when context the overflows. However, the model is loaded ` +
				`with context length of only {L} tokens, which is not enough."}`,
		},
		[3]string{
			"lmstudio-keep", "LM Studio, of n_keep,",
			`{"error":"Cannot truncate prompt with n_keep ({P}) >= n_ctx ({L})"}`,
		},
		[3]string{
			"anthropic", "Anthropic",
			`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: {P} tokens > ` +
				`{L} maximum"}}`,
		},
		[3]string{
			"gemini", "Gemini",
			`[{"error":{"code":400,"message":"The input token count ({P}) exceeds the maximum number of tokens ` +
				`allowed ({L}).","status":"INVALID_ARGUMENT"}}]`,
		},
		[3]string{
			"xai", "xAI",
			`{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is {L} but ` +
				`the request contains {P} tokens."}`,
		},
		[3]string{
			"mistral", "Mistral",
			`{"object":"error","message":"Prompt contains {P} tokens and 0 draft tokens, too large for model with ` +
				`{L} maximum context length","type":"invalid_request_error","code":"3051"}`,
		},
		[3]string{
			"kimi", "Kimi",
			jsonError(
				"Invalid request: Your request exceeded model token limit: {L} (requested: {P})",
				"invalid_request_error", "",
			),
		},
		[3]string{
			"copilot", "Copilot",
			jsonError("prompt token count of {P} exceeds the limit of {L}", "", "model_max_prompt_tokens_exceeded"),
		},
	)
	add(
		numbers, 422, 1,
		[3]string{
			"together", "Together",
			`{"error":{"message":"The input ({P} tokens) is longer than the model's context length ({L} tokens)."}}`,
		},
	)
	add(
		noNumbers, 400, 1,
		[3]string{
			"openai-new", "OpenAI, in newer words,",
			jsonError(
				"Your input exceeds the context window of this model. Please adjust your input and try again.",
				"invalid_request_error", "context_length_exceeded",
			),
		},
		[3]string{
			"vllm-negative", "vLLM, of max_tokens,",
			`{"object":"error","message":"max_tokens must be at least 1, got -186.","type":"BadRequestError",` +
				`"code":400}`,
		},
		[3]string{"lmstudio-bare", "LM Studio, without a number,", `{"error":"Context size has been exceeded."}`},
		[3]string{
			"ollama", "Ollama",
			jsonError("the prompt is longer than the context length currently available to the model", "api_error", ""),
		},
		[3]string{
			"ollama-by", "Ollama, by how much,",
			`{"error":"prompt too long; exceeded max context length by 2000 tokens"}`,
		},
		[3]string{
			"groq", "Groq",
			jsonError(
				"Please reduce the length of the messages or completion.", "invalid_request_error",
				"context_length_exceeded",
			),
		},
		[3]string{"minimax", "MiniMax", jsonError("invalid params, context window exceeds limit (2013)", "", "")},
		[3]string{"zai", "z.ai", `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`},
		[3]string{"cerebras", "Cerebras, with nothing at all,", ""},
	)
	add(noNumbers, 413, 1, [3]string{"413", "a proxy with 413", page("413 Request Entity Too Large")})
	add(
		noNumbers, 500, 1,
		[3]string{
			"llamacpp-old", "an old llama.cpp",
			`{"error":{"code":500,"message":"context shift is disabled","type":"server_error"}}`,
		},
	)
	add(
		"the request is too long whatever is left out", 400, 0,
		[3]string{"always", "LM Studio", `{"error":"Context size has been exceeded."}`},
	)
	return faults
}

// fieldFaults refuse a field of the request, or the form of the conversation, until it is left out or changed.
func fieldFaults() []Fault {
	refuse := func(name, what, while, message string) Fault {
		return Fault{
			Name: name, What: what, Status: 400, Body: jsonError(message, "invalid_request_error", "unsupported_value"),
			While: while, At: []Stage{Headers, AfterTool, Title, Summary},
		}
	}
	once := func(f Fault) Fault { f.Times = 1; return f }
	tools := func(f Fault) Fault { f.At = []Stage{AfterTool}; return f }
	return []Fault{
		refuse(
			"no-temperature", "temperature is refused", `"temperature"`,
			"Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is "+
				"supported.",
		),
		refuse(
			"wrong-temperature", "the value of temperature is refused", `"temperature":0.7`,
			"Invalid 'temperature': decimal above maximum value. Expected a value <= 0.5, but got 0.7 instead.",
		),
		refuse(
			"no-top-p", "top_p is refused", `"top_p"`,
			"Unsupported parameter: 'top_p' is not supported with this model.",
		),
		refuse(
			"not-both", "temperature and top_p together are refused", `"top_p"`,
			"`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
		),
		refuse(
			"no-effort", "reasoning_effort is refused", `"reasoning_effort"`,
			"Unrecognized request argument supplied: reasoning_effort",
		),
		refuse(
			"other-effort", "the value of reasoning_effort is refused", `"reasoning_effort":"minimal"`,
			"Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values "+
				"are: 'low', 'medium', and 'high'.",
		),
		refuse(
			"max-tokens", "max_tokens is too large", `_tokens":4000`,
			"max_tokens is too large: 4000. This model supports at most 1024 completion tokens, whereas you "+
				"provided 4000.",
		),
		refuse(
			"completion-tokens", "max_tokens has another name", `"max_tokens"`,
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "+
				"instead.",
		),
		{
			Name: "no-stream-options", What: "stream_options is refused", Status: 422,
			Body: `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not ` +
				`permitted"}]}`,
			While: `"stream_options"`, At: []Stage{Headers, AfterTool, Title, Summary},
		},
		refuse(
			"no-tools", "the model takes no tools", `"tools"`,
			"registry.ollama.ai/library/m:latest does not support tools",
		),
		tools(
			refuse(
				"tool-arguments", "the parser of the server cannot read a call of the conversation", `"tool_calls"`,
				"Expecting ',' delimiter: line 1 column 54 (char 53)",
			),
		),
		tools(
			Fault{
				Name: "tool-arguments-500", What: "the same as llama.cpp says it", Status: 500,
				Body: `{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON: ` +
					`[json.exception.parse_error.101] parse error at line 1, column 9","type":"server_error"}}`,
				While: `"tool_calls"`,
			},
		),
		tools(
			refuse(
				"tool-pairs", "the calls and results of the conversation are refused", `"tool_calls"`,
				"An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
					"'tool_call_id'.",
			),
		),
		tools(
			refuse(
				"tool-silent", "a conversation with tool calls is refused without a reason", `"tool_calls"`,
				"Bad Request",
			),
		),
		tools(
			refuse(
				"tools-always", "every conversation with a trace of tools is refused", "",
				"Unexpected role 'tool' in messages",
			),
		),
		once(
			refuse(
				"alternate", "user and assistant must alternate", "",
				"After the optional system message, conversation roles must alternate "+
					"user/assistant/user/assistant/...",
			),
		),
		tools(
			once(
				refuse(
					"short-ids", "ids of tool calls must have nine characters", "",
					"Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
				),
			),
		),
		tools(
			once(
				refuse(
					"echo-reasoning", "reasoning must come back", "",
					"The reasoning_content in the thinking mode must be passed back to the API.",
				),
			),
		),
	}
}
