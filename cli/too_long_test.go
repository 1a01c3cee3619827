package cli

import (
	"fmt"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
)

// The suggested remedies for a request that does not fit help: a window that the server reports is raised at the
// server, and tools are disabled where they are configured.
func TestTheWaysOutOfATooLongRequestHelp(t *testing.T) {
	t.Parallel()
	over := func(part history.RequiredPartKind, bound history.Bound) error {
		return &history.OverBudgetError{
			Need: 15_433, Have: 4000, Bound: bound,
			Parts: []history.RequiredPart{{Kind: part, Tokens: 15_000}, {Kind: history.RequiredFormat, Tokens: 433}},
		}
	}
	stated := func(source string) llm.WindowFacts {
		return llm.WindowFacts{Stated: llm.Window{Tokens: 8192, Source: source}}
	}
	for _, c := range []struct {
		part   history.RequiredPartKind
		bound  history.Bound
		window llm.WindowFacts
		want   string
	}{
		{
			history.RequiredDraft, history.BoundWindow,
			llm.WindowFacts{},
			"your message 15,000 → shorten it · raise the window → [endpoints.e] window = 32000",
		},
		{
			history.RequiredDraft, history.BoundWindow, stated("llama.cpp's n_ctx"),
			"raise the window → llama-server -c 32000",
		},
		{
			history.RequiredDraft, history.BoundWindow, stated("Ollama's running context_length"),
			"raise the window → OLLAMA_CONTEXT_LENGTH=32000 ollama serve",
		},
		{
			history.RequiredDraft, history.BoundWindow, stated("vLLM's max_model_len"),
			"raise the window → vllm serve --max-model-len 32000",
		},
		{
			history.RequiredDraft, history.BoundWindow, stated("the server's context_length"),
			"your message 15,000 → shorten it · choose a model with a larger window → -m MODEL",
		},
		{
			history.RequiredTools, history.BoundMaxContext,
			llm.WindowFacts{},
			`tools 15,000 → approve = "off" or tools = { NAME = "off" } under [mcp_servers.NAME]` +
				` · raise the budget → [context] budget = 32000`,
		},
	} {
		err := tooLong(session.AsOversize(over(c.part, c.bound), c.window), "e")
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, limited by %s at %q: %v\nwant %s", c.part, c.bound, c.window.Stated.Source, err, c.want)
		}
	}
	err := tooLong(fmt.Errorf("plan: %w", over(history.RequiredTools, history.BoundBudget)), "e")
	if !strings.Contains(err.Error(), "the tools alone 15,000; "+toolsOff) {
		t.Errorf("a later request of the turn: %v", err)
	}
}
