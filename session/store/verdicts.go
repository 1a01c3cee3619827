package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// recorded is a verdict as its row keeps it. The size of a message that is not sent is left to the message, and by how
// much it did not fit, which is another number in each request, to the plan that is made again.
func recorded(e history.Entry) history.Entry {
	if !e.Sent() {
		e.TokensBefore, e.CharsBefore = 0, 0
	}
	if c := e.Cause.Code; c == history.CauseOverBudget || c == history.CauseOverChars {
		e.Cause.Want, e.Cause.Have = 0, 0
	}
	// As they are read: nil where they are empty.
	e.Cuts = append([]history.CharRange(nil), e.Cuts...)
	e.Inserted = append([]history.Insertion(nil), e.Inserted...)
	e.Repairs = append([]history.Repair(nil), e.Repairs...)
	return e
}

// difference is what a plan has otherwise than the one before it: the verdicts that are other ones, and one without a
// disposition for each message that is no longer in the conversation.
func difference(before, now []history.Entry) (changed []history.Entry) {
	of := make(map[int64]history.Entry, len(before))
	for _, e := range before {
		of[e.ID] = e
	}
	for _, e := range now {
		e = recorded(e)
		if was, there := of[e.ID]; !there || !reflect.DeepEqual(was, e) {
			changed = append(changed, e)
		}
		delete(of, e.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		changed = append(changed, history.Entry{ID: id})
	}
	return changed
}

// putPlan stores the plan of a request that is to be added: what is otherwise than in the request of this machine
// before it.
func putPlan(t *tx, r *Request) {
	p := *r.Plan
	r.Plan, r.Sum, r.Tally, r.added = nil, p.Sum, TallyOf(p.Entries), p.Added
	r.verdicts = difference(verdictsOf(t, r), p.Entries)
	putVerdicts(t, r)
}

// putVerdicts stores the verdicts that begin with a request.
func putVerdicts(t *tx, r *Request) {
	for _, e := range r.verdicts {
		verdict := column{in: &jsonColumn{&e}}
		t.Exec(`
			INSERT INTO verdicts (session, purpose, message, first_request, disposition, whole, verdict)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
			r.session, r.Purpose, e.ID, r.ID, e.Disposition, e.Whole, verdict.cleaned(t.clean))
	}
}

// verdictsOf reads the verdicts of a request, as the rows have them, in the order of their messages.
func verdictsOf(t *tx, r *Request) []history.Entry {
	return readVerdicts(t, `(
			SELECT *, max(first_request)
			FROM verdicts
			WHERE session = ?1 AND purpose = ?2 AND first_request <= ?3 AND first_request & ?4 = ?3 & ?4
			GROUP BY message
		)
		WHERE disposition <> ''`, r.session, r.Purpose, r.ID, idStep-1)
}

// readVerdicts reads verdicts in the order of their messages. from is the query from the name of the table on.
func readVerdicts(t *tx, from string, args ...any) (all []history.Entry) {
	var e history.Entry
	for range t.Rows([]any{&jsonColumn{&e}}, "SELECT verdict FROM "+from+" ORDER BY message", args...) {
		all, e = append(all, e), history.Entry{}
	}
	return all
}

// Verdicts reads the plan of a request as it was decided: its sum, entries and added texts. It is an error where it was
// not recorded or cannot be read. A message that is not sent comes without TokensBefore and CharsBefore, which the
// message itself tells, and one that did not fit without by how much.
func (s *Store) Verdicts(ctx context.Context, request int64) (history.Plan, error) {
	return inTx(ctx, s.view, fmt.Sprintf("read the plan of request %d", request), func(t *tx) (p history.Plan) {
		r := first[Request](t, "requests WHERE id = ? AND coalesce(sum, tally) IS NOT NULL", request)
		if r.ID == 0 {
			t.Fail(errors.New("it has no plan"))
		}
		p = history.Plan{Sum: r.Sum, Added: r.added, Entries: verdictsOf(t, &r)}
		if len(p.Entries) != r.Tally.Stored {
			t.Fail(fmt.Errorf("it has %d entries, and %d of them are there", r.Tally.Stored, len(p.Entries)))
		}
		return p
	})
}

// PastVerdict is what became of a message in one past request.
type PastVerdict struct {
	Turn    int              // the request's turn, from 1
	Nth, Of int              // it is the turn's Nth request of Of, from 1
	Request int64            // the id of its record
	At      time.Time        // when it was sent
	Model   string           // who was asked, "endpoint/model"
	Sum     history.TokenSum // where the request's tokens went
	Entry   history.Entry    // without TokensBefore and CharsBefore where the message was not sent
}

func (v *PastVerdict) columns() []column {
	return []column{
		{"request", &v.Request, 0},
		{"turn", &v.Turn, 0},
		{"nth", &v.Nth, 0},
		{"of_turn", &v.Of, 0},
		{"created_ms", (*millis)(&v.At), 0},
		{"asked", &v.Model, 0},
		{"sum", &jsonColumn{&v.Sum}, 0},
		{"verdict", &jsonColumn{&v.Entry}, 0},
	}
}

// VerdictHistory is what became of a message in past requests, on every branch, the newest first and at most so many; a
// number below 1 is all of them. A request that failed before anything of an answer arrived is left out: no model is
// known to have seen it. So is a verdict that cannot be read.
func (s *Store) VerdictHistory(ctx context.Context, message int64, limit int) ([]PastVerdict, error) {
	return inTx(ctx, s.view, "read the history of a verdict", func(t *tx) []PastVerdict {
		return pastVerdicts(t, message, "", limit)
	})
}

// pastVerdicts are the newest verdicts on a message that fulfil a condition more.
func pastVerdicts(t *tx, message int64, condition string, limit int) []PastVerdict {
	if limit < 1 {
		limit = -1
	}
	// The limit is written out: SQLite finds a faster way for a short one.
	return readRows[PastVerdict](t, fmt.Sprintf(`
		past_verdicts
		WHERE session = (SELECT session FROM messages WHERE id = ?1)
			AND message = ?1
			AND ended <> 'failed' %s
		ORDER BY request DESC
		LIMIT %d`, condition, limit), message)
}

// CutShort are the ids of the messages that a past request for an answer did not hold whole, sorted.
func (s *Store) CutShort(ctx context.Context, session string) ([]int64, error) {
	return withSession(ctx, s.view, "read what was cut short", session, func(t *tx, n int64) []int64 {
		return sqlite.List[int64](t, `
			SELECT DISTINCT message
			FROM verdicts
			WHERE session = ?
				AND purpose = ''
				AND disposition <> ''
				AND NOT whole
			ORDER BY message`, n)
	})
}

// Tally counts the verdicts of a request, by what became of the messages of its conversation.
type Tally struct {
	Stored   int                         `json:"stored"`             // messages of the conversation
	Of       map[history.Disposition]int `json:"of,omitempty"`       // how many of them were kept, cut, dropped, …
	Pinned   int                         `json:"pinned,omitempty"`   // of those sent
	Repaired int                         `json:"repaired,omitempty"` // of those sent
	Short    int                         `json:"short,omitempty"`    // cut, recalled or dropped, and not whole
}

// Sent is how many messages are in the request.
func (c Tally) Sent() int { return c.Of[history.Kept] + c.Of[history.Cut] + c.Of[history.Recalled] }

// TallyOf counts the verdicts of a plan.
func TallyOf(entries []history.Entry) Tally {
	c := Tally{Stored: len(entries), Of: map[history.Disposition]int{}}
	count := func(n *int, counts bool) {
		if counts {
			*n++
		}
	}
	for i := range entries {
		e := &entries[i]
		c.Of[e.Disposition]++
		count(&c.Pinned, e.Sent() && e.Pinned)
		count(&c.Repaired, e.Sent() && len(e.Repairs) > 0)
		count(&c.Short, !e.Whole && (e.Sent() && e.Disposition != history.Kept || e.Disposition == history.Dropped))
	}
	return c
}

// Place is where a message stands in its session, and what became of it last.
type Place struct {
	Number int            // on its branch, from 1
	Of     int            // how many messages the active branch has; 0 for a message on another branch
	Last   *history.Entry // what the newest request for an answer that did not fail decided about it; nil for none
}

// Places looks up where messages stand. Nothing is planned for it. Messages that are gone are not in the map.
func (s *Store) Places(ctx context.Context, messages ...int64) (map[int64]Place, error) {
	return inTx(ctx, s.view, "find the messages", func(t *tx) map[int64]Place {
		places, branches := make(map[int64]Place, len(messages)), map[int64][]int64{}
		for _, id := range messages {
			var leaf int64
			if !t.Row([]any{&leaf}, `
				SELECT s.leaf
				FROM messages m
				JOIN sessions s ON s.n = m.session
				WHERE m.id = ?`, id) {
				continue
			}
			if branches[leaf] == nil {
				branches[leaf] = branchIDs(t, leaf, 0)
			}
			i, active := slices.BinarySearch(branches[leaf], id)
			at := Place{Number: i + 1, Of: len(branches[leaf])}
			if !active {
				at = Place{Number: len(branchIDs(t, id, 0))}
			}
			if last := pastVerdicts(t, id, "AND purpose = ''", 1); len(last) > 0 {
				at.Last = &last[0].Entry
			}
			places[id] = at
		}
		return places
	})
}
