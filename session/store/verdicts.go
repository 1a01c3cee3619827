package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// storedVerdict returns a verdict in its stored form. It omits values that follow from the messages, or that differ in
// every request: the size of a message that is not sent, and by how much a message did not fit.
func storedVerdict(e history.Entry) history.Entry {
	if !e.Sent() {
		e.TokensBefore, e.CharsBefore = 0, 0
	}
	if c := e.Cause.Code; c == history.CauseOverBudget || c == history.CauseOverChars {
		e.Cause.Want, e.Cause.Have = 0, 0
	}
	// Use nil for empty lists, as they are read back.
	e.Cuts = append([]history.CharRange(nil), e.Cuts...)
	e.Inserted = append([]history.Insertion(nil), e.Inserted...)
	e.Repairs = append([]history.Repair(nil), e.Repairs...)
	return e
}

// changedVerdicts returns the verdicts in now that differ from those in before, and an entry without a disposition for
// each message that is no longer in the conversation.
func changedVerdicts(before, now []history.Entry) (changed []history.Entry) {
	of := make(map[int64]history.Entry, len(before))
	for _, e := range before {
		of[e.ID] = e
	}
	for _, e := range now {
		e = storedVerdict(e)
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

// putPlan stores the plan of a new request as the difference to this machine's previous request.
func putPlan(t *tx, r *Request) {
	p := *r.Plan
	r.Plan, r.Sum, r.Tally, r.added = nil, p.Sum, CountVerdicts(p.Entries), p.Added
	r.verdicts = changedVerdicts(verdictsOf(t, r), p.Entries)
	putVerdicts(t, r)
}

// putVerdicts stores the verdicts that apply from a request on.
func putVerdicts(t *tx, r *Request) {
	for _, e := range r.verdicts {
		verdict := column{in: &jsonColumn{&e}}
		t.Exec(`
			INSERT INTO verdicts (session, purpose, message, first_request, disposition, whole, verdict)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
			r.session, r.Purpose, e.ID, r.ID, e.Disposition, e.Whole, verdict.cleaned(t.clean))
	}
}

// verdictsOf returns the stored verdicts of a request, ordered by message.
func verdictsOf(t *tx, r *Request) []history.Entry {
	return readVerdicts(t, `(
			SELECT *, max(first_request)
			FROM verdicts
			WHERE session = ?1 AND purpose = ?2 AND first_request <= ?3 AND first_request & ?4 = ?3 & ?4
			GROUP BY message
		)
		WHERE disposition <> ''`, r.session, r.Purpose, r.ID, idStep-1)
}

// readVerdicts reads verdicts, ordered by message. from is the part of the query that follows FROM.
func readVerdicts(t *tx, from string, args ...any) (all []history.Entry) {
	var e history.Entry
	for range t.Rows([]any{&jsonColumn{&e}}, "SELECT verdict FROM "+from+" ORDER BY message", args...) {
		all, e = append(all, e), history.Entry{}
	}
	return all
}

// Verdicts returns the recorded plan of a request: its sum, entries and added texts. It is an error if the plan was not
// recorded or cannot be read. In an entry of a message that was not sent, TokensBefore and CharsBefore are 0; in one
// that did not fit, the cause lacks the numbers.
func (s *Store) Verdicts(ctx context.Context, request int64) (history.Plan, error) {
	return inTx(ctx, s.view, fmt.Sprintf("read the plan of request %d", request), func(t *tx) (p history.Plan) {
		r := first[Request](t, "requests WHERE id = ? AND coalesce(sum, tally) IS NOT NULL", request)
		if r.ID == 0 {
			t.Fail(errors.New("it has no plan"))
		}
		p = history.Plan{Sum: r.Sum, Added: r.added, Entries: verdictsOf(t, &r)}
		if len(p.Entries) != r.Tally.Stored {
			t.Fail(fmt.Errorf("it has %d entries, but only %d can be read", r.Tally.Stored, len(p.Entries)))
		}
		return p
	})
}

// PastVerdict is the verdict on a message in one past request.
type PastVerdict struct {
	Turn  int           // the turn of the request, from 1
	Entry history.Entry // TokensBefore and CharsBefore are 0 if the message was not sent
}

func (v *PastVerdict) columns() []column {
	return []column{
		{"turn", &v.Turn, 0},
		{"verdict", &jsonColumn{&v.Entry}, 0},
	}
}

// VerdictHistory returns the verdicts on a message in past requests on all branches, newest first. A limit below 1
// returns all of them. It leaves out failed requests, because it is unknown whether a model read them, and verdicts
// that cannot be read.
func (s *Store) VerdictHistory(ctx context.Context, message int64, limit int) ([]PastVerdict, error) {
	return inTx(ctx, s.view, "read the history of a verdict", func(t *tx) []PastVerdict {
		return pastVerdicts(t, message, "", limit)
	})
}

// pastVerdicts returns the newest verdicts on a message that match an additional SQL condition.
func pastVerdicts(t *tx, message int64, condition string, limit int) []PastVerdict {
	if limit < 1 {
		limit = -1
	}
	// The limit is a literal: SQLite plans a faster query for a small one.
	return readRows[PastVerdict](t, fmt.Sprintf(`
		past_verdicts
		WHERE session = (SELECT session FROM messages WHERE id = ?1)
			AND message = ?1
			AND ended <> 'failed' %s
		ORDER BY request DESC
		LIMIT %d`, condition, limit), message)
}

// NotSentWhole returns the ids of the messages that at least one past request for an answer cut or omitted, sorted.
func (s *Store) NotSentWhole(ctx context.Context, session string) ([]int64, error) {
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

// VerdictCounts counts the verdicts of a request.
type VerdictCounts struct {
	Stored   int                         `json:"stored"`             // messages of the conversation
	Of       map[history.Disposition]int `json:"of,omitempty"`       // messages with each disposition
	Pinned   int                         `json:"pinned,omitempty"`   // sent messages that are pinned
	Repaired int                         `json:"repaired,omitempty"` // sent messages that are repaired
	Short    int                         `json:"short,omitempty"`    // cut, recalled or dropped, and not whole
}

// Sent returns the number of messages that were sent.
func (c VerdictCounts) Sent() int {
	return c.Of[history.Kept] + c.Of[history.Cut] + c.Of[history.Recalled]
}

// CountVerdicts counts the verdicts of a plan.
func CountVerdicts(entries []history.Entry) VerdictCounts {
	c := VerdictCounts{Stored: len(entries), Of: map[history.Disposition]int{}}
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

// MessagePosition is the position of a message in its session, and its latest verdict.
type MessagePosition struct {
	Number      int            // position on its branch, from 1
	Of          int            // length of the active branch, 0 if the message is on another branch
	LastVerdict *history.Entry // from the newest successful request for an answer, nil if there is none
}

// Positions returns the positions of messages by id. Unknown messages are omitted.
func (s *Store) Positions(ctx context.Context, messages ...int64) (map[int64]MessagePosition, error) {
	return inTx(ctx, s.view, "find the messages", func(t *tx) map[int64]MessagePosition {
		places, branches := make(map[int64]MessagePosition, len(messages)), map[int64][]int64{}
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
			at := MessagePosition{Number: i + 1, Of: len(branches[leaf])}
			if !active {
				at = MessagePosition{Number: len(branchIDs(t, id, 0))}
			}
			if last := pastVerdicts(t, id, "AND purpose = ''", 1); len(last) > 0 {
				at.LastVerdict = &last[0].Entry
			}
			places[id] = at
		}
		return places
	})
}
