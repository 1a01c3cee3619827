package verdicts

import (
	"context"
	"database/sql"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// tricky are texts that look like the record they stand in.
var tricky = []string{
	"", "kept whole", ",", `"`, `\`, `,"`, `","n":7}`, `,"id":[{"v":1,"n":1}]`, `,"marks":[`, `,"cuts":{"0":[`, `{"1":[`, "<&>\u2028",
}

// anyPlan are plans of any kind on messages whose ids rise.
func anyPlan() *rapid.Generator[Plan] {
	return rapid.Custom(func(t *rapid.T) Plan {
		text := rapid.SampledFrom(tricky)
		v := Plan{Added: []history.Added{{Kind: "marker", Text: text.Draw(t, "added"), Cause: history.Cause{Text: text.Draw(t, "why")}}}}
		v.Sum = history.Sum{Total: rapid.IntRange(0, 9999).Draw(t, "total"), Ratio: rapid.Float64Range(0.1, 3).Draw(t, "ratio")}
		id := int64(0)
		for i := range rapid.IntRange(0, 30).Draw(t, "entries") {
			id += rapid.SampledFrom([]int64{1, 1, 1, 1, 2, 5, 1000}).Draw(t, "id")
			e := history.Entry{
				ID: id, Index: i, Role: rapid.SampledFrom([]history.Role{history.User, history.Assistant, history.Tool, "critic"}).Draw(t, "role"),
				Disposition: rapid.SampledFrom([]history.Disposition{history.Kept, history.Kept, history.Cut, history.Dropped, history.Recalled}).Draw(t, "disposition"),
				Cause:       history.Cause{Text: text.Draw(t, "reason")},
				Pinned:      rapid.Bool().Draw(t, "pinned"), Recalled: rapid.Bool().Draw(t, "recalled"),
				TokensAfter: rapid.IntRange(0, 2).Draw(t, "tokens"), CharsAfter: rapid.IntRange(0, 2).Draw(t, "chars"),
			}
			if e.Sent() {
				e.Whole, e.Level, e.Place = rapid.Bool().Draw(t, "whole"), history.Whole, rapid.SampledFrom([]history.Level{history.Out, history.Whole}).Draw(t, "place")
				e.TokensBefore, e.CharsBefore = rapid.IntRange(0, 2).Draw(t, "tokens before"), 2
			}
			if rapid.IntRange(0, 2).Draw(t, "cut") == 0 {
				e.Cuts, e.Inserted = []history.Range{{From: i, To: i + 1}}, []history.Insert{{At: i, Text: text.Draw(t, "inserted")}}
			}
			if rapid.IntRange(0, 2).Draw(t, "mended") == 0 {
				e.Repairs = []history.Repair{{Kind: "C1", Cause: history.Cause{Text: text.Draw(t, "what")}, Before: text.Draw(t, "before"), After: text.Draw(t, "after")}}
			}
			if rapid.Bool().Draw(t, "coded") {
				e.Cause = rapid.SampledFrom([]history.Cause{{Code: history.CauseGap}, {Code: history.CauseOverBudget}, {Code: history.CauseOverChars}}).Draw(t, "code")
				e.Cause.Want, e.Cause.Have = rapid.IntRange(0, 2).Draw(t, "want"), rapid.IntRange(0, 1).Draw(t, "have")
				e.Cause.Text = rapid.SampledFrom([]string{"", "words"}).Draw(t, "words")
			}
			v.Entries = append(v.Entries, e)
		}
		return v
	})
}

type tester interface {
	Helper()
	Fatalf(string, ...any)
}

// newHistory is a file with two sessions and no requests.
func newHistory(t tester) *sql.DB {
	t.Helper()
	db := sqlite.Pool(sqlite.Memory, sqlite.Durable, 1)
	err := sqlite.InTx(context.Background(), db, func(tx *sql.Tx) error {
		if err := sqlite.Create(context.Background(), tx); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO sessions (n, id, created_ms, updated_ms, used) VALUES (1, 'a', 0, 0, 0), (2, 'b', 0, 0, 1)`)
		return err
	})
	if err != nil {
		t.Fatalf("make a history: %v", err)
	}
	return db
}

// addRequest adds the row of a request without its plan.
func addRequest(tx *sql.Tx, session int64, purpose string) (Key, error) {
	result, err := tx.Exec(`
		INSERT INTO requests (session, turn, user, created_ms, endpoint, model, rules, tokenizer, estimate, body_hash, prompt_tokens,
			cached_tokens, answer_tokens, reasoning_tokens, first_token_us, took_us, retries, finish, ended, error, purpose)
		VALUES (?, 1, 1, 0, '', '', 1, '', 0, '', 0, 0, 0, 0, 0, 0, 0, '', 'done', '', ?)`, session, purpose)
	if err != nil {
		return Key{}, err
	}
	id, err := result.LastInsertId()
	return Key{session, id, purpose}, err
}

// nextPlan is a plan as it follows another one: on the same branch or another, with some verdicts changed.
func nextPlan(t *rapid.T, before Plan) Plan {
	fresh := anyPlan().Draw(t, "plan")
	if rapid.IntRange(0, 4).Draw(t, "unlike") == 0 {
		return fresh
	}
	next := Plan{Sum: fresh.Sum, Added: fresh.Added}
	cut := rapid.IntRange(0, len(before.Entries)).Draw(t, "branches off at")
	if rapid.Bool().Draw(t, "goes on") {
		cut = len(before.Entries)
	}
	list := slices.Clone(before.Entries[:cut])
	for i := range list {
		if rapid.IntRange(0, 3).Draw(t, "changed") == 0 && i < len(fresh.Entries) {
			e := fresh.Entries[i]
			e.ID, e.Index = list[i].ID, list[i].Index
			list[i] = e
		}
	}
	last := int64(0)
	if cut > 0 {
		last = list[cut-1].ID
	}
	for _, e := range fresh.Entries {
		if rapid.Bool().Draw(t, "new") {
			e.ID, e.Index = last+1+e.ID, len(list)
			list = append(list, e)
		}
	}
	next.Entries = list
	return next
}

type stored struct {
	Key
	Plan
}

// elsewhere stores plans in another history, where they read back as they were.
func elsewhere(t *rapid.T, all []stored, put func(tx *sql.Tx, w *Writer, s stored) error) {
	db := newHistory(t)
	defer db.Close()
	must(t, sqlite.InTx(context.Background(), db, func(tx *sql.Tx) error {
		var w Writer
		for _, s := range all {
			_, err := tx.Exec(`
				INSERT INTO requests (id, session, turn, user, created_ms, endpoint, model, rules, tokenizer, estimate, body_hash, prompt_tokens,
					cached_tokens, answer_tokens, reasoning_tokens, first_token_us, took_us, retries, finish, ended, error, purpose)
				VALUES (?, ?, 1, 1, 0, '', '', 1, '', 0, '', 0, 0, 0, 0, 0, 0, 0, '', 'done', '', ?)`, s.Request, s.Session, s.Purpose)
			must(t, err)
			if err := put(tx, &w, s); err != nil {
				t.Fatalf("store request %d elsewhere: %v", s.Request, err)
			}
		}
		for _, s := range all {
			got, err := Read(context.Background(), tx, s.Request)
			if err != nil || !reflect.DeepEqual(got.Entries, withLists(s.Entries)) || got.Sum != s.Sum {
				t.Fatalf("request %d is read elsewhere as\n%+v, %v\nwant\n%+v", s.Request, got, err, s.Plan)
			}
		}
		return nil
	}))
}

// A plan reads back as it was, whatever branches the requests before and after it were on, whichever window stored
// them, alone or with all others.
func TestPlansOfAnyRequestsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		db := newHistory(t)
		defer db.Close()
		var all []stored
		newest := map[Key]Plan{}
		var w Writer
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			lane := Key{Session: int64(rapid.IntRange(1, 2).Draw(t, "session")), Purpose: rapid.SampledFrom([]string{"", "", "", "summary"}).Draw(t, "purpose")}
			p := nextPlan(t, newest[lane])
			newest[lane] = p
			if rapid.IntRange(0, 3).Draw(t, "another window") == 0 {
				w = Writer{}
			}
			if rapid.IntRange(0, 5).Draw(t, "taken back") == 0 {
				tx, err := db.Begin()
				must(t, err)
				k, err := addRequest(tx, lane.Session, lane.Purpose)
				must(t, err)
				must(t, new(Writer).Put(context.Background(), tx, k, anyPlan().Draw(t, "lost")))
				must(t, tx.Rollback())
			}
			must(t, sqlite.InTx(context.Background(), db, func(tx *sql.Tx) error {
				k, err := addRequest(tx, lane.Session, lane.Purpose)
				must(t, err)
				all = append(all, stored{k, p})
				return w.Put(context.Background(), tx, k, p)
			}))
		}
		must(t, sqlite.InTx(context.Background(), db, func(tx *sql.Tx) error {
			for _, s := range all {
				got, err := Read(context.Background(), tx, s.Request)
				if err != nil || !reflect.DeepEqual(got.Entries, withLists(s.Entries)) || got.Sum != s.Sum || !reflect.DeepEqual(got.Added, s.Added) {
					t.Fatalf("request %d is read as\n%+v, %v\nwant\n%+v", s.Request, got, err, s.Plan)
				}
			}
			changes := map[int64]*Change{}
			for _, s := range all {
				c, err := ReadChange(context.Background(), tx, s.Key)
				must(t, err)
				text, err := json.Marshal(c)
				must(t, err)
				must(t, json.Unmarshal(text, &c))
				changes[s.Request] = c
			}
			// Elsewhere they come as changes in order, or whole in any order.
			elsewhere(t, all, func(tx *sql.Tx, w *Writer, s stored) error {
				return w.PutChange(context.Background(), tx, s.Key, *changes[s.Request])
			})
			elsewhere(t, rapid.Permutation(all).Draw(t, "order"), func(tx *sql.Tx, w *Writer, s stored) error {
				return w.Put(context.Background(), tx, s.Key, s.Plan)
			})
			return nil
		}))
	})
}

func must(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// withLists are entries as they are read: nil for none.
func withLists(entries []history.Entry) []history.Entry {
	var list []history.Entry
	for _, e := range entries {
		list = append(list, recorded(e))
	}
	return list
}

// A plan of which rows are lost is an error.
func TestAPlanWithALostRowIsAnError(t *testing.T) {
	db := newHistory(t)
	defer db.Close()
	ctx := context.Background()
	must(t, sqlite.InTx(ctx, db, func(tx *sql.Tx) error {
		k, err := addRequest(tx, 1, "")
		must(t, err)
		p := Plan{Entries: []history.Entry{{ID: 1, Disposition: history.Kept}, {ID: 2, Disposition: history.Dropped}}}
		must(t, new(Writer).Put(ctx, tx, k, p))
		_, err = tx.Exec(`DELETE FROM verdicts WHERE message = 2`)
		must(t, err)
		if _, err := Read(ctx, tx, k.Request); err == nil || !strings.Contains(err.Error(), "2 entries") {
			t.Errorf("a plan with a lost row is read: %v", err)
		}
		return nil
	}))
}

// What messages needed and what was left for them changes with each request, and begins no run.
func TestShortfallsAreNoPartOfARun(t *testing.T) {
	db := newHistory(t)
	defer db.Close()
	ctx := context.Background()
	must(t, sqlite.InTx(ctx, db, func(tx *sql.Tx) error {
		var w Writer
		plans := map[int64]Plan{}
		for i := range 5 {
			p := Plan{Entries: []history.Entry{
				{ID: 1, Disposition: history.Dropped, Cause: history.Cause{Code: history.CauseOverBudget, Want: 900, Have: i}},
				{ID: 2, Disposition: history.Dropped, Cause: history.Cause{Code: history.CauseOlder}},
				{ID: 3, Disposition: history.Dropped, Cause: history.Cause{Code: history.CauseOverBudget, Want: 900, Have: i}},
				{ID: 4, Disposition: history.Dropped, Cause: history.Cause{Code: history.CauseOverChars, Want: 40 + i}},
			}}
			k, err := addRequest(tx, 1, "")
			must(t, err)
			must(t, w.Put(ctx, tx, k, p))
			plans[k.Request] = p
		}
		for request, want := range plans {
			if got, err := Read(ctx, tx, request); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("request %d is read as\n%+v, %v\nwant\n%+v", request, got, err, want)
			}
		}
		var rows int
		var shortfalls string
		must(t, tx.QueryRow(`SELECT count(*) FROM verdicts`).Scan(&rows))
		must(t, tx.QueryRow(`SELECT shortfalls FROM requests ORDER BY id LIMIT 1`).Scan(&shortfalls))
		want := `[{"first":1,"last":3,"want":900,"have":0},{"first":4,"last":4,"want":40,"have":0}]`
		if rows != 4 || shortfalls != want {
			t.Errorf("five requests have %d rows for 4 messages, and the first has the shortfalls\n%s\nwant\n%s", rows, shortfalls, want)
		}
		return nil
	}))
}

// A plan whose messages are not in order cannot be kept as runs.
func TestAPlanOutOfOrderIsRefused(t *testing.T) {
	db := newHistory(t)
	defer db.Close()
	must(t, sqlite.InTx(t.Context(), db, func(tx *sql.Tx) error {
		k, err := addRequest(tx, 1, "")
		must(t, err)
		p := Plan{Entries: []history.Entry{{ID: 2}, {ID: 1}}}
		if err := new(Writer).Put(t.Context(), tx, k, p); err == nil {
			t.Error("a plan out of order is kept")
		}
		return nil
	}))
}
