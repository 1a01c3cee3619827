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

// Turn is what winnow run --json writes. It collects the events of a turn: its answers and notices, what was sent
// otherwise than as it is stored, and every request beyond the first.
type Turn struct {
	Saved bool `json:"-"` // the session can be named on the command line

	Session  string // "" where it is not stored
	Turn     int
	Model    string
	Answer   string // the answers of the turn, one after the other
	Finish   string `json:"finish_reason"`
	Stopped  bool
	Requests int             // sent in the turn: the first, and one after each round of tool calls
	Cost     record.CostSum  // of all of them that were answered
	Receipt  *record.Receipt // of the last answer, nil where none came
	Notices  []string

	Repaired    []history.Entry // by the last request, as the next three
	Quarantined []history.Entry // damaged messages that were not sent
	Cut         []history.Entry
	Dropped     []history.Entry
	Retries     []Retry                // of the turn
	Calls       []session.ToolFinished // of tools, with what became of them

	Error    string  // "" for none
	Messages []int64 // the answers

	answered bool   // the newest request
	request  int64  // that was answered last
	notice   string // the newest since the newest request
}

// Retry is a request that was sent again because it brought no answer.
type Retry struct {
	Reason  string
	Wait    time.Duration // before it was sent again
	Changed bool          // it was planned again and held something else
}

// Take takes the next event, and returns what people are told of it.
func (t *Turn) Take(event session.Event) (lines []string) {
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
	case session.CutWithdrawn: // The server did read all of some requests.
		if t.Receipt != nil && slices.Contains(event.Requests, t.request) {
			t.Receipt.Unread = 0
		}
	case session.Notice:
		return t.Notice(event.Text)
	case session.Retrying:
		w := event.Waiting
		t.Retries = append(t.Retries, Retry{Reason: ErrorText(w.Err), Wait: w.After, Changed: w.Changed != ""})
		if event.Changed == "" { // A notice says the rest.
			return t.Notice(fmt.Sprintf("%s Try %d of %d in %s", theme.Sentence(w.Err), w.Attempt, w.Of,
				w.After.Round(100*time.Millisecond)))
		}
	}
	return nil
}

// Notice takes a sentence about the turn, and returns it as a line.
func (t *Turn) Notice(text string) (lines []string) {
	t.Notices = append(t.Notices, text)
	t.notice = text
	return []string{text}
}

// planned takes a request that is about to leave.
func (t *Turn) planned(event session.Planned) (lines []string) {
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
			continue // Its fault is why it is not sent: nothing is repaired.
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

// Unfinished reports whether nobody said that the last answer was over.
func (t *Turn) Unfinished() bool { return t.Receipt != nil && t.Receipt.End == store.EndNoDone }

// lines says what became of the messages: a line for each kind, where was has not said the same.
func (t *Turn) lines(was Turn, id string) []string {
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

// numbers are the numbers of messages as people count them.
func numbers(list []history.Entry) []int {
	var out []int
	for _, e := range list {
		out = append(out, e.Index+1)
	}
	return out
}

// maxRuns is how many runs of numbers a line names.
const maxRuns = 8

// runs writes numbers in order: "numbers 2, 5–9".
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
