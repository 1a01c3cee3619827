package session

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"winnow/history"
	"winnow/history/message"
	"winnow/llm"
	"winnow/session/branch"
	"winnow/session/store"
)

// OversizeError says that a message was neither stored nor sent, because its request would not fit.
type OversizeError struct {
	Over    *history.OverBudgetError
	Windows llm.WindowFacts // what is known of the model's window
}

// Oversize says of the error of a plan why its message would not be sent, nil where it would be. w is what is known of
// the model's window.
func Oversize(err error, w llm.WindowFacts) *OversizeError {
	if over, is := errors.AsType[*history.OverBudgetError](err); is {
		return &OversizeError{over, w}
	}
	return nil
}

// Error is the error without its ways out.
func (e *OversizeError) Error() string {
	return message.Grouped(e.Over.Need-e.Over.Have) + " tokens too many"
}

func (e *OversizeError) Unwrap() error { return e.Over }

// Remedies are what helps against a request that does not fit, in words for the user. What is "" is not named.
type Remedies struct {
	Parts  map[history.PartOf]string // make a part of the request smaller
	Budget string                    // raises the budget
	Window string                    // raises the window where winnow's own setting does
	Model  string                    // chooses another model
}

// Sentence is the error with its ways out.
func (e *OversizeError) Sentence(r Remedies) string {
	if ways := e.Ways(r); len(ways) > 0 {
		return e.Error() + ": " + strings.Join(ways, " · ")
	}
	return e.Error()
}

// Ways are the largest part of the request and what limits it, each with what helps.
func (e *OversizeError) Ways(r Remedies) (ways []string) {
	if len(e.Over.Parts) > 0 {
		part := e.Over.Parts[0]
		way := strings.TrimPrefix(string(part.Kind), "the ") + " " + message.Grouped(part.Tokens)
		if helps := r.Parts[part.Kind]; helps != "" {
			way += " → " + helps
		}
		ways = append(ways, way)
	}
	raise, helps := "raise the window", r.Window
	switch largest, server := e.Windows.Largest(), e.Windows.Stated.ServerSetting(e.Enough()); {
	case e.Over.Bound == history.BoundUnread: // nobody knows the window
		helps = ""
	case e.Over.Bound != history.BoundWindow:
		raise, helps = "raise the budget", r.Budget
	case largest == 0 || largest >= e.Enough(): // winnow's own setting raises it
	case server != "":
		helps = server
	default:
		raise, helps = "choose a model with a larger window", r.Model
	}
	if helps != "" {
		ways = append(ways, raise+" → "+helps)
	}
	return ways
}

// Enough is a round number of tokens with which the request would fit.
func (e *OversizeError) Enough() int {
	for _, n := range []int{8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 1_000_000} {
		if n*3/4 > e.Over.Need {
			return n
		}
	}
	return 2 * e.Over.Need
}

// Pinned names the pinned messages as commands take them, the largest first.
func (e *OversizeError) Pinned() string {
	var numbers []string
	for _, part := range e.Over.Parts {
		for _, at := range part.Messages {
			numbers = append(numbers, strconv.Itoa(at+1))
		}
	}
	return strings.Join(numbers, ", ")
}

// sendable says why a message is not to be stored at the end of a branch: an *OversizeError where its request would not
// fit, a *LimitError where it would exceed a limit and the user does not want it sent. The network is asked for the
// window and the price only where they are not known and matter. Any other fault is for the plan of the turn to find.
func (t *turn) sendable(ctx context.Context, m store.Message, behind branch.Branch) error {
	l := t.Now().limits
	for asked := false; ; asked = true {
		w, to := t.Try(ctx, Settings{}), t.Model()
		if behind.Len() < w.Branch.Len() {
			w.plans = &t.other
		}
		w.Branch, w.sending = behind, true
		plan, err := w.plan(m, t.cut)
		over := Oversize(err, to.Windows())
		unknown := over != nil && to.Window().Tokens == 0 || l.OnCost() && !to.Client.Prices(to.Name).Known()
		switch {
		case unknown && !asked:
			if err := t.askModel(ctx); err != nil {
				return err
			}
			continue
		case over != nil:
			return over
		case err != nil || !l.Any():
			return nil
		}
		_, err = t.allow(ctx, estimateOf(to, to.Request(plan).MaxTokens, plan.Sum), store.PurposeAnswer)
		return err
	}
}
