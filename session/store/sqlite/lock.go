package sqlite

import (
	"context"
	"os"
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
	db := Pool(file, lock, 1)
	// The lock outlives this call, so it hangs on no context of a caller.
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		db.Close()
		return nil, err
	}
	return func() { tx.Rollback(); db.Close() }, nil
}

// Locked reports whether somebody has a file by LockFile. Many may ask at once: none takes another's question for a
// lock.
func Locked(file string) bool {
	db := Pool(file, lock, 1)
	defer db.Close()
	var tables int
	return IsBusy(db.QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&tables))
}
