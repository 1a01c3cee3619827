package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
	"winnow/session/store/verdicts"
)

// Verdicts reads the plan of a request as it was decided. It is an error where it was not recorded or cannot be read.
func (s *Store) Verdicts(ctx context.Context, request int64) (Verdicts, error) {
	return inTx(ctx, s.view, fmt.Sprintf("read the plan of request %d", request), func(tx *sql.Tx) (Verdicts, error) {
		return verdicts.Read(ctx, tx, request)
	})
}

// PastVerdict is what became of a message in one past request.
type PastVerdict struct {
	Turn    int           // the request's turn, from 1
	Nth, Of int           // it is the turn's Nth request of Of, from 1
	Request int64         // the id of its record
	At      time.Time     // when it was sent
	Model   string        // who was asked, "endpoint/model"
	Sum     history.Sum   // where the request's tokens went
	Entry   history.Entry // without TokensBefore and CharsBefore where the message was not sent
}

// VerdictHistory is what became of a message in past requests of its conversation, on every branch, the newest first
// and at most so many; a number below 1 is all of them. A request that failed before anything of an answer arrived is
// left out: no model is known to have seen it. So is a verdict that cannot be read.
func (s *Store) VerdictHistory(ctx context.Context, session string, message int64, limit int) ([]PastVerdict, error) {
	if limit < 1 {
		limit = -1
	}
	return withSession(ctx, s.view, "read the history of a verdict", session, func(tx *sql.Tx, n int64) ([]PastVerdict, error) {
		return pastVerdicts(ctx, tx, n, message, false, limit)
	})
}

// LastWhole is, for each of some messages, the newest past request in which the model got all of its text. A message
// that no model ever got whole is not in the map.
func (s *Store) LastWhole(ctx context.Context, session string, messages ...int64) (map[int64]PastVerdict, error) {
	return withSession(ctx, s.view, "read when messages were sent whole", session, func(tx *sql.Tx, n int64) (map[int64]PastVerdict, error) {
		found := make(map[int64]PastVerdict, len(messages))
		for _, id := range messages {
			newest, err := pastVerdicts(ctx, tx, n, id, true, 1)
			if err != nil {
				return nil, err
			}
			if len(newest) > 0 {
				found[id] = newest[0]
			}
		}
		return found, nil
	})
}

// pastVerdicts are the newest verdicts on a message of a session, only those that sent it whole where whole is set,
// without those that cannot be read.
func pastVerdicts(ctx context.Context, tx *sql.Tx, session, message int64, whole bool, limit int) ([]PastVerdict, error) {
	var v PastVerdict
	var created int64
	read := verdicts.ScanPast(&v.Request, &v.Turn, &v.Nth, &v.Of, &created, &v.Model)
	// The limit is written out: SQLite finds another way for a short one, which takes a tenth of the time.
	list, err := sqlite.Collect(ctx, tx, func(scan func(...any) error) (PastVerdict, error) {
		var err error
		v.Entry, v.Sum, err = read(scan)
		v.At = sqlite.Time(created)
		if errors.Is(err, sqlite.ErrColumn) {
			return PastVerdict{}, nil
		}
		return v, err
	}, `
		SELECT
			r.id,
			r.turn,
			(SELECT count(*) FROM requests o WHERE o.session = r.session AND o.turn = r.turn AND o.id <= r.id),
			(SELECT count(*) FROM requests o WHERE o.session = r.session AND o.turn = r.turn),
			r.created_ms,
			r.endpoint || '/' || r.model,
			`+verdicts.PastColumns()+`
		FROM verdicts v
		CROSS JOIN requests r ON `+verdicts.Covers+`
		WHERE v.session = ?1
			AND v.message = ?2
			AND v.whole >= ?3
			AND r.ended <> 'failed'
		ORDER BY r.id DESC
		LIMIT `+strconv.Itoa(limit), session, message, whole)
	return slices.DeleteFunc(list, func(v PastVerdict) bool { return v.Request == 0 }), err
}

// CutShort are the ids of the messages that a past request for an answer did not hold whole, sorted.
func (s *Store) CutShort(ctx context.Context, session string) ([]int64, error) {
	return withSession(ctx, s.view, "read what was cut short", session, func(tx *sql.Tx, n int64) ([]int64, error) {
		return idsWhere(ctx, tx, `
			SELECT DISTINCT v.message
			FROM verdicts v
			WHERE v.session = ?
				AND v.purpose = ''
				AND NOT v.whole
				AND EXISTS (
					SELECT 1
					FROM requests r
					WHERE `+verdicts.Covers+`
						AND r.ended <> 'failed'
				)
			ORDER BY v.message`, n)
	})
}

// NewestSum is where the tokens of the newest request for an answer of a session went that was not refused, and whether
// it did not hold a message, or not all of it. Where there is none the sum is zero.
func (s *Store) NewestSum(ctx context.Context, session string) (sum history.Sum, leftOut bool, err error) {
	sum, err = withSession(ctx, s.view, "read the newest request", session, func(tx *sql.Tx, n int64) (newest history.Sum, err error) {
		var raw []byte
		err = tx.QueryRowContext(ctx, `
			SELECT
				r.sum,
				EXISTS (
					SELECT 1
					FROM verdicts v
					WHERE v.session = r.session
						AND v.purpose = ''
						AND v.last_request IS NULL
						AND NOT v.whole
						AND v.disposition IN ('dropped', 'cut', 'recalled')
				)
			FROM requests r
			WHERE r.session = ?
				AND r.purpose = ''
				AND r.sum IS NOT NULL
			ORDER BY r.id DESC
			LIMIT 1`, n).Scan(&raw, &leftOut)
		if errors.Is(err, sql.ErrNoRows) {
			return newest, nil
		}
		if err == nil {
			err = json.Unmarshal(raw, &newest)
		}
		return newest, err
	})
	return sum, leftOut, err
}

// Tally counts the verdicts of a request.
type Tally struct {
	Sum                                            history.Sum // where the request's tokens went
	Stored, Sent, Cut, Dropped, Recalled, Repaired int         // messages; the repaired ones are among those sent
}

// sumRow is where the tokens of a request went.
type sumRow struct {
	ID      int64       `db:"id"`
	Purpose string      `db:"purpose"`
	Sum     history.Sum `db:"sum,json"`
}

// counts are the numbers of a Tally in their order.
type counts [6]int

func (c *counts) add(other counts, sign int) {
	for i := range c {
		c[i] += sign * other[i]
	}
}

// Tallies counts the verdicts of all of a session's requests that have some, by the request.
func (s *Store) Tallies(ctx context.Context, session string) (map[int64]Tally, error) {
	return withSession(ctx, s.view, "count the verdicts", session, func(tx *sql.Tx, n int64) (map[int64]Tally, error) {
		tallies := map[int64]Tally{}
		requests := map[string][]int64{} // by purpose, sorted
		err := sqlite.EachRow(ctx, tx, "requests WHERE session = ? AND sum IS NOT NULL ORDER BY id", func(row *sumRow) error {
			requests[row.Purpose] = append(requests[row.Purpose], row.ID)
			tallies[row.ID] = Tally{Sum: row.Sum}
			return nil
		}, n)
		if err != nil {
			return nil, err
		}
		return tallies, countRuns(ctx, tx, n, requests, tallies)
	})
}

// countRuns fills in the counts. A run is counted where it begins and taken off where it ends.
func countRuns(ctx context.Context, tx *sql.Tx, session int64, requests map[string][]int64, tallies map[int64]Tally) error {
	changes := map[string][]counts{}
	for purpose, ids := range requests {
		changes[purpose] = make([]counts, len(ids)+1)
	}
	err := sqlite.Each(ctx, tx, func(scan func(...any) error) error {
		var c counts
		var purpose string
		var first int64
		var last sql.NullInt64
		if err := scan(&purpose, &first, &last, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5]); err != nil || requests[purpose] == nil {
			return err
		}
		ids := requests[purpose]
		from, _ := slices.BinarySearch(ids, first)
		changes[purpose][from].add(c, 1)
		if last.Valid {
			to, _ := slices.BinarySearch(ids, last.Int64+1)
			changes[purpose][to].add(c, -1)
		}
		return nil
	}, `
		SELECT
			purpose,
			first_request,
			last_request,
			count(*),
			sum(disposition IN ('kept', 'cut', 'recalled')),
			sum(disposition = 'cut'),
			sum(disposition = 'dropped'),
			sum(disposition = 'recalled'),
			sum(disposition IN ('kept', 'cut', 'recalled') AND repairs IS NOT NULL)
		FROM verdicts
		WHERE session = ?
		GROUP BY purpose, first_request, last_request`, session)
	for purpose, ids := range requests {
		var now counts
		for i, id := range ids {
			now.add(changes[purpose][i], 1)
			t := tallies[id]
			t.Stored, t.Sent, t.Cut, t.Dropped, t.Recalled, t.Repaired = now[0], now[1], now[2], now[3], now[4], now[5]
			tallies[id] = t
		}
	}
	return err
}
