package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// idsThere says which rows here the ids of another machine are. It reads the runs of the table as they are asked for, and
// keeps those that are new until put writes them.
type idsThere struct {
	ctx     context.Context
	tx      *sql.Tx
	machine string
	known   map[string]syncRun   // by kind, the run that was used last
	fresh   map[string][]syncRun // by kind, in the order in which they were found
	err     error                // the first id that is not known
}

// syncRun is a run of ids: those of another machine from First to Last are those from Here on here.
type syncRun struct {
	First int64 `db:"first"`
	Last  int64 `db:"last"`
	Here  int64 `db:"here"`
	told  bool  // the others learn from another machine, or from this one's own rows, what it is
}

// has reports whether an id there is in the run, and names whether a row here is.
func (r syncRun) has(id int64) bool     { return r.First <= id && id <= r.Last && id != 0 }
func (r syncRun) names(here int64) bool { return r.has(here - r.Here + r.First) }

func idsOf(ctx context.Context, tx *sql.Tx, machine string) *idsThere {
	return &idsThere{ctx: ctx, tx: tx, machine: machine, known: map[string]syncRun{}, fresh: map[string][]syncRun{}}
}

// find is the id here of a row that has an id there, 0 for none.
func (t *idsThere) find(kind string, id int64) (int64, error) {
	if r := t.known[kind]; id != 0 && r.has(id) {
		return r.Here + id - r.First, nil
	}
	for _, r := range slices.Backward(t.fresh[kind]) {
		if r.has(id) {
			return r.Here + id - r.First, nil
		}
	}
	r, err := t.before("first", kind, id)
	if err != nil || !r.has(id) {
		return 0, err
	}
	t.known[kind] = r
	return r.Here + id - r.First, nil
}

// before is the last run of the table whose column, first or here, is not behind an id; an empty one where there is none.
func (t *idsThere) before(column, kind string, id int64) (r syncRun, err error) {
	err = t.tx.QueryRowContext(t.ctx, `
		SELECT
			first,
			last,
			here
		FROM sync_ids
		WHERE machine = ?
			AND kind = ?
			AND `+column+` <= ?
		ORDER BY `+column+` DESC
		LIMIT 1`, t.machine, kind, id).Scan(&r.First, &r.Last, &r.Here)
	if errors.Is(err, sql.ErrNoRows) {
		return syncRun{}, nil
	}
	return r, err
}

// add notes that an id there is a row here. told is false for a row that was just stored: the others are to be told
// which number it got.
func (t *idsThere) add(kind string, id, here int64, told bool) {
	runs := t.fresh[kind]
	if n := len(runs); n > 0 && runs[n-1].Last == id-1 && runs[n-1].Here+id-runs[n-1].First == here && runs[n-1].told == told {
		runs[n-1].Last = id
		return
	}
	t.fresh[kind] = append(runs, syncRun{id, id, here, told})
}

// put writes what was added.
func (t *idsThere) put() error {
	for _, kind := range syncKinds {
		for _, r := range t.fresh[kind] {
			segment := 0 // the next one tells it
			if r.told {
				segment = -1
			}
			_, err := sqlite.InsertRow(t.ctx, t.tx, "sync_ids", r, sql.Named("machine", t.machine), sql.Named("kind", kind), sql.Named("segment", segment))
			if err != nil {
				return err
			}
		}
	}
	clear(t.fresh)
	return nil
}

// named reports whether the machine has a name for a row here.
func (t *idsThere) named(kind string, here int64) (bool, error) {
	if slices.ContainsFunc(t.fresh[kind], func(r syncRun) bool { return r.names(here) }) {
		return true, nil
	}
	r, err := t.before("here", kind, here)
	return err == nil && r.names(here), err
}

// overlapping are the runs of a kind that have ids from first to last, in order.
func (t *idsThere) overlapping(kind string, first, last int64) ([]syncRun, error) {
	runs, err := sqlite.Rows[syncRun](t.ctx, t.tx, "sync_ids WHERE machine = ? AND kind = ? AND last >= ? AND first <= ? ORDER BY first",
		t.machine, kind, first, last)
	for _, r := range t.fresh[kind] {
		if r.Last >= first && r.First <= last {
			runs = append(runs, r)
		}
	}
	for i := range runs {
		r := &runs[i]
		from := max(first, r.First)
		r.Here += from - r.First
		r.First, r.Last = from, min(last, r.Last)
	}
	return runs, err
}

// errPurged says that a row names one that is not here, because a machine has purged it and its tombstone is still to come.
var errPurged = errors.New("it was purged")

// must is find for an id that must be known. The first one that is not is t.err.
func (t *idsThere) must(kind string, id int64) int64 {
	if id == 0 || t.err != nil {
		return 0
	}
	here, err := t.find(kind, id)
	if err == nil && here == 0 {
		err = errPurged
	}
	t.err = err
	return here
}

func (t *idsThere) message(id int64) int64 { return t.must(messageKind, id) }
func (t *idsThere) request(id int64) int64 { return t.must(requestKind, id) }
func (t *idsThere) summary(id int64) int64 { return t.must(summaryKind, id) }

// messages are the runs of the messages here that the given runs of ids there are. Ids that are unknown, such as those
// of a purged session, fall out.
func (t *idsThere) messages(ids history.IDs) history.IDs {
	var out history.IDs
	for _, run := range ids {
		known, err := t.overlapping(messageKind, run[0], run[1])
		if err != nil && t.err == nil {
			t.err = err
		}
		for _, r := range known {
			out = append(out, [2]int64{r.Here, r.Here + r.Last - r.First})
		}
	}
	slices.SortFunc(out, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	joined := out[:0]
	for _, run := range out {
		if n := len(joined); n > 0 && run[0] <= joined[n-1][1]+1 {
			joined[n-1][1] = max(joined[n-1][1], run[1])
			continue
		}
		joined = append(joined, run)
	}
	return joined
}

// mostEntries is more than a plan has.
const mostEntries = 1 << 22

func (t *idsThere) entries(runs []idRun) []idRun {
	var out []idRun
	var id, before, count int64
	for _, run := range runs {
		if count += run.N; run.N < 1 || count > mostEntries {
			t.err = errors.Join(t.err, fmt.Errorf("%w: a plan has %d entries", ErrSyncDamaged, count))
			return nil
		}
		for range run.N {
			id += run.V
			here := t.message(id)
			by := here - before
			before = here
			if n := len(out); n > 0 && out[n-1].V == by {
				out[n-1].N++
			} else {
				out = append(out, idRun{by, 1})
			}
		}
	}
	return out
}
