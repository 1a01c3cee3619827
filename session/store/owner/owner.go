// Package owner tells whether the program lives that something in a history belongs to: an answer that is still
// arriving, or the lease of a session. It does not know what belongs to whom.
//
// When the program of an owner dies, the answer must become interrupted; while it lives, nobody may touch the
// answer. Neither a process number nor a heartbeat can tell the two apart: numbers are used again and differ
// between containers, and a laptop that slept looks like one that died. So an owner holds a lock on a small file
// beside the history for as long as it lives, and the operating system takes the lock away at the very moment the
// program is gone. SQLite itself is asked for that lock: it works wherever the history works, and also between two
// owners of one program.
package owner

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// Owner is the right of one window on a history to what is its own. It has a token from its first Take on, which
// stands in the rows that belong to it. Its methods may be called at once.
type Owner struct {
	path string // of the history

	mu    sync.Mutex
	token string
	db    *sql.DB // of the lock file, nil where the history is in memory
	lock  *sql.Tx
}

// New returns the owner of a window on the history at path.
func New(path string) *Owner { return &Owner{path: path} }

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
	var err error
	// A window that starts at this moment may take the file for one left behind and remove it before
	// it is locked. Then the lock is on a file without a name, and another token is tried.
	for tries := 0; o.token == "" && tries < 5; tries++ {
		token := uuid.NewString()
		if err = ctx.Err(); err == nil && o.path != sqlite.Memory {
			err = o.takeLock(o.file(token))
		}
		if err == nil {
			o.token = token
		}
	}
	if o.token == "" {
		return "", sqlite.Explain("mark the answer as this window's", o.path, err)
	}
	return o.token, nil
}

// file is the lock file of the owner with a token.
func (o *Owner) file(token string) string { return o.path + "-live-" + token }

// takeLock creates a lock file and locks it.
func (o *Owner) takeLock(file string) error {
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return err
	}
	o.db = sqlite.Pool(file, sqlite.Lock, 1)
	// The lock outlives the call, so it hangs on no context of a caller.
	var err error
	if o.lock, err = o.db.BeginTx(context.Background(), nil); err == nil {
		_, err = os.Lstat(file)
	}
	if err != nil {
		o.release(file)
	}
	return err
}

// Release gives the lock and the token back.
func (o *Owner) Release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.release(o.file(o.token))
	o.token = ""
}

func (o *Owner) release(file string) {
	if o.lock != nil {
		o.lock.Rollback()
	}
	if o.db != nil {
		o.db.Close()
		os.Remove(file)
	}
	o.db, o.lock = nil, nil
}

// Alive reports whether the owner with this token still holds its lock. The lock file of a dead one
// is removed, under its lock.
func (o *Owner) Alive(token string) bool {
	if uuid.Validate(token) != nil {
		return false // no owner's, and not to be made part of a path
	}
	if token == o.Token() {
		return true
	}
	file := o.file(token)
	if _, err := os.Lstat(file); err != nil {
		return false
	}
	db := sqlite.Pool(file, sqlite.Peek, 1)
	defer db.Close()
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return sqlite.IsBusy(err)
	}
	defer tx.Rollback()
	// A read takes a shared lock, which the owner's excludes, and others who ask at this moment do not.
	var tables int
	if err := tx.QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return sqlite.IsBusy(err)
	}
	os.Remove(file)
	return false
}

// Sweep removes the lock files of all owners of the history that are dead.
func (o *Owner) Sweep() {
	entries, err := os.ReadDir(filepath.Dir(o.path))
	if err != nil {
		return // what cannot be listed cannot be swept; nothing depends on it
	}
	prefix := filepath.Base(o.file(""))
	for _, e := range entries {
		if token, ok := strings.CutPrefix(e.Name(), prefix); ok {
			o.Alive(token)
		}
	}
}
