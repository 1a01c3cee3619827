package keys

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/google/renameio/v2/maybe"
)

// maxKeyBytes is the maximum length of a key. Tokens of some gateways have several thousand bytes.
const maxKeyBytes = 64 << 10

// Parse reads a key from a text that contains nothing else but surrounding white space. A key is used in a header, so
// it must be printable ASCII without spaces. The error does not contain the text.
func Parse(text string) (Secret, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	switch {
	case text == "":
		return "", errors.New("the key is empty")
	case len(text) > maxKeyBytes:
		return "", fmt.Errorf("the key is longer than %d bytes", maxKeyBytes)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "", errors.New("a key must be a single line without spaces or characters other than ASCII")
	}
	return Secret(text), nil
}

// FromFile reads a key from a file that contains nothing else. A file that others can read is refused, with an error
// that tells how to change that.
func FromFile(path string) (Secret, error) {
	text, err := readPrivate(path)
	if err != nil {
		return "", fmt.Errorf("read the key file: %w", err)
	}
	key, err := Parse(text)
	if err != nil {
		return "", fmt.Errorf("read the key file %s: %w", path, err)
	}
	return key, nil
}

// readPrivate reads a small file that only its owner can read. Opening a named pipe does not block.
func readPrivate(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", path)
	case readableByOthers(info):
		mode := info.Mode().Perm()
		return "", fmt.Errorf("other users of this machine can read %s (mode %04o): chmod 600 %s", path, mode, path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyBytes+2))
	return string(text), err
}

// readableByOthers reports whether other users can read a file. It is false on Windows, where the mode does not tell.
func readableByOthers(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// writePrivate atomically writes a file that only the user can read.
func writePrivate(path, text string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // Keep a symbolic link.
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if info, fault := os.Stat(path); fault == nil && readableByOthers(info) {
		err = os.Chmod(path, 0o600) // The library copies the mode of the old file.
	}
	if err == nil {
		err = maybe.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the key file: %w", err)
	}
	return nil
}
