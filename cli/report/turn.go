package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
)

// TurnReport is the result of winnow run --json. It collects the events of a turn.
type TurnReport struct {
	Saved bool `json:"-"` // the session is stored, so hints can name it

	Session  string // session id, "" if it is not stored
	Turn     int
	Model    string
	Answer   string // all answers of the turn, separated by newlines
	Finish   string `json:"finish_reason"`
	Stopped  bool
	Requests int             // 1, plus 1 for each round of tool calls
	Cost     record.CostSum  // of the answered requests
	Receipt  *record.Receipt // of the last answer, nil if there is none
	Notices  []string

	Repaired    []history.Entry // in the last request; likewise the next three
	Quarantined []history.Entry // damaged messages that were not sent
	Cut         []history.Entry
	Dropped     []history.Entry
	Retries     []Retry                // of the turn
	Calls       []session.ToolFinished // tool calls and their results

	Error    string  // "" for none
	Messages []int64 // ids of the answers

	answered bool   // the newest request was answered
	request  int64  // the id of the last answered request
	notice   string // the newest notice since the newest request
}

// Retry is a request that was repeated because it brought no answer.
type Retry struct {
	Reason  string
	Wait    time.Duration // before the repetition
	Changed bool          // it was planned again, with other content
}

// Add adds an event to the report and returns the lines to print about it.
func (t *TurnReport) Add(event session.Event) (lines []string) {
	switch event := event.(type) {
	case session.Planned:
		return t.planned(event)
	case session.AnswerStored:
		t.answered, t.request = true, event.Message.Request
		t.Turn, t.Finish, t.Receipt = event.Receipt.Turn, event.Receipt.Finish, &event.Receipt
		t.Cost.Add(1, event.Receipt.Cost)
		t.Messages = append(t.Messages, event.Message.ID)
		if t.Answer != "" && event.Message.Content != "" {
			t.Answer += "\n"
		}
		t.Answer += event.Message.Content
	case session.ToolFinished:
		t.Calls = append(t.Calls, event)
	case session.CutWithdrawn: // the server did read all of these requests
		if t.Receipt != nil && slices.Contains(event.Requests, t.request) {
			t.Receipt.Unread = 0
		}
	case session.Notice:
		return t.AddNotice(event.Text)
	case session.Retrying:
		w := event.Retrying
		t.Retries = append(t.Retries, Retry{Reason: ErrorText(w.Err), Wait: w.Delay, Changed: w.Change != ""})
		if event.Change == "" { // otherwise a notice says the rest
			return t.AddNotice(fmt.Sprintf("%s Try %d of %d in %s", theme.Sentence(w.Err), w.Attempt, w.MaxAttempts,
				w.Delay.Round(100*time.Millisecond)))
		}
	}
	return nil
}

// AddNotice adds a notice to the report and returns it as a line to print.
func (t *TurnReport) AddNotice(text string) (lines []string) {
	t.Notices = append(t.Notices, text)
	t.notice = text
	return []string{text}
}

// planned adds a request that is about to be sent.
func (t *TurnReport) planned(event session.Planned) (lines []string) {
	if t.Requests > 0 && !t.answered {
		t.Retries = append(t.Retries, Retry{Reason: t.notice, Changed: true})
	} else {
		t.Requests++
	}
	was := *t
	t.answered, t.notice = false, ""
	t.Repaired, t.Quarantined, t.Cut, t.Dropped = nil, nil, nil, nil
	for _, e := range event.Plan.Entries {
		switch e.Disposition {
		case history.Unreadable:
			t.Quarantined = append(t.Quarantined, e)
			continue // its fault is the reason, so it is not listed as repaired
		case history.Dropped:
			t.Dropped = append(t.Dropped, e)
		case history.Cut:
			t.Cut = append(t.Cut, e)
		}
		if len(e.Repairs) > 0 {
			t.Repaired = append(t.Repaired, e)
		}
	}
	return t.lines(was, event.Request.Session)
}

// Unfinished reports whether the stream of the last answer ended without an end marker.
func (t *TurnReport) Unfinished() bool {
	return t.Receipt != nil && t.Receipt.End == store.EndWithoutDone
}

// lines describes what is sent differently from what is stored, one line for each kind. It omits a kind whose messages
// are the same as in was.
func (t *TurnReport) lines(was TurnReport, id string) []string {
	var lines []string
	say := func(what string, now, before []history.Entry, command string) {
		at := numbers(now)
		if len(at) == 0 || slices.Equal(at, numbers(before)) {
			return
		}
		line := fmt.Sprintf(what, theme.Plural(len(at), "message")) + ": " + runs(at)
		if t.Saved {
			line += "; see winnow " + command + " " + id
		}
		lines = append(lines, line)
	}
	say("sending %s repaired", t.Repaired, was.Repaired, "repair")
	say("not sending %s that cannot be read", t.Quarantined, was.Quarantined, "sessions show")
	say("sending %s shortened", t.Cut, was.Cut, "context")
	say("not sending %s", t.Dropped, was.Dropped, "context")
	return lines
}

// numbers returns the numbers of messages, from 1.
func numbers(list []history.Entry) []int {
	var out []int
	for _, e := range list {
		out = append(out, e.Index+1)
	}
	return out
}

// maxRuns is the number of runs that a line lists.
const maxRuns = 8

// runs formats ascending numbers, such as "numbers 2, 5–9".
func runs(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		to := i
		for to+1 < len(numbers) && numbers[to+1] == numbers[to]+1 {
			to++
		}
		part := fmt.Sprint(numbers[i])
		if to > i {
			part += fmt.Sprintf("–%d", numbers[to])
		}
		parts = append(parts, part)
		i = to + 1
	}
	if len(parts) > maxRuns {
		parts = append(parts[:maxRuns], "…")
	}
	if len(numbers) == 1 {
		return "number " + parts[0]
	}
	return "numbers " + strings.Join(parts, ", ")
}
