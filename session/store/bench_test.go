package store

import (
	"context"
	"fmt"
	"testing"
)

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
