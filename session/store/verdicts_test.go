package store

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// anyEntry returns a random verdict on a message.
func anyEntry(t *rapid.T, id int64, index int) history.Entry {
	text := rapid.SampledFrom([]string{"", "kept whole", `"`, `\`, `,"`, `","n":7}`, "<&>\u2028"})
	e := anything[history.Entry](t, text)
	e.ID, e.Index = id, index
	e.Disposition = rapid.SampledFrom([]history.Disposition{
		history.Kept, history.Kept, history.Cut, history.Dropped, history.Recalled,
	}).Draw(t, "disposition")
	return e
}

// nextPlan returns a plan that follows another one, on the same branch or on another, with some verdicts changed.
func nextPlan(t *rapid.T, before history.Plan, ids []int64) history.Plan {
	p := history.Plan{
		Sum:   history.TokenSum{Total: rapid.IntRange(0, 9999).Draw(t, "total"), Ratio: 1.5},
		Added: []history.AddedText{{Kind: "marker", Text: "…", Cause: history.Cause{Text: "gap"}}},
	}
	kept := rapid.IntRange(0, len(before.Entries)).Draw(t, "branches off at")
	if rapid.Bool().Draw(t, "goes on") {
		kept = len(before.Entries)
	}
	p.Entries = slices.Clone(before.Entries[:kept])
	at := 0
	for i, e := range p.Entries {
		if rapid.IntRange(0, 3).Draw(t, "changed") == 0 {
			p.Entries[i] = anyEntry(t, e.ID, i)
		}
		at = slices.Index(ids, e.ID) + 1
	}
	for range rapid.IntRange(0, 9).Draw(t, "new") {
		at += rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(t, "left out")
		if at < len(ids) {
			p.Entries = append(p.Entries, anyEntry(t, ids[at], len(p.Entries)))
		}
		at++
	}
	return p
}

// planned is a session with recorded requests.
type planned struct {
	id     string
	ids    []int64
	newest map[Purpose]history.Plan
	short  []int64
}

// A plan is read back as it was recorded, whatever the branches and machines of the requests around it, also after the
// session was copied to another history. The history of a message's verdicts agrees with the plans.
func TestPlansOfAnyRequestsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		s, other := memory(t), memory(t)
		defer s.Close()
		defer other.Close()
		var sessions []*planned
		for range 2 {
			row, m, err := s.BeginSession(ctx, Session{}, says("", 0, history.User, "hello"))
			in := &planned{id: row.ID, newest: map[Purpose]history.Plan{}}
			for i := 0; i < 40 && err == nil; i++ {
				in.ids = append(in.ids, m.ID)
				m, err = s.AppendMessage(ctx, says(row.ID, m.ID, history.User, "said"))
			}
			check(t, err)
			sessions = append(sessions, in)
		}
		plans := map[int64]history.Plan{}
		past, last := map[int64][]PastVerdict{}, map[int64]history.Disposition{}
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			in := rapid.SampledFrom(sessions).Draw(t, "session")
			r := Request{
				Session: in.id, Turn: rapid.IntRange(1, 2).Draw(t, "turn"), Endpoint: "e", Model: "m",
				Purpose: rapid.SampledFrom([]Purpose{PurposeAnswer, PurposeAnswer, PurposeSummary}).Draw(t, "purpose"),
				End:     rapid.SampledFrom([]RequestEnd{EndDone, EndDone, EndFailed, ""}).Draw(t, "end"),
			}
			p := nextPlan(t, in.newest[r.Purpose], in.ids)
			in.newest[r.Purpose], r.Plan = p, &p
			if rapid.IntRange(0, 5).Draw(t, "another machine") == 0 {
				_, err := s.durable.Exec(`UPDATE home SET number = (number + 1) % 4096`)
				check(t, err)
			}
			stored, err := s.AddRequest(ctx, r)
			check(t, err)
			if tally := CountVerdicts(p.Entries); !reflect.DeepEqual(stored.Tally, tally) || stored.Sum != p.Sum {
				t.Fatalf("the request has %+v and %+v, want %+v and %+v", stored.Tally, stored.Sum, tally, p.Sum)
			}
			plans[stored.ID] = p
			for _, e := range p.Entries {
				if r.End != EndFailed {
					past[e.ID] = slices.Insert(past[e.ID], 0, PastVerdict{Turn: r.Turn, Entry: storedVerdict(e)})
				}
				if r.Purpose == PurposeAnswer && r.End != EndFailed {
					last[e.ID] = e.Disposition
				}
				if r.Purpose == PurposeAnswer && !e.Whole {
					in.short = append(in.short, e.ID)
				}
			}
		}
		for _, in := range sessions {
			_, err := other.Apply(ctx, func(take func(Line) error) error { return s.Dump(ctx, in.id, take) })
			check(t, err)
			slices.Sort(in.short)
			if got, err := s.NotSentWhole(ctx, in.id); err != nil || !slices.Equal(got, slices.Compact(in.short)) {
				t.Fatalf("cut short were %v, %v, want %v", got, err, slices.Compact(in.short))
			}
			for _, id := range in.ids {
				for most, want := range map[int][]PastVerdict{0: past[id], 2: past[id][:min(2, len(past[id]))]} {
					if got, err := s.VerdictHistory(ctx, id, most); err != nil || !slices.EqualFunc(got, want, same) {
						t.Fatalf("the history of message %d is\n%+v, %v\nwant\n%+v", id, got, err, want)
					}
				}
				places, err := s.Positions(ctx, id)
				verdict := places[id].LastVerdict
				if err != nil || (verdict != nil) != (last[id] != "") || verdict != nil && verdict.Disposition != last[id] {
					t.Fatalf("the last verdict on message %d is %+v, %v, want %q", id, verdict, err, last[id])
				}
			}
		}
		for request, want := range plans {
			for i := range want.Entries {
				want.Entries[i] = storedVerdict(want.Entries[i])
			}
			for _, in := range []*Store{s, other} {
				got, err := in.Verdicts(ctx, request)
				if err != nil || got.Sum != want.Sum || !slices.EqualFunc(got.Entries, want.Entries, same) {
					t.Fatalf("request %d is read as\n%+v, %v\nwant\n%+v", request, got, err, want)
				}
			}
		}
	})
}

func same[T any](a, b T) bool { return reflect.DeepEqual(a, b) }

// memory opens a history in memory.
func memory(t *rapid.T) *Store {
	s, err := Open(context.Background(), sqlite.InMemory, Options{Now: noon().now})
	check(t, err)
	return s
}

func check(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}
