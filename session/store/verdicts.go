package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Verdicts is what the record of a request keeps of its plan: every verdict and sum, no text that was said. A message
// that is not sent comes without TokensBefore and CharsBefore, which nobody decided and the message itself tells.
type Verdicts struct {
	Sum     history.Sum
	Entries []history.Entry
	Added   []history.Added
}

// verdictColumns are the columns of a verdict. Want and Have of a shortfall are not in them.
func verdictColumns(e *history.Entry) []column {
	return []column{
		{"message", &e.ID, 0},
		{"position", &e.Index, 0},
		{"role", &e.Role, 0},
		{"disposition", &e.Disposition, 0},
		{"level", &e.Level, 0},
		{"level_in_place", &e.Place, 0},
		{"cause", asText{&e.Cause}, secret},
		{"pinned", &e.Pinned, 0},
		{"whole", &e.Whole, 0},
		{"recalled", &e.Recalled, 0},
		{"tokens_before", &e.TokensBefore, 0},
		{"tokens_after", &e.TokensAfter, 0},
		{"chars_before", &e.CharsBefore, 0},
		{"chars_after", &e.CharsAfter, 0},
		{"cuts", asJSON{in: &e.Cuts}, 0},
		{"inserted", asJSON{in: &e.Inserted}, secret},
		{"repairs", asJSON{in: &e.Repairs}, secret},
	}
}

// record is what the row of a request has of its plan beside the verdicts.
type record struct {
	chain      int64        // of the verdicts: the first request of those that one machine made one after the other
	Sum        *history.Sum // nil where the request has no plan
	Added      []history.Added
	Shortfalls []shortfall
	Entries    int // how many verdicts there are
}

func (r *record) columns() []column {
	return []column{
		{"chain", &r.chain, local},
		{"sum", asJSON{in: &r.Sum}, 0},
		{"added", asJSON{in: &r.Added}, secret},
		{"shortfalls", asJSON{in: &r.Shortfalls}, 0},
		{"entries", &r.Entries, 0},
	}
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

// recorded is a verdict as its row keeps it.
func recorded(e history.Entry) history.Entry {
	if !e.Sent() {
		e.TokensBefore, e.CharsBefore = 0, 0
	}
	if fellShort(e.Cause) {
		e.Cause.Want, e.Cause.Have = 0, 0
	}
	return e
}

// same reports whether the rows of two verdicts are the same.
func same(a, b history.Entry) bool {
	a, b = recorded(a), recorded(b)
	return a.ID == b.ID && a.Index == b.Index && a.Role == b.Role && a.Disposition == b.Disposition &&
		a.Level == b.Level && a.Place == b.Place && a.Cause == b.Cause &&
		a.Pinned == b.Pinned && a.Whole == b.Whole && a.Recalled == b.Recalled &&
		a.TokensBefore == b.TokensBefore && a.TokensAfter == b.TokensAfter &&
		a.CharsBefore == b.CharsBefore && a.CharsAfter == b.CharsAfter &&
		slices.Equal(a.Cuts, b.Cuts) && slices.Equal(a.Inserted, b.Inserted) && slices.Equal(a.Repairs, b.Repairs)
}

// recordOf is the record of a plan.
func recordOf(p Verdicts) record {
	r := record{Sum: &p.Sum, Added: p.Added, Entries: len(p.Entries)}
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

// complete adds the shortfall of its message to a verdict.
func (r record) complete(e *history.Entry) {
	at, _ := slices.BinarySearchFunc(r.Shortfalls, e.ID, func(s shortfall, id int64) int {
		if s.Last < id {
			return -1
		}
		return 1
	})
	if at < len(r.Shortfalls) && r.Shortfalls[at].First <= e.ID && fellShort(e.Cause) {
		e.Cause.Want, e.Cause.Have = r.Shortfalls[at].Want, r.Shortfalls[at].Have
	}
}

// newestPlan is the plan that was stored last, so that the next one is compared with it and not with rows.
type newestPlan struct {
	request int64
	entries []history.Entry
}

// putPlan stores the plan of a request that was added, whose messages have to be in order: what is otherwise than in
// the request of this machine before it.
func putPlan(t *tx, session int64, r Request, p Verdicts, newest *newestPlan) {
	if !slices.IsSortedFunc(p.Entries, byID) {
		t.fail(fmt.Errorf("the messages of the plan of request %d are not in order", r.ID))
	}
	l := RequestLine{Request: r, record: recordOf(p)}
	l.base = value[int64](t, `
		SELECT coalesce(max(id), 0)
		FROM requests
		WHERE session = ? AND purpose = ? AND chain <> 0 AND id & ? = ?`,
		session, r.Purpose, idStep-1, r.ID&(idStep-1))
	before := newest.entries
	if newest.request != l.base {
		before = verdictsOf(t, l.base)
	}
	l.verdicts, l.ended = difference(before, p.Entries)
	*newest = newestPlan{r.ID, p.Entries}
	putChange(t, session, &l)
}

// byID orders verdicts by their messages, of which none comes twice.
func byID(a, b history.Entry) int {
	if a.ID <= b.ID {
		return -1
	}
	return 1
}

// difference are the verdicts of a plan that the one before has not, and the messages whose verdicts there end.
func difference(before, now []history.Entry) (begun []history.Entry, ended []int64) {
	for _, e := range now {
		for len(before) > 0 && before[0].ID < e.ID {
			ended, before = append(ended, before[0].ID), before[1:]
		}
		if len(before) > 0 && before[0].ID == e.ID {
			was := before[0]
			before = before[1:]
			if same(was, e) {
				continue
			}
			ended = append(ended, e.ID)
		}
		begun = append(begun, e)
	}
	for _, e := range before {
		ended = append(ended, e.ID)
	}
	return begun, ended
}

// errNoBase says that the plan of a request cannot be stored without another one that is not here.
var errNoBase = errors.New("the plan of the request before it is not here")

// putChange stores the plan of a request behind that of its base. Where another request follows the base already, as
// where two machines went on with the same number, it begins a chain of its own.
func putChange(t *tx, session int64, l *RequestLine) {
	l.chain = l.ID
	if l.base != 0 {
		var newest int64
		there := t.row([]any{&l.chain, &newest}, `
			SELECT chain, (SELECT max(o.id) FROM requests o WHERE o.chain = r.chain)
			FROM requests r
			WHERE id = ? AND session = ? AND purpose = ? AND chain <> 0`, l.base, session, l.Purpose)
		switch {
		case !there:
			t.fail(errNoBase)
		case newest != l.base:
			copyVerdicts(t, session, l)
		default:
			t.exec(`
				UPDATE verdicts
				SET last_request = ?
				WHERE session = ?
					AND chain = ?
					AND message IN (SELECT value FROM json_each(?))
					AND last_request IS NULL`, l.base, session, l.chain, sqlite.IDs(l.ended))
		}
	}
	for _, e := range l.verdicts {
		e = recorded(e)
		t.insert("verdicts", verdictColumns(&e),
			sql.Named("session", session),
			sql.Named("purpose", l.Purpose),
			sql.Named("chain", l.chain),
			sql.Named("first_request", l.ID))
	}
	t.update("requests", l.record.columns(), 0, sql.Named("id", l.ID))
}

// copyVerdicts begins a chain with the verdicts of the base that do not end.
func copyVerdicts(t *tx, session int64, l *RequestLine) {
	from := l.chain
	l.chain = l.ID
	kept := names(verdictColumns(new(history.Entry)), "")
	t.exec(`
		INSERT INTO verdicts (session, purpose, chain, first_request, `+kept+`)
		SELECT session, purpose, ?4, ?4, `+kept+`
		FROM verdicts v
		WHERE `+holdsFor+` AND message NOT IN (SELECT value FROM json_each(?5))`,
		session, from, l.base, l.ID, sqlite.IDs(l.ended))
}

// holdsFor is the condition that a run v holds for request ?3 of chain ?2 of session ?1.
const holdsFor = `v.session = ?1
	AND v.chain = ?2
	AND v.first_request <= ?3
	AND (v.last_request IS NULL OR v.last_request >= ?3)`

// covers is the condition that a run v holds for a request r.
const covers = `v.chain = r.chain
	AND v.first_request <= r.id
	AND (v.last_request IS NULL OR v.last_request >= r.id)`

// readRecord reads what the row of a request has of its plan.
func readRecord(t *tx, request int64) (session int64, r record) {
	t.row(append(fields(r.columns()), &session),
		"SELECT "+names(r.columns(), "r")+", session FROM requests r WHERE id = ?", request)
	return session, r
}

// verdictsOf reads the verdicts of a request in order, as the rows have them; none for request 0.
func verdictsOf(t *tx, request int64) []history.Entry {
	session, r := readRecord(t, request)
	return readVerdicts(t, holdsFor, session, r.chain, request)
}

func readVerdicts(t *tx, condition string, args ...any) (all []history.Entry) {
	var e history.Entry // one for all rows, so that its columns are listed once
	into := fields(verdictColumns(&e))
	t.each(func(scan func(...any) error) error {
		e = history.Entry{}
		err := scan(into...)
		all = append(all, e)
		return err
	}, "SELECT "+names(verdictColumns(new(history.Entry)), "v")+
		" FROM verdicts v WHERE "+condition+" ORDER BY v.message", args...)
	return all
}

// readChange adds the plan of a request to its line, as what it has otherwise than the request before it in its chain.
func readChange(t *tx, l *RequestLine) {
	var session int64
	if session, l.record = readRecord(t, l.ID); l.chain == 0 {
		return
	}
	l.base = value[int64](t, `SELECT coalesce(max(id), 0) FROM requests WHERE chain = ? AND id < ?`, l.chain, l.ID)
	l.verdicts = readVerdicts(t, `session = ? AND chain = ? AND first_request = ?`, session, l.chain, l.ID)
	l.ended = t.ids(`
		SELECT message
		FROM verdicts
		WHERE session = ? AND chain = ? AND last_request = ?
		ORDER BY message`, session, l.chain, l.base)
}

// Verdicts reads the plan of a request as it was decided. It is an error where it was not recorded or cannot be read.
func (s *Store) Verdicts(ctx context.Context, request int64) (Verdicts, error) {
	return inTx(ctx, s.view, fmt.Sprintf("read the plan of request %d", request), func(t *tx) Verdicts {
		_, r := readRecord(t, request)
		if r.Sum == nil {
			t.fail(errors.New("it has no plan"))
			return Verdicts{}
		}
		p := Verdicts{Sum: *r.Sum, Added: r.Added, Entries: verdictsOf(t, request)}
		if len(p.Entries) != r.Entries {
			t.fail(fmt.Errorf("it has %d entries, and %d of them are there", r.Entries, len(p.Entries)))
		}
		for i := range p.Entries {
			r.complete(&p.Entries[i])
		}
		return p
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
	return withSession(ctx, s.view, "read the history of a verdict", session, func(t *tx, n int64) []PastVerdict {
		return pastVerdicts(t, n, message, "", limit)
	})
}

// LastWhole is, for each of some messages, the newest past request in which the model got all of its text. A message
// that no model ever got whole is not in the map.
func (s *Store) LastWhole(ctx context.Context, session string, messages ...int64) (map[int64]PastVerdict, error) {
	doing := "read when messages were sent whole"
	return withSession(ctx, s.view, doing, session, func(t *tx, n int64) map[int64]PastVerdict {
		found := make(map[int64]PastVerdict, len(messages))
		for _, id := range messages {
			if newest := pastVerdicts(t, n, id, "AND v.whole", 1); len(newest) > 0 {
				found[id] = newest[0]
			}
		}
		return found
	})
}

// pastVerdicts are the newest verdicts on a message of a session that fulfil a condition, without those that cannot be
// read.
func pastVerdicts(t *tx, session, message int64, condition string, limit int) (all []PastVerdict) {
	// The limit is written out: SQLite finds another way for a short one, which takes a tenth of the time.
	t.each(func(scan func(...any) error) error {
		var v PastVerdict
		var r record
		into := append(fields(r.columns()), fields(verdictColumns(&v.Entry))...)
		err := scan(append(into, &v.Request, &v.Turn, &v.Nth, &v.Of, millis{&v.At}, &v.Model)...)
		if errors.Is(err, errColumn) || err == nil && r.Sum == nil {
			return nil
		}
		if err == nil {
			v.Sum = *r.Sum
			r.complete(&v.Entry)
			all = append(all, v)
		}
		return err
	}, `
		SELECT `+names(new(record).columns(), "r")+", "+names(verdictColumns(new(history.Entry)), "v")+`,
			r.id,
			r.turn,
			(SELECT count(*) FROM requests o WHERE o.session = r.session AND o.turn = r.turn AND o.id <= r.id),
			(SELECT count(*) FROM requests o WHERE o.session = r.session AND o.turn = r.turn),
			r.created_ms,
			r.endpoint || '/' || r.model
		FROM verdicts v
		CROSS JOIN requests r ON `+covers+`
		WHERE v.session = ? AND v.message = ? AND r.ended <> 'failed' `+condition+`
		ORDER BY r.id DESC
		LIMIT `+strconv.Itoa(limit), session, message)
	return all
}

// CutShort are the ids of the messages that a past request for an answer did not hold whole, sorted.
func (s *Store) CutShort(ctx context.Context, session string) ([]int64, error) {
	return withSession(ctx, s.view, "read what was cut short", session, func(t *tx, n int64) []int64 {
		return t.ids(`
			SELECT DISTINCT v.message
			FROM verdicts v
			WHERE v.session = ?
				AND v.purpose = ''
				AND NOT v.whole
				AND EXISTS (SELECT 1 FROM requests r WHERE `+covers+` AND r.ended <> 'failed')
			ORDER BY v.message`, n)
	})
}

// NewestSum is where the tokens of the newest request for an answer of a session went, and whether it did not hold a
// message, or not all of it. Where there is none the sum is zero.
func (s *Store) NewestSum(ctx context.Context, session string) (sum history.Sum, leftOut bool, err error) {
	sum, err = withSession(ctx, s.view, "read the newest request", session, func(t *tx, n int64) (newest history.Sum) {
		t.row([]any{asJSON{in: &newest}, &leftOut}, `
			SELECT r.sum, EXISTS (
				SELECT 1
				FROM verdicts v
				WHERE v.session = r.session
					AND `+covers+`
					AND NOT v.whole
					AND v.disposition IN ('dropped', 'cut', 'recalled')
			)
			FROM requests r
			WHERE r.session = ? AND r.purpose = '' AND r.chain <> 0
			ORDER BY r.id DESC
			LIMIT 1`, n)
		return newest
	})
	return sum, leftOut, err
}

// Tally counts the verdicts of a request.
type Tally struct {
	Sum                                            history.Sum // where the request's tokens went
	Stored, Sent, Cut, Dropped, Recalled, Repaired int         // messages; the repaired ones are among those sent
}

// Tallies counts the verdicts of all of a session's requests that have some, by the request.
func (s *Store) Tallies(ctx context.Context, session string) (map[int64]Tally, error) {
	return withSession(ctx, s.view, "count the verdicts", session, func(t *tx, n int64) map[int64]Tally {
		tallies := map[int64]Tally{}
		t.each(func(scan func(...any) error) error {
			var id int64
			var c Tally
			err := scan(&id, asJSON{in: &c.Sum}, &c.Stored, &c.Sent, &c.Cut, &c.Dropped, &c.Recalled, &c.Repaired)
			tallies[id] = c
			return err
		}, `
			WITH runs AS MATERIALIZED (
				SELECT
					chain,
					first_request,
					last_request,
					count(*) AS stored,
					sum(disposition IN ('kept', 'cut', 'recalled')) AS sent,
					sum(disposition = 'cut') AS cut,
					sum(disposition = 'dropped') AS dropped,
					sum(disposition = 'recalled') AS recalled,
					sum(disposition IN ('kept', 'cut', 'recalled') AND repairs IS NOT NULL) AS repaired
				FROM verdicts
				WHERE session = ?1
				GROUP BY chain, first_request, last_request
			)
			SELECT
				r.id,
				r.sum,
				coalesce(sum(v.stored), 0),
				coalesce(sum(v.sent), 0),
				coalesce(sum(v.cut), 0),
				coalesce(sum(v.dropped), 0),
				coalesce(sum(v.recalled), 0),
				coalesce(sum(v.repaired), 0)
			FROM requests r
			LEFT JOIN runs v ON `+covers+`
			WHERE r.session = ?1 AND r.chain <> 0
			GROUP BY r.id`, n)
		return tallies
	})
}
