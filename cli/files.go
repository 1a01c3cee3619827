package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// writeFile writes a new file that only the user can read, and never over another: then the error is fs.ErrExist. It
// returns the file's size in bytes.
func (p *program) writeFile(path string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return 0, &failure{exit: Failed, text: path + " already exists; choose another name", err: fs.ErrExist}
	case err != nil:
		return 0, fail(Failed, "cannot write %s: %w", path, fileCause(err))
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<18)
	err = errors.Join(write(out), out.Flush())
	size, _ = f.Seek(0, io.SeekCurrent)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		os.Remove(path)
	}
	return size, err
}

// fileCause is what the system said of a file, without the call and the name that it was said of: the name may be one
// that the user never typed.
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

// promptText is the system prompt in a file: its text without a byte order mark and the line ends at its end, which
// editors leave.
func promptText(file []byte) string {
	text := bytes.ReplaceAll(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	return string(bytes.TrimRight(text, "\n"))
}
