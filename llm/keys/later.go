package keys

import (
	"context"
	"sync"
)

// Later is a key that is fetched when a request needs it: fetching may ask a person. It may be used by several
// goroutines.
type Later struct {
	fetch func(context.Context) (Secret, error)
	turn  chan struct{} // held by the one that fetches

	mu    sync.Mutex
	key   Secret
	fresh bool // key need not be fetched again
}

// NewLater makes a key of the function that fetches it. The function returns "" where there is none.
func NewLater(fetch func(context.Context) (Secret, error)) *Later {
	return &Later{fetch: fetch, turn: make(chan struct{}, 1)}
}

// Get returns the key. One that was found is not fetched again until it was refused.
func (l *Later) Get(ctx context.Context) (Secret, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if key, fresh := l.known(); fresh {
		return key, nil
	}
	key, err := l.fetch(ctx)
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.key, l.fresh = key, key != ""
	return key, nil
}

// Known is the key as far as it was fetched, "" for none.
func (l *Later) Known() Secret {
	key, _ := l.known()
	return key
}

func (l *Later) known() (Secret, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.key, l.fresh
}

// Refused says that a server did not take the key. The next request fetches it again: the user may have
// stored another.
func (l *Later) Refused() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh = false
}
