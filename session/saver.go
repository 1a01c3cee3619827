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
	fresh           bool  // something arrived since the last checkpoint that was written
	err             error // of a checkpoint

	stop, done chan struct{}
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
	for {
		select {
		case <-s.stop:
			return
		case <-time.After(checkpointEvery):
			s.write()
		}
	}
}

func (s *saver) offer(text, reasoning string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.reasoning, s.fresh = text, reasoning, true
}

// write writes what is fresh. Where that fails the next tick tries again: the server may send nothing more.
func (s *saver) write() {
	s.mu.Lock()
	text, reasoning, fresh := s.text, s.reasoning, s.fresh
	s.mu.Unlock()
	if !fresh {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	err := s.save(ctx, text, reasoning)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.err = err
	} else if s.text == text && s.reasoning == reasoning {
		s.fresh = false
	}
}

// close ends the checkpoints and says whether one failed. The finished answer is written by the
// turn itself.
func (s *saver) close() error {
	close(s.stop)
	<-s.done
	return s.err
}
