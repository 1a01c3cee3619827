package llm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// overflowTexts are what servers say about a request that is longer than the window. Named
// groups: L is the window, P the request's tokens (P2 is added to it), M what the request has at
// least, C the reply's tokens that were asked for, N the sum of request and reply.
var overflowTexts = []func() *regexp.Regexp{
	// vLLM, with what was asked for in parts.
	lazyRegexp(`(?i)maximum context length is (?P<L>\d+) tokens.*?requested (?:about )?(?P<N>\d+) tokens \((?P<P>\d+) in the messages, (?P<C>\d+) in the completion`),
	// OpenRouter: text input, tool input and output in any choice.
	lazyRegexp(`(?i)maximum context length is (?P<L>\d+) tokens.*?requested (?:about )?(?P<N>\d+) tokens \((?P<P>\d+) of text input(?:, (?P<P2>\d+) of tool input)?(?:, (?P<C>\d+) in the output)?`),
	// vLLM, newer: it counts only until the request is too long.
	lazyRegexp(`(?i)maximum context length is (?P<L>\d+).*?requested (?P<C>\d+) output tokens and your (?:prompt|request) contains at least (?P<M>\d+) input tokens`),
	// OpenAI.
	lazyRegexp(`(?i)maximum context length is (?P<L>\d+) tokens.*?(?:messages|prompt|input) (?:resulted in|has|contains?) (?P<P>\d+) tokens`),
	lazyRegexp(`(?i)maximum context length is (?P<L>\d+) tokens.*?requested (?:about )?(?P<N>\d+) tokens`),
	lazyRegexp(`(?i)maximum context length (?:is|of) (?P<L>\d+)`),
	// llama.cpp.
	lazyRegexp(`(?i)request \((?P<P>\d+) tokens\) exceeds the available context size \((?P<L>\d+) tokens`),
	// LM Studio.
	lazyRegexp(`(?i)keep the first (?P<P>\d+) tokens when context the overflows.*?context length of only (?P<L>\d+) tokens`),
	lazyRegexp(`(?i)n_keep \((?P<P>\d+)\) >= n_ctx \((?P<L>\d+)\)`),
	lazyRegexp(`(?i)reached context length of (?P<L>\d+) tokens`),
	// Anthropic, Gemini, xAI.
	lazyRegexp(`(?i)prompt is too long: (?P<P>\d+) tokens > (?P<L>\d+) maximum`),
	lazyRegexp(`(?i)input token count \((?P<P>\d+)\) exceeds the maximum number of tokens allowed \((?P<L>\d+)\)`),
	lazyRegexp(`(?i)maximum prompt length is (?P<L>\d+) but the request contains (?P<P>\d+) tokens`),
	// Mistral, Together, Kimi, Copilot.
	lazyRegexp(`(?i)prompt contains (?P<P>\d+) tokens.*?too large for model with (?P<L>\d+) maximum context length`),
	lazyRegexp(`(?i)input \((?P<P>\d+) tokens\) is longer than the model'?s context length \((?P<L>\d+) tokens`),
	lazyRegexp(`(?i)exceeded model token limit: (?P<L>\d+) \(requested: (?P<P>\d+)\)`),
	lazyRegexp(`(?i)prompt token count of (?P<P>\d+) exceeds the limit of (?P<L>\d+)`),
	// Texts without a number.
	lazyRegexp(`(?i)context_length_exceeded|exceed_context_size_error|context window exceeds limit|exceeds the context window`),
	lazyRegexp(`(?i)context size has been exceeded|context shift is disabled|exceeds the available context size`),
	lazyRegexp(`(?i)prompt is longer than the context length|exceeded max(?:imum)? context length|prompt (?:is )?too long`),
	lazyRegexp(`(?i)max_(?:completion_)?tokens must be at least 1, got -\d+`),
	lazyRegexp(`(?i)reduce the length of (?:the|your) (?:messages|prompt|input)`),
	lazyRegexp(`(?i)maximum context length|context length exceeded|exceeds? the (?:model'?s )?(?:maximum )?context (?:length|window|size)`),
}

// rateTexts are what servers say about too many requests or tokens in a time. Some name tokens
// and limits like an overflow; cutting the request would not help.
var rateTexts = lazyRegexp(`(?i)\brates?\b|rate[-_ ]?limit|throttl|too many (?:requests|tokens)|tokens?[- _]per[- _](?:minute|hour|day|min)|\b[rt]p[mdh]\b|please wait|try again in|quota`)

// overflow is what a refusal says about the length of a request, in tokens; 0 is not said.
type overflow struct {
	limit, prompt, output int
	atLeast               bool // the request has prompt tokens or more
}

// overflow finds out whether a refusal says that the request is longer than the window.
func (r refusal) overflow(status int) (o overflow, is bool) {
	text := r.text()
	if status == 429 || r.status == 429 || rateTexts().MatchString(text) {
		return overflow{}, false
	}
	for _, pattern := range overflowTexts {
		re := pattern()
		if m := re.FindStringSubmatch(text); m != nil {
			o, is = readOverflow(re, m), true
			break
		}
	}
	switch {
	case r.limit > 0 && r.prompt > 0: // llama.cpp says its numbers in fields of their own.
		return overflow{limit: r.limit, prompt: r.prompt, output: o.output}, true
	case is:
		return o, true
	}
	// Cerebras says nothing at all; z.ai says it by number.
	silent := status == 400 && strings.TrimSpace(r.message) == "" && !r.object && !r.page
	return overflow{}, status == 413 || silent || slices.Contains(strings.Fields(r.code), "1261")
}

// readOverflow reads the numbers of a match.
func readOverflow(re *regexp.Regexp, m []string) overflow {
	group := func(name string) int {
		i := re.SubexpIndex(name)
		if i < 0 {
			return 0
		}
		n, _ := strconv.Atoi(m[i]) // A group that took no part is no number.
		return n
	}
	o := overflow{limit: group("L"), prompt: group("P") + group("P2"), output: group("C")}
	if least := group("M"); least > 0 {
		o.prompt, o.atLeast = least, true
	}
	if o.prompt == 0 {
		o.prompt = max(0, group("N")-o.output)
	}
	return o
}
