package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// An answer that is still arriving belongs to one store, its owner. When the program of the owner
// dies, the answer must become interrupted; while it lives, nobody may touch the answer. Neither a
// process number nor a heartbeat can tell the two apart: numbers are used again and differ between
// containers, and a laptop that slept looks like one that died.
//
// So an owner holds a lock on a small file beside the history for as long as it lives, and the
// operating system takes the lock away at the very moment the program is gone. SQLite itself is
// asked for that lock: it works wherever the history works, and also between two stores of one
// program.

// owner is a store's right to its unfinished answers.
type owner struct {
	token string // what its rows carry
	file  string // the lock file
	db    *sql.DB
	lock  *sql.Tx
}

// lockFile is where the owner with a token holds its lock.
func (s *Store) lockFile(token string) string { return s.path + "-live-" + token }

// own returns this store's token, after taking its lock at the first call.
func (s *Store) own(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner != nil {
		return s.owner.token, nil
	}
	o := &owner{token: uuid.NewString()}
	if s.path == sqlite.Memory {
		s.owner = o
		return o.token, nil
	}
	// A window that starts at this moment may take the file for one left behind and remove it before
	// it is locked. Then the lock is on a file without a name, and another token is tried.
	var err error
	for range 5 {
		if err = s.take(o); err == nil {
			s.owner = o
			return o.token, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		o = &owner{token: uuid.NewString()}
	}
	return "", explain("mark the answer as this window's", s.path, err)
}

// take creates the lock file and locks it.
func (s *Store) take(o *owner) error {
	o.file = s.lockFile(o.token)
	f, err := os.OpenFile(o.file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	o.db = sqlite.Pool(o.file, sqlite.Lock, 1)
	// The lock outlives the call, so it hangs on no context of a caller.
	if o.lock, err = o.db.BeginTx(context.Background(), nil); err == nil {
		_, err = os.Lstat(o.file)
	}
	if err != nil {
		o.release()
	}
	return err
}

func (o *owner) release() {
	if o.lock != nil {
		o.lock.Rollback()
	}
	if o.db != nil {
		o.db.Close()
		os.Remove(o.file)
	}
}

// alive reports whether the owner with this token still holds its lock. The lock file of a dead one
// is removed, under its lock.
func (s *Store) alive(token string) bool {
	if uuid.Validate(token) != nil {
		return false // no store's, and not to be made part of a path
	}
	if token == s.token() {
		return true
	}
	file := s.lockFile(token)
	if _, err := os.Lstat(file); err != nil {
		return false
	}
	db := sqlite.Pool(file, sqlite.Lock, 1)
	defer db.Close()
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return sqlite.IsBusy(err)
	}
	defer tx.Rollback()
	os.Remove(file)
	return false
}

// Recover marks answers as interrupted whose program died while they arrived, and returns how many
// there were. Open does it; a window that meets an answer that stopped growing may do it again. An
// owner that was taken for dead by mistake, as on a network disk without locks, takes its
// answer back at its next checkpoint.
func (s *Store) Recover(ctx context.Context) (int, error) {
	doing := "look for unfinished answers"
	owners, err := s.streaming(ctx)
	if err != nil {
		return 0, explain(doing, s.path, err)
	}
	var dead []string
	for _, token := range owners {
		if !s.alive(token) {
			dead = append(dead, token)
		}
	}
	s.sweep()
	if len(dead) == 0 {
		return 0, nil
	}
	return inTx(ctx, s.save, doing, func(tx *sql.Tx) (int, error) {
		cut := 0
		for _, token := range dead {
			n, err := interrupt(ctx, tx, token)
			if err != nil {
				return 0, err
			}
			cut += n
		}
		return cut, nil
	})
}

// streaming returns the owners of all unfinished answers.
func (s *Store) streaming(ctx context.Context) ([]string, error) {
	return inTx(ctx, s.view, "look for unfinished answers", func(tx *sql.Tx) ([]string, error) {
		return sqlite.Collect(ctx, tx, sqlite.Only[string], `
			SELECT DISTINCT owner
			FROM messages
			WHERE status = 'streaming'`)
	})
}

// sweep removes the lock files of owners that died without an unfinished answer.
func (s *Store) sweep() {
	entries, err := os.ReadDir(filepath.Dir(s.path))
	if err != nil {
		return // what cannot be listed cannot be swept; nothing depends on it
	}
	prefix := filepath.Base(s.lockFile(""))
	for _, e := range entries {
		if token, ok := strings.CutPrefix(e.Name(), prefix); ok {
			s.alive(token)
		}
	}
}

// interrupt marks the unfinished answers of one owner as interrupted. They are whole then, as far as they
// go, and can be found.
func interrupt(ctx context.Context, tx *sql.Tx, token string) (int, error) {
	ids, err := idsWhere(ctx, tx, `
		UPDATE messages
		SET status = ?
		WHERE status = 'streaming' AND owner = ?
		RETURNING id`, history.Interrupted, token)
	if err != nil {
		return 0, fmt.Errorf("mark answers as interrupted: %w", err)
	}
	return len(ids), indexStored(ctx, tx, ids)
}

// disown interrupts what this store still streams, leaves its sessions and gives its lock back.
func (s *Store) disown(ctx context.Context) error {
	s.mu.Lock()
	o := s.owner
	s.mu.Unlock()
	if o == nil {
		return nil
	}
	err := s.save(ctx, "keep the unfinished answer", func(tx *sql.Tx) error {
		if _, err := interrupt(ctx, tx, o.token); err != nil {
			return err
		}
		return endLeases(ctx, tx, o.token)
	})
	s.mu.Lock()
	s.owner = nil
	s.mu.Unlock()
	o.release()
	return err
}
