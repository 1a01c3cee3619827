package store

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// Of many windows that open a session at the same moment, exactly one gets the lease.
func TestOneOfManyWindowsHasTheSession(t *testing.T) {
	path := newPath(t)
	var stores []*Store
	for range 8 {
		stores = append(stores, openAt(t, path, Options{}))
	}
	session, _ := begin(t, stores[0], "", "hello")
	for round := range 10 {
		var have atomic.Int32
		releases := make([]func(), len(stores))
		var wg sync.WaitGroup
		for i, s := range stores {
			wg.Go(func() {
				leased, release, err := s.Lease(context.Background(), session.ID)
				if err != nil {
					t.Errorf("Lease: %v", err)
				}
				if !leased {
					have.Add(1)
				}
				releases[i] = release
			})
		}
		wg.Wait()
		if got := have.Load(); got != 1 {
			t.Errorf("round %d: %d windows have the session, want 1", round, got)
		}
		for _, release := range releases {
			release()
		}
	}
}
