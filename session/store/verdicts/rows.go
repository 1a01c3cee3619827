package verdicts

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	entries, err := collect(ctx, tx, holdsFor, r.Session, r.Purpose, request)
	if err == nil && len(entries) != r.Entries {
		err = fmt.Errorf("it has %d entries, and %d of them are there", r.Entries, len(entries))
	}
	return r.plan(entries), err
}

var (
	// ErrPlan says that the plan of a request is not whole.
	ErrPlan = errors.New("its plan is damaged")

	errNoPlan = errors.New("it has no plan")
)

// Writer stores the plans of requests. It remembers the last one, so that the next is compared with that and not with
// rows. One whose transaction is not committed may not be used again.
type Writer struct {
	last    Key
	entries []history.Entry
}

// Put stores the plan of a request. Its messages have to be in order. Mostly it is the newest one of its session and
// purpose; one that another machine sent earlier goes between its neighbours.
func (w *Writer) Put(ctx context.Context, tx *sql.Tx, k Key, p Plan) error {
	if !inOrder(p.Entries) {
		return fmt.Errorf("%w: the messages of request %d are not in order", ErrPlan, k.Request)
	}
	last, next, err := neighbours(ctx, tx, k)
	if err != nil {
		return err
	}
	if next != 0 {
		*w = Writer{}
		err = insertBetween(ctx, tx, k, last, next, p.Entries)
	} else {
		err = w.putNewest(ctx, tx, k, last, p.Entries)
	}
	if err != nil {
		return err
	}
	values, err := sqlite.Values(recordOf(p))
	if err == nil {
		_, err = sqlite.Update(ctx, tx, "requests", values, sql.Named("id", k.Request))
	}
	return err
}

// neighbours are the requests of the same session and purpose before and behind a request, as far as they have a plan;
// 0 for none.
func neighbours(ctx context.Context, tx *sql.Tx, k Key) (before, behind int64, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT
			coalesce(max(iif(id < ?3, id, NULL)), 0),
			coalesce(min(iif(id > ?3, id, NULL)), 0)
		FROM requests
		WHERE session = ?1
			AND purpose = ?2
			AND sum IS NOT NULL`, k.Session, k.Purpose, k.Request).Scan(&before, &behind)
	return before, behind, err
}

func (w *Writer) putNewest(ctx context.Context, tx *sql.Tx, k Key, last int64, entries []history.Entry) error {
	before, err := w.at(ctx, tx, Key{k.Session, last, k.Purpose})
	if err == nil {
		err = putRuns(ctx, tx, k, last, before, entries)
	}
	w.last, w.entries = k, entries
	return err
}

// at are the verdicts of a request: those of the plan that was stored last, or the ones of the rows.
func (w *Writer) at(ctx context.Context, tx *sql.Tx, k Key) ([]history.Entry, error) {
	if w.last == k || k.Request == 0 {
		if k.Request == 0 {
			return nil, nil
		}
		return w.entries, nil
	}
	return collect(ctx, tx, holdsFor, k.Session, k.Purpose, k.Request)
}

// holdsFor is the condition that a run v holds for request ?3 of a session and a purpose.
const holdsFor = `
		v.session = ?1
			AND v.purpose = ?2
			AND v.first_request <= ?3
			AND (v.last_request IS NULL OR v.last_request >= ?3)`

// insertBetween stores the verdicts of a request that is between two others. A run that holds for both of them and not
// for this one is parted.
func insertBetween(ctx context.Context, tx *sql.Tx, k Key, last, next int64, entries []history.Entry) error {
	over, err := collect(ctx, tx, holdsFor, k.Session, k.Purpose, k.Request)
	if err != nil {
		return err
	}
	here := map[int64]history.Entry{}
	for _, e := range entries {
		here[e.ID] = e
	}
	for _, was := range over {
		if now, is := here[was.ID]; is && same(&was, &now) {
			delete(here, was.ID)
			continue
		}
		if err := part(ctx, tx, k, was.ID, last, next); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if _, left := here[e.ID]; !left {
			continue
		}
		if err := begin(ctx, tx, k, e, k.Request); err != nil {
			return err
		}
	}
	return nil
}

// part ends the run of a message that holds for a request at the one before, and begins it again at the one behind.
func part(ctx context.Context, tx *sql.Tx, k Key, message, last, next int64) error {
	columns, err := sqlite.TableColumns(ctx, tx, "verdicts")
	if err != nil {
		return err
	}
	values := slices.Clone(columns)
	for i, c := range columns {
		switch c {
		case "id":
			values[i] = "NULL"
		case "first_request":
			values[i] = "?5"
		}
	}
	const run = `
		WHERE session = ?1
			AND purpose = ?2
			AND message = ?3
			AND first_request < ?4
			AND (last_request IS NULL OR last_request > ?4)`
	args := []any{k.Session, k.Purpose, message, k.Request}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO verdicts (%s) SELECT %s FROM verdicts %s",
		strings.Join(columns, ", "), strings.Join(values, ", "), run), append(args, next)...)
	if err == nil {
		_, err = tx.ExecContext(ctx, "UPDATE verdicts SET last_request = ?5"+run, append(args, last)...)
	}
	return err
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
		if err := begin(ctx, tx, k, e, nil); err != nil {
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

// begin begins a run of a message with a request. last is the last request that it holds for, nil while it holds for the
// newest.
func begin(ctx context.Context, tx *sql.Tx, k Key, e history.Entry, last any) error {
	values, err := sqlite.Values(rowOf(e))
	if err != nil {
		return err
	}
	// In a file that was saved from damage a run may be there whose request is lost.
	return sqlite.Upsert(ctx, tx, "verdicts", "session, message, first_request", append(values,
		sql.Named("session", k.Session),
		sql.Named("purpose", k.Purpose),
		sql.Named("first_request", k.Request),
		sql.Named("last_request", last))...)
}

// Change is the plan of a request as a line of an archive or a segment has it: what is otherwise than in the request
// before it.
type Change struct {
	Base int64 `json:"base,omitempty"` // the request before it of its session and purpose, 0 for none
	Record
	Verdicts []row   `json:"verdicts,omitempty"` // those that Base does not have
	Ended    []int64 `json:"ended,omitempty"`    // messages with a verdict in Base and none in this request
}

// ReadChange reads the plan of a request, nil where it has none.
func ReadChange(ctx context.Context, tx *sql.Tx, k Key) (*Change, error) {
	r, err := sqlite.RowScan[Record]()(tx.QueryRowContext(ctx, "SELECT "+sqlite.Columns[Record]("r")+" FROM requests r WHERE id = ?", k.Request).Scan)
	if err != nil || r.Sum == nil {
		return nil, err
	}
	c := &Change{Record: r}
	if c.Base, _, err = neighbours(ctx, tx, k); err != nil {
		return nil, err
	}
	read := sqlite.RowScan[row]()
	c.Verdicts, err = sqlite.Collect(ctx, tx, func(scan func(...any) error) (row, error) { return read(scan) },
		"SELECT "+sqlite.Columns[row]("v")+` FROM verdicts v
		WHERE session = ?
			AND purpose = ?
			AND first_request = ?
		ORDER BY message`, k.Session, k.Purpose, k.Request)
	if err != nil || c.Base == 0 {
		return c, err
	}
	c.Ended, err = sqlite.Collect(ctx, tx, sqlite.Only[int64], `
		SELECT message
		FROM verdicts v
		WHERE session = ?1
			AND purpose = ?2
			AND last_request = ?3
			AND NOT EXISTS (SELECT 1 FROM verdicts n WHERE n.session = ?1 AND n.message = v.message AND n.first_request = ?4)
		ORDER BY message`, k.Session, k.Purpose, c.Base, k.Request)
	return c, err
}

// ErrNoBase says that the plan of a request cannot be read without another one that is not here.
var ErrNoBase = errors.New("the plan of the request before it is not here")

// PutChange stores the plan of a request.
func (w *Writer) PutChange(ctx context.Context, tx *sql.Tx, k Key, c Change) error {
	if c.Sum == nil {
		return fmt.Errorf("%w: %w", ErrPlan, errNoPlan)
	}
	if c.Base != 0 {
		var there bool
		err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (
				SELECT 1
				FROM requests
				WHERE id = ?
					AND session = ?
					AND purpose = ?
					AND sum IS NOT NULL
			)`, c.Base, k.Session, k.Purpose).Scan(&there)
		if err == nil && !there {
			err = ErrNoBase
		}
		if err != nil {
			return err
		}
	}
	before, err := w.at(ctx, tx, Key{k.Session, c.Base, k.Purpose})
	if err != nil {
		return err
	}
	entries := map[int64]history.Entry{}
	for _, e := range before {
		entries[e.ID] = e
	}
	for _, id := range c.Ended {
		delete(entries, id)
	}
	for _, r := range c.Verdicts {
		entries[r.ID] = history.Entry(r)
	}
	if len(entries) != c.Entries {
		return fmt.Errorf("%w: it has %d entries, and %d of them are there", ErrPlan, c.Entries, len(entries))
	}
	list := slices.SortedFunc(maps.Values(entries), func(a, b history.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return w.Put(ctx, tx, k, c.plan(list))
}
