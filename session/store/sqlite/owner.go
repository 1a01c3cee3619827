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

// lock is the mode of a file that is nothing but a lock: whoever finds it taken does not wait.
const lock Mode = "mode=rw&_txlock=exclusive&_busy_timeout=0"

// LockFile makes a file and takes it until release is called. The system takes the lock away from a program that ends
// without that, at that very moment. IsBusy is true of the error where another has it, in this program or in others.
// It is SQLite's lock, which works wherever the history works, and also between two windows of one program.
func LockFile(file string) (release func(), err error) {
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return nil, err
	}
	db := OpenPool(file, lock, 1)
	// The lock outlives this call, so it hangs on no context of a caller.
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		db.Close()
		return nil, err
	}
	return func() { tx.Rollback(); db.Close() }, nil
}

// Owner tells whether the program lives that something in a history belongs to: an answer that is still arriving, or
// the lease of a session. When the program of an owner dies, the answer must become interrupted; while it lives, nobody
// may touch the answer. Neither a process number nor a heartbeat can tell the two apart: numbers are used again and
// differ between containers, and a laptop that slept looks like one that died. So an owner holds a lock on a small file
// beside the history for as long as it lives.
//
// It belongs to one window. It has a token from its first Take on, which stands in the rows that belong to it. Its
// methods may be called at once.
type Owner struct {
	path string // of the history

	mu      sync.Mutex
	token   string
	release func() // gives the lock back
}

// NewOwner returns the owner of a window on the history at path.
func NewOwner(path string) *Owner { return &Owner{path: path} }

// Token is the owner's token, "" where it has none.
func (o *Owner) Token() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.token
}

// Take returns the token, after taking its lock at the first call.
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
		return "", Explain("mark the answer as this window's", o.path, err)
	}
	o.token, o.release = token, release
	return token, nil
}

// file is the lock file of the owner with a token.
func (o *Owner) file(token string) string { return o.path + "-live-" + token }

// Release gives the lock and the token back.
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

// Alive reports whether the owner with this token still holds its lock. Many may ask at once: none takes another's
// question for a lock.
func (o *Owner) Alive(token string) bool {
	if uuid.Validate(token) != nil {
		return false // no owner's, and not to be made part of a path
	}
	if token == o.Token() {
		return true
	}
	db := OpenPool(o.file(token), lock, 1)
	defer db.Close()
	var tables int
	return IsBusy(db.QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&tables))
}

// lockGracePeriod is longer than a new lock file stays without its lock.
const lockGracePeriod = time.Minute

// RemoveDeadLocks removes the lock files of all owners of the history that are dead.
func (o *Owner) RemoveDeadLocks() {
	entries, err := os.ReadDir(filepath.Dir(o.path))
	if err != nil {
		return // what cannot be listed cannot be swept; nothing depends on it
	}
	prefix := filepath.Base(o.file(""))
	for _, e := range entries {
		token, ok := strings.CutPrefix(e.Name(), prefix)
		info, err := e.Info()
		if ok && uuid.Validate(token) == nil && err == nil && time.Since(info.ModTime()) > lockGracePeriod && !o.Alive(token) {
			os.Remove(o.file(token))
		}
	}
}
