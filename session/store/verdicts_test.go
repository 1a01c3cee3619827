package store

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// anyEntry is a verdict of any kind on a message.
func anyEntry(t *rapid.T, id int64, index int) history.Entry {
	text := rapid.SampledFrom([]string{"", "kept whole", `"`, `\`, `,"`, `","n":7}`, "<&>\u2028"})
	roles := []history.Role{history.User, history.Assistant, history.Tool, "critic"}
	dispositions := []history.Disposition{history.Kept, history.Kept, history.Cut, history.Dropped, history.Recalled}
	causes := []history.Cause{{Code: history.CauseGap}, {Code: history.CauseOverBudget}, {Code: history.CauseOverChars}}
	number := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
	e := history.Entry{
		ID: id, Index: index, Role: rapid.SampledFrom(roles).Draw(t, "role"),
		Disposition: rapid.SampledFrom(dispositions).Draw(t, "disposition"),
		Cause:       history.Cause{Text: text.Draw(t, "reason")},
		Pinned:      rapid.Bool().Draw(t, "pinned"), Recalled: rapid.Bool().Draw(t, "recalled"),
		TokensAfter: number("tokens", 2), CharsAfter: number("chars", 2),
	}
	if e.Sent() {
		e.Whole, e.Level, e.Place = rapid.Bool().Draw(t, "whole"), history.Whole, history.Out
		e.TokensBefore, e.CharsBefore = number("tokens before", 2), 2
	}
	if number("cut", 2) == 0 {
		e.Cuts = []history.Range{{From: index, To: index + 1}}
		e.Inserted = []history.Insert{{At: index, Text: text.Draw(t, "inserted")}}
	}
	if number("repaired", 2) == 0 {
		e.Repairs = []history.Repair{{Kind: "C1", Before: text.Draw(t, "before"), After: text.Draw(t, "after")}}
	}
	if rapid.Bool().Draw(t, "coded") {
		e.Cause = rapid.SampledFrom(causes).Draw(t, "code")
		e.Cause.Want, e.Cause.Have = number("want", 2), number("have", 1)
	}
	return e
}

// nextPlan is a plan that follows another one: on the same branch or on another, with some verdicts changed.
func nextPlan(t *rapid.T, before history.Plan) history.Plan {
	p := history.Plan{
		Sum:   history.Sum{Total: rapid.IntRange(0, 9999).Draw(t, "total"), Ratio: 1.5},
		Added: []history.Added{{Kind: "marker", Text: "…", Cause: history.Cause{Text: "gap"}}},
	}
	kept := rapid.IntRange(0, len(before.Entries)).Draw(t, "branches off at")
	if rapid.Bool().Draw(t, "goes on") {
		kept = len(before.Entries)
	}
	p.Entries = slices.Clone(before.Entries[:kept])
	for i, e := range p.Entries {
		if rapid.IntRange(0, 3).Draw(t, "changed") == 0 {
			p.Entries[i] = anyEntry(t, e.ID, i)
		}
	}
	id := int64(0)
	if kept > 0 {
		id = p.Entries[kept-1].ID
	}
	for range rapid.IntRange(0, 9).Draw(t, "new") {
		id += rapid.SampledFrom([]int64{1, 1, 2, 1000}).Draw(t, "id")
		p.Entries = append(p.Entries, anyEntry(t, id, len(p.Entries)))
	}
	return p
}

// A plan reads back as it was, whatever branches the requests before and after it were on and whichever windows stored
// them: here, and in a history to which the sessions were copied.
func TestPlansOfAnyRequestsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		s, other := memory(t), memory(t)
		defer s.Close()
		defer other.Close()
		var sessions []string
		for range 2 {
			row, _, err := s.Begin(ctx, Session{}, says("", 0, history.User, "hello"))
			check(t, err)
			sessions = append(sessions, row.ID)
		}
		plans, newest := map[int64]history.Plan{}, map[string]history.Plan{}
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			session := rapid.SampledFrom(sessions).Draw(t, "session")
			purpose := rapid.SampledFrom([]Purpose{ForAnswer, ForAnswer, ForSummary}).Draw(t, "purpose")
			p := nextPlan(t, newest[session+string(purpose)])
			newest[session+string(purpose)] = p
			if rapid.IntRange(0, 5).Draw(t, "another machine") == 0 {
				_, err := s.full.Exec(`UPDATE home SET number = (number + 1) % 4096`)
				check(t, err)
			}
			r, err := s.AddRequest(ctx, Request{Session: session, Purpose: purpose, Plan: &p})
			check(t, err)
			plans[r.ID] = p
		}
		for _, session := range sessions {
			_, err := other.Apply(ctx, func(take func(Line) error) error { return s.Dump(ctx, session, take) })
			check(t, err)
		}
		for request, want := range plans {
			for i := range want.Entries {
				want.Entries[i] = recordedWhole(want.Entries[i])
			}
			for _, in := range []*Store{s, other} {
				got, err := in.Verdicts(ctx, request)
				if err != nil || got.Sum != want.Sum || !slices.EqualFunc(got.Entries, want.Entries, sameEntry) {
					t.Fatalf("request %d is read as\n%+v, %v\nwant\n%+v", request, got, err, want)
				}
			}
		}
	})
}

func sameEntry(a, b history.Entry) bool { return reflect.DeepEqual(a, b) }

// memory is a history in memory.
func memory(t *rapid.T) *Store {
	s, err := Open(context.Background(), sqlite.Memory, Options{Now: noon().now})
	check(t, err)
	return s
}

func check(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// By how much messages did not fit changes with each request, and begins no run. A plan of which rows are lost is an
// error.
func TestShortfallsAreNoPartOfARun(t *testing.T) {
	s := newStore(t)
	session, _ := begin(t, s, "", "hello")
	var plans []history.Plan
	var requests []Request
	for i := range 5 {
		p := history.Plan{Entries: []history.Entry{
			{ID: 1, Disposition: history.Dropped, Cause: history.Cause{
				Code: history.CauseOverBudget, Want: 900,
				Have: i,
			}},
			{ID: 2, Disposition: history.Dropped, Cause: history.Cause{Code: history.CauseOlder}},
			{ID: 3, Disposition: history.Dropped, Cause: history.Cause{
				Code: history.CauseOverBudget, Want: 900,
				Have: i,
			}},
			{ID: 4, Disposition: history.Dropped, Cause: history.Cause{Code: history.CauseOverChars, Want: 40 + i}},
		}}
		r, err := s.AddRequest(t.Context(), Request{Session: session.ID, Plan: &p})
		must(t, "add", err)
		plans, requests = append(plans, p), append(requests, r)
	}
	for i, want := range plans {
		for k := range want.Entries {
			want.Entries[k] = recordedWhole(want.Entries[k])
		}
		if got, err := s.Verdicts(t.Context(), requests[i].ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("request %d is read as\n%+v, %v\nwant\n%+v", i, got, err, want)
		}
	}
	var rows int
	must(t, "count", s.reads.QueryRow(`SELECT count(*) FROM verdicts`).Scan(&rows))
	if rows != 4 {
		t.Errorf("five requests have %d rows for 4 messages, want 4", rows)
	}
	_, err := s.full.Exec(`DELETE FROM verdicts WHERE message = 2`)
	must(t, "lose a row", err)
	if _, err := s.Verdicts(t.Context(), requests[0].ID); err == nil || !strings.Contains(err.Error(), "4 entries") {
		t.Errorf("a plan with a lost row is read: %v", err)
	}
}

// recordedWhole is a verdict as a record gives it back.
func recordedWhole(e history.Entry) history.Entry {
	if !e.Sent() {
		e.TokensBefore, e.CharsBefore = 0, 0
	}
	if e.Cause.Code == history.CauseOverBudget || e.Cause.Code == history.CauseOverChars {
		e.Cause.Want, e.Cause.Have = 0, 0
	}
	return e
}
