package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store/verdicts"
)

// table is a mapping of ids that says of each one what it is elsewhere. Ids that it does not have are other sessions'.
type table map[int64]int64

func (t table) message(id int64) int64 { return t[id] }
func (t table) request(id int64) int64 { return t[id] }
func (t table) summary(id int64) int64 { return t[id] }

// all are the ids that others are there.
func (t table) all(ids ...int64) (out []int64) {
	for _, id := range ids {
		out = append(out, t[id])
	}
	return out
}

func (t table) messages(runs history.IDs) history.IDs {
	var ids []int64
	for _, run := range runs {
		for id := run[0]; id <= run[1]; id++ {
			if to, there := t[id]; there {
				ids = append(ids, to)
			}
		}
	}
	return tight(ids)
}

// tight are the runs of ids that are in order, without any other id.
func tight(ids []int64) history.IDs {
	out := history.IDs{}
	for _, id := range ids {
		if n := len(out); n > 0 && out[n-1][1] == id-1 {
			out[n-1][1] = id
		} else {
			out = append(out, [2]int64{id, id})
		}
	}
	return out
}

func (t table) entries(runs []idRun) []idRun {
	var out []idRun
	var id, before int64
	for _, run := range runs {
		for range run.N {
			id += run.V
			by := t[id] - before
			before = t[id]
			if n := len(out); n > 0 && out[n-1].V == by {
				out[n-1].N++
			} else {
				out = append(out, idRun{by, 1})
			}
		}
	}
	return out
}

// TestRecordsAreMapped maps the records of requests to ids with other gaps between them, and back.
func TestRecordsAreMapped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		there, back := table{}, table{}
		var ids []int64
		var id, to int64
		for range rapid.IntRange(2, 30).Draw(t, "messages") {
			id += rapid.Int64Range(1, 3).Draw(t, "gap")
			to += rapid.Int64Range(1, 4).Draw(t, "gap there")
			there[id], back[to] = to, id
			ids = append(ids, id)
		}
		some := func(name string) []int64 {
			return slices.DeleteFunc(slices.Clone(ids), func(int64) bool { return rapid.Bool().Draw(t, name) })
		}
		var planned []int64
		var entries []history.Entry
		for i, id := range some("planned") {
			planned = append(planned, id)
			entries = append(entries, history.Entry{ID: id, Index: i, Role: history.User, Disposition: history.Kept})
		}
		plan := packed(t, entries)
		one := func() int64 { return rapid.SampledFrom(ids).Draw(t, "id") }
		flag, remedy, leaf, summary := one(), one(), one(), one()
		guessed, scope, summarized, turn := some("guessed"), some("scope"), some("summarized"), some("turn")
		// options is what decided the request, with the ids that to gives.
		options := func(to func(...int64) []int64) Text {
			text, err := marshal(map[string]any{
				"flags": map[int64]string{to(flag)[0]: "pin"}, "guessed": tight(to(guessed...)), "leaf": to(leaf)[0], "policy": "<fit>",
				"remedies": map[int64]string{to(remedy)[0]: "leave out"}, "scope": map[string]any{"For": "alone", "Messages": tight(to(scope...))},
				"summary": map[string]any{"ID": to(summary)[0], "Messages": tight(to(summarized...)), "Text": "1"}, "turn": append([]int64{}, to(turn...)...),
			})
			if err != nil {
				t.Fatal(err)
			}
			return Text(text)
		}
		want := RequestLine{ID: one(), User: one(), Options: options(func(ids ...int64) []int64 { return ids }), Plan: plan}
		mapped, err := remap(Line{Request: &want}, there)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := mapped.Request.Options, options(there.all); same(t, got) != same(t, want) {
			t.Fatalf("the options are there\n%s\nwant\n%s", got, want)
		}
		if got, err := verdicts.Unpack(mapped.Request.Plan); err != nil || !slices.Equal(named(got), there.all(planned...)) {
			t.Fatalf("the plan names %v of %v there, %v", named(got), planned, err)
		}
		again, err := remap(mapped, back)
		if err != nil {
			t.Fatal(err)
		}
		if same(t, again.Request.Options) != same(t, want.Options) {
			t.Fatalf("the options come back as\n%s\nwant\n%s", again.Request.Options, want.Options)
		}
		got := *again.Request
		if planJSON(t, got.Plan) != planJSON(t, want.Plan) {
			t.Fatalf("the plan comes back as\n%s\nwant\n%s", planJSON(t, got.Plan), planJSON(t, want.Plan))
		}
		got.Options, got.Plan = want.Options, want.Plan
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("the record comes back as\n%+v\nwant\n%+v", got, want)
		}
	})
}

func packed(t *rapid.T, entries []history.Entry) []byte {
	plan, err := (Verdicts{Entries: history.EntriesOf(entries...)}).Pack()
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func named(plan Verdicts) (ids []int64) {
	for _, e := range plan.Entries.All() {
		ids = append(ids, e.ID)
	}
	return ids
}

// planJSON is the JSON of a plan, in the form of same.
func planJSON(t *rapid.T, plan []byte) string {
	text, err := verdicts.Unzip(plan)
	if err != nil {
		t.Fatal(err)
	}
	return same(t, Text(text))
}

// same is JSON in the one form that all of the same meaning have.
func same(t *rapid.T, text Text) string {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(v)
}
