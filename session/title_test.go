package session

import (
	"net/http"
	"strings"
	"testing"
)

// The configured model is asked for a title once, of the first message, and a title of the user's own stays, even one
// given meanwhile, but where the user asks for another.
func TestATitleIsWrittenOnce(t *testing.T) {
	var s *Session
	meanwhile := false
	titled := func(w http.ResponseWriter, r *http.Request) {
		if meanwhile {
			if err := s.Set(r.Context(), Settings{Title: new("Mine")}); err != nil {
				t.Error(err)
			}
		}
		says("\"Parser error recovery\"\n")(w, r)
	}
	b := newBench(t, says("Panic-mode recovery."), titled, titled, titled)
	b.deps.TitleRef = "test/small"
	s = b.begin()
	drain(s.Send(t.Context(), say("How does a parser recover?")))
	for _, c := range []struct {
		asked, meanwhile bool
		want             string
		requests         int
	}{
		{false, false, "Parser error recovery", 2},
		{false, true, "Mine", 3},
		{false, false, "Mine", 3},
		{true, false, "Parser error recovery", 4},
	} {
		meanwhile = c.meanwhile
		title, err := s.Retitle(t.Context(), c.asked, func(Event) {})
		if err != nil || title != c.want || s.Info().Title != c.want || b.open(s.Info().ID).Info().Title != c.want ||
			b.requests() != c.requests {
			t.Errorf("%+v: the title is %q, in the session %q, after %d requests, %v", c, title, s.Info().Title,
				b.requests(), err)
		}
	}
	if body := b.body(2); !strings.Contains(body, `"model":"small"`) || !strings.Contains(body, "a parser recover?") ||
		strings.Contains(body, "Panic-mode") {
		t.Errorf("the title was asked for with %s", body)
	}
}
