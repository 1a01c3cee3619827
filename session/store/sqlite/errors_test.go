package sqlite

import (
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"
)

func TestFileThatDoesNotOpenSaysWhy(t *testing.T) {
	for _, c := range []struct {
		reason syscall.Errno
		want   string
	}{
		{syscall.EACCES, "cannot open the chat history: permission denied (/h.db)"},
		{syscall.EMFILE, "cannot open the chat history: too many open files (/h.db)"},
		{0, "cannot open the chat history: the file cannot be opened (/h.db)"},
	} {
		err := Explain("open the chat history", "/h.db", sqlite3.Error{Code: sqlite3.ErrCantOpen, SystemErrno: c.reason})
		if err.Error() != c.want {
			t.Errorf("errno %d: %q, want %q", c.reason, err, c.want)
		}
	}
}
