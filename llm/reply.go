package llm

import (
	"strings"

	"winnow/history"
	"winnow/llm/pricing"
)

// Reply collects the events of one stream into the answer so far.
type Reply struct {
	Text      string             // the answer so far
	Reasoning string             // the reasoning so far
	Calls     []history.ToolCall // by index
	Usage     pricing.Usage      // -1 for what was not said; the last one said counts
	Finished  Finished           // zero until the stream finished

	text      strings.Builder
	reasoning strings.Builder
	arguments []*strings.Builder
	counted   bool
}

// Add takes the next event.
func (r *Reply) Add(event Event) {
	if !r.counted {
		r.Usage, r.counted = pricing.NoUsage(), true
	}
	switch e := event.(type) {
	case TextDelta:
		r.text.WriteString(e.Text)
		r.Text = r.text.String() // No copy: the builder's own bytes.
	case ReasoningDelta:
		r.reasoning.WriteString(e.Text)
		r.Reasoning = r.reasoning.String()
	case ToolDelta:
		r.call(e)
	case UsageReport:
		r.Usage = e.Usage
	case Finished:
		r.Finished = e
	}
}

// call adds a piece to its call. The pieces of a long call cost no copy of what came before.
func (r *Reply) call(d ToolDelta) {
	for d.Index >= len(r.Calls) {
		r.Calls = append(r.Calls, history.ToolCall{})
		r.arguments = append(r.arguments, new(strings.Builder))
	}
	call := &r.Calls[d.Index]
	if call.ID == "" {
		call.ID = d.ID
	}
	if call.Name == "" {
		call.Name = d.Name
	}
	r.arguments[d.Index].WriteString(d.Arguments)
	call.Arguments = r.arguments[d.Index].String()
}

// Empty says that nothing of an answer came: no text, no reasoning, no call.
func (r *Reply) Empty() bool {
	return r.Text == "" && r.Reasoning == "" && len(r.Calls) == 0
}
