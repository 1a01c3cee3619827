package keys

import (
	"context"
	"sync/atomic"
)

// Later is a key that is fetched when a request needs it: fetching may ask a person. It may be used by several
// goroutines.
type LazySecret struct {
	fetch   func(context.Context) (Secret, error)
	turn    chan struct{} // held by the one that fetches
	key     atomic.Value  // the Secret that was found last
	refused atomic.Bool   // it is to be fetched again
}

// NewLater makes a key of the function that fetches it. The function returns "" where there is none.
func NewLazySecret(fetch func(context.Context) (Secret, error)) *LazySecret {
	return &LazySecret{fetch: fetch, turn: make(chan struct{}, 1)}
}

// Get returns the key. One that was found is not fetched again until it was refused.
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

// Known is the key as far as it was fetched, "" for none.
func (l *LazySecret) Fetched() Secret {
	key, _ := l.key.Load().(Secret)
	return key
}

// Refused says that a server did not take the key. The next request fetches it again: the user may have
// stored another.
func (l *LazySecret) MarkRefused() { l.refused.Store(true) }
