package target

import (
	"cmp"

	"winnow/history"
	"winnow/llm"
)

// TokenLimit returns the limit of planned requests, in tokens, after the server truncated one. It is 0 if only the
// window limits requests.
func (m *Model) TokenLimit() int { return m.now().limit }

// budget returns the limit of the next request in tokens, besides the window: the lower one after truncations and after
// refusals that name no number.
func (k known) budget() int {
	if k.limit == 0 || k.shrunkTo == 0 {
		return max(k.limit, k.shrunkTo)
	}
	return min(k.limit, k.shrunkTo)
}

// ExpectedTokens converts winnow's own count to the expected count of the server.
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

// LimitRequests limits further requests, after the server refused a larger one without naming a number. The limit is
// not stored.
func (m *Model) LimitRequests(tokens int) { m.set(func(k *known) { k.shrunkTo = tokens }) }

// outputReserve returns how many tokens a plan keeps free for the reply, at least what is requested; 0 leaves it to the
// policy. The caller holds the lock.
func (m *Model) outputReserve(p history.Policy) int {
	if m.maxReply > 0 {
		return m.maxTokens()
	}
	return max(p.OutputReserve, m.maxTokens())
}

// maxTokens returns the reply length to request, 0 to leave it to the server. At least half of the window remains for
// the messages. The caller holds the lock.
func (m *Model) maxTokens() int {
	limit := m.Client.MaxReplyTokens(m.Name, m.deps.Ask.MaxTokens)
	if w := m.window.Tokens; w > 0 {
		limit = min(limit, w/2)
	}
	if m.maxReply > 0 && (limit == 0 || m.maxReply < limit) {
		return m.maxReply
	}
	return limit
}

// LoweredReply returns the wanted reply length and the one that is requested because the window allows no more. ok is
// false if it was not lowered. A limit that the server itself sets does not count.
func (m *Model) LoweredReply() (wanted, asked int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wanted, asked = m.deps.Ask.MaxTokens, m.maxTokens()
	return wanted, asked, m.maxReply == 0 && asked < m.Client.MaxReplyTokens(m.Name, wanted)
}

// NoRoomError returns an overflow error if an answer is empty because the request left no space for it, and nil for any
// other answer. expected is the expected count of the request. Some servers then report that the length limit was
// reached and count the request as large as the window. Others send nothing at all, which is conclusive only for a long
// request to a server with an unknown window.
func (m *Model) NoRoomError(r llm.Reply, expected int) error {
	window := m.Window()
	fault := &llm.Error{Kind: llm.ErrTooLong, Endpoint: m.Client.Endpoint().Name, Model: m.Name}
	switch reason := r.Finished.Reason; {
	case r.Usage.Answer > 0:
		return nil
	case reason == "length" && r.Usage.Prompt > 0:
		// A request that the server truncated may be slightly smaller than the window, because it drops whole messages.
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

// LimitReply requests replies of at most this many tokens, until UnlimitReply.
func (m *Model) LimitReply(tokens int) { m.set(func(k *known) { k.maxReply = tokens }) }

// ScaleReply reduces a requested reply length by a factor, until UnlimitReply.
func (m *Model) ScaleReply(share float64) {
	if _, reply, _ := m.LoweredReply(); reply > 0 {
		m.LimitReply(max(1, int(share*float64(reply))))
	}
}

// UnlimitReply ends the effect of LimitReply. If no reply length was requested, a moderate one is requested from now
// on: the server assumes a long reply otherwise, and would refuse the next request too.
func (m *Model) UnlimitReply() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.maxReply > 0 && m.deps.Ask.MaxTokens == 0 {
		m.maxReply = min(4096, m.window.Tokens/4)
		return
	}
	m.maxReply = 0
}
