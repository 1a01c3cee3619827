//go:build cgo

package cli

import (
	"io"
	"os"
	"path/filepath"
	"time"
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

// openImport opens a file, or standard input where the name is -. What cannot be read a second time
// is copied to a temporary file first.
func (p *program) openImport(name string) (importFile, error) {
	if name == "-" {
		dir, _ := os.Getwd()
		return p.spool(p.in, dir)
	}
	f, err := os.Open(name)
	if err != nil {
		return importFile{}, fail(Failed, "cannot open %s: %w", name, why(err))
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return importFile{}, fail(Failed, "cannot open %s: %w", name, why(err))
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		dir = ""
	}
	switch {
	case info.IsDir():
		f.Close()
		return importFile{}, fail(Failed, "%s is a folder; sessions import takes files", name)
	case !info.Mode().IsRegular():
		defer f.Close()
		return p.spool(f, dir)
	}
	return importFile{File: f, path: name, dir: dir, time: info.ModTime(), size: info.Size(), close: func() { f.Close() }}, nil
}

// spool copies a stream to a file that only this program can open, and that is gone with it.
func (p *program) spool(from io.Reader, dir string) (importFile, error) {
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
	return importFile{File: f, dir: dir, time: p.now(), size: size, close: done}, nil
}
