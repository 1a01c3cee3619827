package ui

import (
	"encoding/json"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/theme"
)

// titled waits until the inspector shows a view of something.
func (l *live) titled(name string, view inspector.View) {
	l.t.Helper()
	l.until(name+", "+string(view), func() bool {
		title, _, _ := strings.Cut(plain(l.Model), "\n")
		return strings.Contains(title, name) && strings.Contains(title, string(view)) && l.Inspector.At == view &&
			l.Inspector.Text() != ""
	})
}

// transcript gives the keys to the transcript.
func (l *live) transcript() {
	l.t.Helper()
	for l.focus != transcriptPane {
		l.press("tab")
	}
}

// TestTheRequestIsShownAsItIsSent compares the json view with the bytes that the server received.
func TestTheRequestIsShownAsItIsSent(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.say("The first question.")
	l.Secrets = theme.Secrets{Find: findKey}
	l.say("My key is sk-0123456789abcdef.")
	l.transcript()
	l.press("i")
	l.titled("next request", "text")
	l.shows("4  assistant  message 4")
	l.press("left")
	l.titled("turn 2", "text")
	l.shows("3  user  message 3")
	l.press("tab")
	l.titled("turn 2", "json")
	l.shows("✓ proven by hash: these")
	l.shows("1 secret is hidden in this view")
	_, shown, _ := strings.Cut(l.Inspector.Text(), "\n\n")
	l.mu.Lock()
	received := l.bodies[len(l.bodies)-1]
	l.mu.Unlock()
	var got, want any
	if err := json.Unmarshal([]byte(shown), &got); err != nil {
		t.Fatalf("the view is no JSON: %v\n%s", err, shown)
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(received, "sk-0123456789abcdef", theme.Redacted)),
		&want); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("the view shows\n%s\nthe server received\n%s", a, b)
	}
}

func TestAMessageWithoutAPlanIsShown(t *testing.T) {
	m := fresh(t, 80, 24)
	m.Chat.Add(store.Message{Message: history.Message{ID: 1, Role: history.User, Content: "Is anybody there?"}},
		record.Receipt{})
	m.Inspect(inspector.Subject{Message: 1}, inspector.TextView)
	if got := plain(m); !strings.Contains(got, "This message has no verdict yet.") ||
		!strings.Contains(got, "Is anybody there?") {
		t.Errorf("got\n%s", got)
	}
	for range 4 {
		m.Update(tab)
		fits(t, m)
	}
}
