package sessions

import (
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// searched is a list in which a search has found one message, with its preview.
func searched(w, h int, text string, messages ...Previewed) *fixture {
	f := empty(w, h, text)
	f.lists()
	f.Found(Found{Text: text, Hits: []store.Hit{{
		Session: store.Session{ID: "1", Title: "Whales", Updated: begun}, Message: 7, Role: history.User, At: begun,
		Snippet: text, Marks: [][2]int{{0, len(text)}},
	}}})
	f.Resize(w, h)
	f.Previewed(messages, nil)
	return f
}

// said is a message.
func said(r history.Role, text string) Previewed {
	return Previewed{Message: store.Message{Message: history.Message{Role: r, Content: text}}}
}

// Wherever in a message something was found, the preview shows the line that holds it, and no more lines than fit.
func TestAPreviewShowsWhatWasFound(t *testing.T) {
	for _, before := range []int{0, 30, 300, 3000} {
		for _, h := range []int{24, 40, 90} {
			stored := strings.Repeat("Nothing is said here. ", before) + "There swims a walrus." +
				strings.Repeat(" Nothing more.", 1000)
			part := said(history.User, around(said(history.User, stored).Message, "walrus"))
			l := searched(100, h, "walrus", part, said(history.Assistant, "An answer."))
			got := l.drawn()
			if preview := got[strings.LastIndex(got, "───"):]; !strings.Contains(preview, "walrus") {
				t.Errorf("%d sentences before it, in %d lines, what was found is not shown:\n%s", before, h, got)
			}
			if n := strings.Count(got, "\n"); n > h {
				t.Errorf("%d lines are drawn in a height of %d", n, h)
			}
		}
	}
}

// What a search found in a file or a tool call is previewed from there, since the message itself does not say it.
func TestAPreviewShowsFilesWhereTheyMatch(t *testing.T) {
	m := store.Message{
		Message: history.Message{
			Role: history.User, Content: "What is this?", Parts: []history.Part{
				{Kind: history.TextPart, Name: "notes.md", Text: "A walrus sleeps."},
			},
		},
	}
	for query, want := range map[string]string{
		"walrus": "What is this?\nnotes.md\nA walrus sleeps.", "what": "What is this?", "": "What is this?",
	} {
		if got := around(m, query); got != want {
			t.Errorf("%q previews %q, want %q", query, got, want)
		}
	}
}

func TestTheAgeOfASession(t *testing.T) {
	zone := time.FixedZone("here", 3600)
	at := time.Date(2026, 3, 1, 9, 30, 0, 0, zone)
	for want, then := range map[string]time.Time{
		"now":         at.Add(-30 * time.Second),
		"59 min ago":  at.Add(-59*time.Minute - time.Second),
		"8 h ago":     at.Add(-8*time.Hour - time.Minute),
		"yesterday":   time.Date(2026, 2, 28, 0, 5, 0, 0, zone),
		"27 Feb":      time.Date(2026, 2, 27, 23, 59, 0, 0, zone),
		"31 Dec 2025": time.Date(2025, 12, 31, 23, 59, 0, 0, zone),
	} {
		if got := when(at, then.UTC()); got != want {
			t.Errorf("%s at %s is %q, want %q", then, at, got, want)
		}
	}
}
