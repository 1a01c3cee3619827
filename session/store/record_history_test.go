package store

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
)

// What the rows of all requests tell is what the plans tell one by one.
func TestHistoryOfAVerdictIsThatOfThePlans(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		session, _ := begin(t, s, "", "hello")
		other, _ := begin(t, s, "", "elsewhere")
		pick := func(name string, n int) int { return rapid.IntRange(0, n-1).Draw(rt, name) }
		dispositions := []history.Disposition{
			history.Kept, history.Cut, history.Dropped, history.Recalled,
			history.Excluded,
		}
		plan := history.Plan{}
		for range 6 {
			m := add(t, s, says(session.ID, 0, history.User, "said"))
			plan.Entries = append(plan.Entries, history.Entry{ID: m.ID, Disposition: history.Kept, Whole: true})
		}
		of := map[int]int{}
		want := map[int64][]PastVerdict{}
		short := []int64{}
		for range rapid.IntRange(1, 9).Draw(rt, "requests") {
			list := slices.Clone(plan.Entries)
			e := &list[pick("changed", 6)]
			*e = history.Entry{ID: e.ID, Disposition: dispositions[pick("disposition", 5)], Whole: pick("whole",
				2) == 0}
			if pick("mended", 2) == 0 {
				e.Repairs = []history.Repair{{Kind: "C1"}}
			}
			plan.Entries = list
			p := history.Plan{Sum: history.Sum{Total: pick("total", 9)}, Entries: list[:1+pick("length", 6)]}
			r := Request{
				Session: session.ID, Turn: 1 + pick("turn", 2), Endpoint: "e", Model: "m", Plan: &p,
				Purpose: rapid.SampledFrom([]Purpose{ForAnswer, ForAnswer, ForSummary}).Draw(rt, "purpose"),
				End:     rapid.SampledFrom([]RequestEnd{EndDone, EndDone, EndFailed, ""}).Draw(rt, "end"),
			}
			switch pick("as", 6) {
			case 0:
				r.Plan = nil
			case 1:
				_, err := s.AddRequest(ctx, Request{Session: other.ID, Turn: r.Turn, Plan: &p})
				must(t, "add to another session", err)
			}
			stored, err := s.AddRequest(ctx, r)
			must(t, "add", err)
			of[r.Turn]++
			if r.Plan == nil {
				continue
			}
			for _, e := range p.Entries {
				seen := PastVerdict{
					Turn: r.Turn, Nth: of[r.Turn], Request: stored.ID, At: stored.Created, Model: "e/m",
					Sum: p.Sum, Entry: e,
				}
				if r.End != EndFailed {
					want[e.ID] = append(want[e.ID], seen)
				}
				if r.Purpose == ForAnswer && !e.Whole {
					short = append(short, e.ID)
				}
			}
			if want := TallyOf(p.Entries); stored.Tally != want || stored.Sum != p.Sum {
				rt.Fatalf("the request has %+v and %+v, want %+v and %+v", stored.Tally, stored.Sum, want, p.Sum)
			}
		}
		for id, list := range want {
			for i := range list {
				list[i].Of = of[list[i].Turn]
			}
			slices.Reverse(list)
			for _, most := range []int{0, 2} {
				want := list
				if most > 0 {
					want = list[:min(most, len(list))]
				}
				if got, err := s.VerdictHistory(ctx, id, most); err != nil || !reflect.DeepEqual(got,
					want) {
					rt.Fatalf("the history of message %d is\n%+v, %v\nwant\n%+v", id, got, err, want)
				}
			}
		}
		slices.Sort(short)
		if got, err := s.CutShort(ctx, session.ID); err != nil || !slices.Equal(got, slices.Compact(short)) {
			rt.Fatalf("cut short were %v, %v, want %v", got, err, slices.Compact(short))
		}
	})
}
