package session

import (
	"fmt"

	"winnow/llm"
)

const (
	replyLeast = 256 // tokens; a shorter reply is not worth asking for
	replySlack = 25  // one part in so many of a request stays free beside a shortened reply
)

// noteLowered says once for each window that less than max_tokens is asked for.
func (t *turn) noteLowered() {
	to := t.Model()
	if wanted, asked, ok := to.Lowered(); ok {
		t.emit(Notice{fmt.Sprintf("max_tokens = %d is more than half of the model's window of %d tokens; asking for %d",
			wanted, to.Window().Tokens, asked)})
	}
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
