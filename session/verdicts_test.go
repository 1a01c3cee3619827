package session

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
)

// plain is entries without lists that are there and empty.
func plain(entries []history.Entry) []history.Entry {
	out := append([]history.Entry{}, entries...)
	for i := range out {
		e := &out[i]
		if len(e.Cuts) == 0 {
			e.Cuts = nil
		}
		if len(e.Inserted) == 0 {
			e.Inserted = nil
		}
		if len(e.Repairs) == 0 {
			e.Repairs = nil
		}
	}
	return out
}

func readBack(t interface{ Fatal(...any) }, v Verdicts) Verdicts {
	raw, err := v.pack()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadVerdicts(store.Request{Plan: raw})
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// TestRecordKeepsEveryFieldOfAVerdict fails when a field is added that the record does not know.
func TestRecordKeepsEveryFieldOfAVerdict(t *testing.T) {
	v := Verdicts{
		Entries: make([]history.Entry, 2), Added: []history.Added{{Kind: "marker", Before: 3, At: 4, Text: "[…]", Tokens: 2, Cause: history.Cause{Code: history.CauseGap, Want: 3}}},
	}
	for i := range v.Entries {
		value := reflect.ValueOf(&v.Entries[i]).Elem()
		for k := range value.NumField() {
			if f := value.Field(k); f.CanSet() && f.Kind() != reflect.Slice {
				fillIn(t, f, 7*i+k+1)
			}
		}
		v.Entries[i].Disposition = history.Cut
		v.Entries[i].Cuts = []history.Range{{From: 1, To: 2 + i}}
		v.Entries[i].Inserted = []history.Insert{{At: 1, Text: "…"}}
		v.Entries[i].Repairs = []history.Repair{{Kind: "C1", Cause: history.Cause{Text: "what"}, Before: "\"", After: "{}"}}
	}
	fillIn(t, reflect.ValueOf(&v.Sum).Elem(), 1)
	if back := readBack(t, v); !reflect.DeepEqual(back, v) {
		t.Errorf("read back\n%+v\nwant\n%+v", back, v)
	}
}

func TestRecordKeepsAnyVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := Verdicts{Entries: []history.Entry{}}
		for i := range rapid.IntRange(0, 40).Draw(t, "entries") {
			e := history.Entry{
				ID: int64(rapid.IntRange(1, 1<<40).Draw(t, "id")), Index: i + rapid.IntRange(0, 1).Draw(t, "gap"), Role: history.User,
				Disposition: rapid.SampledFrom([]history.Disposition{history.Kept, history.Dropped, history.Dropped, history.Recalled}).Draw(t, "disposition"),
				Cause:       history.Cause{Text: rapid.SampledFrom([]string{"one", "another", ""}).Draw(t, "reason")},
				Pinned:      rapid.Bool().Draw(t, "pinned"), Recalled: rapid.Bool().Draw(t, "recalled"),
				TokensAfter: rapid.IntRange(0, 3).Draw(t, "tokens"),
			}
			if e.Sent() {
				e.TokensBefore, e.CharsBefore, e.Whole = rapid.IntRange(0, 3).Draw(t, "before"), 9, true
			}
			if rapid.Bool().Draw(t, "cut") {
				e.Cuts = []history.Range{{From: i, To: i + 1}}
			}
			v.Entries = append(v.Entries, e)
		}
		if back := readBack(t, v); !reflect.DeepEqual(back, v) {
			t.Fatalf("read back\n%+v\nwant\n%+v", back, v)
		}
	})
}

func TestSizeOfWhatIsNotSentIsLeftToTheMessage(t *testing.T) {
	e := history.Entry{ID: 1, Disposition: history.Dropped, TokensBefore: 12, CharsBefore: 40, Cause: history.Cause{Text: "no room"}}
	got := readBack(t, Verdicts{Entries: []history.Entry{e}})
	if got.Entries[0].TokensBefore != 0 || got.Entries[0].CharsBefore != 0 {
		t.Errorf("the record holds the size: %+v", got.Entries[0])
	}
	if got.measure(history.Plan{Entries: []history.Entry{e}}); !reflect.DeepEqual(got.Entries, []history.Entry{e}) {
		t.Errorf("measured it is %+v, want %+v", got.Entries[0], e)
	}
}

// TestDamagedRecordIsAnError changes a record at random and reads it.
func TestDamagedRecordIsAnError(t *testing.T) {
	raw, err := Verdicts{Entries: []history.Entry{{ID: 1, Disposition: history.Kept}, {ID: 2, Disposition: history.Dropped}}}.pack()
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	sound, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct{ from, to string }{
		{`"entries":2`, `"entries":3`},
		{`"entries":2`, `"entries":-1`},
		{`"entries":2`, `"entries":99999999999`},
		{`"n":1`, `"n":0`},
		{`"n":1`, `"n":-1`},
		{`"n":1`, `"n":9223372036854775807`},
		{`"reason"`, `"raison"`},
		{`{`, `[`},
	} {
		text := strings.Replace(string(sound), change.from, change.to, 1)
		if text == string(sound) {
			t.Fatalf("%s does not stand in %s", change.from, sound)
		}
		var damaged bytes.Buffer
		w := gzip.NewWriter(&damaged)
		fmt.Fprint(w, text)
		w.Close()
		if v, err := ReadVerdicts(store.Request{ID: 5, Plan: damaged.Bytes()}); err == nil || !strings.Contains(err.Error(), "request 5") {
			t.Errorf("with %s in place of %s: %+v, %v; want an error that names the request", change.to, change.from, v, err)
		}
	}
	for _, plan := range [][]byte{nil, []byte("{}"), raw[:len(raw)/2]} {
		if _, err := ReadVerdicts(store.Request{ID: 5, Plan: plan}); err == nil {
			t.Errorf("a plan of %q is read without an error", plan)
		}
	}
}
