package session

import (
	"context"
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
	id     int64          // the answer's row
	pieces chan llm.Reply // the newest that nobody took yet
	done   chan struct{}
	err    error // of the newest checkpoint, to read after done
}

// startSaver begins to write to an answer's row.
func startSaver(st *store.Store, id int64) *saver {
	s := &saver{id: id, pieces: make(chan llm.Reply, 1), done: make(chan struct{})}
	tick := time.NewTicker(checkpointEvery)
	go func() {
		defer tick.Stop()
		s.run(tick.C, func(ctx context.Context, r llm.Reply) error {
			return st.Checkpoint(ctx, id, r.Text, r.Reasoning)
		})
	}()
	return s
}

// run saves the newest of the answer at each tick. Where that fails the next tick tries again: the server may send
// nothing more.
func (s *saver) run(tick <-chan time.Time, save func(context.Context, llm.Reply) error) {
	defer close(s.done)
	var newest llm.Reply
	fresh := false
	for {
		select {
		case reply, open := <-s.pieces:
			if !open {
				return
			}
			newest, fresh = reply, true
		case <-tick:
			if !fresh {
				continue
			}
			ctx, cancel := context.WithTimeout(context.Background(), saveTime)
			s.err = save(ctx, newest)
			cancel()
			fresh = s.err != nil
		}
	}
}

// offer has an answer saved as far as it has arrived. It waits for nothing; one goroutine calls it.
func (s *saver) offer(reply llm.Reply) {
	select {
	case <-s.pieces: // nobody took it
	default:
	}
	s.pieces <- reply
}

// close ends the checkpoints and says whether the last one failed. The finished answer is written by the
// turn itself.
func (s *saver) close() error {
	close(s.pieces)
	<-s.done
	return s.err
}
