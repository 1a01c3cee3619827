//go:build cgo

package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
	"winnow/ui/theme"
)

// runReport collects what a turn sent otherwise than as it is stored, and every request beyond the first.
type runReport struct {
	repairs     []repairedJSON
	quarantined []unsentJSON
	cut         []cutJSON
	dropped     []unsentJSON
	retries     []retryJSON
	rounds      []roundJSON

	requests int            // planned so far
	answered *store.Message // the answer to the newest of them, nil before it came
	notice   string         // the newest since then
}

// repairedJSON is one fault of a message, and what was sent instead.
type repairedJSON struct {
	Index int   `json:"index"`
	ID    int64 `json:"id"`
	repairJSON
}

// unsentJSON is a message that was not sent.
type unsentJSON struct {
	Index  int    `json:"index"`
	ID     int64  `json:"id"`
	Role   string `json:"role"`
	Reason string `json:"reason"`
}

// cutJSON is a message of which a part was sent.
type cutJSON struct {
	Index       int    `json:"index"`
	ID          int64  `json:"id"`
	Role        string `json:"role"`
	Reason      string `json:"reason"`
	CharsBefore int    `json:"chars_before"`
	CharsAfter  int    `json:"chars_after"`
}

// retryJSON is a request that was sent again because it brought no answer.
type retryJSON struct {
	Reason  string `json:"reason"`
	WaitMS  int64  `json:"wait_ms"` // before it was sent again
	Changed bool   `json:"changed"` // it was planned again and held something else
}

// roundJSON is a request that followed because the answer before it called tools.
type roundJSON struct {
	Request int      `json:"request"` // which of the turn's requests, from 1
	Calls   []string `json:"calls"`   // the tools that were called
}

// planned takes a request that is about to leave.
func (r *runReport) planned(entries []history.Entry) {
	r.requests++
	switch {
	case r.requests == 1:
	case r.answered == nil:
		r.retries = append(r.retries, retryJSON{Reason: r.notice, Changed: true})
	default:
		round := roundJSON{Request: r.requests, Calls: []string{}}
		for _, call := range r.answered.ToolCalls {
			round.Calls = append(round.Calls, call.Name)
		}
		r.rounds = append(r.rounds, round)
	}
	r.answered, r.notice = nil, ""
	r.repairs, r.quarantined, r.cut, r.dropped = nil, nil, nil, nil
	for _, e := range entries {
		left := unsentJSON{e.Index, e.ID, string(e.Role), e.Cause.Sentence()}
		switch e.Disposition {
		case history.Isolated:
			r.quarantined = append(r.quarantined, left)
			continue // Its fault is why it is not sent: nothing is repaired.
		case history.Dropped:
			r.dropped = append(r.dropped, left)
		case history.Cut:
			r.cut = append(r.cut, cutJSON{e.Index, e.ID, string(e.Role), e.Cause.Sentence(), e.CharsBefore, e.CharsAfter})
		}
		for _, repair := range e.Repairs {
			r.repairs = append(r.repairs, repairedJSON{e.Index, e.ID, repairObject(repair)})
		}
	}
}

// waiting takes a request that is sent again.
func (r *runReport) waiting(w llm.Waiting) {
	r.retries = append(r.retries, retryJSON{Reason: sentence(w.Err), WaitMS: w.After.Milliseconds(), Changed: w.Changed != ""})
}

// lines says what became of the messages: a line for each kind, where was has not said the same. id names
// the session on the command line, "" where it is not stored.
func (r *runReport) lines(was runReport, id string) []string {
	var lines []string
	say := func(what string, now, before []int, command string) {
		if len(now) == 0 || slices.Equal(now, before) {
			return
		}
		line := fmt.Sprintf(what, theme.Plural(len(now), "message")) + ": " + numbersOf(now)
		if id != "" {
			line += "; see winnow " + command + " " + id
		}
		lines = append(lines, line)
	}
	say("sending %s repaired", withFaults(r.repairs), withFaults(was.repairs), "repair")
	say("not sending %s that cannot be read", unsent(r.quarantined), unsent(was.quarantined), "sessions show")
	say("sending %s shortened", shortened(r.cut), shortened(was.cut), "context")
	say("not sending %s", unsent(r.dropped), unsent(was.dropped), "context")
	return lines
}

func withFaults(list []repairedJSON) []int {
	return indexes(list, func(x repairedJSON) int { return x.Index })
}

func unsent(list []unsentJSON) []int {
	return indexes(list, func(x unsentJSON) int { return x.Index })
}

func shortened(list []cutJSON) []int {
	return indexes(list, func(x cutJSON) int { return x.Index })
}

// indexes are the places of messages, each once, in order.
func indexes[T any](list []T, index func(T) int) []int {
	var out []int
	for _, x := range list {
		out = append(out, index(x))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mostNumbers is how many runs of numbers a line names.
const mostNumbers = 8

// numbersOf writes places as the numbers that people see, from 1: "numbers 2, 5–9".
func numbersOf(places []int) string {
	var runs []string
	for i := 0; i < len(places); {
		to := i
		for to+1 < len(places) && places[to+1] == places[to]+1 {
			to++
		}
		switch {
		case to == i:
			runs = append(runs, fmt.Sprint(places[i]+1))
		default:
			runs = append(runs, fmt.Sprintf("%d–%d", places[i]+1, places[to]+1))
		}
		i = to + 1
	}
	if len(runs) > mostNumbers {
		runs = append(runs[:mostNumbers], "…")
	}
	if len(places) == 1 {
		return "number " + runs[0]
	}
	return "numbers " + strings.Join(runs, ", ")
}

// waitingText announces that a request is sent again.
func waitingText(w llm.Waiting) string {
	said := w.Err.Error()
	if !strings.HasSuffix(said, "?") {
		said = strings.TrimSuffix(said, ".") + "."
	}
	return fmt.Sprintf("%s Try %d of %d in %s", said, w.Attempt, w.Of, w.After.Round(100*time.Millisecond))
}

// listJSON is a list of --json with its length.
type listJSON[T any] struct {
	Count int `json:"count"`
	List  []T `json:"list"`
}

func listObject[T any](list []T) listJSON[T] {
	return listJSON[T]{len(list), append([]T{}, list...)}
}
