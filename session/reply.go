package session

import (
	"fmt"

	"winnow/history"
	"winnow/llm"
)

const (
	replyLeast = 256 // tokens; a shorter reply is not worth asking for
	replySlack = 25  // one part in so many of a request stays free beside a shortened reply
)

// maxTokens is the longest reply that is asked for, 0 where that is left to the server. A request
// keeps at least half of the window.
func (d Deps) maxTokens(to target) int {
	most := to.client.MaxReply(to.model, d.sampling(to).MaxTokens)
	if w := to.window.Tokens; w > 0 {
		most = min(most, w/2)
	}
	if to.replyMost > 0 && (most == 0 || to.replyMost < most) {
		return to.replyMost
	}
	return most
}

// lowered says that max_tokens is more than the model's window allows, and what is asked for instead;
// "" where it is not.
func (d Deps) lowered(to target) string {
	set := d.sampling(to).MaxTokens
	asked, most := d.maxTokens(to), to.client.MaxReply(to.model, set)
	if to.replyMost > 0 || asked >= most {
		return "" // What the server refuses above a length of its own was said when it refused.
	}
	return fmt.Sprintf("max_tokens = %d is more than half of the model's window of %d tokens; asking for %d",
		set, to.window.Tokens, asked)
}

// tellLowered says once for each window that less than max_tokens is asked for.
func (t *turn) tellLowered() {
	t.mu.Lock()
	text, window := t.deps.lowered(t.target), t.target.window.Tokens
	if t.target.lowered == window {
		text = ""
	}
	t.target.lowered = window
	t.mu.Unlock()
	if text != "" {
		t.emit(Notice{text})
	}
}

// outputReserve is what the plan keeps free for the reply: at least what is asked for it; 0 leaves
// it to the policy's own rule.
func (d Deps) outputReserve(to target, p history.Policy) int {
	if to.replyMost > 0 {
		return d.maxTokens(to)
	}
	return max(p.OutputReserve, d.maxTokens(to))
}

// shortenReply asks for at most so many tokens in the rest of this turn.
func (t *turn) shortenReply(tokens int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.replyMost = tokens
}

// freeReply ends what shortenReply began, with the turn. A server that counts a long reply where
// none is asked for would refuse the next request as well: from now on it is told what the plan
// keeps free.
func (s *Session) freeReply() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replyMost > 0 && s.deps.sampling(s.target).MaxTokens == 0 {
		s.replyMost = min(4096, s.window.Tokens/4)
		return
	}
	s.replyMost = 0
}

// replyRoom is how long a reply the server would take behind the request, where it is the reply that
// is too much, and 0 where the request is.
func replyRoom(fault *llm.Error, expected int) int {
	prompt := fault.Prompt
	if fault.AtLeast {
		prompt = max(prompt, expected)
	}
	room := fault.Limit - prompt - prompt/replySlack
	if prompt == 0 || fault.Output < fault.Limit-prompt || room < replyLeast {
		return 0
	}
	return room
}
