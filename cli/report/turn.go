package report

import (
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
)

// Turn collects the events of a turn: its answers and notices, what was sent otherwise than as it is stored, and
// every request beyond the first.
type Turn struct {
	answers []session.Answered
	notices []string

	repairs     []repairedJSON
	quarantined []reasonJSON
	cut         []cutJSON
	dropped     []reasonJSON
	retries     []retryJSON
	rounds      []roundJSON
	calls       []toolJSON

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

// reasonJSON is a message with why it was not sent, or not whole.
type reasonJSON struct {
	Index  int    `json:"index"`
	ID     int64  `json:"id"`
	Role   string `json:"role"`
	Reason string `json:"reason"`
}

// cutJSON is a message of which a part was sent.
type cutJSON struct {
	reasonJSON
	CharsBefore int `json:"chars_before"`
	CharsAfter  int `json:"chars_after"`
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

// toolJSON is a call of a tool, and what became of it.
type toolJSON struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as received
	RanWith   string `json:"ran_with"`  // the repaired arguments with which it ran, "" where they were not repaired
	// Ran, timed_out or stopped; refused, not_asked, not_run, cut, no_tool or unreadable for one that did not run.
	Outcome   string `json:"outcome"`
	AllowedBy string `json:"allowed_by"` // option, permissions, always, default or approve for one that ran
	Result    string `json:"result"`     // as it is stored
	Message   int64  `json:"message"`    // that holds the result
}

// Ran takes what became of a tool call.
func (r *Turn) Ran(e session.Ran) {
	r.calls = append(r.calls, toolJSON{
		Name: e.Call.Name, Arguments: e.Call.Arguments, RanWith: e.Record.Arguments, Outcome: string(e.Record.Outcome),
		AllowedBy: string(e.Record.By), Result: e.Message.Content, Message: e.Message.ID,
	})
}

// Planned takes a request that is about to leave.
func (r *Turn) Planned(entries []history.Entry) {
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
		left := reasonJSON{e.Index, e.ID, string(e.Role), e.Cause.Sentence()}
		switch e.Disposition {
		case history.Isolated:
			r.quarantined = append(r.quarantined, left)
			continue // Its fault is why it is not sent: nothing is repaired.
		case history.Dropped:
			r.dropped = append(r.dropped, left)
		case history.Cut:
			r.cut = append(r.cut, cutJSON{left, e.CharsBefore, e.CharsAfter})
		}
		for _, repair := range e.Repairs {
			r.repairs = append(r.repairs, repairedJSON{e.Index, e.ID, repairObject(repair)})
		}
	}
}

// Waiting takes a request that is sent again.
func (r *Turn) Waiting(w llm.Waiting) {
	r.retries = append(r.retries, retryJSON{
		Reason: ErrorText(w.Err), WaitMS: w.After.Milliseconds(), Changed: w.Changed != "",
	})
}

// Lines says what became of the messages: a line for each kind, where was has not said the same. id names
// the session on the command line, "" where it is not stored.
func (r *Turn) Lines(was Turn, id string) []string {
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
	say("sending %s repaired", indexes(r.repairs), indexes(was.repairs), "repair")
	say("not sending %s that cannot be read", indexes(r.quarantined), indexes(was.quarantined), "sessions show")
	say("sending %s shortened", indexes(r.cut), indexes(was.cut), "context")
	say("not sending %s", indexes(r.dropped), indexes(was.dropped), "context")
	return lines
}

// indexes are the places of messages, each once, in order.
func indexes[T interface{ index() int }](list []T) []int {
	var out []int
	for _, x := range list {
		out = append(out, x.index())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (x repairedJSON) index() int { return x.Index }
func (x reasonJSON) index() int   { return x.Index }

// maxRuns is how many runs of numbers a line names.
const maxRuns = 8

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
	if len(runs) > maxRuns {
		runs = append(runs[:maxRuns], "…")
	}
	if len(places) == 1 {
		return "number " + runs[0]
	}
	return "numbers " + strings.Join(runs, ", ")
}

// listJSON is a list of --json with its length.
type listJSON[T any] struct {
	Count int `json:"count"`
	List  []T `json:"list"`
}

func listObject[T any](list []T) listJSON[T] {
	return listJSON[T]{len(list), append([]T{}, list...)}
}

// TurnJSON is what run --json writes. It is a contract: fields are added, never renamed or removed.
type TurnJSON struct {
	Session string       `json:"session"` // "" with --no-save
	Turn    int          `json:"turn"`
	Model   string       `json:"model"`
	Answer  string       `json:"answer"` // the answers of the turn, one after the other
	Finish  string       `json:"finish_reason"`
	Stopped bool         `json:"stopped"`
	Usage   *usageJSON   `json:"usage"`   // as reported for the last request; null where nothing was
	Cost    spentJSON    `json:"cost"`    // of all requests of the turn that were answered
	Receipt *receiptJSON `json:"receipt"` // null where nothing arrived
	Notices []string     `json:"notices"`

	Repairs     listJSON[repairedJSON] `json:"repairs"`     // of the last request, as the next three
	Quarantined listJSON[reasonJSON]   `json:"quarantined"` // damaged messages that were not sent
	Cut         listJSON[cutJSON]      `json:"cut"`
	Dropped     listJSON[reasonJSON]   `json:"dropped"`
	Retries     listJSON[retryJSON]    `json:"retries"` // of the turn
	Rounds      listJSON[roundJSON]    `json:"rounds"`  // requests that followed tool calls
	Calls       listJSON[toolJSON]     `json:"calls"`   // of tools, with what became of them

	Error    string  `json:"error"` // "" for none
	Messages []int64 `json:"messages"`
}

type usageJSON struct {
	Prompt    int `json:"prompt"` // -1 is not said, here and below
	Cached    int `json:"cached"`
	Answer    int `json:"answer"`
	Reasoning int `json:"reasoning"`

	CacheWrite int `json:"cache_write"` // of prompt, written to the server's cache; 0 for none or not said
}

type receiptJSON struct {
	Sent     int   `json:"sent"`
	Stored   int   `json:"stored"`
	Cut      int   `json:"cut"`
	Dropped  int   `json:"dropped"`
	Recalled int   `json:"recalled"`
	Repaired int   `json:"repaired"`
	Estimate int   `json:"estimate"` // tokens as winnow counts
	Expected int   `json:"expected"` // tokens that the server was expected to count
	TookMS   int64 `json:"took_ms"`
	// Tokens that the server was expected to count, where it read only usage.prompt of them; 0 where it read all.
	Unread int `json:"unread"`
}

// Notice takes a sentence about the turn.
func (r *Turn) Notice(text string) {
	r.notices = append(r.notices, text)
	r.notice = text
}

// Answered takes an answer.
func (r *Turn) Answered(a session.Answered) {
	r.answers = append(r.answers, a)
	r.answered = &a.Message
}

// Withdraw takes back that the server read only a part of some requests of the turn.
func (r *Turn) Withdraw(requests []int64) {
	for i := range r.answers {
		if slices.Contains(requests, r.answers[i].Message.Request) {
			r.answers[i].Receipt.Unread = 0
		}
	}
}

// Unfinished reports whether nobody said that the last answer was over.
func (r *Turn) Unfinished() bool {
	n := len(r.answers)
	return n > 0 && r.answers[n-1].Receipt.End == store.EndNoDone
}

// JSON is what run --json writes: of a session, "" where it is not stored, and a model, with the error that the
// turn ended with.
func (r *Turn) JSON(id, model string, end error, stopped bool) TurnJSON {
	o := TurnJSON{
		Session: id, Model: model, Stopped: stopped, Notices: append([]string{}, r.notices...), Messages: []int64{},
	}
	o.Repairs, o.Quarantined, o.Cut, o.Dropped = listObject(r.repairs), listObject(r.quarantined), listObject(r.cut),
		listObject(r.dropped)
	o.Retries, o.Rounds, o.Calls = listObject(r.retries), listObject(r.rounds), listObject(r.calls)
	if end != nil {
		o.Error = ErrorText(end)
	}
	var texts []string
	var spent record.Spent
	for _, a := range r.answers {
		if a.Message.Content != "" {
			texts = append(texts, a.Message.Content)
		}
		r := a.Receipt
		spent.Add(1, r.Cost)
		o.Turn, o.Finish = r.Turn, r.Finish
		o.Messages = append(o.Messages, a.Message.ID)
		o.Usage = &usageJSON{r.Usage.Prompt, r.Usage.Cached, r.Usage.Answer, r.Usage.Reasoning, r.Usage.CacheWrite}
		o.Receipt = &receiptJSON{
			r.Sent(), r.Stored, r.Cut, r.Dropped, r.Recalled, r.Repaired, r.Estimate, r.Expected, r.Took.Milliseconds(),
			r.Unread,
		}
	}
	o.Answer, o.Cost = strings.Join(texts, "\n"), spentObject(spent)
	return o
}
