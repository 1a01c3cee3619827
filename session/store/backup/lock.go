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

// errOpen is the reason why a file cannot be replaced now.
var errOpen = fmt.Errorf("%w: winnow is running with it; quit winnow first", sqlite.ErrBusy)

// lockExclusively takes a database file for this program alone: SQLite, here and in every other program, finds
// it locked until the file is closed. It returns errOpen while another program has the file open.
//
// The bytes are those that SQLite locks. Every window on the history holds one of them all the time,
// and no store of this program may have the file open: locks of one program do not shut each other out.
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
