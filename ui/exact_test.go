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
	"winnow/ui/conversation"
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
	var planned conversation.Planned
	m.Screen.Planned = func(p conversation.Planned) tea.Cmd { planned = p; return nil }
	plan := func() conversation.Planned {
		t.Helper()
		m.Plan()().(app.Then)()
		if planned.Err != nil {
			t.Fatalf("there is no plan: %v", planned.Err)
		}
		return planned
	}
	first := plan()
	if got := first.Plan.Sum.Tokens(first.Plan.Sum.Total); got == 321 {
		t.Fatalf("the estimate is the count already: %d", got)
	}
	if m.planned(first)().(app.Then)(); !planned.Exact {
		t.Fatal("the server's count changes nothing")
	}
	if next := m.planned(planned); next != nil {
		t.Error("a plan that goes by the server's count asks for another")
	}
	if got := m.Panel.Gauge(false); !strings.Contains(got, "~321 / ") {
		t.Errorf("the gauge does not show the server's 321 tokens: %q", got)
	}
	counts = false
	if m.planned(plan())().(app.Then)(); m.notice.Sentence() == "" {
		t.Error("nobody says that the server cannot count")
	}
	if next := m.planned(plan()); next != nil {
		t.Error("a server that cannot count is asked again")
	}
}
