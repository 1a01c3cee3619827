package verdicts

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store/sqlite"
)

func readBack(t interface{ Fatal(...any) }, p Plan) Plan {
	raw, err := p.Pack()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Unpack(raw)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// fillIn gives a field a value that is not its zero.
func fillIn(t *testing.T, v reflect.Value, n int) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Uint8: // a code
		v.SetUint(uint64(n%9 + 1))
	case reflect.Float64:
		v.SetFloat(float64(n) / 3)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			fillIn(t, v.Field(i), 10*n+i)
		}
	default:
		t.Fatalf("a field is of a kind that this test does not know: %s", v.Kind())
	}
}

// TestRecordKeepsEveryFieldOfAVerdict fails when a field is added that the record does not know.
func TestRecordKeepsEveryFieldOfAVerdict(t *testing.T) {
	entries := make([]history.Entry, 2)
	v := Plan{
		Added: []history.Added{{Kind: "marker", Before: 3, At: 4, Text: "[…]", Tokens: 2, Cause: history.Cause{Code: history.CauseGap, Want: 3}}},
	}
	for i := range entries {
		value := reflect.ValueOf(&entries[i]).Elem()
		for k := range value.NumField() {
			if f := value.Field(k); f.CanSet() && f.Kind() != reflect.Slice {
				fillIn(t, f, 7*i+k+1)
			}
		}
		entries[i].Disposition = history.Cut
		entries[i].Cuts = []history.Range{{From: 1, To: 2 + i}}
		entries[i].Inserted = []history.Insert{{At: 1, Text: "…"}}
		entries[i].Repairs = []history.Repair{{Kind: "C1", Cause: history.Cause{Text: "what"}, Before: "\"", After: "{}"}}
	}
	v.Entries = entries
	fillIn(t, reflect.ValueOf(&v.Sum).Elem(), 1)
	if back := readBack(t, v); !reflect.DeepEqual(back, v) {
		t.Errorf("read back\n%+v\nwant\n%+v", back, v)
	}
	db := newHistory(t)
	defer db.Close()
	must(t, sqlite.InTx(t.Context(), db, func(tx *sql.Tx) error {
		k, err := addRequest(tx, 1, "")
		must(t, err)
		must(t, new(Writer).Put(t.Context(), tx, k, v))
		if back, err := Read(t.Context(), tx, k.Request); err != nil || !reflect.DeepEqual(back, v) {
			t.Errorf("rows are read back as\n%+v, %v\nwant\n%+v", back, err, v)
		}
		return nil
	}))
}

func TestRecordKeepsAnyVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := Plan{}
		id := int64(0)
		for i := range rapid.IntRange(0, 40).Draw(t, "entries") {
			id += int64(rapid.IntRange(1, 1<<30).Draw(t, "id"))
			e := history.Entry{
				ID: id, Index: i + rapid.IntRange(0, 1).Draw(t, "gap"), Role: history.User,
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

// TestDamagedRecordIsAnError changes a record at random and reads it.
func TestDamagedRecordIsAnError(t *testing.T) {
	raw, err := Plan{Entries: []history.Entry{{ID: 1, Disposition: history.Kept}, {ID: 2, Disposition: history.Dropped}}}.Pack()
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
		{`"id":[{"v":1,"n":2}]`, `"id":[{"v":2,"n":1},{"v":-1,"n":1}]`},
		{`"n":1`, `"n":0`},
		{`"n":1`, `"n":-1`},
		{`"n":1`, `"n":9223372036854775807`},
		{`"cause"`, `"curse"`},
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
		if p, err := Unpack(damaged.Bytes()); err == nil {
			t.Errorf("with %s in place of %s: %+v; want an error", change.to, change.from, p)
		}
	}
	for _, plan := range [][]byte{nil, []byte("{}"), raw[:len(raw)/2]} {
		if _, err := Unpack(plan); err == nil {
			t.Errorf("a plan of %q is read without an error", plan)
		}
	}
}
