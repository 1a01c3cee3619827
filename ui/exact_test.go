package ui

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/ui/app"
)

// TestPanelTakesTheServersOwnCount has a server that counts each request 321 tokens long, and one that
// cannot count.
func TestPanelTakesTheServersOwnCount(t *testing.T) {
	counts := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !counts:
			http.NotFound(w, r)
		case r.URL.Path == "/apply-template":
			fmt.Fprint(w, `{"prompt":"all of it"}`)
		default:
			fmt.Fprint(w, `{"tokens":[`+strings.TrimSuffix(strings.Repeat("1,", 321), ",")+`]}`)
		}
	}))
	defer server.Close()
	m := fresh(t, 120, 40)
	deps := m.With
	deps.Models = new(llm.Catalog).With(llm.Endpoint{Name: "here", BaseURL: server.URL + "/v1", Exact: true})
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	deps.Policy = policy
	s, err := session.New(deps, session.Start{Ref: "here/m"})
	if err != nil {
		t.Fatal(err)
	}
	m.Session = s
	typing(m, strings.Repeat("What is this about? ", 50))
	plan := func() (counts tea.Cmd) { return m.Plan()().(app.Then)() }
	count := plan()
	if s := m.Panel.Next.Plan.Sum; s.Tokens(s.Total) == 321 {
		t.Fatal("the estimate is the count already: 321")
	}
	if next := count().(app.Then)(); next != nil {
		t.Error("a plan that goes by the server's count asks for another")
	}
	if got := m.Panel.Gauge(false); !strings.Contains(got, "~321 / ") {
		t.Errorf("the gauge does not show the server's 321 tokens: %q", got)
	}
	counts = false
	if plan()().(app.Then)(); m.notice.Sentence() == "" {
		t.Error("nobody says that the server cannot count")
	}
	if plan() != nil {
		t.Error("a server that cannot count is asked again")
	}
}
