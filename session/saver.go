package session

import (
	"context"
	"sync"
	"time"

	"winnow/session/store"
)

// checkpointEvery bounds what a crash can cost: the newest words of a streaming answer. It is well below
// the quarter of a second that a crash may cost at most, because writing takes time as well, above all
// beside other programs.
const checkpointEvery = 150 * time.Millisecond

// saver writes a streaming answer to the store every checkpointEvery while it grows, so that what
// arrived is on disk even when the server then falls silent. Its goroutine ends with close.
type saver struct {
	id   int64 // the answer's row
	save func(ctx context.Context, text, reasoning string) error

	mu              sync.Mutex
	text, reasoning string
	fresh           bool // something arrived since the last checkpoint
	err             error

	stop chan struct{}
	done chan struct{}
}

func startSaver(st *store.Store, id int64) *saver {
	s := &saver{id: id, stop: make(chan struct{}), done: make(chan struct{})}
	s.save = func(ctx context.Context, text, reasoning string) error {
		return st.Checkpoint(ctx, id, text, reasoning)
	}
	go s.run()
	return s
}

func (s *saver) run() {
	defer close(s.done)
	tick := time.NewTicker(checkpointEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			s.write()
		}
	}
}

func (s *saver) offer(text, reasoning string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.reasoning, s.fresh = text, reasoning, true
}

func (s *saver) write() {
	s.mu.Lock()
	text, reasoning, fresh := s.text, s.reasoning, s.fresh
	s.fresh = false
	s.mu.Unlock()
	if !fresh {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	if err := s.save(ctx, text, reasoning); err != nil {
		s.mu.Lock()
		s.err, s.fresh = err, true // The server may send nothing more: the next tick tries again.
		s.mu.Unlock()
	}
}

// close ends the checkpoints and says whether one failed. The finished answer is written by the
// turn itself.
func (s *saver) close() error {
	close(s.stop)
	<-s.done
	return s.err
}
