package report

import (
	"fmt"
	"io"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
)

// Diff is what changed from one request of a session to a later one.
type Diff struct {
	Info          store.Session
	Before, After DiffRequest
}

// DiffRequest is one of two requests that are compared.
type DiffRequest struct {
	Record  *record.Recorded // nil for the next request
	Sum     history.Sum
	Entries []history.Entry
}

func (d Diff) changes() []history.Change { return history.Compare(d.Before.Entries, d.After.Entries) }

// Table writes the changes for people, its lines broken at a width; 0 breaks none.
func (d Diff) Table(out io.Writer, width int) error {
	w := newColumns(out, width)
	before, after, changes := d.Before, d.After, d.changes()
	w.line("%s", Line(ShownTitle(d.Info)))
	w.line("from %s to %s: ~%d to ~%d tokens, %d to %d messages",
		before.name(), after.name(), before.Sum.Used(), after.Sum.Used(), before.sent(), after.sent())
	if len(changes) == 0 {
		w.line("nothing changed")
		return w.Flush()
	}
	w.line("")
	row := func(c history.Change) []string {
		e := c.Entry()
		return []string{
			string(c.Kind), fmt.Sprint(e.Index + 1), role(e.Role),
			fmt.Sprintf("%d to %d", before.Sum.Tokens(c.Before.TokensAfter), after.Sum.Tokens(c.After.TokensAfter)),
		}
	}
	for _, c := range changes {
		w.measure(row(c))
	}
	for _, c := range changes {
		w.row(row(c), Sentence(c.Reason()))
	}
	return w.Flush()
}

func (s DiffRequest) name() string {
	switch {
	case s.Record == nil:
		return "the next request"
	case s.Record.Of > 1:
		return fmt.Sprintf("request %d of turn %d", s.Record.Nth, s.Record.Request.Turn)
	}
	return fmt.Sprintf("turn %d", s.Record.Request.Turn)
}

// sent counts the messages that a request holds.
func (s DiffRequest) sent() int { return store.TallyOf(s.Entries).Sent() }

// DiffJSON is what context --diff --json writes. It is a contract as ContextJSON is.
type DiffJSON struct {
	Session string          `json:"session"`
	From    diffRequestJSON `json:"from"`
	To      diffRequestJSON `json:"to"`
	Changes []changeJSON    `json:"changes"`
}

// diffRequestJSON is one of the two requests; all but the sums is 0 for the next one.
type diffRequestJSON struct {
	ID    int64 `json:"id"`
	Turn  int   `json:"turn"`
	Nth   int   `json:"nth"`
	Of    int   `json:"of"`
	Total int   `json:"total"` // tokens as winnow counts
	Sent  int   `json:"sent"`  // messages
	Used  int   `json:"used"`  // Total as the server counts
}

type changeJSON struct {
	Kind      string `json:"kind"`  // entered, left, shortened, restored, recalled, returned, repaired or altered
	Index     int    `json:"index"` // from 0
	ID        int64  `json:"id"`
	Role      string `json:"role"`
	Was       string `json:"was"`        // its disposition before, "" where the first request knows no such message
	Is        string `json:"is"`         // and after
	TokensWas int    `json:"tokens_was"` // as winnow counts
	TokensIs  int    `json:"tokens_is"`
	UsedWas   int    `json:"used_was"` // as the server counts
	UsedIs    int    `json:"used_is"`
	CharsWas  int    `json:"chars_was"`
	CharsIs   int    `json:"chars_is"`
	Reason    string `json:"reason"`
}

// JSON is what context --diff --json writes.
func (d Diff) JSON() DiffJSON {
	before, after := d.Before, d.After
	o := DiffJSON{Session: d.Info.ID, From: before.object(), To: after.object(), Changes: []changeJSON{}}
	for _, c := range d.changes() {
		e := c.Entry()
		o.Changes = append(o.Changes, changeJSON{
			Kind: string(c.Kind), Index: e.Index, ID: e.ID, Role: string(e.Role),
			Was: string(c.Before.Disposition), Is: string(c.After.Disposition),
			TokensWas: c.Before.TokensAfter, TokensIs: c.After.TokensAfter,
			UsedWas: before.Sum.Tokens(c.Before.TokensAfter), UsedIs: after.Sum.Tokens(c.After.TokensAfter),
			CharsWas: c.Before.CharsAfter, CharsIs: c.After.CharsAfter,
			Reason: c.Reason(),
		})
	}
	return o
}

func (s DiffRequest) object() diffRequestJSON {
	o := diffRequestJSON{Total: s.Sum.Total, Sent: s.sent(), Used: s.Sum.Used()}
	if r := s.Record; r != nil {
		o.ID, o.Turn, o.Nth, o.Of = r.Request.ID, r.Request.Turn, r.Nth, r.Of
	}
	return o
}
