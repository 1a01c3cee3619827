package ui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// inOrder fails where the texts do not stand on the screen one below the other.
func (l *live) inOrder(texts ...string) {
	l.t.Helper()
	rest := plain(l.Model)
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			l.t.Fatalf("%q does not stand behind what comes before it in %q:\n%s", text, texts, plain(l.Model))
		}
		rest = after
	}
}

// An answer that the server broke off says why itself, also when the session is opened again.
func TestAnAnswerThatBrokeOffSaysWhy(t *testing.T) {
	t.Parallel()
	l := onStage(t, 110, 60)
	l.says(map[string]http.HandlerFunc{"/v1/chat/completions": func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It begins\"}}]}\n\ndata: "+
			"{\"error\":{\"message\":\"the runner has stopped\",\"code\":500}}\n\n")
	}})
	l.types("First")
	l.press("enter")
	for range 2 {
		l.shows("“the runner has stopped”")
		l.until("the end of the turn", func() bool { return !l.Turn.Busy })
		l.inOrder("It begins", "✗ here failed: “the runner has stopped”", "this part is kept   /retry try again")
		l.lacks("Your message is saved")
		l.reopen()
	}
}
