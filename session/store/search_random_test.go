package store

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store/search"
)

// typed is what anybody may type: words, operators of the index's own language, and noise.
func typed() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"and", "AND", "OR", "NOT", "NEAR", "NEAR/2", "text:", "docid:", "found",
			"*", "^", "-", "+", "(", ")", `"`, `""`, "'", ";--", " ", "\n", "\x00", "%", "_", "\xff",
			"sun", "sun*", "moon", "-moon", "日本", "語", "日本語", "é", "e\u0301",
		}),
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
	)
	return rapid.Custom(func(t *rapid.T) string {
		between := rapid.SampledFrom([]string{"", " "}).Draw(t, "between")
		return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), between)
	})
}

func TestEveryTextIsAQuery(t *testing.T) {
	s := newStore(t)
	_, said := begin(t, s, "", "sun and moon or not near text docid found 日本語 e")
	rapid.Check(t, func(t *rapid.T) {
		text := typed().Draw(t, "text")
		hits, err := s.Search(context.Background(), Search{Text: text})
		if err != nil {
			t.Fatalf("Search(%q): %v", text, err)
		}
		if _, want := search.Parse(text).Find(said.Content); (len(hits) == 1) != want {
			t.Fatalf("Search(%q) finds %d messages; that the message has all of %v is %v", text, len(hits),
				search.Parse(text), want)
		}
	})
}

// The index finds what reading every message finds.
func TestTheIndexFindsWhatReadingFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		w := fill(t)
		defer w.s.Close()
		indexAll(t, w.s)
		var all []Message
		trashed := map[string]bool{}
		for _, id := range w.ids {
			row, err := w.s.Session(ctx, id)
			w.must("find the session", err)
			messages, err := w.s.Messages(ctx, id)
			w.must("read the messages", err)
			all, trashed[row.ID] = append(all, messages...), !row.Deleted.IsZero()
		}
		for range 10 {
			if len(all) == 0 {
				return
			}
			words := append(strings.Fields(all[w.pick("message", len(all))].Searched()), "sun")
			end := rapid.SampledFrom([]string{"", " ", " sunn"}).Draw(t, "end")
			in := Search{Text: words[w.pick("word", len(words))] + end, Trash: w.pick("trash", 2) == 0, Limit: 1000}
			if w.pick("one session", 3) == 0 {
				in.Session = w.ids[w.pick("session", len(w.ids))]
			}
			hits, err := w.s.Search(ctx, in)
			w.must("search", err)
			got, want := []int64{}, []int64{}
			for _, h := range slices.Backward(hits) {
				got = append(got, h.Message)
			}
			q := search.Parse(in.Text)
			for _, m := range all {
				_, holds := q.Find(m.Searched())
				if holds && !m.Damaged && m.Status != history.Streaming &&
					(in.Trash || !trashed[m.Session]) && (in.Session == "" || in.Session == m.Session) {
					want = append(want, m.ID)
				}
			}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("Search(%+v) finds %v, want %v", in, got, want)
			}
		}
	})
}
