package keys

import (
	"context"
	"sync/atomic"
)

// LazySecret is a key that is fetched when a request first needs it, because fetching may prompt the user. It is safe
// for concurrent use.
type LazySecret struct {
	fetch   func(context.Context) (Secret, error)
	turn    chan struct{} // a semaphore: one fetch at a time
	key     atomic.Value  // the last Secret that was fetched
	refused atomic.Bool   // the next Get fetches it again
}

// NewLazySecret returns a key that is fetched by a function, which returns "" if there is none.
func NewLazySecret(fetch func(context.Context) (Secret, error)) *LazySecret {
	return &LazySecret{fetch: fetch, turn: make(chan struct{}, 1)}
}

// Get returns the key. It is fetched once, and again after MarkRefused.
func (l *LazySecret) Get(ctx context.Context) (Secret, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if key := l.Fetched(); key != "" && !l.refused.Load() {
		return key, nil
	}
	key, err := l.fetch(ctx)
	if err == nil {
		l.key.Store(key)
		l.refused.Store(false)
	}
	return key, err
}

// Fetched returns the key if it was fetched already, else "".
func (l *LazySecret) Fetched() Secret {
	key, _ := l.key.Load().(Secret)
	return key
}

// MarkRefused records that a server rejected the key. The next Get fetches it again, in case the user has stored
// another one.
func (l *LazySecret) MarkRefused() { l.refused.Store(true) }
