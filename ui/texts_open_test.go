package ui

import (
	"fmt"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/uitest"
)

// finds opens the list, looks for a text in all messages and opens the first hit.
func (l *live) finds(text string) {
	l.t.Helper()
	l.press("ctrl+s")
	l.types(text)
	l.until("the hits", func() bool { return len(found(l.Model)) > 0 })
	for !strings.HasPrefix(atCursor(l.Model), "message") { // below the titles
		l.press("down")
	}
	l.press("enter")
}

// standsOn waits until the transcript's cursor stands on a message of a session.
func (l *live) standsOn(id, text string) {
	l.t.Helper()
	l.until(fmt.Sprintf("the cursor on %q", text), func() bool {
		message, ok := l.Chat.Selected()
		return l.Info.ID == id && ok && message.Content == text
	})
	if l.covered() || l.focus != transcriptPane {
		l.t.Fatalf("overlay %v, focus %v:\n%s", l.dialogs.Top(), l.focus, plain(l.Model))
	}
}

func TestAHitOpensOnItsBranch(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("Tell me about the walrus.")
	id, first := l.Info.ID, l.Chat.Messages.ID(0)
	l.say("And where does it live?")
	l.turnOf(l.Session.Send(t.Context(), session.Draft{Instead: first, Text: "Tell me about the otter."}))
	l.press("ctrl+n")
	l.until("a new chat", func() bool { return l.Info.ID == "" })

	l.finds("walrus")
	l.standsOn(id, "Tell me about the walrus.")
	l.shows("And where does it live?")
	if leaf := l.stored(id).Leaf; leaf != l.Chat.Messages.ID(l.Chat.Messages.Len()-1) {
		t.Errorf("the active branch of the file ends at %d", leaf)
	}
	l.until("the word marked", func() bool { return l.Chat.Search.On && strings.HasPrefix(hitText(l.Model), "match 1 of 1 ") })

	l.finds("otter") // in the session that is open, on its other branch
	l.standsOn(id, "Tell me about the otter.")
	if strings.Contains(plain(l.Model), "And where does it live?") {
		t.Errorf("both branches are on the screen:\n%s", plain(l.Model))
	}
	l.finds("otter") // and on the branch that is on the screen
	l.standsOn(id, "Tell me about the otter.")
	l.press("esc")
	if l.Chat.Search.On {
		t.Errorf("esc leaves the marks:\n%s", plain(l.Model))
	}
}

func TestAHitOpensFarBackInALongSession(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	const n = 3000
	conversation := store.Conversation{Session: store.Session{Title: "Long", Endpoint: "here", Model: "small"}, Leaf: -1}
	for i := range n {
		m := store.Message{
			Message: history.Message{
				Role: history.User, Content: fmt.Sprintf("Message %d of many.", i), Status: history.Complete,
			},
		}
		if i%2 == 1 {
			m.Role = history.Assistant
		}
		if i == 20 {
			m.Content = strings.Repeat("A long message has many lines.\n\n", 100) +
				"At its end stands a walrus."
		}
		conversation.Add(m)
	}
	imported, err := l.With.Store.Import(t.Context(), conversation, store.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kept := imported.Session
	for left := int64(1); left > 0; {
		if left, err = l.With.Store.IndexSome(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	l.finds("walrus")
	l.until("the chat", func() bool {
		m, ok := l.Chat.Selected()
		return ok && strings.HasSuffix(m.Content, "walrus.")
	})
	l.until("all of it", func() bool { return l.Chat.Messages.Len() == n })
	l.shows("At its end stands a walrus.")
	if l.Info.ID != kept.ID || l.focus != transcriptPane {
		t.Errorf("the session is %s, the focus %v", l.Info.ID, l.focus)
	}
}

func TestAHitInAFileOpensAtItsMessage(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept, _, err := l.With.Store.Begin(t.Context(), store.Session{
		Title: "Notes", Endpoint: "here", Model: "small",
	},
		store.Message{Message: history.Message{
			Role: history.User, Content: "What is this?", Status: history.Complete,
			Parts: []history.Part{{Kind: history.TextPart, Name: "notes.md", Text: "A walrus sleeps."}},
		}})
	if err != nil {
		t.Fatal(err)
	}
	l.finds("walrus") // the transcript shows the name of the file alone, so that nothing can be marked
	l.standsOn(kept.ID, "What is this?")
	if l.Chat.Search.On {
		t.Errorf("a search was begun that finds nothing:\n%s", plain(l.Model))
	}
}

// A message that is not on disk could not come back to the draft once its session is left.
func TestWhileAMessageIsNotSavedNoOtherSessionIsOpened(t *testing.T) {
	m := asking(t, 120, 40)
	m.Update(ctrl('s'))
	listed(m, someSessions()...)
	m.Update(uitest.Key("down"))
	m.Update(enter)
	if !strings.Contains(plain(m), "Your message is not saved yet") || m.dialogs.Top() != m.sessions {
		t.Errorf("enter on a session while an answer arrives:\n%s", plain(m))
	}
}
