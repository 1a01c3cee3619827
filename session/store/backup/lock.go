//go:build linux || darwin || freebsd || openbsd || netbsd || dragonfly

package backup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"winnow/session/store/sqlite"
)

// errOpen is returned if a file cannot be replaced because a program has it open.
var errOpen = fmt.Errorf("%w: winnow has it open; quit winnow first", sqlite.ErrBusy)

// lockExclusively locks a database file against SQLite in every program, including this one, until the file is closed.
// It returns errOpen if another program has the file open.
//
// It locks the same bytes as SQLite. Every window holds a lock on one of them while it has the history open. No store
// of this program may have the file open, because POSIX locks do not exclude each other within one process.
func lockExclusively(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	const pendingByte, count = 0x40000000, 2 + 510
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: pendingByte, Len: count}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return nil, errOpen
	}
	return nil, err
}
