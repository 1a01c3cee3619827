package target

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/store"
)

// noon is the time of every test.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// newModel is a model of a server that states no window. wanted is the reply that is asked for.
func newModel(t *testing.T, window, wanted int) *Model {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	client, name, err := new(llm.Catalog).With(llm.Endpoint{Name: "test", BaseURL: server.URL + "/v1", DefaultModel: "m", Window: window}).Resolve("test/m")
	if err != nil {
		t.Fatal(err)
	}
	m := New(Dependencies{
		Store: st, Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler),
		Count: func(text string) int { return len(text) }, Ask: llm.Request{MaxTokens: wanted},
	}, client, name)
	if err := m.FindWindow(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

// again is the model as another conversation finds it.
func again(t *testing.T, m *Model) *Model {
	t.Helper()
	other := New(m.deps, m.Client, m.Name)
	if err := other.FindWindow(t.Context()); err != nil {
		t.Fatal(err)
	}
	return other
}

func TestWindowThatIsSetHoldsInEverySession(t *testing.T) {
	m := newModel(t, 0, 0)
	if !m.Window().Assumed {
		t.Fatalf("the window is %+v, want one that is assumed", m.Window())
	}
	m.NoteRefusal(&llm.Error{Limit: 4000}, 0)
	if got := m.Window().Tokens; got != 4000 {
		t.Errorf("after a refusal the window has %d tokens, want 4,000", got)
	}
	if err := m.SetWindow(t.Context(), 9000); err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string]*Model{"the model": m, "another session": again(t, m)} {
		if w := got.Window(); w.Tokens != 9000 || w.Source != "set with /window" {
			t.Errorf("%s has the window %+v, want the one that was set", what, w)
		}
	}
	if err := m.SetWindow(t.Context(), -1); err == nil {
		t.Error("a window below nothing was set")
	}
}

func TestTriedWindowIsNotKept(t *testing.T) {
	m := newModel(t, 8192, 0)
	m.LimitRequests(1000)
	tried, err := m.WithWindow(2048)
	if err != nil {
		t.Fatal(err)
	}
	var now, then history.Options
	m.FillOptions(&now)
	tried.FillOptions(&then)
	if now.Window != 8192 || now.Limit != 1000 || then.Window != 2048 || then.Limit != 0 {
		t.Errorf("planned with %d below %d, tried with %d below %d", now.Window, now.Limit, then.Window, then.Limit)
	}
	if got := again(t, m).Window().Tokens; got != 8192 {
		t.Errorf("a window of %d tokens was kept", got)
	}
}

func TestReplyKeepsHalfOfTheWindow(t *testing.T) {
	m := newModel(t, 4000, 3000)
	if got := m.Request(history.Plan{}).MaxTokens; got != 2000 {
		t.Errorf("asked for %d tokens, want half of the window", got)
	}
	if wanted, asked, ok := m.LoweredReply(); !ok || wanted != 3000 || asked != 2000 {
		t.Errorf("lowered from %d to %d: %t", wanted, asked, ok)
	}
	m.LimitReply(700)
	if got := m.Request(history.Plan{}).MaxTokens; got != 700 {
		t.Errorf("asked for %d tokens, want the 700 that the server has room for", got)
	}
	m.ScaleReply(0.5)
	if got := m.Request(history.Plan{}).MaxTokens; got != 350 {
		t.Errorf("asked for %d tokens, want half of 700", got)
	}
	m.UnlimitReply()
	if got := m.Request(history.Plan{}).MaxTokens; got != 2000 {
		t.Errorf("asked for %d tokens after the turn, want 2,000", got)
	}
}

// What a server refused holds for a week in every session; what Ollama states of the model and the window stay.
func TestWhatWasRefusedIsForgottenAfterAWeek(t *testing.T) {
	m := newModel(t, 0, 0)
	m.Client.Learn(m.Name, llm.Learned{Without: []string{"temperature"}, Thinks: true})
	m.NoteRefusal(&llm.Error{Limit: 4000}, 0)
	if err := m.SaveLearned(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.Client = llm.NewClient(m.Client.Endpoint()) // as in the next run
	for _, days := range []int{0, 6, 7, 8} {
		m.deps.Now = func() time.Time { return noon.AddDate(0, 0, days) }
		m = again(t, m)
		old := m.ForgetExpired()
		if now := m.Client.AllLearned(m.Name); (len(now.Without) > 0) == (days >= 7) || !now.Thinks || m.Window().Tokens != 4000 {
			t.Errorf("day %d: known is %+v, the window has %d tokens", days, now, m.Window().Tokens)
		}
		if forgotten := len(old.Describe()) > 0; forgotten != (days == 7) || forgotten && !old.Since.Equal(noon) {
			t.Errorf("day %d: forgotten is %+v", days, old)
		}
		if err := m.SaveLearned(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A server may change its list of tools at any time; a request offers those that its plan counted.
func TestARequestOffersTheToolsThatWereCounted(t *testing.T) {
	m := newModel(t, 4000, 0)
	box := &tool.Toolbox{}
	m.deps.Tools = []*tool.Toolbox{box}
	replace := func(name string) {
		box.Replace([]tool.Entry{{Tool: tool.Tool{Name: name, Parameters: []byte(`{}`)}}})
	}
	var o history.Options
	replace("one")
	m.FillOptions(&o)
	replace("another")
	r := m.Request(history.Plan{})
	if len(r.Tools) != 1 || r.Tools[0].Name != "one" || o.Tools != len(llm.ToolSchemas(r.Tools)) {
		t.Errorf("the request offers %+v, counted as %d", r.Tools, o.Tools)
	}
	m.FillOptions(&o)
	if r := m.Request(history.Plan{}); len(r.Tools) != 1 || r.Tools[0].Name != "another" {
		t.Errorf("the next one offers %+v", r.Tools)
	}
	box.Replace(nil)
	m.FillOptions(&o)
	if r := m.Request(history.Plan{}); len(r.Tools) != 0 || o.Tools != 0 {
		t.Errorf("without tools it offers %+v, counted as %d", r.Tools, o.Tools)
	}
}
