package sqlite

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// priority is the niceness of the calling thread. The system call returns 20 less it.
func priority(t *testing.T) int {
	t.Helper()
	p, err := syscall.Getpriority(syscall.PRIO_PROCESS, syscall.Gettid())
	if err != nil {
		t.Fatalf("read the priority of a thread: %v", err)
	}
	return 20 - p
}

// The file is read and copied by the thread with the low priority itself, and no other thread keeps that priority.
func TestInBackgroundLowersOneThread(t *testing.T) {
	own := priority(t)
	db := Pool(filepath.Join(t.TempDir(), "some.db"), Plain, 1)
	defer db.Close()
	failed := errors.New("failed")
	err := InBackground(func() error {
		thread := syscall.Gettid()
		if got := priority(t); got != 19 {
			t.Errorf("the thread has priority %d, want 19", got)
		}
		if err := CheckIntegrity(t.Context(), db); err != nil {
			t.Errorf("CheckIntegrity: %v", err)
		}
		err := CopyInSteps(t.Context(), db, filepath.Join(t.TempDir(), "copy.db"), func() error {
			if syscall.Gettid() != thread {
				t.Error("another thread copies")
			}
			return nil
		})
		if err != nil {
			t.Errorf("CopyInSteps: %v", err)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("InBackground returns %v, want what its function returned", err)
	}
	if got := priority(t); got != own {
		t.Errorf("a thread outside has priority %d, want %d", got, own)
	}
}
