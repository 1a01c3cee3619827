package history

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
)

// Entries are what they were made of, whatever runs they are kept as.
func TestEntriesReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []Entry
		for i := range rapid.IntRange(0, 3*chunk/2).Draw(t, "entries") {
			if i > 0 && rapid.IntRange(0, 9).Draw(t, "as before") > 0 {
				e := list[i-1]
				e.ID, e.Index = e.ID+1, e.Index+1
				list = append(list, e)
				continue
			}
			size := rapid.SampledFrom([]int{0, 1, 7, 1 << 40, -1})
			e := Entry{
				ID: int64(i + 1), Index: i + rapid.IntRange(0, 1).Draw(t, "apart"),
				Role:         rapid.SampledFrom([]Role{System, User, Assistant, Tool, "critic", ""}).Draw(t, "role"),
				Disposition:  rapid.SampledFrom([]Disposition{Kept, Dropped, Cut}).Draw(t, "disposition"),
				Cause:        Cause{Code: rapid.SampledFrom([]cause.Code{cause.Older, cause.Fits}).Draw(t, "cause")},
				TokensBefore: size.Draw(t, "tokens"), CharsBefore: size.Draw(t, "characters"),
				TokensAfter: size.Draw(t, "tokens sent"), CharsAfter: size.Draw(t, "characters sent"),
			}
			if rapid.Bool().Draw(t, "all of it") {
				e.TokensAfter, e.CharsAfter = e.TokensBefore, e.CharsBefore
			}
			if rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
				e.Cuts = []Range{{1, 2}}
			}
			list = append(list, e)
		}
		l := EntriesOf(list...)
		if got := l.List(); l.Len() != len(list) || len(list) > 0 && !reflect.DeepEqual(got, list) {
			t.Fatalf("got\n%+v\nwant\n%+v", got, list)
		}
		from := 0
		for e, n := range l.Runs() {
			for k := from; k < from+n; k++ {
				if is := list[k]; is.Disposition != e.Disposition || is.Cause != e.Cause || is.Whole != e.Whole || n > 1 && is.Cuts != nil {
					t.Fatalf("entry %d is %+v, in a run of %+v", k, is, e)
				}
			}
			from += n
		}
		sent := 0
		for i, e := range l.Sent() {
			sent++
			if !reflect.DeepEqual(e, list[i]) || !e.Sent() {
				t.Fatalf("entry %d is sent as %+v, want %+v", i, e, list[i])
			}
		}
		for i, e := range list {
			if l.ID(i) != e.ID || l.Find(e.ID) != i || !reflect.DeepEqual(l.At(i), e) {
				t.Fatalf("entry %d has the id %d at %d: %+v, want %+v", i, l.ID(i), l.Find(e.ID), l.At(i), e)
			}
			if e.Sent() {
				sent--
			}
		}
		if from != len(list) || sent != 0 {
			t.Fatalf("the runs have %d entries of %d, and %d are sent too many", from, len(list), sent)
		}
	})
}

// A plan stays what it is when the conversation goes on, is counted again or goes to another model.
func TestAPlanKeepsItsEntries(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		n := rapid.IntRange(0, len(s.past)).Draw(t, "planned")
		c := Read(s.past[:n], s.o.Count)
		plan, _ := c.Build(s.o)
		want := plan.Entries.List()
		if err := c.Append(s.past[n:]...); err != nil {
			t.Fatal(err)
		}
		counts := map[int]int{}
		for i := range s.past {
			counts[i] = 77 + i
		}
		c.Recount(counts)
		s.o.To, s.o.Remedies = Origin{Endpoint: "cloud", Model: "small"}, nil
		c.Build(s.o)
		if got := plan.Entries.List(); !reflect.DeepEqual(got, want) {
			t.Fatalf("the entries were\n%+v\nand are\n%+v\n%s", want, got, s)
		}
	})
}
