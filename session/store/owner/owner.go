// Package owner tells whether the program lives that something in a history belongs to: an answer that is still
// arriving, or the lease of a session. It does not know what belongs to whom.
//
// When the program of an owner dies, the answer must become interrupted; while it lives, nobody may touch the
// answer. Neither a process number nor a heartbeat can tell the two apart: numbers are used again and differ
// between containers, and a laptop that slept looks like one that died. So an owner holds a lock on a small file
// beside the history for as long as it lives, and the operating system takes the lock away at the very moment the
// program is gone.
package owner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// Owner is the right of one window on a history to what is its own. It has a token from its first Take on, which
// stands in the rows that belong to it. Its methods may be called at once.
type Owner struct {
	path string // of the history

	mu      sync.Mutex
	token   string
	release func() // gives the lock back
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
	if o.token != "" {
		return o.token, nil
	}
	token, release, err := uuid.NewString(), func() {}, ctx.Err()
	if err == nil && o.path != sqlite.Memory {
		release, err = sqlite.LockFile(o.file(token))
	}
	if err != nil {
		return "", sqlite.Explain("mark the answer as this window's", o.path, err)
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

// Alive reports whether the owner with this token still holds its lock.
func (o *Owner) Alive(token string) bool {
	if uuid.Validate(token) != nil {
		return false // no owner's, and not to be made part of a path
	}
	return token == o.Token() || sqlite.Locked(o.file(token))
}

// unlocked is longer than a new lock file stays without its lock.
const unlocked = time.Minute

// Sweep removes the lock files of all owners of the history that are dead.
func (o *Owner) Sweep() {
	entries, err := os.ReadDir(filepath.Dir(o.path))
	if err != nil {
		return // what cannot be listed cannot be swept; nothing depends on it
	}
	prefix := filepath.Base(o.file(""))
	for _, e := range entries {
		token, ok := strings.CutPrefix(e.Name(), prefix)
		info, err := e.Info()
		if ok && uuid.Validate(token) == nil && err == nil && time.Since(info.ModTime()) > unlocked && !o.Alive(token) {
			os.Remove(o.file(token))
		}
	}
}
