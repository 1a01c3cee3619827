package composer

import (
	"bytes"
	"slices"

	"winnow/history"
)

// Drafted is what the next request is planned with beside the conversation.
type Drafted struct {
	Text    string
	Files   []history.Part // never nil: an edit without a file takes the earlier ones away
	Instead int64          // the message that it stands in for, 0 for none
}

// Same says that two drafts plan the same.
func (d Drafted) Same(o Drafted) bool {
	return d.Text == o.Text && d.Instead == o.Instead && slices.EqualFunc(d.Files, o.Files, sameFile)
}

func sameFile(a, b history.Part) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.Text == b.Text && bytes.Equal(a.Data, b.Data)
}
