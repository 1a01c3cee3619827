package session

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"winnow/history"
)

// The first piece of an answer is kept even if the user stops at the moment it arrives.
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
			stop() // the clock is read between the arrival and the storing of the first piece
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
