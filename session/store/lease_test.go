package store

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

func takeLease(t *testing.T, s *Store, session string, leased bool) func() {
	t.Helper()
	got, release, err := s.Lease(context.Background(), session)
	if err != nil || got != leased {
		t.Errorf("Lease = leased %v, %v; want %v", got, err, leased)
	}
	return release
}

func leasedByOther(t *testing.T, s *Store, session string, want bool) {
	t.Helper()
	if got, err := s.Leased(context.Background()); err != nil || slices.Contains(got, session) != want {
		t.Errorf("Leased = %v, %v; want that it has %s: %v", got, err, session, want)
	}
}

func TestSessionBelongsToTheWindowThatOpenedItFirst(t *testing.T) {
	path := newPath(t)
	one, two := openAt(t, path, Options{}), openAt(t, path, Options{})
	session, _ := begin(t, one, "", "hello")
	other, _ := begin(t, one, "", "another")

	reader := openAt(t, path, Options{ReadOnly: true}) // takes nothing, and says who writes
	takeLease(t, reader, session.ID, false)()
	release := takeLease(t, one, session.ID, false)
	takeLease(t, reader, session.ID, true)
	leasedByOther(t, one, session.ID, false)
	leasedByOther(t, two, session.ID, true)
	takeLease(t, two, session.ID, true)() // lets go of nothing
	free := takeLease(t, two, other.ID, false)
	leasedByOther(t, one, other.ID, true)
	if _, err := two.Append(context.Background(), says(session.ID, 0, "user", "in spite of it")); err != nil {
		t.Errorf("a window that did not ask is held up: %v", err)
	}

	release()
	release() // a second time is none
	leasedByOther(t, two, session.ID, false)
	takeLease(t, two, session.ID, false)
	takeLease(t, one, session.ID, true)
	leasedByOther(t, one, other.ID, true)
	free()
	leasedByOther(t, one, other.ID, false)
}

func TestDeadWindowKeepsNobodyOut(t *testing.T) {
	path := newPath(t)
	s, dead := openAt(t, path, Options{}), openAt(t, path, Options{})
	session, _ := begin(t, s, "", "hello")
	takeLease(t, dead, session.ID, false)
	leasedByOther(t, s, session.ID, true)
	abandon(t, dead)
	leasedByOther(t, s, session.ID, false)
	takeLease(t, s, session.ID, false)
	openAt(t, path, Options{}) // clears what is left of it
	if marks := countOf(t, s, "SELECT count(*) FROM windows"); marks != 1 {
		t.Errorf("%d windows are marked, want the living one", marks)
	}
}

// Of many windows that open a session at the same moment exactly one has it.
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
