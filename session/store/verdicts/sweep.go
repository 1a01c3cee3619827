package verdicts

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Sweep reads the plans of all requests of a session, from the oldest on, in one pass over the rows.
type Sweep struct {
	rows *sql.Rows
	scan func(scan func(...any) error) (verdict, error)
	next verdict
	more bool                 // next is one
	runs map[string][]verdict // those that hold, by purpose, in the order of the messages
}

// verdict is one with the requests that it holds for.
type verdict struct {
	Purpose string `db:"purpose"`
	First   int64  `db:"first_request"`
	Last    int64  `db:"last_request,null"` // 0 where it holds for the newest
	row
}

// NewSweep begins to read a session's rows. Close ends it.
func NewSweep(ctx context.Context, tx *sql.Tx, session int64) (*Sweep, error) {
	rows, err := tx.QueryContext(ctx, "SELECT "+sqlite.Columns[verdict]("v")+" FROM verdicts v WHERE v.session = ? ORDER BY v.first_request", session)
	if err != nil {
		return nil, err
	}
	s := &Sweep{rows: rows, scan: sqlite.RowScan[verdict](), runs: map[string][]verdict{}}
	return s, s.read()
}

// Close ends the reading.
func (s *Sweep) Close() error { return s.rows.Close() }

func (s *Sweep) read() error {
	if s.more = s.rows.Next(); !s.more {
		return s.rows.Err()
	}
	var err error
	s.next, err = s.scan(s.rows.Scan)
	if errors.Is(err, sqlite.ErrColumn) {
		return s.read() // The plan has one entry less than its request says.
	}
	return err
}

// entries are the verdicts of a request, which is newer than the one asked for before.
func (s *Sweep) entries(request int64, purpose string) ([]history.Entry, error) {
	for s.more && s.next.First <= request {
		s.runs[s.next.Purpose] = append(s.runs[s.next.Purpose], s.next)
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	runs := slices.DeleteFunc(s.runs[purpose], func(v verdict) bool { return v.Last != 0 && v.Last < request })
	slices.SortFunc(runs, func(a, b verdict) int { return cmp.Compare(a.ID, b.ID) })
	s.runs[purpose] = runs
	entries := make([]history.Entry, len(runs))
	for i := range runs {
		entries[i] = history.Entry(runs[i].row)
	}
	return entries, nil
}

// Packed is the plan of a request with a record, packed; nil where something of it is lost.
func (s *Sweep) Packed(k Key, r Record) ([]byte, error) {
	entries, err := s.entries(k.Request, k.Purpose)
	if err != nil {
		return nil, err
	}
	if len(entries) != r.Entries {
		return nil, nil
	}
	return r.plan(entries).Pack()
}
