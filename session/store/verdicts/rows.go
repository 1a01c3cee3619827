package verdicts

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Key says whose a plan is.
type Key struct {
	Session int64 // the session's short key
	Request int64
	Purpose string // runs hold for requests of one purpose: a summary decides otherwise about nearly every message
}

// Columns are what Scan reads of a row v.
const Columns = `
	v.message,
	v.position,
	v.role,
	v.disposition,
	v.level,
	v.level_in_place,
	v.cause,
	v.pinned,
	v.whole,
	v.recalled,
	v.tokens_before,
	v.tokens_after,
	v.chars_before,
	v.chars_after,
	v.cuts,
	v.inserted,
	v.repairs`

// Scan reads a verdict, and more columns in front of it.
func Scan(scan func(...any) error, more ...any) (history.Entry, error) {
	var e history.Entry
	var role, disposition, cause string
	var level, place int
	var cuts, inserted, repairs []byte
	err := scan(append(more, &e.ID, &e.Index, &role, &disposition, &level, &place, &cause, &e.Pinned, &e.Whole, &e.Recalled,
		&e.TokensBefore, &e.TokensAfter, &e.CharsBefore, &e.CharsAfter, &cuts, &inserted, &repairs)...)
	if err != nil {
		return e, err
	}
	e.Role, e.Disposition, e.Level, e.Place = history.Role(role), history.Disposition(disposition), history.Level(level), history.Level(place)
	err = errors.Join(
		e.Cause.UnmarshalText([]byte(cause)),
		readJSON(cuts, &e.Cuts), readJSON(inserted, &e.Inserted), readJSON(repairs, &e.Repairs),
	)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return e, err
}

// ErrDamaged says that a row holds something else than a verdict.
var ErrDamaged = errors.New("the verdict on a message is damaged")

func scanEntry(scan func(...any) error) (history.Entry, error) { return Scan(scan) }

// readJSON reads a column that may be NULL.
func readJSON(text []byte, into any) error {
	if len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into)
}

// listJSON is the column of a list, NULL for an empty one.
func listJSON[T any](list []T) (any, error) {
	if len(list) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(list)
	return string(text), err
}

// Covers is the condition that a run v holds for a request r.
const Covers = `v.session = r.session
	AND v.purpose = r.purpose
	AND v.first_request <= r.id
	AND (v.last_request IS NULL OR v.last_request >= r.id)
	AND r.sum IS NOT NULL`

// Read reads the plan of a request. It is an error where the record has none, or where rows of it are lost.
func Read(ctx context.Context, tx *sql.Tx, request int64) (Plan, error) {
	var sum, added, packed []byte
	var entries int
	err := tx.QueryRowContext(ctx, `
		SELECT
			sum,
			added,
			entries,
			plan
		FROM requests
		WHERE id = ?`, request).Scan(&sum, &added, &entries, &packed)
	if err != nil {
		return Plan{}, err
	}
	if sum == nil {
		return Unpack(packed)
	}
	p, err := plan(sum, added)
	if err != nil {
		return Plan{}, err
	}
	p.Entries, err = sqlite.Collect(ctx, tx, scanEntry, `
		SELECT`+Columns+`
		FROM requests r
		CROSS JOIN verdicts v ON `+Covers+`
		WHERE r.id = ?
		ORDER BY v.message`, request)
	if err == nil && len(p.Entries) != entries {
		err = fmt.Errorf("it has %d entries, and %d of them are there", entries, len(p.Entries))
	}
	return p, err
}

// plan reads what the row of a request has of its plan.
func plan(sum, added []byte) (Plan, error) {
	var p Plan
	return p, errors.Join(json.Unmarshal(sum, &p.Sum), readJSON(added, &p.Added))
}

// Writer stores the plans of requests. It remembers the last one, so that the next is compared with that and not with
// rows. One whose transaction is not committed may not be used again.
type Writer struct {
	last    Key
	entries []history.Entry
}

// Put stores the plan of a request, the newest of its session. A plan whose messages are not in order, which none of
// winnow's is, stays packed.
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
		return putPacked(ctx, tx, k, p)
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
	sum, err := json.Marshal(p.Sum)
	if err != nil {
		return err
	}
	added, err := listJSON(p.Added)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE requests
		SET sum = ?,
			added = ?,
			entries = ?,
			plan = NULL
		WHERE id = ?`, string(sum), added, len(p.Entries), k.Request)
	return err
}

func putPacked(ctx context.Context, tx *sql.Tx, k Key, p Plan) error {
	packed, err := p.Pack()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE requests SET plan = ? WHERE id = ?`, packed, k.Request)
	return err
}

// open reads the verdicts of the newest request of a session and purpose.
func open(ctx context.Context, tx *sql.Tx, newest Key) ([]history.Entry, error) {
	if newest.Request == 0 {
		return nil, nil
	}
	return sqlite.Collect(ctx, tx, scanEntry, `
		SELECT`+Columns+`
		FROM verdicts v
		WHERE v.session = ?
			AND v.purpose = ?
			AND v.last_request IS NULL
		ORDER BY v.message`, newest.Session, newest.Purpose)
}

// putRuns ends the runs that do not hold after the last request, and begins those that hold from this one on.
func putRuns(ctx context.Context, tx *sql.Tx, k Key, last int64, before, now []history.Entry) error {
	closing, err := tx.PrepareContext(ctx, `
		UPDATE verdicts
		SET last_request = ?
		WHERE session = ?
			AND purpose = ?
			AND message = ?
			AND last_request IS NULL`)
	if err != nil {
		return err
	}
	defer closing.Close()
	end := func(message int64) error {
		_, err := closing.ExecContext(ctx, last, k.Session, k.Purpose, message)
		return err
	}
	// In a file that was saved from damage a run may be there whose request is lost.
	begin, err := tx.PrepareContext(ctx, `
		INSERT OR REPLACE INTO verdicts (
			session, purpose, message, first_request, position, role, disposition, level, level_in_place, cause, pinned,
			whole, recalled, tokens_before, tokens_after, chars_before, chars_after, cuts, inserted, repairs
		) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer begin.Close()
	for i := range now {
		for len(before) > 0 && before[0].ID < now[i].ID {
			if err := end(before[0].ID); err != nil {
				return err
			}
			before = before[1:]
		}
		if len(before) > 0 && before[0].ID == now[i].ID {
			was := &before[0]
			before = before[1:]
			if same(was, &now[i]) {
				continue
			}
			if err := end(was.ID); err != nil {
				return err
			}
		}
		row, err := rowOf(k, recorded(now[i]))
		if err != nil {
			return err
		}
		if _, err := begin.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	for i := range before {
		if err := end(before[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// rowOf are the values of a run that begins with a request.
func rowOf(k Key, e history.Entry) ([]any, error) {
	cause, err := e.Cause.MarshalText()
	if err != nil {
		return nil, err
	}
	lists := [3]any{}
	for i, list := range []func() (any, error){
		func() (any, error) { return listJSON(e.Cuts) },
		func() (any, error) { return listJSON(e.Inserted) },
		func() (any, error) { return listJSON(e.Repairs) },
	} {
		if lists[i], err = list(); err != nil {
			return nil, err
		}
	}
	return []any{
		k.Session, k.Purpose, e.ID, k.Request, e.Index, valid(string(e.Role)), string(e.Disposition), int(e.Level), int(e.Place), valid(string(cause)), e.Pinned,
		e.Whole, e.Recalled, e.TokensBefore, e.TokensAfter, e.CharsBefore, e.CharsAfter, lists[0], lists[1], lists[2],
	}, nil
}

// valid is a text as it comes back from JSON, in which it is packed.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// FromPacked makes rows of the plans of all requests that are packed. One that cannot be read stays as it is.
func FromPacked(ctx context.Context, tx *sql.Tx) error {
	keys, err := sqlite.Collect(ctx, tx, func(scan func(...any) error) (k Key, err error) {
		err = scan(&k.Session, &k.Request, &k.Purpose)
		return k, err
	}, `
		SELECT
			session,
			id,
			purpose
		FROM requests
		WHERE plan IS NOT NULL
			AND sum IS NULL
		ORDER BY session, id`)
	if err != nil {
		return err
	}
	writers := map[string]*Writer{} // by purpose
	for _, k := range keys {
		var packed []byte
		if err := tx.QueryRowContext(ctx, `SELECT plan FROM requests WHERE id = ?`, k.Request).Scan(&packed); err != nil {
			return err
		}
		p, err := Unpack(packed)
		if err != nil {
			continue
		}
		if writers[k.Purpose] == nil {
			writers[k.Purpose] = &Writer{}
		}
		if err := writers[k.Purpose].Put(ctx, tx, k, p); err != nil {
			return fmt.Errorf("make rows of the plan of request %d: %w", k.Request, err)
		}
	}
	return nil
}
