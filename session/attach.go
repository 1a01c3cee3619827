package session

import (
	"errors"
	"fmt"
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
	name := filepath.Base(path)
	data, err := readAttachment(path)
	if err != nil {
		return history.Part{}, fmt.Errorf("%s cannot be attached: %w", name, err)
	}
	return s.AttachText(name, string(data))
}

// AttachText makes a text that is no file hang on a message under a name.
func (s *Session) AttachText(name, text string) (history.Part, error) {
	part, err := tool.Attach(name, []byte(text), s.Model().Name, s.deps.Count)
	if err != nil {
		return history.Part{}, fmt.Errorf("%s cannot be attached: %w", name, err)
	}
	return part, nil
}

// readAttachment reads a file that is not too large. The error has no path.
func readAttachment(path string) ([]byte, error) {
	// A pipe is asked before it is opened: opening one waits for somebody who writes.
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > tool.LargestFile:
		return nil, tool.ErrTooLarge
	}
	data, err := os.ReadFile(path)
	return data, errors.Unwrap(err)
}
