package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// finder drives a store and a list of what it should hold beside it.
type finder struct {
	s        *Store
	sessions []string
	texts    map[int64]string // by message
	of       map[int64]string // the session of a message
	trashed  map[string]bool
}

var someWords = []string{"sun", "sunny", "Moon", "mőon", "日本", "本日", "日", "x-ray", "ray", "a", "42"}

func (x *finder) text(t *rapid.T) string {
	between := rapid.SampledFrom([]string{" ", "\n", "", ", "}).Draw(t, "between")
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(someWords), 0, 6).Draw(t, "words"), between)
}

func (x *finder) add(t *rapid.T) {
	ctx := context.Background()
	text := x.text(t)
	i := rapid.IntRange(0, len(x.sessions)).Draw(t, "session")
	if i == len(x.sessions) {
		session, m, err := x.s.Begin(ctx, Session{}, says("", 0, history.User, text))
		x.keep(t, session.ID, m, err)
		x.sessions = append(x.sessions, session.ID)
		return
	}
	m, err := x.s.Append(ctx, says(x.sessions[i], 0, history.User, text))
	x.keep(t, x.sessions[i], m, err)
}

func (x *finder) keep(t *rapid.T, session string, m Message, err error) {
	if err != nil {
		t.Fatal(err)
	}
	x.texts[m.ID], x.of[m.ID] = m.Content, session
}

func (x *finder) answer(t *rapid.T) {
	if len(x.sessions) == 0 {
		t.Skip("no session")
	}
	ctx := context.Background()
	session := rapid.SampledFrom(x.sessions).Draw(t, "session")
	m, err := x.s.StartAnswer(ctx, says(session, 0, history.Assistant, ""))
	if err == nil {
		m.Content, m.Status = x.text(t), history.Complete
		m, err = x.s.FinishAnswer(ctx, m, Request{})
	}
	x.keep(t, session, m, err)
}

// fork copies a session, whose messages then come by way of the backlog.
func (x *finder) fork(t *rapid.T) {
	if len(x.sessions) == 0 {
		t.Skip("no session")
	}
	ctx := context.Background()
	from := rapid.SampledFrom(x.sessions).Draw(t, "session")
	row, err := x.s.Session(ctx, from)
	if err != nil {
		t.Fatal(err)
	}
	fork, err := x.s.Fork(ctx, from, row.Leaf)
	if err != nil {
		t.Fatal(err)
	}
	branch, err := x.s.Branch(ctx, fork.Leaf, 0)
	for _, m := range branch {
		x.keep(t, fork.ID, m, err)
	}
	x.sessions = append(x.sessions, fork.ID)
}

func (x *finder) remove(t *rapid.T) {
	if len(x.sessions) == 0 {
		t.Skip("no session")
	}
	ctx := context.Background()
	i := rapid.IntRange(0, len(x.sessions)-1).Draw(t, "session")
	id := x.sessions[i]
	switch rapid.SampledFrom([]string{"purge", "delete", "restore"}).Draw(t, "how") {
	case "delete":
		x.trashed[id] = true
		if err := x.s.Delete(ctx, id); err != nil {
			t.Fatal(err)
		}
	case "restore":
		delete(x.trashed, id)
		if err := x.s.Restore(ctx, id); err != nil {
			t.Fatal(err)
		}
	case "purge":
		if err := x.s.Purge(ctx, id); err != nil {
			t.Fatal(err)
		}
		x.sessions = slices.Delete(x.sessions, i, i+1)
		for m, of := range x.of {
			if of == id {
				delete(x.of, m)
				delete(x.texts, m)
			}
		}
	}
}

func (x *finder) look(t *rapid.T) {
	ctx := context.Background()
	for left := int64(1); left > 0; {
		var err error
		if left, err = x.s.IndexSome(ctx); err != nil {
			t.Fatal(err)
		}
	}
	end := rapid.SampledFrom([]string{"", " ", `"sun moon"`, " sunn"}).Draw(t, "end")
	in := Search{Text: x.text(t) + end, Trash: rapid.Bool().Draw(t, "trash"), Limit: 1000}
	if len(x.sessions) > 0 && rapid.Bool().Draw(t, "one session") {
		in.Session = rapid.SampledFrom(x.sessions).Draw(t, "session")
	}
	hits, err := x.s.Search(ctx, in)
	if err != nil {
		t.Fatalf("Search(%+v): %v", in, err)
	}
	got, want := []int64{}, []int64{}
	for _, h := range hits {
		got = append(got, h.Message)
	}
	q := search.Parse(in.Text)
	for id, text := range x.texts {
		if _, ok := q.Find(text); ok && (in.Trash || !x.trashed[x.of[id]]) && (in.Session == "" ||
			in.Session == x.of[id]) {
			want = append(want, id)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("Search(%+v) finds %v, want %v of %v", in, got, want, x.texts)
	}
}

func TestTheIndexFindsWhatReadingFinds(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		sub := filepath.Join(dir, fmt.Sprint(n))
		s, err := Open(context.Background(), filepath.Join(sub, "winnow.db"), Options{Now: noon().now})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			s.Close()
			os.RemoveAll(sub)
		}()
		x := &finder{s: s, texts: map[int64]string{}, of: map[int64]string{}, trashed: map[string]bool{}}
		t.Repeat(map[string]func(*rapid.T){
			"add": x.add, "add more": x.add, "add yet more": x.add, "answer": x.answer, "fork": x.fork,
			"remove": x.remove, "look": x.look, "look again": x.look,
		})
		x.look(t)
	})
}

// A message is found from the moment that it is stored, whoever writes beside it.
func TestSearchWhileOthersWrite(t *testing.T) {
	path := newPath(t)
	reader := openAt(t, path, Options{})
	const writers, each = 3, 30
	var wg sync.WaitGroup
	for w := range writers {
		s := openAt(t, path, Options{})
		wg.Go(func() {
			session, last := begin(t, s, "", "begun")
			for i := range each {
				word := fmt.Sprintf("w%dx%d", w, i)
				last = add(t, s, says(session.ID, last.ID, history.User, "common "+word))
				if got, want := hitsOf(t, reader, Search{Text: word + " "}), "common ["+word+"]"; len(got) != 1 ||
					got[0] != want {
					t.Errorf("right after it was stored Search(%s) finds %q, want %q", word, got, want)
				}
				if rand.IntN(10) == 0 {
					gone, _ := begin(t, s, "", "common to be purged")
					must(t, "purge", s.Purge(context.Background(), gone.ID))
				}
			}
		})
	}
	wg.Wait()
	if got := hitsOf(t, reader, Search{Text: "common ", Limit: 1000}); len(got) != writers*each {
		t.Errorf("Search(common) finds %d messages, want %d", len(got), writers*each)
	}
}
