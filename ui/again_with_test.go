package ui

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAnotherModelAnswersFromTheList(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.says(map[string]http.HandlerFunc{"/v1/models": func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"data":[{"id":"small"},{"id":"large"}]}`)
	}})
	l.say("First")
	l.press("tab", "g", "R")
	l.shows("Ask again with another model")
	l.shows("there/large")
	l.types("there/large")
	l.press("enter")
	l.until("the other answer", func() bool { return !l.turn.Busy && len(l.bodies) == 2 && l.chat.Messages.Len() == 2 })
	l.planned()
	if body := l.body(); !strings.Contains(body, `"model":"large"`) {
		t.Errorf("the request was not for the other model: %s", body)
	}
	l.shows("large   2 of 2  [ ]")
	l.wantTexts("First | Answer 2")
	if l.Ref != "here/small" || l.Session.Model().Ref() != "here/small" {
		t.Errorf("the session is with %s, on the screen %s", l.Session.Model().Ref(), l.Ref)
	}
	l.press("G", "[")
	l.until("the first answer", func() bool { return strings.HasPrefix(l.chat.At(1).Content, "Answer 1") })
	l.press("tab", "tab")
	l.setFocus(draftPane)
	l.types("/retry nowhere/large")
	l.press("enter")
	l.shows("there is no endpoint")
	l.wantTexts("First | Answer 1")
	if n := len(l.bodies); n != 2 {
		t.Errorf("%d requests, want none to a model that is not there", n)
	}
}
