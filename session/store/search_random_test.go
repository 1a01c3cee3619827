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

// For any query, the index finds the same messages as a scan of all messages.
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
			w.must("find the chat", err)
			messages, err := w.s.Messages(ctx, id)
			w.must("read the messages", err)
			all, trashed[row.ID] = append(all, messages...), !row.Deleted.IsZero()
		}
		for range 10 {
			if len(all) == 0 {
				return
			}
			words := append(strings.Fields(all[w.pick("message", len(all))].SearchText()), "sun")
			end := rapid.OneOf(rapid.SampledFrom([]string{
				"", " ", " sunn", " AND", " OR sun", " NOT sun", " NEAR/2 sun", " text:sun", " docid:1", "*", " ^sun", " -sun",
				" (", ")", `"`, ` "sun`, "'", ";--", "\x00", "%", "_", "\xff", "日本", "e\u0301",
			}), rapid.String()).Draw(t, "end")
			in := SearchQuery{Text: words[w.pick("word", len(words))] + end, Trash: w.pick("trash", 2) == 0, Limit: 1000}
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
				_, holds := q.Find(m.SearchText())
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
