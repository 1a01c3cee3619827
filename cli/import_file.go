//go:build cgo

package cli

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"winnow/session/transfer"
)

// importFile is an opened file and what is known of it.
type importFile struct {
	*os.File
	path  string // "" where it has no name on the disk
	dir   string
	time  time.Time
	size  int64
	close func()
}

// openImport opens a regular file, or standard input where the name is -, which is copied to a temporary
// file first: an import may read its file twice.
func (p *program) openImport(name string, large bool) (importFile, error) {
	if name == "-" {
		dir, _ := os.Getwd()
		return p.spool(p.in, dir, large)
	}
	// Asked before it is opened: to open a named pipe waits until somebody writes to it.
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return importFile{}, fail(Failed, "cannot open %s: %w", name, why(err))
	case info.IsDir():
		return importFile{}, fail(Failed, "%s is a folder; sessions import takes files", name)
	case !info.Mode().IsRegular():
		return importFile{}, fail(Failed, "%s is a pipe or a device, not a file; winnow sessions import - <%[1]s reads it as standard input", name)
	case info.Size() > transfer.Largest && !large:
		return importFile{}, tooLarge(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return importFile{}, fail(Failed, "cannot open %s: %w", name, why(err))
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		dir = ""
	}
	return importFile{File: f, path: name, dir: dir, time: info.ModTime(), size: info.Size(), close: func() { f.Close() }}, nil
}

// spool copies a stream to a file that only this program can open, and that is gone with it.
func (p *program) spool(from io.Reader, dir string, large bool) (importFile, error) {
	if !large {
		from = io.LimitReader(from, transfer.Largest+1)
	}
	f, err := os.CreateTemp("", "winnow-import-")
	if err != nil {
		return importFile{}, fail(Failed, "cannot keep what arrives in a temporary file: %w", err)
	}
	os.Remove(f.Name()) // An open file has no need of a name; where it needs one, close removes it.
	done := func() { f.Close(); os.Remove(f.Name()) }
	size, err := io.Copy(f, from)
	if err != nil {
		done()
		return importFile{}, fail(Failed, "cannot read what is to be imported: %w", err)
	}
	if size > transfer.Largest && !large {
		done()
		return importFile{}, tooLarge("standard input")
	}
	return importFile{File: f, dir: dir, time: p.now(), size: size, close: done}, nil
}

// tooLarge says why a file is not imported, and what imports it all the same.
func tooLarge(name string) error {
	return fail(Failed, "%s: %w; --large imports it all the same", name, transfer.ErrTooLarge)
}
