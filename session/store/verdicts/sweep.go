package verdicts

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"winnow/history"
)

// Sweep reads the plans of all requests of a session, from the oldest on, in one pass over the rows.
type Sweep struct {
	rows *sql.Rows
	next verdict
	more bool                 // next is one
	runs map[string][]verdict // those that hold, by purpose, in the order of the messages
}

// verdict is one with the requests that it holds for.
type verdict struct {
	purpose string
	first   int64
	last    sql.NullInt64
	entry   history.Entry
}

// NewSweep begins to read a session's rows. Close ends it.
func NewSweep(ctx context.Context, tx *sql.Tx, session int64) (*Sweep, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT
			v.purpose,
			v.first_request,
			v.last_request,`+Columns+`
		FROM verdicts v
		WHERE v.session = ?
		ORDER BY v.first_request`, session)
	if err != nil {
		return nil, err
	}
	s := &Sweep{rows: rows, runs: map[string][]verdict{}}
	return s, s.read()
}

// Close ends the reading.
func (s *Sweep) Close() error { return s.rows.Close() }

func (s *Sweep) read() error {
	if s.more = s.rows.Next(); !s.more {
		return s.rows.Err()
	}
	s.next = verdict{}
	var err error
	s.next.entry, err = Scan(s.rows.Scan, &s.next.purpose, &s.next.first, &s.next.last)
	if errors.Is(err, ErrDamaged) {
		return s.read() // The plan has one entry less than its request says.
	}
	return err
}

// entries are the verdicts of a request, which is newer than the one asked for before.
func (s *Sweep) entries(request int64, purpose string) ([]history.Entry, error) {
	for s.more && s.next.first <= request {
		s.runs[s.next.purpose] = append(s.runs[s.next.purpose], s.next)
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	runs := slices.DeleteFunc(s.runs[purpose], func(v verdict) bool { return v.last.Valid && v.last.Int64 < request })
	slices.SortFunc(runs, func(a, b verdict) int { return cmp.Compare(a.entry.ID, b.entry.ID) })
	s.runs[purpose] = runs
	entries := make([]history.Entry, len(runs))
	for i := range runs {
		entries[i] = runs[i].entry
	}
	return entries, nil
}

// Packed is the plan of a request, whose row has its sum, what was added, and how many verdicts it has. A plan of
// which something is lost cannot be unpacked.
func (s *Sweep) Packed(k Key, sum, added []byte, entries int) ([]byte, error) {
	list, err := s.entries(k.Request, k.Purpose)
	if err != nil {
		return nil, err
	}
	p, err := plan(sum, added)
	if err != nil {
		return nil, nil // The row is damaged.
	}
	p.Entries = list
	out := p.packed()
	out.Entries = entries
	columns, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return Zip(columns)
}
