package session

import (
	"context"
	"fmt"

	"winnow/history"
	"winnow/llm"
)

// silentShare is how much less than expected a server counts that has dropped something, or that
// counts otherwise.
const silentShare = 0.8

// The windows that servers run with where nobody chose one: powers of two.
const (
	usualLeast = 2048
	usualMost  = 131_072
)

// droppedAt is the window at which a server dropped a part of a request without saying so, 0 where
// nothing shows that it did. Such a server drops the oldest messages until the rest fits, or keeps
// half a window of one that is too long, and counts what is left: far less than was sent, and near
// the window or half of it. The window may be a smaller one than believed.
func droppedAt(reported int, expected float64, believed int) int {
	if float64(reported) >= silentShare*expected {
		return 0
	}
	window, nearest := 0, 0
	consider := func(w, target, tolerance int) {
		off := max(target-reported, reported-target)
		if off <= tolerance && (window == 0 || off < nearest) {
			window, nearest = w, off
		}
	}
	if believed > 0 {
		if reported <= believed {
			consider(believed, believed, fullTolerance(believed))
		}
		consider(believed, halfOf(believed), fullTolerance(believed/2))
	}
	for w := usualLeast; w <= usualMost && (believed == 0 || w < believed); w *= 2 {
		// A request that fits is not shortened.
		if expected < 0.9*float64(w) {
			break
		}
		if reported <= w {
			consider(w, w, fullTolerance(w))
		}
		consider(w, halfOf(w), w/256+8)
	}
	return window
}

// fullWindow is the window that a request of so many tokens fills: the believed one, else a usual
// one below it, and 0 for none.
func fullWindow(reported, believed int) int {
	if believed > 0 && reported >= believed-fullTolerance(believed) {
		return believed
	}
	for w := usualLeast; w <= usualMost && (believed == 0 || w < believed); w *= 2 {
		if reported <= w && reported >= w-fullTolerance(w) {
			return w
		}
	}
	return 0
}

// fullTolerance is how far below a window a request that was shortened to it may end: it is
// shortened by whole messages.
func fullTolerance(window int) int { return window/50 + 8 }

// halfOf is what is left of a request that was halved: half the window, and two tokens that it
// begins with.
func halfOf(window int) int { return window/2 + 2 }

// A server that drops the oldest messages falls behind little by little: the first requests over its
// window lose one message each. It shows when a request has only grown and its count has not.
const (
	grownLeast = 50 // counted tokens that a request has grown by, for its count to say something
	stuckShare = 4  // a count that grows by less than a quarter of what was expected is stuck
	stuckLeast = usualLeast / 2
)

// counted is a request that was answered: what it held, what we counted and what the server did.
type counted struct {
	messages           []history.Message
	estimate, reported int
}

// stuckAt is the window at which a server dropped a part of the request now: it is the request before
// with more behind it, and yet counted as no longer. 0 is that nothing shows it.
func (before counted) stuckAt(now counted, ratio float64, believed int) int {
	grown := now.estimate - before.estimate
	if grown < grownLeast || !begins(now.messages, before.messages) {
		return 0
	}
	// A server that counts only what was not in its cache counts far less than before.
	if now.reported < max(stuckLeast, before.reported/2) {
		return 0
	}
	if now.reported-before.reported >= int(float64(grown)*ratio)/stuckShare {
		return 0
	}
	most := max(now.reported, before.reported)
	for w := usualLeast; w <= usualMost && (believed == 0 || w < believed); w *= 2 {
		if most <= w && most > w-w/8 {
			return w
		}
	}
	if most <= believed && most > believed-believed/8 {
		return believed
	}
	return most
}

// shortenedAt is the window at which a server dropped a part of the request now, 0 where neither its
// count nor the one of the request before shows that it did. ratio is of what it counts to what we do.
func (before counted) shortenedAt(now counted, ratio float64, believed int) int {
	if window := droppedAt(now.reported, float64(now.estimate)*ratio, believed); window > 0 {
		return window
	}
	return before.stuckAt(now, ratio, believed)
}

// begins says that a request begins with all the messages of an earlier one.
func begins(messages, earlier []history.Message) bool {
	if len(earlier) == 0 || len(messages) < len(earlier) {
		return false
	}
	for i, m := range earlier {
		if messages[i].Role != m.Role || messages[i].Content != m.Content {
			return false
		}
	}
	return true
}

// learnDropped says that the server dropped a part of the request, and plans for the window at which
// it did: the next request fits.
func (t *turn) learnDropped(ctx context.Context, a asked, window, expected int) {
	t.mu.Lock()
	if before := t.window.Tokens; window >= before {
		// The window was known. The request was over it, so our count of it was too low.
		t.learned.Ratio = clampRatio(max(known(t.learned.Ratio), float64(window)/float64(a.record.Estimate)))
	}
	t.window = llm.Window{Tokens: window, Source: "a request that the server shortened"}
	t.learned.Window = window
	t.mu.Unlock()
	t.learn(ctx)
	t.emit(Notice{fmt.Sprintf("the server read %d of about %d tokens: it dropped part of this request without saying so; its window seems to be %d tokens, and from now on requests fit that (window in the configuration says otherwise)",
		a.record.Prompt, expected, window)})
}
