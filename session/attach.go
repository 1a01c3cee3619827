package session

import (
	"fmt"
	"path/filepath"

	"winnow/history"
	"winnow/llm/tool"
)

// Attach reads a file as it hangs on a message: a text, or a picture with what it is likely to cost the
// model in use. The part has the file's name without its folder. The error is a sentence that names the
// file and says why it cannot be sent.
func (s *Session) Attach(path string) (history.Part, error) {
	data, err := tool.ReadFile(path)
	return s.attach(filepath.Base(path), data, err)
}

// AttachText makes a text that is no file hang on a message under a name.
func (s *Session) AttachText(name, text string) (history.Part, error) {
	return s.attach(name, []byte(text), nil)
}

func (s *Session) attach(name string, data []byte, err error) (part history.Part, _ error) {
	if err == nil {
		part, err = tool.NewAttachment(name, data, s.Model().Name, s.deps.Count)
	}
	if err != nil {
		return part, fmt.Errorf("%s cannot be attached: %w", name, err)
	}
	return part, nil
}
