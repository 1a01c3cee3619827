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

// OversizeError reports that a message was neither stored nor sent, because its request would not fit.
type OversizeError struct {
	Over    *history.OverBudgetError
	Windows llm.WindowFacts // what is known of the model's window
}

// AsOversize returns an OversizeError if err says that a request does not fit, and nil otherwise. w is what is known of
// the model's window.
func AsOversize(err error, w llm.WindowFacts) *OversizeError {
	if over, is := errors.AsType[*history.OverBudgetError](err); is {
		return &OversizeError{over, w}
	}
	return nil
}

// Error returns the text of the error without suggestions.
func (e *OversizeError) Error() string {
	return message.WithCommas(e.Over.Need-e.Over.Have) + " tokens too many"
}

func (e *OversizeError) Unwrap() error { return e.Over }

// OversizeHints say how the user can make a request fit, in the words of the screen. Empty hints are not shown.
type OversizeHints struct {
	Parts  map[history.RequiredPartKind]string // how to make a part of the request smaller
	Budget string                              // how to raise the budget
	Window string                              // how to raise the window, if winnow's own setting limits it
	Model  string                              // how to choose another model
}

// Sentence returns the text of the error with suggestions.
func (e *OversizeError) Sentence(r OversizeHints) string {
	if ways := e.Suggestions(r); len(ways) > 0 {
		return e.Error() + ": " + strings.Join(ways, " · ")
	}
	return e.Error()
}

// Suggestions name the largest part of the request and what limits the request, each with its hint.
func (e *OversizeError) Suggestions(r OversizeHints) (ways []string) {
	if len(e.Over.Parts) > 0 {
		part := e.Over.Parts[0]
		way := strings.TrimPrefix(string(part.Kind), "the ") + " " + message.WithCommas(part.Tokens)
		if helps := r.Parts[part.Kind]; helps != "" {
			way += " → " + helps
		}
		ways = append(ways, way)
	}
	raise, helps := "raise the window", r.Window
	switch largest, server := e.Windows.Largest(), e.Windows.Stated.ServerSetting(e.SufficientWindow()); {
	case e.Over.Bound == history.BoundLearned: // the window is not known
		helps = ""
	case e.Over.Bound != history.BoundWindow:
		raise, helps = "raise the budget", r.Budget
	case largest == 0 || largest >= e.SufficientWindow(): // winnow's own setting can raise it
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

// SufficientWindow returns a round number of tokens that would be enough for the request.
func (e *OversizeError) SufficientWindow() int {
	for _, n := range []int{8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 1_000_000} {
		if n*3/4 > e.Over.Need {
			return n
		}
	}
	return 2 * e.Over.Need
}

// PinnedNumbers lists the numbers of the pinned messages for use in a command, the largest message first.
func (e *OversizeError) PinnedNumbers() string {
	var numbers []string
	for _, part := range e.Over.Parts {
		for _, at := range part.Messages {
			numbers = append(numbers, strconv.Itoa(at+1))
		}
	}
	return strings.Join(numbers, ", ")
}

// checkFits checks whether a message may be stored at the end of a branch. It returns an *OversizeError if its request
// would not fit, and a *LimitError if it would exceed a limit and the user does not allow that. The network is asked
// for the window and the prices only if they are not known and matter. Other errors are left to the plan of the turn.
func (t *turn) checkFits(ctx context.Context, m store.Message, behind branch.Branch) error {
	l := t.State().limits
	for asked := false; ; asked = true {
		w, to := t.Try(ctx, Settings{}), t.Model()
		if behind.Len() < w.Branch.Len() {
			w.plans = &t.other
		}
		w.Branch, w.assumeWindow = behind, true
		plan, err := w.plan(m, t.cut)
		over := AsOversize(err, to.WindowFacts())
		unknown := over != nil && to.Window().Tokens == 0 || l.OnCost() && !to.Client.Prices(to.Name).Known()
		switch {
		case unknown && !asked:
			if err := t.askModel(ctx); err != nil {
				return err
			}
			continue
		case over != nil:
			return over
		case err != nil || !l.IsSet():
			return nil
		}
		_, err = t.checkLimits(ctx, estimateOf(to, to.Request(plan).MaxTokens, plan.Sum), store.PurposeAnswer)
		return err
	}
}
