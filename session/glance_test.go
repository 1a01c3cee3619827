package session

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
)

// tricky are texts that look like the record they stand in.
var tricky = []string{
	"", "kept whole", ",", `"`, `\`, `,"`, `","n":7}`, `,"id":[{"v":1,"n":1}]`, `,"marks":[`, `,"cuts":{"0":[`, `{"1":[`, "<&>\u2028",
}

// verdictsOf are verdicts of any kind on messages whose ids rise.
func verdictsOf() *rapid.Generator[Verdicts] {
	return rapid.Custom(func(t *rapid.T) Verdicts {
		text := rapid.SampledFrom(tricky)
		v := Verdicts{Added: []history.Added{{Kind: "marker", Text: text.Draw(t, "added"), Cause: history.Cause{Text: text.Draw(t, "why")}}}}
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
			v.Entries = append(v.Entries, e)
		}
		return v
	})
}

// TestAGlanceTellsWhatTheRecordHolds reads single entries of a record, and all of it.
func TestAGlanceTellsWhatTheRecordHolds(t *testing.T) {
	var g glancer // for one record after the other
	rapid.Check(t, func(t *rapid.T) {
		v := verdictsOf().Draw(t, "verdicts")
		raw, err := v.pack()
		if err != nil {
			t.Fatal(err)
		}
		seen, err := g.look(store.Request{Plan: raw})
		if err != nil {
			t.Fatal(err)
		}
		if short := cutShort(v.Entries); !slices.Equal(seen.cutShort(len(v.Entries)), short) {
			t.Fatalf("not whole are %v, want %v", seen.cutShort(len(v.Entries)), short)
		}
		wanted, want := []int64{}, map[int64]int{}
		for i, e := range v.Entries {
			if rapid.Bool().Draw(t, "wanted") {
				wanted, want[e.ID] = append(wanted, e.ID), i
			}
			if rapid.IntRange(0, 5).Draw(t, "unknown") == 0 && (i == len(v.Entries)-1 || v.Entries[i+1].ID != e.ID+1) {
				wanted = append(wanted, e.ID+1)
			}
		}
		if sum, err := seen.sum(); err != nil || sum != v.Sum {
			t.Fatalf("the sum is %+v, %v, want %+v", sum, err, v.Sum)
		}
		places := seen.places(wanted)
		if !reflect.DeepEqual(places, want) {
			t.Fatalf("messages %v are at %v, want %v", wanted, places, want)
		}
		for id, at := range places {
			e, err := seen.entry(id, at)
			if err != nil || !reflect.DeepEqual(e, v.Entries[at]) {
				t.Fatalf("entry %d is\n%+v, %v, want\n%+v", at, e, err, v.Entries[at])
			}
			if whole, err := seen.whole(at); err != nil || whole != e.Whole {
				t.Fatalf("entry %d is whole: %t, %v, want %t", at, whole, err, e.Whole)
			}
		}
	})
}

// TestAGlanceAtDamageEnds reads records of which bytes are missing or otherwise.
func TestAGlanceAtDamageEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := verdictsOf().Draw(t, "verdicts")
		raw, err := v.pack()
		if err != nil {
			t.Fatal(err)
		}
		var g glancer
		if _, err := g.look(store.Request{Plan: raw}); err != nil {
			t.Fatal(err)
		}
		plain := append([]byte(nil), g.plain.Bytes()...)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(plain)-1).Draw(t, "at")
			if plain[at] = rapid.Byte().Draw(t, "byte"); rapid.Bool().Draw(t, "end") {
				plain = plain[:at+1]
			}
		}
		seen, err := glanceAt(plain)
		if err != nil {
			return
		}
		for id, at := range seen.places([]int64{1, 2, 3, 1000}) {
			seen.entry(id, at) // An error, or a verdict as the damage made it; no panic.
			seen.whole(at)
		}
		if short := seen.cutShort(30); len(short) > 30 {
			t.Fatalf("of a record of at most 30 messages %d are not whole", len(short))
		}
	})
}
