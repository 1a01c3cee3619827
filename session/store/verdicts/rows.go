package verdicts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Key says whose a plan is.
type Key struct {
	Session int64  `db:"session"` // the session's short key
	Request int64  `db:"id"`
	Purpose string `db:"purpose"` // runs hold for requests of one purpose: a summary decides otherwise about nearly every message
}

// row is a history.Entry as the table has it. Want and Have of a shortfall are not in it.
type row struct {
	ID           int64               `db:"message"`
	Index        int                 `db:"position"`
	Role         history.Role        `db:"role"`
	Disposition  history.Disposition `db:"disposition"`
	Level        history.Level       `db:"level"`
	Place        history.Level       `db:"level_in_place"`
	Cause        history.Cause       `db:"cause"`
	Pinned       bool                `db:"pinned"`
	Whole        bool                `db:"whole"`
	Recalled     bool                `db:"recalled"`
	TokensBefore int                 `db:"tokens_before"`
	TokensAfter  int                 `db:"tokens_after"`
	CharsBefore  int                 `db:"chars_before"`
	CharsAfter   int                 `db:"chars_after"`
	Cuts         []history.Range     `db:"cuts,null,json"`
	Inserted     []history.Insert    `db:"inserted,null,json"`
	Repairs      []history.Repair    `db:"repairs,null,json"`
}

// rowOf is the row of a verdict.
func rowOf(e history.Entry) row {
	e = recorded(e)
	e.Cause = steady(e.Cause)
	return row(e)
}

// Record is what the row of a request has of its plan beside the verdicts.
type Record struct {
	Sum        *history.Sum    `db:"sum,null,json"` // nil where the request has no plan
	Added      []history.Added `db:"added,null,json"`
	Shortfalls []shortfall     `db:"shortfalls,null,json"`
	Entries    int             `db:"entries"` // how many verdicts there are
}

// shortfall is by how much the messages from the first to the last that did not fit in a request did not fit. It is no
// part of a run, because it is the same for many messages and another one in the next request.
type shortfall struct {
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	Want  int   `json:"want"`
	Have  int   `json:"have"`
}

// fellShort reports whether a cause is one that has a shortfall.
func fellShort(c history.Cause) bool {
	return c.Code == history.CauseOverBudget || c.Code == history.CauseOverChars
}

// steady is a cause without its shortfall.
func steady(c history.Cause) history.Cause {
	if fellShort(c) {
		c.Want, c.Have = 0, 0
	}
	return c
}

// recordOf is the record of a plan.
func recordOf(p Plan) Record {
	r := Record{Sum: &p.Sum, Added: p.Added, Entries: len(p.Entries)}
	goesOn := false // the newest shortfall
	for _, e := range p.Entries {
		if !fellShort(e.Cause) {
			continue
		}
		newest := len(r.Shortfalls) - 1
		switch {
		case e.Cause.Want == 0 && e.Cause.Have == 0:
			goesOn = false
		case goesOn && r.Shortfalls[newest].Want == e.Cause.Want && r.Shortfalls[newest].Have == e.Cause.Have:
			r.Shortfalls[newest].Last = e.ID
		default:
			r.Shortfalls = append(r.Shortfalls, shortfall{e.ID, e.ID, e.Cause.Want, e.Cause.Have})
			goesOn = true
		}
	}
	return r
}

// plan is the plan of a record with its verdicts, or some of them, in order.
func (r Record) plan(entries []history.Entry) Plan {
	p := Plan{Sum: *r.Sum, Entries: entries, Added: r.Added}
	if len(r.Shortfalls) == 0 {
		return p
	}
	short := r.Shortfalls
	p.Entries = slices.Clone(entries)
	for i := range p.Entries {
		e := &p.Entries[i]
		for len(short) > 0 && short[0].Last < e.ID {
			short = short[1:]
		}
		if len(short) > 0 && short[0].First <= e.ID && fellShort(e.Cause) {
			e.Cause.Want, e.Cause.Have = short[0].Want, short[0].Have
		}
	}
	return p
}

// Covers is the condition that a run v holds for a request r.
const Covers = `v.session = r.session
	AND v.purpose = r.purpose
	AND v.first_request <= r.id
	AND (v.last_request IS NULL OR v.last_request >= r.id)
	AND r.sum IS NOT NULL`

// past is a verdict with the record of the request that it is asked of.
type past struct {
	row
	Record
}

// PastColumns are what ScanPast reads of a row v and of the row r of a request that it holds for.
func PastColumns() string { return sqlite.Columns[row]("v") + ", " + sqlite.Columns[Record]("r") }

// ScanPast returns a function that reads a verdict of one request, and where the request's tokens went, behind the
// columns that go to more.
func ScanPast(more ...any) func(scan func(...any) error) (history.Entry, history.Sum, error) {
	read := sqlite.RowScan[past](more...)
	return func(scan func(...any) error) (history.Entry, history.Sum, error) {
		r, err := read(scan)
		if err != nil {
			return history.Entry{}, history.Sum{}, err
		}
		p := r.plan([]history.Entry{history.Entry(r.row)})
		return p.Entries[0], p.Sum, nil
	}
}

// collect reads verdicts. condition is what follows WHERE in the query, in which the table is called v.
func collect(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]history.Entry, error) {
	var entries []history.Entry
	read := sqlite.RowScan[row]()
	err := sqlite.Each(ctx, tx, func(scan func(...any) error) error {
		r, err := read(scan)
		entries = append(entries, history.Entry(r))
		return err
	}, "SELECT "+sqlite.Columns[row]("v")+" FROM verdicts v WHERE "+condition+" ORDER BY v.message", args...)
	return entries, err
}

// requestRow is the row of a request, as far as it is about its plan.
type requestRow struct {
	Session int64  `db:"session"`
	Purpose string `db:"purpose"`
	Record
}

// Read reads the plan of a request. It is an error where the record has none, or where rows of it are lost.
func Read(ctx context.Context, tx *sql.Tx, request int64) (Plan, error) {
	r, err := sqlite.RowScan[requestRow]()(tx.QueryRowContext(ctx, "SELECT "+sqlite.Columns[requestRow]("r")+" FROM requests r WHERE id = ?", request).Scan)
	if err != nil {
		return Plan{}, err
	}
	if r.Sum == nil {
		return Plan{}, errNoPlan
	}
	entries, err := collect(ctx, tx, `
		v.session = ?1
			AND v.purpose = ?2
			AND v.first_request <= ?3
			AND (v.last_request IS NULL OR v.last_request >= ?3)`, r.Session, r.Purpose, request)
	if err == nil && len(entries) != r.Entries {
		err = fmt.Errorf("it has %d entries, and %d of them are there", r.Entries, len(entries))
	}
	return r.plan(entries), err
}

// errNoPlan says that the record of a request has no plan.
var errNoPlan = errors.New("it has no plan")

// Writer stores the plans of requests. It remembers the last one, so that the next is compared with that and not with
// rows. One whose transaction is not committed may not be used again.
type Writer struct {
	last    Key
	entries []history.Entry
}

// Put stores the plan of a request, the newest of its session and purpose. Its messages have to be in order.
func (w *Writer) Put(ctx context.Context, tx *sql.Tx, k Key, p Plan) error {
	var last int64
	err := tx.QueryRowContext(ctx, `
		SELECT coalesce(max(id), 0)
		FROM requests
		WHERE session = ?
			AND purpose = ?
			AND sum IS NOT NULL`, k.Session, k.Purpose).Scan(&last)
	if err != nil {
		return err
	}
	if !inOrder(p.Entries) || last >= k.Request {
		return fmt.Errorf("the plan of request %d is not in order", k.Request)
	}
	if before := (Key{k.Session, last, k.Purpose}); w.last != before {
		if w.entries, err = open(ctx, tx, before); err != nil {
			return err
		}
	}
	if err := putRuns(ctx, tx, k, last, w.entries, p.Entries); err != nil {
		return err
	}
	w.last, w.entries = k, p.Entries
	values, err := sqlite.Values(recordOf(p))
	if err == nil {
		_, err = sqlite.Update(ctx, tx, "requests", values, sql.Named("id", k.Request))
	}
	return err
}

// open reads the verdicts of the newest request of a session and purpose.
func open(ctx context.Context, tx *sql.Tx, newest Key) ([]history.Entry, error) {
	if newest.Request == 0 {
		return nil, nil
	}
	return collect(ctx, tx, `
		v.session = ?
			AND v.purpose = ?
			AND v.last_request IS NULL`, newest.Session, newest.Purpose)
}

// putRuns ends the runs that do not hold after the last request, and begins those that hold from this one on.
func putRuns(ctx context.Context, tx *sql.Tx, k Key, last int64, before, now []history.Entry) error {
	end := func(message int64) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE verdicts
			SET last_request = ?
			WHERE session = ?
				AND purpose = ?
				AND message = ?
				AND last_request IS NULL`, last, k.Session, k.Purpose, message)
		return err
	}
	old := 0 // index into before
	for _, e := range now {
		for ; old < len(before) && before[old].ID < e.ID; old++ {
			if err := end(before[old].ID); err != nil {
				return err
			}
		}
		if old < len(before) && before[old].ID == e.ID {
			was := before[old]
			old++
			if same(&was, &e) {
				continue
			}
			if err := end(was.ID); err != nil {
				return err
			}
		}
		values, err := sqlite.Values(rowOf(e))
		if err != nil {
			return err
		}
		// In a file that was saved from damage a run may be there whose request is lost.
		err = sqlite.Upsert(ctx, tx, "verdicts", "session, message, first_request", append(values,
			sql.Named("session", k.Session),
			sql.Named("purpose", k.Purpose),
			sql.Named("first_request", k.Request),
			sql.Named("last_request", nil))...)
		if err != nil {
			return err
		}
	}
	for ; old < len(before); old++ {
		if err := end(before[old].ID); err != nil {
			return err
		}
	}
	return nil
}
