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

// longest is the most bytes of a key: tokens of some gateways have several thousand.
const maxKeyBytes = 64 << 10

// Parse takes a key from a text that holds nothing else, but for white space around it. A key goes into a
// header, so it is printable ASCII without blanks. The error does not repeat the text.
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

// FromFile reads a key from a file that holds nothing else. A file that others can read is refused: the
// error says how to change that.
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

// readPrivate reads a small file that only its owner can read. Opening a pipe does not wait for its other end.
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

// Exposed says that others on this machine can read a file, where the system tells.
func readableByOthers(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// writePrivate writes a file that only the user can read, whole or not at all.
func writePrivate(path, text string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // A link stays one.
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if info, fault := os.Stat(path); fault == nil && readableByOthers(info) {
		err = os.Chmod(path, 0o600) // The library gives the new file the mode of the old one.
	}
	if err == nil {
		err = maybe.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the key file: %w", err)
	}
	return nil
}
