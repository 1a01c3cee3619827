package ui

import (
	"encoding/json"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/layout"
	"winnow/ui/theme"
)

// titled waits until the inspector shows a view of something.
func (l *live) titled(name string, view inspector.View) {
	l.t.Helper()
	l.until(name+", "+string(view), func() bool {
		title, _, _ := strings.Cut(plain(l.Model), "\n")
		return strings.Contains(title, name) && strings.Contains(title, string(view)) && l.inspector.At == view &&
			l.inspector.Text() != ""
	})
}

// transcript gives the keys to the transcript.
func (l *live) transcript() {
	l.t.Helper()
	for l.focus != transcriptPane {
		l.press("tab")
	}
}

func TestEnterInspectsTheMessageOfTheTranscript(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{140, 50}, {80, 24}} {
		l := onStage(t, size[0], size[1])
		l.say("The first question.")
		l.say("The second question.")
		l.transcript()
		l.press("g", "enter")
		l.titled("message 1", "text")
		l.shows("The first question.")
		l.press("K")
		l.shows("This is the first message.")
		l.press("J")
		l.titled("message 2", "text")
		l.shows("Answer 1.")
		l.press("J", "J", "J")
		l.shows("This is the last message.")
		l.titled("message 4", "text")
		l.press("tab")
		l.titled("message 4", inspector.SentView)
		l.shows("4  assistant  message 4")
		l.press("tab")
		l.titled("message 4", inspector.PastView)
		l.shows("No past request contained this message.")
		l.press("tab")
		l.titled("message 4", "text")
		l.press("shift+tab")
		l.titled("message 4", inspector.PastView)
		l.press("esc")
		if l.overlays.any() || l.focus != transcriptPane {
			t.Errorf("after esc: overlay %v, focus %v; want the transcript", l.overlays.top(), l.focus)
		}
		if on, _ := l.chat.Selected(); on.Content == "The first question." {
			t.Error("the transcript's cursor did not go along with the inspector")
		}
	}
}

func TestTheInspectorGoesThroughTheRequests(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	for _, q := range []string{"The first question.", "The second question.", "The third question."} {
		l.say(q)
	}
	l.transcript()
	l.press("g", "enter")
	l.titled("message 1", "text")
	l.press("tab", "tab")
	l.titled("message 1", inspector.PastView)
	l.shows("turn 3 ")
	l.shows("1/3")
	l.press("j", "j", "enter") // the oldest
	l.titled("message 1", "text")
	l.shows("turn 1 · sent")
	l.shows("✓ proven")
	l.press("right")
	l.shows("turn 2 · sent")
	l.press("J", "J", "J")
	l.shows("This is the last message.")
	l.titled("message 3", "text")
	l.shows("The second question.")
	l.press("left")
	l.shows("This request does not contain the message: it came later, or is on another branch.")
	l.press("J")
	l.shows("This request has no such message.")
	for _, turn := range []string{"turn 2 · sent", "turn 3 · sent"} {
		l.press("right")
		l.shows(turn)
	}
	l.press("right")
	l.until("the next request", func() bool { return l.panel.Past == nil })
	l.press("esc")
	if l.overlays.any() {
		t.Errorf("after esc the overlay is %v", l.overlays.top())
	}
}

func TestThePanelOpensItsLine(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{140, 50}, {80, 24}} {
		l := onStage(t, size[0], size[1])
		l.say("The first question.")
		if size[0] < layout.WideWidth {
			l.press("ctrl+x")
		} else {
			l.press("tab", "tab")
		}
		l.press("g", "enter")
		l.titled("message 1", "text")
		l.press("J", "esc")
		l.shows("Next request")
		if l.panel.At() != 1 {
			t.Errorf("the panel's cursor is on line %d, want the message that was inspected last, on line 1",
				l.panel.At())
		}
	}
}

// TestTheRequestIsShownAsItIsSent compares the json view with the bytes that the server received.
func TestTheRequestIsShownAsItIsSent(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.say("The first question.")
	l.current.Secrets = theme.Secrets{Find: findKey}
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
	_, shown, _ := strings.Cut(l.inspector.Text(), "\n\n")
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
	l.press("tab")
	l.titled("turn 2", "changes")
	l.shows("from turn 1 to turn 2")
	l.shows("entered      3 you")
	l.press("G", "enter")
	l.titled("message 3", "text")
	l.press("esc")
	l.titled("turn 2", "changes")
	l.press("esc")
	l.press("left") // of the transcript, where it does nothing
	l.transcript()
	l.press("i")
	l.titled("turn 2", "text")
	l.press("left")
	l.titled("turn 1", "text")
	l.press("shift+tab")
	l.shows("Nothing was sent before this request")
}

func TestTheInspectorDecidesByHand(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.say("The first question.")
	l.transcript()
	l.press("g", "enter")
	l.titled("message 1", "text")
	for _, c := range []struct{ key, want string }{{"p", "◆"}, {"x", "⊘"}, {"x", "●"}} {
		l.press(c.key)
		l.until("the verdict "+c.want, func() bool {
			e, ok := l.panel.Next.Plan.EntryOf(l.chat.Messages.ID(0))
			return ok && theme.Glyph(e) == c.want && strings.Contains(plain(l.Model), "\n  "+c.want+" ")
		})
	}
}

func TestAMessageWithoutAPlanIsShown(t *testing.T) {
	m := fresh(t, 80, 24)
	m.chat.Add(store.Message{Message: history.Message{ID: 1, Role: history.User, Content: "Is anybody there?"}},
		record.Receipt{})
	m.inspect(inspector.Subject{Message: 1}, inspector.TextView)
	if got := plain(m); !strings.Contains(got, "This message has no verdict yet.") ||
		!strings.Contains(got, "Is anybody there?") {
		t.Errorf("got\n%s", got)
	}
	for range 4 {
		m.Update(tab)
		fits(t, m)
	}
}
