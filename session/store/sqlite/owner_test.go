package sqlite

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// take returns the token of an owner after taking its lock.
func take(t *testing.T, o *Owner) string {
	t.Helper()
	token, err := o.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := o.Take(t.Context()); again != token || err != nil {
		t.Errorf("a second Take = %q, %v, want %q", again, err, token)
	}
	return token
}

func TestAliveUntilReleased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "winnow.db")
	a, b := NewOwner(path), NewOwner(path)
	token := take(t, a)
	if !a.Alive(token) || !b.Alive(token) {
		t.Error("an owner that holds its lock is taken for dead")
	}
	if info, err := os.Stat(path + "-live-" + token); err != nil || info.Mode() != 0o600 {
		t.Errorf("the lock file is %v, %v; want mode 0600", info, err)
	}
	a.Release()
	if b.Alive(token) || a.Token() != "" {
		t.Error("an owner without its lock is taken for alive")
	}
	if left, _ := filepath.Glob(path + "-live-*"); len(left) > 0 {
		t.Errorf("lock files are left: %v", left)
	}
}

// When a program dies, its lock is released and its lock file remains.
func TestAnOwnerThatDiedIsSwept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "winnow.db")
	dead, living := NewOwner(path), NewOwner(path)
	token, other := take(t, dead), take(t, living)
	dead.release()
	for _, file := range []string{dead.file(token), living.file(other)} {
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if living.Alive(token) || !dead.Alive(token) {
		t.Error("a dead owner is alive to itself alone")
	}
	living.RemoveDeadLocks()
	if _, err := os.Stat(dead.file(token)); err == nil {
		t.Error("the lock file of a dead owner is left")
	}
	if _, err := os.Stat(living.file(other)); err != nil {
		t.Errorf("the lock file of a living owner is gone: %v", err)
	}
}

// Windows that start at the same time all check the same dead owner, and none mistakes the check of another for the
// owner's lock.
func TestADeadOwnerIsDeadToAllWhoAskAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "winnow.db")
	for range 50 {
		token := uuid.NewString()
		if err := os.WriteFile(path+"-live-"+token, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		start := make(chan struct{})
		for range 8 {
			wait.Go(func() {
				<-start
				if NewOwner(path).Alive(token) {
					t.Error("an owner without its lock is taken for alive")
				}
			})
		}
		close(start)
		wait.Wait()
	}
}

func TestATokenIsNoPath(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "winnow.db")
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path+"-live-", 0o700); err != nil {
		t.Fatal(err)
	}
	if NewOwner(path).Alive("/../victim") {
		t.Error("a token that is no token is alive")
	}
	if _, err := os.Stat(victim); err != nil {
		t.Errorf("a token led to another file: %v", err)
	}
}
