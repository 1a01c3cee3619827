package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"winnow/history"
	"winnow/llm/tool"
)

// Attach reads a file as it hangs on a message: a text, or a picture with what it is likely to cost the
// model in use. The part has the file's name without its folder. The error is a sentence that names the
// file and says why it cannot be sent.
func (s *Session) Attach(path string) (history.Part, error) {
	data, err := readAttachment(path)
	var part history.Part
	if err == nil {
		part, err = tool.Attach(filepath.Base(path), data, s.Model().Name, s.deps.Count)
	}
	if err != nil {
		return history.Part{}, fmt.Errorf("%s cannot be attached: %w", filepath.Base(path), plainly(err))
	}
	return part, nil
}

// AttachText makes a text that is no file hang on a message under a name.
func (s *Session) AttachText(name, text string) (history.Part, error) {
	part, err := tool.Attach(name, []byte(text), s.Model().Name, s.deps.Count)
	if err != nil {
		return history.Part{}, fmt.Errorf("%s cannot be attached: %w", name, err)
	}
	return part, nil
}

// countedWhole is the longest text, in bytes, that TokensOf counts; a longer one is guessed, so that a paste does not
// wait.
const countedWhole = 256 << 10

// TokensOf is how many tokens a text has that is not sent yet, by the counter that plans use.
func (s *Session) TokensOf(text string) int {
	switch {
	case s.deps.Count == nil || len(text) > countedWhole && s.deps.Guess == nil:
		return (len(text) + 3) / 4
	case len(text) > countedWhole:
		return s.deps.Guess(text)
	}
	return s.deps.Count(text)
}

// readAttachment reads a file that is not too large.
func readAttachment(path string) ([]byte, error) {
	// A pipe is asked before it is opened: opening one waits for somebody who writes.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is a device, a pipe or a socket, not a regular file")
	case info.Size() > tool.LargestFile:
		return nil, tool.ErrTooLarge
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// A file may grow while it is read, and some of the system's files say that they are empty.
	return io.ReadAll(io.LimitReader(f, tool.LargestFile+1))
}

// plainly is an error of the file system without its call and its path.
func plainly(err error) error {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied")
	case errors.As(err, &at):
		return at.Err
	}
	return err
}
