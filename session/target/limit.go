package target

import (
	"cmp"

	"winnow/history"
	"winnow/llm"
)

// Limit is the most tokens that are planned for after the server read only a part of a request; 0 where
// the window alone limits a request.
func (m *Model) TokenLimit() int { return m.now().limit }

// budget is the most tokens of the next request beside the window: less after a cut, and after a refusal
// without a number.
func (k known) budget() int {
	if k.limit == 0 || k.shrunkTo == 0 {
		return max(k.limit, k.shrunkTo)
	}
	return min(k.limit, k.shrunkTo)
}

// Expect is what the server is expected to count for a request that we count so, by what is known now.
func (m *Model) ExpectedTokens(tokens int) int {
	return int(float64(tokens) * cmp.Or(m.now().ratio(), 1))
}

// NoteRefusal takes the window that a server named when it refused a request as too long. It also learns from the
// server's count of that request, where estimate, winnow's own count, is not 0.
func (m *Model) NoteRefusal(refusal *llm.Error, estimate int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.learned.Window, m.learned.WindowAt = refusal.Limit, m.deps.Now()
	m.window = m.facts(m.known).Window()
	if estimate == 0 {
		return
	}
	// A number far below the estimate cannot be a count of this request.
	ratio := float64(refusal.Prompt) / float64(estimate)
	if ratio >= leastRatio && (!refusal.AtLeast || ratio > cmp.Or(m.ratio(), 1)) {
		m.setRatio(ratio)
	}
}

// Shrink keeps requests below what a server took that refused more without a number. It is not kept beyond this
// conversation.
func (m *Model) LimitRequests(tokens int) { m.set(func(k *known) { k.shrunkTo = tokens }) }

// outputReserve is what the plan keeps free for the reply: at least what is asked for it; 0 leaves
// it to the policy's own rule. The caller holds the lock.
func (m *Model) outputReserve(p history.Policy) int {
	if m.maxReply > 0 {
		return m.maxTokens()
	}
	return max(p.OutputReserve, m.maxTokens())
}

// maxTokens is the longest reply that is asked for, 0 where that is left to the server. A request
// keeps at least half of the window. The caller holds the lock.
func (m *Model) maxTokens() int {
	limit := m.Client.MaxReply(m.Name, m.deps.Ask.MaxTokens)
	if w := m.window.Tokens; w > 0 {
		limit = min(limit, w/2)
	}
	if m.maxReply > 0 && (limit == 0 || m.maxReply < limit) {
		return m.maxReply
	}
	return limit
}

// Lowered says that the reply that is wanted is longer than the window allows, and how much is asked for instead. It is
// false where it is not. What the server refuses above a length of its own is not meant.
func (m *Model) LoweredReply() (wanted, asked int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wanted, asked = m.deps.Ask.MaxTokens, m.maxTokens()
	return wanted, asked, m.maxReply == 0 && asked < m.Client.MaxReply(m.Name, wanted)
}

// NoRoom is the error of an answer that is over before it began because its request, of which the server was expected
// to count so many tokens, left no room for it; nil for any other empty answer. Some servers then say that the length
// ended it and count the request at the window; some send nothing at all, which says something only of a long request
// to a server whose window nobody knows.
func (m *Model) NoRoomError(r llm.Reply, expected int) error {
	window := m.Window()
	fault := &llm.Error{Kind: llm.Overflow, Endpoint: m.Client.Endpoint().Name, Model: m.Name}
	switch reason := r.Finished.Reason; {
	case r.Usage.Answer > 0:
		return nil
	case reason == "length" && r.Usage.Prompt > 0:
		// A request that a server shortened may end a little below its window, because whole messages go.
		if fault.Limit = r.Usage.Prompt; !window.Assumed {
			fault.Limit = window.Tokens
		}
		if fault.Prompt, fault.AtLeast = r.Usage.Prompt, true; r.Usage.Prompt < fault.Limit-fault.Limit/50 {
			return nil
		}
	case reason == "" && r.Usage.Prompt <= 0 && window.Assumed && expected >= window.Tokens/4:
		fault.Message = "the answer was empty, as some servers send for a request that is too long"
	default:
		return nil
	}
	return fault
}

// ShortenReply asks for at most so many tokens until FreeReply.
func (m *Model) LimitReply(tokens int) { m.set(func(k *known) { k.maxReply = tokens }) }

// ShrinkReply asks for a share of the reply, where a length is asked for, until FreeReply.
func (m *Model) ScaleReply(share float64) {
	if _, reply, _ := m.LoweredReply(); reply > 0 {
		m.LimitReply(max(1, int(share*float64(reply))))
	}
}

// FreeReply ends what ShortenReply began. A server that counts a long reply where none is asked for would refuse the
// next request as well: from now on it is asked for what the plan keeps free.
func (m *Model) UnlimitReply() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.maxReply > 0 && m.deps.Ask.MaxTokens == 0 {
		m.maxReply = min(4096, m.window.Tokens/4)
		return
	}
	m.maxReply = 0
}
