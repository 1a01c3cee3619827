package session

import (
	"fmt"
	"path/filepath"

	"winnow/history"
	"winnow/llm/tool"
)

// Attach reads a text file or an image for a message, with its estimated cost in tokens for the model in use. The part
// is named after the file, without its folder. The error is a sentence that names the file.
func (s *Session) Attach(path string) (history.Part, error) {
	data, err := tool.ReadFile(path)
	return s.attach(filepath.Base(path), data, err)
}

// AttachText makes an attachment of a text that is not in a file.
func (s *Session) AttachText(name, text string) (history.Part, error) {
	return s.attach(name, []byte(text), nil)
}

func (s *Session) attach(name string, data []byte, err error) (part history.Part, _ error) {
	if err == nil {
		part, err = tool.Attach(name, data, s.Model().Name, s.deps.Count)
	}
	if err != nil {
		return part, fmt.Errorf("%s cannot be attached: %w", name, err)
	}
	return part, nil
}
