//go:build cgo

package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"winnow/session/store"
	"winnow/session/sync"
)

// runSyncTime bounds how long winnow run waits for what is exchanged with other machines.
const runSyncTime = 2 * time.Second

// mostRest bounds how long a sync behind the screen rests between two segments.
const mostRest = 200 * time.Millisecond

// exchange is what syncs the history with other machines as [sync] says; nil where that is not set, or nothing is
// saved. What it returns names the sessions that changed, and as an error what could not be done, each reason once.
func (k *conversation) exchange() func(context.Context) (changed []string, err error) {
	if k.config.Sync.Dir == "" || k.temporary || k.store.ReadOnly() {
		return nil
	}
	said := skips{}
	return func(ctx context.Context) ([]string, error) {
		o, err := k.p.syncOptions(k.config)
		if err != nil {
			return nil, err
		}
		o.Progress = resting(ctx)
		result, err := sync.Run(ctx, k.store, o)
		if errors.Is(err, store.ErrSyncRunning) {
			return nil, nil // what there is to do is done there, or the next time
		}
		if err != nil {
			k.log.Warn("sync", "error", err)
			return result.Changed, explainSync(err)
		}
		if news := said.news(result.Skipped); news != "" {
			k.log.Warn("sync", "skipped", news)
			return result.Changed, errors.New(news)
		}
		return result.Changed, nil
	}
}

// resting leaves the machine to others between two segments, for as long as a segment took. Where somebody waits for
// the sync, which the context's deadline says, it does not.
func resting(ctx context.Context) func(string, int, int) {
	if _, awaited := ctx.Deadline(); awaited {
		return nil
	}
	since := time.Now()
	return func(string, int, int) {
		rest := time.NewTimer(min(time.Since(since), mostRest))
		defer rest.Stop()
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
		since = time.Now()
	}
}

// skips are the machines whose segments could not be read the last time.
type skips struct {
	mu   gosync.Mutex
	said []string // what begins the sentence about each of them
}

// news are those of some sentences about segments that were not said since the segment could be read last.
func (s *skips) news(sentences []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var now, fresh []string
	for _, sentence := range sentences {
		segment, _, _ := strings.Cut(sentence, " ")
		now = append(now, segment)
		if !slices.Contains(s.said, segment) {
			fresh = append(fresh, sentence)
		}
	}
	s.said = now
	return strings.Join(fresh, " ")
}

// exchangeOnce syncs behind a turn of winnow run, for a while, and returns why that failed. A folder on a disk that
// does not answer does not keep the command from ending.
func (k *conversation) exchangeOnce(ctx context.Context) error {
	do := k.exchange()
	if do == nil || ctx.Err() != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, runSyncTime)
	defer stop()
	over := make(chan error, 1)
	go func() {
		_, err := do(ctx)
		over <- err
	}()
	select {
	case err := <-over:
		if ctx.Err() != nil {
			return nil // what is left is done the next time
		}
		return err
	case <-ctx.Done():
		return nil
	}
}
