package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"testing"
)

type base struct {
	ID   int64  `json:"id"`
	Text string `json:"said,omitempty" db:"text,blob"`
	Own  int    `db:"-"`
}

type thing struct {
	base
	Extra string `json:"extra" db:",null,blob"`
	Data  []byte `db:"data,null"`
	Note  string `db:"note"`
}

func TestRowComesBackAsItWasInserted(t *testing.T) {
	db := Pool(Memory, Plain, 1)
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE things (id INTEGER PRIMARY KEY, text BLOB NOT NULL, extra BLOB, data BLOB, note TEXT NOT NULL, place INTEGER) STRICT`); err != nil {
		t.Fatal(err)
	}
	want := []thing{
		{base: base{ID: 1, Text: "a\x00\xff"}, Extra: "{}", Data: []byte{1}, Note: "n"},
		{base: base{ID: 2}, Data: nil},
	}
	var got []thing
	err := InTx(t.Context(), db, func(tx *sql.Tx) error { return insertThings(t.Context(), tx, want) })
	if err == nil {
		err = EachRow(t.Context(), db, "things WHERE place >= ? ORDER BY id", func(row *thing) error {
			got = append(got, *row)
			return nil
		}, 0)
	}
	want[1].Note = "changed"
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	var nulls int
	if err := db.QueryRow(`SELECT count(*) FROM things WHERE extra IS NULL AND data IS NULL`).Scan(&nulls); err != nil || nulls != 1 {
		t.Errorf("%d rows have no extra and no data (%v), want 1", nulls, err)
	}
}

func insertThings(ctx context.Context, tx *sql.Tx, all []thing) error {
	for place, row := range all {
		id, err := InsertRow(ctx, tx, "things", &row, sql.Named("place", place))
		if err != nil {
			return err
		}
		if place == 1 {
			n, err := Update(ctx, tx, "things", []sql.NamedArg{sql.Named("note", "changed")}, sql.Named("id", id))
			if n != 1 {
				return fmt.Errorf("%d rows were changed, want 1", n)
			}
			return err
		}
	}
	return nil
}
