package ui

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"winnow/llm"
)

// A chat whose endpoint is at another address now is read, and goes nowhere before the user agrees: the draft stays.
func TestAChatAsksBeforeItGoesToAnotherAddress(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("First")
	moved := httptest.NewServer(http.HandlerFunc(l.answer))
	t.Cleanup(moved.Close)
	l.With.Models = new(llm.Catalog).With(
		llm.Endpoint{Name: "here", BaseURL: moved.URL + "/v1", Default: "small", Window: 4096},
	)
	asked := l.Asked()
	l.reopen()
	l.shows("this chat was with here at http://")
	l.types("Second")
	l.press("enter")
	l.until("the refusal", func() bool { return !l.Turn.Busy })
	l.shows("The draft is kept.")
	if got := l.composer.Shown(); l.Asked() != asked || got != "Second" || l.Chat.Messages.Len() != 2 {
		t.Fatalf("%d requests more, the draft is %q, and there are %d messages", l.Asked()-asked, got,
			l.Chat.Messages.Len())
	}
	s := l.Session
	l.press("ctrl+l")
	l.shows("In use")
	l.press("enter")
	l.until("the agreement", func() bool { return s.Ready() == nil && l.notice.Alert().Text == "" })
	l.press("enter")
	l.until("the answer", func() bool { return !l.Turn.Busy && l.Chat.Messages.Len() == 4 })
}
