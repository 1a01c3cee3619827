package store

import (
	"context"
	"errors"
	"os"

	"winnow/session/store/sqlite"
)

// ErrSyncRunning says that another run has not ended.
var ErrSyncRunning = errors.New("another window syncs at this moment")

// Lock keeps other runs on this history out, in this program and in others, until release is called. The system takes the
// lock away from a program that ends without that. The error is ErrSyncRunning where somebody else has it.
func (y *Sync) Lock() (release func(), err error) {
	if y.s.path == sqlite.Memory {
		return func() {}, nil
	}
	file := y.s.path + "-sync"
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	db := sqlite.Pool(file, sqlite.Lock, 1)
	// The lock outlives this call, so it hangs on no context of a caller.
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		db.Close()
		if sqlite.IsBusy(err) {
			err = ErrSyncRunning
		}
		return nil, err
	}
	return func() { tx.Rollback(); db.Close() }, nil
}
