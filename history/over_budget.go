package history

import (
	"fmt"
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
)

// OverBudgetError says that what must be sent does not fit. All numbers are tokens as the server counts
// them; the plan that comes with the error shows each message.
type OverBudgetError struct {
	Need  int         // the whole request
	Have  int         // the most that it may hold
	Bound Bound       // what sets Have
	Parts []FixedPart // what Need is made of, the largest first
}

// FixedPart is a part of a request that is sent whatever else fits.
type FixedPart struct {
	Kind     PartOf
	Tokens   int   // as the server counts them
	Messages []int // the pinned messages, by their index in the conversation, the largest first
}

// PartOf is what a FixedPart is a part of.
type PartOf string

// The parts of a request that are sent whatever else fits.
const (
	PartSystem  PartOf = "the system prompt"
	PartTools   PartOf = "the tools"
	PartPinned  PartOf = "the pinned messages"
	PartDraft   PartOf = "your message"    // the current message, without what the running turn has added
	PartTurn    PartOf = "the tool rounds" // what the running turn has added to it
	PartHistory PartOf = "the history"     // where the policy sends all of it or nothing
	PartFormat  PartOf = "the format"      // markers, and what the chat format costs around each message
)

// Bound is what sets the most that a request may hold.
type Bound string

// The bounds of a request.
const (
	BoundBudget     Bound = "budget"             // the budget that the user set
	BoundMaxContext Bound = "max_context_tokens" // the automatic budget
	BoundWindow     Bound = "window"             // what the model's window leaves beside the reply
	BoundUnread     Bound = "unread"             // a limit after a request that was refused or read only in part
)

func (e *OverBudgetError) Error() string {
	text := fmt.Sprintf("%s tokens too many: this needs %s and %s fit", message.Grouped(e.Need-e.Have), message.Grouped(e.Need), message.Grouped(e.Have))
	if len(e.Parts) > 1 {
		text += ", " + string(e.Parts[0].Kind) + " alone " + message.Grouped(e.Parts[0].Tokens)
	}
	return text
}

// overBudget is the error for what is chosen so far.
func (b *chooser) overBudget() *OverBudgetError {
	need := b.need()
	parts := append(b.fixedParts(), FixedPart{Kind: PartFormat, Tokens: need})
	counted, before := 0, 0
	for i := range parts {
		p := &parts[i]
		if p.Kind == PartFormat {
			p.Tokens = need - counted // the rest
		}
		counted += p.Tokens
		// Each part is rounded so that together they are the sum.
		p.Tokens = b.budget.tokens(counted) - before
		before += p.Tokens
	}
	parts = slices.DeleteFunc(parts, func(p FixedPart) bool { return p.Tokens <= 0 })
	slices.SortStableFunc(parts, func(x, y FixedPart) int { return y.Tokens - x.Tokens })
	return &OverBudgetError{Need: b.budget.tokens(need), Have: b.budget.limit, Bound: b.budget.bound, Parts: parts}
}

// fixedParts are the parts of what is chosen so far in counted tokens, without what the format costs.
func (b *chooser) fixedParts() []FixedPart {
	system, pinned, history := b.c.remembered(b.o.System), 0, 0
	for i, d := range b.placeDetail {
		switch tokens := b.rendering(i, d).tokens; {
		case d == out:
		case b.candidates[i].Role == System:
			system += tokens
		case b.cause[i] == cause.Pinned:
			pinned += tokens
		default:
			history += tokens
		}
	}
	own, turn := 0, b.cost.turn
	for i, v := range b.turn.candidates {
		tokens := v.tokens
		if f, cut := b.cut[i]; cut {
			tokens = f.tokens
		}
		if v.Role == User && own == 0 {
			own = tokens
			continue
		}
		turn += tokens
	}
	return []FixedPart{
		{Kind: PartSystem, Tokens: system},
		{Kind: PartTools, Tokens: b.o.Tools},
		{Kind: PartPinned, Tokens: pinned, Messages: b.pinned()},
		{Kind: PartDraft, Tokens: own},
		{Kind: PartTurn, Tokens: turn},
		{Kind: PartHistory, Tokens: history},
	}
}

// pinned are the pinned messages by their index in the conversation, the largest first.
func (b *chooser) pinned() []int {
	var at []int
	for i := range b.candidates {
		if b.cause[i] == cause.Pinned && !b.candidates[i].standIn {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(x, y int) int { return b.candidates[y].tokens - b.candidates[x].tokens })
	for k, i := range at {
		at[k] = b.candidates[i].from
	}
	return at
}
