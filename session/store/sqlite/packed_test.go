package sqlite

import (
	"database/sql"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// short is a row of numbers and texts.
type short struct {
	ID     int64     `db:"id"`
	Title  string    `db:"title"`
	Pinned bool      `db:"pinned"`
	Model  string    `db:"model"`
	At     time.Time `db:"at"`
}

func TestPackedRowsAreTheRows(t *testing.T) {
	t.Parallel()
	db := Pool(Memory, Plain, 1)
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE short (id INTEGER PRIMARY KEY, title TEXT NOT NULL, pinned INTEGER NOT NULL, model TEXT NOT NULL, at INTEGER NOT NULL) STRICT`); err != nil {
		t.Fatal(err)
	}
	text := rapid.OneOf(rapid.SampledFrom([]string{"", " ", "12 ", "a\x00b", "\xff\x1f", "日本"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		if _, err := db.Exec(`DELETE FROM short`); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			row := short{
				ID: rapid.Int64().Draw(t, "id"), Title: text.Draw(t, "title"), Pinned: rapid.Bool().Draw(t, "pinned"), Model: text.Draw(t, "model"),
				At: Time(rapid.Int64Range(-1e12, 1e13).Draw(t, "at")),
			}
			err := InTx(t.Context(), db, func(tx *sql.Tx) error {
				_, err := tx.Exec(`DELETE FROM short WHERE id = ?`, row.ID)
				if err == nil {
					_, err = InsertRow(t.Context(), tx, "short", row)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		from := "short WHERE pinned >= ? ORDER BY at DESC, id LIMIT 4"
		want, err := Rows[short](t.Context(), db, from, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := PackedRows[short](t.Context(), db, from, 0)
		if err != nil || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("packed are %+v (%v), want %+v", got, err, want)
		}
	})
}

// What is not as it was packed is an error, whatever it is.
func TestDamagedPackedRowsAreAnError(t *testing.T) {
	t.Parallel()
	columns := columnsOf(reflect.TypeFor[short]())
	for _, packed := range []string{"", "1", "1 2", "1 9 0 0 0 title", "1 -1 0 0 0 ", "1 x 0 0 0 ", "1x0 0 0 0 0 , ", "9223372036854775808 0 0 0 0 "} {
		var row short
		if rest, err := unpack(reflect.ValueOf(&row).Elem(), columns, make([]int64, len(columns)), packed); err == nil {
			t.Errorf("%q is read as %+v and %q", packed, row, rest)
		}
	}
}
