//go:build cgo

package cli

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeNew is writeFile with a bar on standard error where it takes long. It returns the file's size in
// bytes.
func (p *program) writeNew(path string, force bool, write func(io.Writer) error) (int64, error) {
	var size int64
	err := writeFile(path, force, func(f io.Writer) error {
		bar := p.counted("writing", f)
		defer bar.end()
		out := bufio.NewWriterSize(bar, 1<<18)
		if err := write(out); err != nil {
			return err
		}
		err := out.Flush()
		size = bar.done
		return err
	})
	return size, err
}

// writeFile writes a file that only the user can read, whole or not at all. One that is there is
// overwritten only where force is set.
func writeFile(path string, force bool, write func(io.Writer) error) error {
	if err := free(path, force); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".winnow-*")
	if err != nil {
		return fail(Failed, "cannot write %s: %w", path, fileCause(err))
	}
	defer os.Remove(f.Name()) // says only that it is gone where the file has its name
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	if err = errors.Join(f.Sync(), f.Close()); err == nil {
		err = settle(f.Name(), path, force)
	}
	if errors.Is(err, fs.ErrExist) {
		return taken(path)
	}
	if err != nil {
		return fail(Failed, "cannot write %s: %w", path, fileCause(err))
	}
	return nil
}

// free says why a file cannot be written.
func free(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fail(Failed, "cannot write %s: %w", path, fileCause(err))
	case info.IsDir():
		return fail(Usage, "%s is a folder; -o needs the name of a file", path)
	case !force:
		return taken(path)
	}
	return nil
}

func taken(path string) error {
	return &failure{exit: Failed, text: path + " already exists; --force overwrites it", err: fs.ErrExist}
}

// settle gives a finished file its name. A name that was taken meanwhile stays with its owner: a link, as
// opposed to a rename, never takes one.
func settle(from, to string, force bool) error {
	if force {
		return os.Rename(from, to)
	}
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links.
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// fileCause is what the system said of a file, without the call and the name that it was said of: the name may
// be one that the user never typed.
func fileCause(err error) error {
	var one *fs.PathError
	var two *os.LinkError
	switch {
	case errors.As(err, &one):
		return one.Err
	case errors.As(err, &two):
		return two.Err
	}
	return err
}
