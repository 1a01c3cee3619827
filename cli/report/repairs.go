package report

import (
	"fmt"
	"io"

	"winnow/history"
	"winnow/session/store"
)

// RepairsJSON is what repair --json writes. It is a contract: fields are added, never renamed or
// removed.
type RepairsJSON struct {
	Session string        `json:"session"`
	Model   string        `json:"model"`
	Rules   int           `json:"rules"`   // the version of the rules that repaired it
	DryRun  bool          `json:"dry_run"` // nothing was recorded
	Repairs []damagedJSON `json:"repairs"` // in the order of the messages
}

// damagedJSON is one repair and the message that it is of.
type damagedJSON struct {
	Index       int    `json:"index"` // from 0; --message takes one more
	ID          int64  `json:"id"`
	Label       string `json:"label"` // the id it had in the file it was imported from
	Role        string `json:"role"`
	Disposition string `json:"disposition"`
	Reason      string `json:"reason"`
	repairJSON
}

// JSON is what repair --json writes.
func (l Repairs) JSON() RepairsJSON {
	o := RepairsJSON{
		Session: l.Info.ID, Model: l.Model, Rules: l.Rules, DryRun: l.Dry, Repairs: []damagedJSON{},
	}
	for _, e := range l.Entries {
		for _, r := range e.Repairs {
			o.Repairs = append(o.Repairs, damagedJSON{
				Index: e.Index, ID: e.ID, Label: l.Labels[e.ID], Role: string(e.Role),
				Disposition: string(e.Disposition), Reason: e.Cause.Sentence(), repairJSON: repairObject(r),
			})
		}
	}
	return o
}

func repairObject(r history.Repair) repairJSON {
	return repairJSON{Kind: r.Kind, What: r.Sentence(), Before: r.Before, After: r.After, Remedy: remedyWord(r.Remedy)}
}

// Table writes the repairs for people: a line for each, with the damaged text and what is sent
// instead under it.
func (l Repairs) Table(out io.Writer, width int) error {
	w := newColumns(out, width)
	w.line("%s · %s", Line(ShownTitle(l.Info)), Line(l.Model))
	w.line("%s", repairSum(l))
	row := func(e history.Entry, r history.Repair) []string {
		return []string{fmt.Sprint(e.Index + 1), role(e.Role), r.Kind, remedyWord(r.Remedy)}
	}
	for _, e := range l.Entries {
		for _, r := range e.Repairs {
			w.measure(row(e, r))
		}
	}
	for _, e := range l.Entries {
		for _, r := range e.Repairs {
			w.row(row(e, r), Sentence(r.Sentence()))
			repairTexts(w, r)
		}
	}
	return w.Flush()
}

// repairTexts shows the damaged text and what is sent instead, where they say more than the sentence.
func repairTexts(w *columns, r history.Repair) {
	if before := Line(r.Before); before != "" {
		w.under("was: " + before)
	}
	if after := Line(r.After); after != "" && r.After != r.Before {
		w.under("sent: " + after)
	}
}

// repairSum counts repairs and messages.
func repairSum(l Repairs) string {
	repairs := 0
	for _, e := range l.Entries {
		repairs += len(e.Repairs)
	}
	switch {
	case repairs == 0:
		return "Nothing is damaged."
	case repairs == 1:
		return "1 repair; the stored message is not changed."
	case len(l.Entries) == 1:
		return fmt.Sprintf("%d repairs of 1 message; the stored message is not changed.", repairs)
	}
	return fmt.Sprintf("%d repairs of %d messages; the stored messages are not changed.", repairs, len(l.Entries))
}

// remedyWord is what a remedy is called on the command line.
func remedyWord(r history.Remedy) string {
	if r == history.SendRepaired {
		return "repair"
	}
	return string(r)
}

// RemedyWords are what the remedies are called on the command line, in the order of history.Remedies.
func RemedyWords() []string {
	var words []string
	for _, r := range history.Remedies() {
		words = append(words, remedyWord(r))
	}
	return words
}

// Repairs is what is damaged in a session, and what is sent instead.
type Repairs struct {
	Info    store.Session
	Model   string
	Dry     bool
	Rules   int
	Entries []history.Entry // those with repairs
	Labels  map[int64]string
}
