package session

import (
	"context"
	"sync/atomic"
	"time"

	"winnow/llm"
	"winnow/session/store"
)

// checkpointEvery limits what a crash can lose: the newest words of a streaming answer. It leaves time for the write,
// which can be slow while other programs use the disk, so that at most a quarter of a second is lost.
const checkpointEvery = 150 * time.Millisecond

// saver writes a growing answer to the store every checkpointEvery, so that what arrived is on disk even if the server
// then falls silent. Its goroutine ends with close.
type saver struct {
	id     int64                     // the row of the answer
	newest atomic.Pointer[llm.Reply] // nil if it is saved
	stop   chan struct{}
	done   chan error // receives the error of the last checkpoint
}

// startSaver starts to save to the row of an answer.
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

// run saves the newest state of the answer at each tick. If that fails, it tries again at the next tick, because the
// server may send nothing more.
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

// offer replaces the state of the answer that is to be saved. It does not block.
func (s *saver) offer(reply llm.Reply) { s.newest.Store(&reply) }

// close ends the checkpoints and returns the error of the last one. The turn itself writes the finished answer.
func (s *saver) close() error {
	close(s.stop)
	return <-s.done
}
