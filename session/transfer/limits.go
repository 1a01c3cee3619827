package transfer

import (
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/history/message"
)

// The most of a conversation that a historySample holds in memory, and the messages at its beginning that it
// always holds: the first turn is among them.
const (
	sampleMessages = 10_000
	sampleBytes    = 64 << 20
	sampleOpening  = 50
)

// historySample is what an import holds in memory of a conversation to find out how much of it a request
// holds under a policy that limits the size of the history. Of a very large conversation it is the first
// and the newest messages; one message of the same cost is in the place of those between them, for which no such
// limit leaves room.
type historySample struct {
	policy   history.Policy
	limit    int // messages
	messages []history.Message
	bytes    int  // of the messages
	shrunk   bool // messages[sampleOpening] is in the place of many
	total    int  // the messages added
}

func newHistorySample(p history.Policy) historySample {
	return historySample{policy: p, limit: sampleMessages}
}

// limited says that the policy limits the size of the history.
func (h *historySample) limited() bool {
	return h.policy.HistoryBudget > 0 || h.policy.BudgetChars > 0
}

func (h *historySample) add(m history.Message) {
	h.total++
	if !h.limited() {
		return
	}
	m.Reasoning = ""
	h.messages = append(h.messages, m)
	if h.bytes += messageBytes(m); len(h.messages) > h.limit || h.bytes > sampleBytes {
		h.shrink()
	}
}

// shrink puts one message in the place of the older half of those after the opening.
func (h *historySample) shrink() {
	end := sampleOpening + (len(h.messages)-sampleOpening)/2
	if end < sampleOpening+2 {
		return
	}
	old := h.messages[sampleOpening:end]
	tokens, bytes := 0, 0
	for _, m := range old {
		bytes += messageBytes(m)
		tokens += max(m.Tokens, (messageBytes(m)+3)/4)
	}
	standIn := history.Message{Role: history.Assistant, Status: history.Imported, Content: "…", Tokens: max(1, tokens)}
	h.messages = slices.Replace(h.messages, sampleOpening, end, standIn)
	h.bytes += messageBytes(standIn) - bytes
	h.shrunk = true
}

// messageBytes is the size of what a request may hold of a message.
func messageBytes(m history.Message) int {
	n := len(m.Content)
	for _, p := range m.Parts {
		n += len(p.Text) + len(p.Data)
	}
	for _, c := range m.ToolCalls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
}

// remarks says that a request cannot hold all of the conversation because of the policy's limits on the
// number of messages and on their size.
func (h *historySample) remarks() []Remark {
	var out []Remark
	add := func(format string, args ...any) {
		out = append(out, Remark{Index: -1, Field: "messages", What: fmt.Sprintf(format, args...)})
	}
	p := h.policy
	if h.total > p.MaxMessages {
		add("there are %s messages; the preset %s sends %s of them at most", message.Grouped(h.total), p.Preset, message.Grouped(p.MaxMessages))
	}
	if !h.limited() {
		return out
	}
	anySize := p
	anySize.HistoryBudget, anySize.BudgetChars = 0, 0
	all := history.Read(h.messages, nil)
	largest, _ := h.sent(all, anySize)
	n, newest := h.sent(all, p)
	if n >= largest {
		return out
	}
	var limits, keys []string
	count := message.Grouped(n)
	if p.BudgetChars > 0 {
		limits, keys = append(limits, message.Grouped(p.BudgetChars)+" characters"), append(keys, "budget_chars")
	}
	if p.HistoryBudget > 0 {
		limits, keys = append(limits, message.Grouped(p.HistoryBudget)+" tokens"), append(keys, "history_budget")
		count = "~" + count // which model counts is not known yet
	}
	if newest {
		count = "the last " + count
	}
	add("the total size exceeds the limit of %s (%s, preset %s): a request holds %s of %s messages",
		strings.Join(limits, " and "), strings.Join(keys, ", "), p.Preset, count, message.Grouped(h.total))
	return out
}

// sent is how many messages a request holds under a policy, and whether they are the newest that any
// request can hold.
func (h *historySample) sent(all *history.Conversation, p history.Policy) (n int, newest bool) {
	plan, err := all.Build(history.Options{Policy: p})
	if err != nil {
		return 0, false // all of the history or nothing
	}
	newest = true
	for i, e := range plan.Entries {
		switch {
		case h.shrunk && i == sampleOpening:
		case e.Sent():
			n++
		case n > 0 && e.Disposition == history.Dropped:
			newest = false
		}
	}
	return n, newest && n > 0
}
