//go:build cgo

package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/markdown"
)

// answerWriter writes the events of a turn to standard output and standard error.
type answerWriter struct {
	out, err io.Writer
	json     bool // keep the text back for one object at the end
	quiet    bool // nothing but the answer and errors
	visible  bool // a person looks on: escape sequences are shown, not obeyed

	named func(session string) string // what a stored session is called on the command line, "" for one that is not stored

	wait    waitLine
	wrote   bool // something stands on the current line
	answers []session.Answered
	notices []string
	report  runReport
}

// follow writes until the turn is over and returns how it ended.
func (w *answerWriter) follow(events <-chan session.Event) error {
	var end error
	for open := true; open; {
		var event session.Event
		select {
		case now := <-w.wait.ticks:
			w.wait.tick(now)
			continue
		case event, open = <-events:
		}
		switch event := event.(type) {
		case session.Delta:
			w.wait.end()
			w.text(event.Text)
		case session.Calling:
			w.wait.end()
		case session.Planned:
			w.planned(event)
			w.wait.begin(markdown.Visible(event.Request.Endpoint + "/" + event.Request.Model))
		case session.Answered:
			w.answers = append(w.answers, event)
			w.report.answered = &event.Message
			w.endLine()
		case session.Withdrawn:
			w.withdraw(event.Requests)
		case session.Notice:
			w.notice(event.Text)
		case session.Waiting:
			w.report.waiting(event.Waiting)
			if event.Changed == "" { // A notice says the rest.
				w.notice(waitingText(event.Waiting))
			}
		case session.Finished:
			w.wait.end()
			end = event.Err
		}
	}
	w.endLine()
	if end == nil && w.unfinished() {
		return w.cutShort()
	}
	return end
}

// unfinished says that nobody said that the last answer was over.
func (w *answerWriter) unfinished() bool {
	n := len(w.answers)
	return n > 0 && w.answers[n-1].Receipt.End == store.EndNoDone
}

// cutShort is the error of an answer that nobody ended: a script must not take its beginning for the
// whole. For people the turn's notice has said it.
func (w *answerWriter) cutShort() error {
	if !w.json && !w.quiet {
		return &failure{exit: Provider}
	}
	return fail(Provider, "the server closed the stream without saying that the answer was over")
}

func (w *answerWriter) text(text string) {
	if w.json || text == "" {
		return
	}
	if w.visible {
		text = markdown.Visible(text)
	}
	io.WriteString(w.out, text)
	w.wrote = !strings.HasSuffix(text, "\n")
}

// endLine ends an answer that does not end with a line feed of its own.
func (w *answerWriter) endLine() {
	if w.wrote {
		io.WriteString(w.out, "\n")
	}
	w.wrote = false
}

// planned says what of the conversation a request holds otherwise than as it is stored.
func (w *answerWriter) planned(event session.Planned) {
	was := w.report
	w.report.planned(event.Plan.Entries)
	for _, line := range w.report.lines(was, w.named(event.Request.Session)) {
		w.say(line)
	}
}

// withdraw takes back that the server read only a part of some requests of the turn.
func (w *answerWriter) withdraw(requests []int64) {
	for i := range w.answers {
		if slices.Contains(requests, w.answers[i].Message.Request) {
			w.answers[i].Receipt.Unread = 0
		}
	}
}

func (w *answerWriter) notice(text string) {
	w.notices = append(w.notices, text)
	w.report.notice = text
	w.say(text)
}

// say writes a line about the turn. --json has the same in its object.
func (w *answerWriter) say(text string) {
	if w.json || w.quiet {
		return
	}
	w.wait.clear()
	w.endLine()
	fmt.Fprintf(w.err, "winnow: %s\n", markdown.Visible(text))
}

// answerJSON is what run --json writes. It is a contract: fields are added, never renamed or removed.
type answerJSON struct {
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
	Quarantined listJSON[unsentJSON]   `json:"quarantined"` // damaged messages that were not sent
	Cut         listJSON[cutJSON]      `json:"cut"`
	Dropped     listJSON[unsentJSON]   `json:"dropped"`
	Retries     listJSON[retryJSON]    `json:"retries"` // of the turn
	Rounds      listJSON[roundJSON]    `json:"rounds"`  // requests that followed tool calls

	Error    string  `json:"error"` // "" for none
	Messages []int64 `json:"messages"`
}

type usageJSON struct {
	Prompt    int `json:"prompt"` // -1 is not said, here and below
	Cached    int `json:"cached"`
	Answer    int `json:"answer"`
	Reasoning int `json:"reasoning"`
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
	Unread   int   `json:"unread"` // tokens that the server was expected to count, where it read only usage.prompt of them; 0 where it read all
}

// object writes the one object of --json.
func (w *answerWriter) object(out io.Writer, id string, s *session.Session, end error, stopped bool) error {
	o := answerJSON{Session: id, Model: s.Ref(), Stopped: stopped, Notices: w.notices, Messages: []int64{}}
	r := w.report
	o.Repairs, o.Quarantined, o.Cut, o.Dropped = listObject(r.repairs), listObject(r.quarantined), listObject(r.cut), listObject(r.dropped)
	o.Retries, o.Rounds = listObject(r.retries), listObject(r.rounds)
	if o.Notices == nil {
		o.Notices = []string{}
	}
	if end != nil {
		o.Error = sentence(end)
	}
	var texts []string
	var spent session.Spent
	for _, a := range w.answers {
		if a.Message.Content != "" {
			texts = append(texts, a.Message.Content)
		}
		r := a.Receipt
		spent.Add(r.Cost)
		o.Turn, o.Finish = r.Turn, r.Finish
		o.Messages = append(o.Messages, a.Message.ID)
		o.Usage = &usageJSON{r.Usage.Prompt, r.Usage.Cached, r.Usage.Answer, r.Usage.Reasoning}
		o.Receipt = &receiptJSON{r.Sent, r.Stored, r.Cut, r.Dropped, r.Recalled, r.Repaired, r.Estimate, r.Expected, r.Took.Milliseconds(), r.Unread}
	}
	o.Answer, o.Cost = strings.Join(texts, "\n"), spentObject(spent)
	return writeJSON(out, o)
}
