package ui

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// A server that is slow to say its window, once the model runs, keeps nobody from sending the next message.
func TestTheQuestionForTheWindowKeepsNoTurnBusy(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 40)
	said := make(chan struct{})
	l.says(map[string]http.HandlerFunc{"/api/ps": func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		ran := len(l.bodies) > 0
		l.mu.Unlock()
		if !ran {
			fmt.Fprint(w, `{"models":[]}`)
			return
		}
		select {
		case <-said:
			fmt.Fprint(w, `{"models":[{"name":"small:latest","model":"small:latest","context_length":4000}]}`)
		case <-r.Context().Done():
		}
	}})
	e := l.With.Models.Endpoints()[0]
	e.Window = 0
	l.With.Models = new(llm.Catalog).With(e)
	s, err := session.New(l.With, session.Start{Ref: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	l.begins(s)
	// A turn that waits for the server takes three seconds (target.Patience) every time; a busy machine does not make
	// every turn so slow.
	const patience = 3 * time.Second
	waited := true
	for n := 1; n <= 2 || n <= 5 && waited; n++ {
		began := time.Now()
		l.types("Again.")
		l.press("enter")
		l.until("the answer", func() bool { return !l.Turn.Busy && l.Chat.Messages.Len() == 2*n })
		waited = waited && time.Since(began) >= patience
	}
	if waited {
		t.Error("every turn was busy until it gave the question up")
	}
	if got := l.Session.Model().Window(); !got.Assumed {
		t.Errorf("the server did not say it yet, and the window is %+v", got)
	}
	close(said)
	l.until("the window", func() bool { return l.Session.Model().Window().Tokens == 4000 })
	l.until("a plan in it", func() bool { return l.Panel.Next.Plan.Sum.Window == 4000 })
}

// A request of which the server read only a part says so in its view and at the messages.
func TestUnreadPartIsMarked(t *testing.T) {
	entries := []history.Entry{
		{Index: 0, ID: 1, Disposition: history.Kept, Place: history.Whole, TokensAfter: 700, TokensBefore: 700},
		{Index: 1, ID: 2, Disposition: history.Kept, Place: history.Whole, TokensAfter: 300, TokensBefore: 300},
	}
	past := panel.PastRequest(record.Replayed{Recorded: record.Recorded{
		Request:  store.Request{Turn: 1, Prompt: 400, CutExpected: 1000},
		Verdicts: history.Plan{Sum: history.Sum{Total: 1000}, Entries: entries},
	}})
	m := fresh(t, 120, 40)
	m.Panel.Open(&past)
	if shown := strings.Join(m.Panel.View(80, 20), "\n"); strings.Count(shown, "not read") != 1 ||
		!strings.Contains(shown, "The server read 400 of ~1,000") {
		t.Errorf("the panel does not say that the first message was not read:\n%s", shown)
	}
	c := m.Chat
	c.Reset(branch.Branch{}.With(store.Message{Message: history.Message{ID: 1}}, store.Message{Message: history.Message{ID: 2}}))
	c.Judge(past.Plan, past.FirstRead)
	if page := strings.Join(c.View(), "\n"); strings.Count(page, theme.NotRead) != 1 {
		t.Errorf("the transcript does not say that the first message was not read:\n%s", page)
	}
}
