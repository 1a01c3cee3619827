package session

import (
	"context"
	"errors"
	"fmt"

	"winnow/history"
	"winnow/llm"
)

const (
	guessShare = 0.7 // of a refused request, where the server names no number
	guessMost  = 2   // guesses for one question
)

// tooLong is what was tried for one question that a server refused as too long.
type tooLong struct {
	told     bool       // once more with the server's number
	guessed  int        // times with less, where it named none
	believed llm.Window // what is known of the window without the guesses
	refusal  *llm.Error // the newest
}

// makeRoom learns from a refusal, so that the next plan is smaller, and says whether asking once
// more makes sense: once with the server's number, twice without one.
func (t *turn) makeRoom(ctx context.Context, a asked, fault *llm.Error, tries *tooLong) bool {
	tries.refusal = fault
	before := t.Window()
	if fault.Limit > 0 {
		t.learnLimit(ctx, a, fault)
	}
	if tries.guessed == 0 || fault.Limit > 0 {
		tries.believed = t.Window()
	}
	// A number that is not below what was believed, without one for the request, teaches nothing.
	if fault.Limit == 0 || fault.Prompt == 0 && before.Tokens > 0 && fault.Limit >= before.Tokens {
		return t.guess(a, tries)
	}
	if tries.told {
		return false
	}
	tries.told = true
	if room := replyRoom(fault, a.expected()); room > 0 {
		t.shortenReply(room)
		t.emit(Notice{fmt.Sprintf("the request and the %d tokens asked for the reply are more than the model's window of %d tokens; asking once more for a reply of at most %d",
			fault.Output, fault.Limit, room)})
		return true
	}
	t.emit(Notice{fmt.Sprintf("the request was larger than the model's window of %d tokens; asking once more with less", fault.Limit)})
	return true
}

// learnLimit keeps the window that a refusal names, and how its count of the request compares with
// ours. The ratio is good for the next plan; the first answer's usage replaces it.
func (t *turn) learnLimit(ctx context.Context, a asked, fault *llm.Error) {
	if !t.still(a) {
		return
	}
	t.mu.Lock()
	t.window = llm.Window{Tokens: fault.Limit, Source: "the server's refusal"}
	t.learned.Window = fault.Limit
	ratio := float64(fault.Prompt) / float64(max(1, a.record.Estimate))
	// A number far from ours is no count of this request.
	if a.countable() && ratio == clampRatio(ratio) && (!fault.AtLeast || ratio > known(t.learned.Ratio)) {
		t.learned.Ratio = ratio
	}
	t.mu.Unlock()
	t.learn(ctx)
}

// guess plans for three tenths less than was refused: nobody said how much less it must be. A guess
// is not kept beyond this conversation.
func (t *turn) guess(a asked, tries *tooLong) bool {
	if tries.guessed == guessMost {
		return false
	}
	tries.guessed++
	t.mu.Lock()
	if reply := t.deps.maxTokens(t.target); reply > 0 {
		t.replyMost = max(1, int(guessShare*float64(reply)))
	}
	limit := int(guessShare * float64(a.expected()))
	t.window = llm.Window{Tokens: windowFor(limit, t.deps.outputReserve(t.target, t.policy)), Source: "guessed from a refusal", Assumed: true}
	t.mu.Unlock()
	t.emit(Notice{"the request was too long for the model, which does not say how much it takes; asking once more with 30 % less"})
	return true
}

// windowFor is the window that leaves limit tokens for a request. reserve 0 is the policy's own
// share: a quarter, at most 4096.
func windowFor(limit, reserve int) int {
	if reserve > 0 {
		return limit + reserve
	}
	return min(limit*4/3, limit+4096)
}

// giveUpGuessing believes again what was believed before the guesses that did not help.
func (t *turn) giveUpGuessing(tries tooLong) {
	if tries.guessed == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.window = tries.believed
}

// instead is the error to show for a plan that cannot be made after a guess: where not even what
// must be sent fits our guess, the server's own words say more.
func (tries tooLong) instead(err error) error {
	if over := (*history.OverBudgetError)(nil); tries.guessed > 0 && errors.As(err, &over) {
		return tries.refusal
	}
	return err
}

// drowned is the error of an answer that is over before it began because the request left no room
// for it, nil for any other empty answer. Some servers then say that the length ended it and count the
// request at the window; some send nothing at all, which says something only of a long request to a
// server whose window nobody knows.
func (t *turn) drowned(a asked) error {
	usage, window := a.reply.Usage, t.Window()
	fault := &llm.Error{Kind: llm.Overflow, Endpoint: a.record.Endpoint, Model: a.record.Model}
	switch {
	case usage.Answer > 0:
		return nil
	case a.reply.Finished.Reason == "length" && usage.Prompt > 0:
		fault.Limit, fault.Prompt, fault.AtLeast = fullWindow(usage.Prompt, window.Tokens), usage.Prompt, true
		if fault.Limit == 0 {
			return nil
		}
	case a.reply.Finished.Reason == "" && usage.Prompt <= 0 && window.Assumed && a.expected() >= window.Tokens/4:
		fault.Message = "it answered with nothing, as some servers do then"
	default:
		return nil
	}
	return fault
}
