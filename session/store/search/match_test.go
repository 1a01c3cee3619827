package search

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/session/store/sqlite"
)

// emptyIndex is a history without messages in memory.
func emptyIndex(t testing.TB) *sql.DB {
	t.Helper()
	db := sqlite.Pool(sqlite.Memory, sqlite.Plain, 1)
	t.Cleanup(func() { db.Close() })
	all, err := sqlite.Steps()
	if err == nil {
		err = sqlite.InTx(t.Context(), db, func(tx *sql.Tx) error {
			_, err := sqlite.StepUp(t.Context(), tx, all)
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// indexModel drives an index and the texts that should be in it.
type indexModel struct {
	db    *sql.DB
	texts map[int64]string
	last  int64
	trees int // how many segments with several leaves were searched
}

// fewWords are so few that their phrases occur, and that some of them begin alike.
var fewWords = []string{"a", "a", "a", "b", "b", "sun", "sunday", "sunny", "日本", "本日", "x-ray"}

func wordsOf(most int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(fewWords), 1, most), func(words []string) string { return strings.Join(words, " ") })
}

func (x *indexModel) do(t *rapid.T, f func(tx *sql.Tx) error) {
	if err := sqlite.InTx(t.Context(), x.db, f); err != nil {
		t.Fatal(err)
	}
}

func (x *indexModel) add(t *rapid.T) {
	x.do(t, func(tx *sql.Tx) error {
		for range rapid.IntRange(1, 8).Draw(t, "messages") {
			// Ids are far apart where sessions were purged, and places are where a message is long.
			x.last += rapid.SampledFrom([]int64{1, 1, 1, 2, 63, 64, 130, window - 1, window, window + 1, 1 << 40}).Draw(t, "step")
			text := wordsOf(12).Draw(t, "text")
			if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
				text += strings.Repeat(" filler", rapid.SampledFrom([]int{60, 200}).Draw(t, "fillers")) + " " + text
			}
			if rapid.IntRange(0, 6).Draw(t, "other words") == 0 { // so that the index has several nodes on several levels
				for n := range 60 {
					text += fmt.Sprintf(" %s%d_%d", strings.Repeat("s", n%40+1), x.last, n)
				}
			}
			x.texts[x.last] = text
			if err := Add(t.Context(), tx, x.last, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// change removes messages, or gives them other words, as a restore of a damaged message does.
func (x *indexModel) change(t *rapid.T) {
	if len(x.texts) == 0 {
		t.Skip("no message")
	}
	ids := slices.Sorted(func(yield func(int64) bool) {
		for id := range x.texts {
			if !yield(id) {
				return
			}
		}
	})
	x.do(t, func(tx *sql.Tx) error {
		for range rapid.IntRange(1, 3).Draw(t, "messages") {
			id := rapid.SampledFrom(ids).Draw(t, "id")
			if _, ok := x.texts[id]; !ok {
				continue
			}
			if err := Remove(t.Context(), tx, id, x.texts[id]); err != nil {
				return err
			}
			delete(x.texts, id)
			if rapid.Bool().Draw(t, "again") {
				x.texts[id] = wordsOf(12).Draw(t, "text")
				if err := Add(t.Context(), tx, id, x.texts[id]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// merge leaves the index somewhere within a merging.
func (x *indexModel) merge(t *rapid.T) {
	x.do(t, func(tx *sql.Tx) error {
		if rapid.IntRange(0, 3).Draw(t, "gather") == 0 {
			return gather(t.Context(), tx)
		}
		_, err := tx.Exec(fmt.Sprintf(`INSERT INTO found (found) VALUES ('merge=%d,2')`, rapid.SampledFrom([]int{1, 2, 300}).Draw(t, "blocks")))
		return err
	})
}

func (x *indexModel) look(t *rapid.T) {
	text := ""
	for range rapid.IntRange(1, 3).Draw(t, "phrases") {
		phrase := wordsOf(5).Draw(t, "phrase")
		if rapid.Bool().Draw(t, "quoted") {
			phrase = `"` + phrase + `"`
		}
		text += phrase + " "
	}
	q := Parse(text + rapid.SampledFrom([]string{"", "sun", "本", `"a sun`}).Draw(t, "end"))
	first, last, most := int64(0), int64(1)<<62, rapid.IntRange(1, 40).Draw(t, "most")
	ids := slices.SortedFunc(func(yield func(int64) bool) {
		for id := range x.texts {
			if !yield(id) {
				return
			}
		}
	}, func(a, b int64) int { return cmp.Compare(b, a) })
	if len(ids) > 0 && rapid.Bool().Draw(t, "bounds") {
		first, last = rapid.SampledFrom(ids).Draw(t, "first"), rapid.SampledFrom(ids).Draw(t, "last")
	}
	var members []int64
	if rapid.Bool().Draw(t, "some") {
		members = []int64{}
		for _, id := range ids {
			if rapid.Bool().Draw(t, "member") {
				members = append(members, id)
			}
		}
	}
	var want []match
	for _, id := range ids {
		all, _ := q.Places(x.texts[id])
		if id < first || id > last || !q.InAll(all) || members != nil && !slices.Contains(members, id) || len(want) == most {
			continue
		}
		often := make([]float64, len(q))
		for _, o := range all {
			often[o.phrase]++
		}
		want = append(want, match{id, often})
	}
	var got []match
	x.do(t, func(tx *sql.Tx) error {
		var high int
		if err := tx.QueryRow(`SELECT count(*) FROM found_segdir WHERE start_block > 0 AND leaves_end_block > start_block`).Scan(&high); err != nil {
			return err
		}
		x.trees += high
		words, _, err := q.postings(t.Context(), tx, -1)
		if err == nil {
			got, err = newMatcher(q, words, members).newest(t.Context(), first, last, most)
		}
		return err
	})
	same := func(a, b match) bool { return a.id == b.id && slices.Equal(a.often, b.often) }
	if !slices.EqualFunc(got, want, same) {
		t.Fatalf("%q (%v) from %d to %d, %d at most, of %v finds\n%v, want\n%v of\n%v", text, q, first, last, most, members, got, want, x.texts)
	}
}

func TestTheIndexesOwnTablesSayWhatTheTextsSay(t *testing.T) {
	t.Parallel()
	db := emptyIndex(t)
	trees := 0
	rapid.Check(t, func(t *rapid.T) {
		x := &indexModel{db: db, texts: map[int64]string{}}
		x.do(t, func(tx *sql.Tx) error { return Renew(t.Context(), tx) })
		t.Repeat(map[string]func(*rapid.T){
			"add": x.add, "add more": x.add, "add yet more": x.add, "change": x.change, "merge": x.merge, "look": x.look, "look again": x.look,
		})
		x.look(t)
		trees += x.trees
	})
	if trees == 0 {
		t.Error("no segment had several leaves")
	}
}

// Words that begin other words end up at the borders of nodes.
func TestEveryWordIsFoundAtTheBordersOfNodes(t *testing.T) {
	t.Parallel()
	db := emptyIndex(t)
	all := []string{""}
	for from := 0; len(all) < 8000; from++ {
		all = append(all, all[from]+"a", all[from]+"b")
	}
	all = all[1:]
	// SQLite writes the words to its tables at the commit.
	err := sqlite.InTx(t.Context(), db, func(tx *sql.Tx) error { return Add(t.Context(), tx, 1, strings.Join(all, " ")) })
	if err != nil {
		t.Fatal(err)
	}
	err = sqlite.InTx(t.Context(), db, func(tx *sql.Tx) error {
		segments, err := readSegments(t.Context(), tx)
		if err != nil || len(segments) != 1 || segments[0].last < segments[0].first+9 {
			return fmt.Errorf("there are the segments %+v (%w), want one of ten leaves or more", segments, err)
		}
		for _, w := range all {
			one, err := doclists(t.Context(), tx, segments, queryWord{text: w})
			if err != nil || len(one) != 1 || len(one[0]) != 1 {
				t.Errorf("the word %s has %d doclists (%v), want 1", w, len(one), err)
			}
			if len(w) != 8 {
				continue
			}
			want := 0
			for _, longer := range all {
				if strings.HasPrefix(longer, w) {
					want++
				}
			}
			if some, err := doclists(t.Context(), tx, segments, queryWord{text: w, open: true}); err != nil || len(some) != want {
				t.Errorf("%d words begin with %s (%v), want %d", len(some), w, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A byte of the index may be any other: then the answer may be wrong, and the texts show that, or it is an error that
// has the index made anew.
func TestADamagedIndexIsSaidToBe(t *testing.T) {
	t.Parallel()
	db := emptyIndex(t)
	ctx := context.Background()
	err := sqlite.InTx(ctx, db, func(tx *sql.Tx) error {
		for id := range int64(2000) {
			if err := Add(ctx, tx, id+1, strings.Repeat("sun and moon ", int(id%5)+1)+fmt.Sprint("word", id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	errs := 0
	rapid.Check(t, func(t *rapid.T) {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		table, column := "found_segments", "block"
		if rapid.Bool().Draw(t, "root") {
			table, column = "found_segdir", "root"
		}
		for range rapid.IntRange(1, 3).Draw(t, "bytes") {
			_, err = tx.Exec(fmt.Sprintf(`
				UPDATE %[1]s
				SET %[2]s = CAST(substr(%[2]s, 1, at.n) || ?2 || substr(%[2]s, at.n + 2) AS BLOB)
				FROM (SELECT rowid AS id, (?1 %% length(%[2]s)) AS n FROM %[1]s ORDER BY ?1 * rowid %% 7 LIMIT 1) AS at
				WHERE %[1]s.rowid = at.id`, table, column),
				rapid.IntRange(0, 1<<30).Draw(t, "at"), rapid.SliceOfN(rapid.Byte(), 1, 1).Draw(t, "byte"))
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range []string{`"sun and moon" `, "moon word19", `"and moon`} {
			q := Parse(text)
			words, _, err := q.postings(ctx, tx, -1)
			if err == nil {
				_, err = newMatcher(q, words, nil).newest(ctx, 0, 1<<62, 1<<20)
			}
			if err != nil && !Damaged(err) {
				t.Fatalf("the search of %q in a damaged index: %v", text, err)
			}
			if err != nil {
				errs++
			}
		}
	})
	if errs == 0 && !testing.Short() { // A short run draws four cases, which may all be harmless.
		t.Error("no damage is found")
	}
}
