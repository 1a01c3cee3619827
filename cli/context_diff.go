//go:build cgo

package cli

import (
	"context"
	"fmt"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
)

// side is one of two requests that are compared.
type side struct {
	record  *session.Recorded // nil for the next request
	sum     history.Sum
	entries []history.Entry
}

// contextDiff shows what changed from one request to a later one. The verdicts are those of the
// records, so nothing of the past is put together again.
func (p *program) contextDiff(ctx context.Context, s *session.Session, asked contextAsked) error {
	before, err := recordedSide(ctx, s, asked.since)
	if err != nil {
		return err
	}
	after, err := p.otherSide(ctx, s, asked)
	if err != nil {
		return err
	}
	changes := history.Compare(before.entries, after.entries)
	if asked.json {
		return writeJSON(p.out, diffJSON(s.Info(), before, after, changes))
	}
	return p.diffTable(s.Info(), before, after, changes)
}

func recordedSide(ctx context.Context, s *session.Session, at moment) (side, error) {
	r, err := s.Recorded(ctx, at.turn, at.nth)
	return side{&r, r.Verdicts.Sum, r.Verdicts.Entries}, explainMoment(err)
}

// otherSide is what is compared: the request of --turn, or the next one.
func (p *program) otherSide(ctx context.Context, s *session.Session, asked contextAsked) (side, error) {
	if asked.turn != (moment{}) {
		return recordedSide(ctx, s, asked.turn)
	}
	l, err := p.lookAhead(ctx, s, asked)
	return side{nil, l.plan.Sum, l.plan.Entries}, err
}

// diffTable writes the changes for people.
func (p *program) diffTable(info store.Session, before, after side, changes []history.Change) error {
	w := newColumns(p.out, p.columns())
	w.line("%s", p.line(shownTitle(info)))
	w.line("from %s to %s: ~%d to ~%d tokens, %d to %d messages",
		before.name(), after.name(), before.sum.Used(), after.sum.Used(), before.sent(), after.sent())
	if len(changes) == 0 {
		w.line("nothing changed")
		return w.Flush()
	}
	w.line("")
	row := func(c history.Change) []string {
		e := c.Entry()
		return []string{string(c.Kind), fmt.Sprint(e.Index + 1), p.role(e.Role), fmt.Sprintf("%d to %d", before.sum.Tokens(c.Before.TokensAfter), after.sum.Tokens(c.After.TokensAfter))}
	}
	for _, c := range changes {
		w.measure(row(c))
	}
	for _, c := range changes {
		w.row(row(c), p.sentence(c.Reason()))
	}
	return w.Flush()
}

func (s side) name() string {
	switch {
	case s.record == nil:
		return "the next request"
	case s.record.Of > 1:
		return fmt.Sprintf("request %d of turn %d", s.record.Nth, s.record.Request.Turn)
	}
	return fmt.Sprintf("turn %d", s.record.Request.Turn)
}

// sent counts the messages that a request holds.
func (s side) sent() int { return session.CountsOf(s.entries, nil, nil).Sent() }

// diffObject is what context --diff --json writes. It is a contract as planObject is.
type diffObject struct {
	Session string       `json:"session"`
	From    sideJSON     `json:"from"`
	To      sideJSON     `json:"to"`
	Changes []changeJSON `json:"changes"`
}

// sideJSON is one of the two requests; all but the sums is 0 for the next one.
type sideJSON struct {
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

func diffJSON(info store.Session, before, after side, changes []history.Change) diffObject {
	o := diffObject{Session: info.ID, From: before.object(), To: after.object(), Changes: []changeJSON{}}
	for _, c := range changes {
		e := c.Entry()
		o.Changes = append(o.Changes, changeJSON{
			Kind: string(c.Kind), Index: e.Index, ID: e.ID, Role: string(e.Role),
			Was: string(c.Before.Disposition), Is: string(c.After.Disposition),
			TokensWas: c.Before.TokensAfter, TokensIs: c.After.TokensAfter,
			UsedWas: before.sum.Tokens(c.Before.TokensAfter), UsedIs: after.sum.Tokens(c.After.TokensAfter),
			CharsWas: c.Before.CharsAfter, CharsIs: c.After.CharsAfter,
			Reason: c.Reason(),
		})
	}
	return o
}

func (s side) object() sideJSON {
	o := sideJSON{Total: s.sum.Total, Sent: s.sent(), Used: s.sum.Used()}
	if r := s.record; r != nil {
		o.ID, o.Turn, o.Nth, o.Of = r.Request.ID, r.Request.Turn, r.Nth, r.Of
	}
	return o
}
