package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	"winnow/history"
)

// reply is the size of an average message.
var reply = strings.Repeat("An average reply has about so many words. ", 15)

// longChat makes a session of n messages and returns it. They are written without the store's
// transactions, which would take minutes.
func longChat(b *testing.B, s *Store, n int) Session {
	b.Helper()
	ctx := context.Background()
	session, first := begin(b, s, "long", reply)
	must(b, "fill", s.jot(ctx, "fill", func(t *tx) {
		key := sessionKey(t, session.ID)
		parent := first.ID
		for i := 1; i < n; i++ {
			m := says(session.ID, parent, history.User, reply)
			if i%2 == 1 {
				m.Role = history.Assistant
			}
			if i%10 == 1 {
				m.ToolCalls = []history.ToolCall{{ID: "call", Name: "weather", Arguments: `{"city":"Oslo"}`}}
			}
			m.Seq, m.ID = i+1, s.newID(t)
			insertMessage(t, key, m, "")
			parent = m.ID
		}
		t.exec("UPDATE sessions SET leaf = ?, messages = ? WHERE n = ?", parent, n, key)
	}))
	return sessionOf(b, s, session.ID)
}

func BenchmarkBranch(b *testing.B) {
	s := newStore(b)
	ctx := context.Background()
	session := longChat(b, s, 100_000)
	page, err := s.Branch(ctx, session.Leaf, 200)
	must(b, "read", err)
	for _, c := range []struct {
		name   string
		before int64
		limit  int
	}{
		{"newest200of100000", 0, 200},
		{"next200of100000", page[0].ID, 200},
		{"all100000", 0, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Branch(ctx, cmp.Or(c.before, session.Leaf), c.limit); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	s := newStore(b)
	session, last := begin(b, s, "", reply)
	for b.Loop() {
		last = add(b, s, says(session.ID, last.ID, history.User, reply))
	}
}

func BenchmarkCheckpoint(b *testing.B) {
	for _, size := range []int{1_000, 20_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s := newStore(b)
			session, first := begin(b, s, "", "hello")
			a := start(b, s, session.ID, first.ID)
			text := strings.Repeat("x", size)
			for b.Loop() {
				must(b, "checkpoint", s.Checkpoint(context.Background(), a.ID, text, ""))
			}
		})
	}
}

func BenchmarkTurn(b *testing.B) {
	s := newStore(b)
	session, last := begin(b, s, "", reply)
	ctx := context.Background()
	for b.Loop() {
		user := add(b, s, says(session.ID, last.ID, history.User, reply))
		a := start(b, s, session.ID, user.ID)
		a.Content, a.Status = reply, history.Complete
		var err error
		last, err = s.FinishAnswer(ctx, a, Request{Session: session.ID, Turn: 1})
		must(b, "finish", err)
	}
}

func BenchmarkSessions(b *testing.B) {
	s := newStore(b)
	ctx := context.Background()
	must(b, "fill", s.jot(ctx, "fill", func(t *tx) {
		for i := range 10_000 {
			in := Session{
				Title: fmt.Sprint("A chat about the weather in ", i), Model: "gpt-5.2", Endpoint: "openai",
				Dir: "/home/kim/x",
			}
			if i%10 == 0 {
				in.Tags = []string{"work", "sky"}
			}
			s.use(t, s.addSession(t, in))
		}
	}))
	for _, f := range []Filter{{}, {Limit: 50}, {Text: "weather 99"}} {
		b.Run(fmt.Sprintf("10000,limit=%d,text=%s", f.Limit, f.Text), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Sessions(ctx, f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("last", func(b *testing.B) {
		for b.Loop() {
			if _, err := lastUsed(s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	path := newPath(b)
	begin(b, openAt(b, path, Options{}), "", "hello")
	for b.Loop() {
		s, err := Open(context.Background(), path, Options{})
		must(b, "open", err)
		must(b, "close", s.Close())
	}
}

// BenchmarkFork forks a conversation of 10,000 messages at its end, and finds the forks among 1,000 sessions.
func BenchmarkFork(b *testing.B) {
	s := newStore(b)
	row := longChat(b, s, 10_000)
	b.Run("copy", func(b *testing.B) {
		for b.Loop() {
			fork, err := s.Fork(context.Background(), row.ID, row.Leaf)
			must(b, "fork", err)
			b.StopTimer()
			must(b, "purge", s.Purge(context.Background(), fork.ID))
			b.StartTimer()
		}
	})
	for range 1000 {
		begin(b, s, "Another", "hello")
	}
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			_, err := s.Sessions(context.Background(), Filter{All: true, ForkOf: row.ID})
			must(b, "find the forks", err)
		}
	})
}
