package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// lock is the mode of a lock file. Whoever finds it locked does not wait.
const lock Mode = "mode=rw&_txlock=exclusive&_busy_timeout=0"

// LockFile creates a file and locks it until release is called. The operating system releases the lock immediately if
// the program dies. If the file is locked already, by this program or another, IsBusy is true for the error. It uses
// SQLite's locks, which work wherever the history works, and also between two windows of one program.
func LockFile(file string) (release func(), err error) {
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return nil, err
	}
	db := OpenPool(file, lock, 1)
	// The lock outlives this call, so it must not depend on the caller's context.
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		db.Close()
		return nil, err
	}
	return func() { tx.Rollback(); db.Close() }, nil
}

// Owner identifies a window that owns streaming answers and leases, and tells whether such a window is still alive.
// When it dies, its answers must be marked as interrupted; while it lives, no other window may touch them. Process ids
// and heartbeats cannot decide that: ids are reused and differ between containers, and a suspended laptop looks dead.
// So an owner holds a lock on a small file beside the history as long as it lives.
//
// The rows that an owner owns contain its token, which is assigned by the first Take. Methods are safe for concurrent
// use.
type Owner struct {
	path string // of the history

	mu      sync.Mutex
	token   string
	release func() // releases the lock
}

// NewOwner returns an owner for a window on the history at path.
func NewOwner(path string) *Owner { return &Owner{path: path} }

// Token returns the token of the owner, "" before the first Take.
func (o *Owner) Token() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.token
}

// Take returns the token of the owner. The first call takes the lock.
func (o *Owner) Take(ctx context.Context) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.token != "" {
		return o.token, nil
	}
	token, release, err := uuid.NewString(), func() {}, ctx.Err()
	if err == nil && o.path != InMemory {
		release, err = LockFile(o.file(token))
	}
	if err != nil {
		return "", Explain("lock the answer for this window", o.path, err)
	}
	o.token, o.release = token, release
	return token, nil
}

// file returns the path of the lock file of the owner with this token.
func (o *Owner) file(token string) string { return o.path + "-live-" + token }

// Release releases the lock and forgets the token.
func (o *Owner) Release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.token == "" {
		return
	}
	o.release()
	os.Remove(o.file(o.token))
	o.token = ""
}

// Alive reports whether the owner with this token still holds its lock. Checks by several programs at once do not
// mistake each other for the owner.
func (o *Owner) Alive(token string) bool {
	if uuid.Validate(token) != nil {
		return false // not a token, and unsafe in a path
	}
	if token == o.Token() {
		return true
	}
	db := OpenPool(o.file(token), lock, 1)
	defer db.Close()
	var tables int
	return IsBusy(db.QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&tables))
}

// lockGrace is longer than the time between the creation of a lock file and its lock.
const lockGrace = time.Minute

// RemoveDeadLocks removes the lock files of all dead owners of the history.
func (o *Owner) RemoveDeadLocks() {
	entries, err := os.ReadDir(filepath.Dir(o.path))
	if err != nil {
		return // nothing depends on the removal
	}
	prefix := filepath.Base(o.file(""))
	for _, e := range entries {
		token, ok := strings.CutPrefix(e.Name(), prefix)
		info, err := e.Info()
		old := err == nil && time.Since(info.ModTime()) > lockGrace
		if ok && old && uuid.Validate(token) == nil && !o.Alive(token) {
			os.Remove(o.file(token))
		}
	}
}
