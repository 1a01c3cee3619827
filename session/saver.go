package session

import (
	"context"
	"sync/atomic"
	"time"

	"winnow/llm"
	"winnow/session/store"
)

// checkpointEvery bounds what a crash can cost: the newest words of a streaming answer. It is well below
// the quarter of a second that a crash may cost at most, because writing takes time as well, above all
// beside other programs.
const checkpointEvery = 150 * time.Millisecond

// saver writes a streaming answer to the store every checkpointEvery while it grows, so that what
// arrived is on disk even when the server then falls silent. Its goroutine ends with close.
type saver struct {
	id     int64                     // the answer's row
	newest atomic.Pointer[llm.Reply] // nil where it is saved
	stop   chan struct{}
	done   chan error // of the newest checkpoint
}

// startSaver begins to write to an answer's row.
func startSaver(st *store.Store, id int64) *saver {
	s := &saver{id: id, stop: make(chan struct{}), done: make(chan error, 1)}
	tick := time.NewTicker(checkpointEvery)
	go func() {
		defer tick.Stop()
		s.run(tick.C, func(ctx context.Context, r llm.Reply) error {
			return st.SavePartialAnswer(ctx, id, r.Text, r.Reasoning)
		})
	}()
	return s
}

// run saves the newest of the answer at each tick. Where that fails the next tick tries again: the server may send
// nothing more.
func (s *saver) run(tick <-chan time.Time, save func(context.Context, llm.Reply) error) {
	var err error
	for {
		select {
		case <-s.stop:
			s.done <- err
			return
		case <-tick:
		}
		if reply := s.newest.Swap(nil); reply != nil {
			ctx, cancel := context.WithTimeout(context.Background(), saveTime)
			if err = save(ctx, *reply); err != nil {
				s.newest.CompareAndSwap(nil, reply)
			}
			cancel()
		}
	}
}

// offer has an answer saved as far as it has arrived. It waits for nothing.
func (s *saver) offer(reply llm.Reply) { s.newest.Store(&reply) }

// close ends the checkpoints and says whether the last one failed. The finished answer is written by the
// turn itself.
func (s *saver) close() error {
	close(s.stop)
	return <-s.done
}
