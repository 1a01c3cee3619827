package session

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// An edited message keeps the files of the earlier version, and they are sent.
func TestEditKeepsTheFiles(t *testing.T) {
	b := newBench(t, says("Hello."), says("A dog."))
	s := b.begin()
	drain(s.Send(t.Context(), say("Hi")))
	files := []history.Part{
		{Kind: history.ImagePart, MediaType: "image/png", Name: "cat.png", Data: []byte("a picture")},
	}
	row := s.Info()
	seen, err := b.deps.Store.AppendMessage(t.Context(), store.Message{
		Session: row.ID, Parent: row.Leaf,
		Message: history.Message{
			Role: history.User, Content: "What is this?", Parts: files, Status: history.Complete,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s = b.open(row.ID)
	completed(t, s.Send(t.Context(), Draft{Replaces: seen.ID, Text: "And this?"}))
	edited := b.open(row.ID).Messages()[2]
	if edited.Content != "And this?" || !reflect.DeepEqual(edited.Parts, files) {
		t.Errorf("the edited message is %q with %+v, want the files %+v", edited.Content, edited.Parts, files)
	}
	if body := b.body(2); !strings.Contains(body, base64.StdEncoding.EncodeToString(files[0].Data)) {
		t.Errorf("the request does not hold the picture:\n%s", body)
	}
}
