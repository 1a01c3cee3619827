package session

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// What arrived is kept even where the user stops at the very moment at which its first piece comes.
func TestAStopWithTheFirstPieceKeepsIt(t *testing.T) {
	var asked atomic.Bool
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Store(true)
		says("Once", " upon a time")(w, r)
	})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	b.deps.Now = func() time.Time {
		if asked.Load() {
			stop() // The clock is read when the first piece has come and is not stored yet.
		}
		return time.Now()
	}
	s := b.begin()
	completed(t, s.Send(ctx, say("A story")))
	stored, err := b.deps.Store.Messages(t.Context(), s.Info().ID)
	if err != nil || len(stored) != 2 || !strings.HasPrefix(stored[1].Content, "Once") ||
		stored[1].Status != history.Interrupted {
		t.Errorf("stored is %+v, %v", stored, err)
	}
}

// A stop is in the record of the request, whether something of the answer had arrived, nothing, or the request
// was one for a summary: at once, not with the next start.
func TestAStopIsRecordedAtOnce(t *testing.T) {
	for name, pieces := range map[string][]string{"something": {"Once ", "upon"}, "nothing": nil} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan struct{})
			b := newBench(t, hangs(sent, pieces...))
			s := b.begin()
			ctx, stop := context.WithCancel(t.Context())
			events := s.Send(ctx, say("A story"))
			if len(pieces) > 0 {
				until[Delta](events)
			}
			<-sent
			stop()
			completed(t, events)
			all, err := b.deps.Store.Requests(t.Context(), s.Info().ID, store.RequestFilter{})
			if err != nil || len(all) != 1 || all[0].End != "stopped" {
				t.Errorf("the records are %+v, %v", all, err)
			}
			stored, err := b.deps.Store.Messages(t.Context(), s.Info().ID)
			if want := 1 + min(1, len(pieces)); err != nil || len(stored) != want || want == 2 &&
				stored[1].Status != history.Interrupted {
				t.Errorf("stored is %+v, %v", stored, err)
			}
		})
	}
	t.Run("summary", func(t *testing.T) {
		sent := make(chan struct{})
		b, s := discussed(t, 3, hangs(sent, "Not"))
		ctx, stop := context.WithCancel(t.Context())
		events := s.Compact(ctx)
		<-sent
		stop()
		completed(t, events)
		all, err := b.deps.Store.Requests(t.Context(), s.Info().ID, store.RequestFilter{})
		if err != nil || len(all) != 4 || all[3].End != "stopped" {
			t.Errorf("the records are %+v, %v", all, err)
		}
		if s.Now().Policy.SummaryAlways {
			t.Error("a summary that was stopped is in use")
		}
	})
}
