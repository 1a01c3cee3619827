package ui

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// charging begins a session with a server that has these prices. Base, if not empty, is the address of a hosted server.
func (l *live) charging(base string, prices map[string]pricing.Prices) {
	l.t.Helper()
	e := l.Deps.Models.Endpoints()[0]
	if base != "" {
		e.BaseURL, e.Doer = base, sentTo(strings.TrimPrefix(e.BaseURL, "http://"))
	}
	e.Prices = prices
	l.talksTo(e)
}

// talksTo begins a session with the first of these endpoints.
func (l *live) talksTo(endpoints ...llm.Endpoint) {
	l.t.Helper()
	l.Deps.Models = new(llm.Catalog).With(endpoints...)
	l.begins()
	l.run(l.Init())
}

// sentTo sends every request to one host, whatever its URL.
type sentTo string

func (to sentTo) Do(req *http.Request) (*http.Response, error) {
	req.URL.Host, _, _ = strings.Cut(string(to), "/")
	return http.DefaultTransport.RoundTrip(req)
}

func TestCostOfEachRequestIsShown(t *testing.T) {
	t.Parallel()
	dear := map[string]pricing.Prices{pricing.AnyModel: {Request: pricing.Dollar / 4, Source: "the test"}}
	free := map[string]pricing.Prices{pricing.AnyModel: {Source: "the test"}}
	tests := []struct {
		name, base string
		prices     map[string]pricing.Prices
		receipt    string // under the answer
		next, past string // what the panel says; "" for no cost
	}{
		{
			"nothing reported", "http://llm.example.com/v1", dear, "~86 tokens · ~$0.25",
			"~$0.25 in", "~$0.25",
		},
		{"free", "http://llm.example.com/v1", free, "~86 tokens · $0", "$0 in", "$0"},
		{
			"hosted, and nobody knows a price", "http://llm.example.com/v1", nil, "~86 tokens · –",
			"",
			"–",
		},
		{"on this machine", "", nil, "~86 tokens", "", ""},
		{"on this machine, with a price", "", dear, "~86 tokens · ~$0.25", "~$0.25 in", "~$0.25"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := onStage(t, 140, 50)
			l.charging(test.base, test.prices)
			l.say("What is it worth?")
			receipt := func() string {
				_, after, _ := strings.Cut(plain(l.Model), "~86 tokens")
				line, _, _ := strings.Cut(after, "│")
				return strings.TrimSpace("~86 tokens" + line)
			}
			// costs are read after the answer has arrived
			l.until(fmt.Sprintf("the receipt %q", test.receipt), func() bool { return receipt() == test.receipt })
			l.press("tab", "tab")
			if test.next != "" {
				l.shows(test.next)
			}
			l.press("left")
			l.shows("Turn 1 ")
			if test.past != "" {
				l.shows(test.past)
			}
			if got := receipt(); got != test.receipt {
				t.Errorf("the receipt is %q at the end, want %q", got, test.receipt)
			}
		})
	}
}

func TestWhatIfShowsThePriceOfAnotherModel(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	endpoints := l.Deps.Models.Endpoints()
	endpoints[0].Prices = map[string]pricing.Prices{"small": {Request: pricing.Dollar / 4, Source: "the test"}}
	endpoints[1].Prices = map[string]pricing.Prices{"large": {Request: 2 * pricing.Dollar, Source: "the test"}}
	l.talksTo(endpoints...)
	l.say("What is it worth?")
	l.picks("what if")
	l.press("down", "down", "right")
	l.shows("◂ there/large")
	l.shows("~$0.25 → ~$2.00 a request")
	l.press("esc", "tab", "tab")
	l.shows("~$0.25 in")
}

// A price that only the server's model list has is shown before the first request.
func TestPriceOfTheListIsShownBeforeTheFirstRequest(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	list := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w,
			`{"data": [{"id": "small", "pricing": {"prompt": "0", "completion": "0.00001", "request": "0.5"}}]}`)
	}))
	t.Cleanup(list.Close)
	l.talksTo(llm.Endpoint{
		Name: "here", BaseURL: "http://llm.example.com/v1", Doer: sentTo(strings.TrimPrefix(list.URL, "http://")),
		DefaultModel: "small", Window: 4096,
	})
	l.types("What is it worth?")
	l.press("ctrl+x")
	l.shows("~$0.50 in")
	if got := l.Session.Info().ID; got != "" {
		t.Errorf("session %s was stored", got)
	}
}

// talked returns a model with a stored conversation of long questions, all of it counted.
func talked(t *testing.T, w, h int) *live {
	l := onStage(t, w, h)
	l.talks()
	return l
}

// fileHash returns a hash of the history file and its log.
func (l *live) fileHash() [32]byte {
	l.t.Helper()
	var all []byte
	path := l.Deps.Store.Path()
	for _, name := range []string{path, path + "-wal"} {
		b, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			l.t.Fatal(err)
		}
		all = append(all, b...)
	}
	return sha256.Sum256(all)
}

func TestWhatIfMovesTheVerdictsAndStoresNothing(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{140, 50}, {80, 24}} {
		l := talked(t, size[0], size[1])
		now, info, policy := l.Panel.Next, l.Session.Info(), l.Session.State().Policy
		stored, asked := l.fileHash(), len(l.bodies)
		marks := l.Chat.Plan.Entries

		l.picks("what if")
		l.shows("What if")
		l.shows("nothing is sent or stored")
		l.press("right")
		l.shows("◂ 1,000")
		l.tried()
		tried := l.Panel.ShownRequest()
		if tried.Plan.Sum.Limit >= now.Plan.Sum.Limit || tried.Counts.Sent() >= now.Counts.Sent() {
			t.Fatalf("with a budget of 1,000 tokens the limit is %d and the model sees %d, without one %d and %d",
				tried.Plan.Sum.Limit, tried.Counts.Sent(), now.Plan.Sum.Limit, now.Counts.Sent())
		}
		if got := l.Chat.Plan.Entries; len(history.CompareEntries(got, tried.Plan.Entries)) > 0 {
			t.Error("the transcript's marks are not those of the trial")
		}
		l.shows("Sends      " + theme.Thousands(now.Counts.Sent()) + " → ")
		l.shows("Tokens     ~" + now.FormatTokens(now.Plan.Sum.Total) + " → ~")
		if left := len(history.CompareEntries(marks, tried.Plan.Entries)); left == 0 ||
			!strings.Contains(plain(l.Model), "− ") {
			t.Errorf("%d messages change, and the screen does not say which leave:\n%s", left, plain(l.Model))
		}
		l.press("down", "right", "down", "right")
		l.shows("◂ there/large")
		l.tried()
		l.press("right")
		l.shows("◂ there/large")
		l.press("pgup", "pgdown", "J", "K", "esc")
		if l.Panel.Whatif != nil || l.covered() {
			t.Fatalf("esc did not leave the dials:\n%s", plain(l.Model))
		}
		if len(history.CompareEntries(marks, l.Chat.Plan.Entries)) > 0 {
			t.Error("esc left the marks of the trial in the transcript")
		}
		if l.fileHash() != stored {
			t.Error("what was only tried out changed the file")
		}
		if l.Session.Info().Overrides != info.Overrides || l.Session.State().Policy != policy ||
			l.Session.Model().Ref() != l.Ref {
			t.Errorf("what was only tried out changed the session: %+v", l.Session.Info())
		}
		if len(l.bodies) != asked {
			t.Errorf("trying out sent %d requests", len(l.bodies)-asked)
		}
	}
}

func TestWhatIfAppliesAllThatWasTurned(t *testing.T) {
	t.Parallel()
	l := talked(t, 140, 50)
	l.press("tab", "w", "right", "right", "right", "down", "right", "down", "right")
	l.tried()
	tried := l.Panel.ShownRequest().Plan
	l.press("enter")
	l.shows("Set: budget 4,000, preset recall, model there/large.")
	l.shows("Next request")
	l.planned()
	if changes := history.CompareEntries(tried.Entries, l.Panel.Next.Plan.Entries); len(changes) > 0 ||
		l.Panel.Next.Plan.Sum != tried.Sum {
		t.Errorf("applied the plan is another than the trial's: %v\n%+v\n%+v", changes, l.Panel.Next.Plan.Sum,
			tried.Sum)
	}
	again, err := session.Open(t.Context(), l.Deps, l.Info.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	p := again.State().Policy
	if p.Budget != 4000 || p.Preset != "recall" || again.Model().Ref() != "there/large" ||
		l.Ref != "there/large" {
		t.Errorf("the next start has budget %d, preset %s and model %s", p.Budget, p.Preset, again.Model().Ref())
	}
	l.press("w", "enter")
	l.shows("No setting was changed.")
}

// tried waits until the plan of the What-if trial is shown.
func (l *live) tried() {
	l.t.Helper()
	l.until("the plan of the dials", func() bool { return l.Panel.Whatif != nil && !l.Panel.Whatif.Planning })
}

// A server that is slow to report its window does not delay the next message.
func TestTheQuestionForTheWindowKeepsNoTurnBusy(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 40)
	said := make(chan struct{})
	var asked atomic.Int32 // requests that wait for the server
	l.says(map[string]http.HandlerFunc{"/api/ps": func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		ran := len(l.bodies) > 0
		l.mu.Unlock()
		if !ran {
			fmt.Fprint(w, `{"models":[]}`)
			return
		}
		asked.Add(1)
		defer asked.Add(-1)
		select {
		case <-said:
			fmt.Fprint(w, `{"models":[{"name":"small:latest","model":"small:latest","context_length":4000}]}`)
		case <-r.Context().Done():
		}
	}})
	e := l.Deps.Models.Endpoints()[0]
	e.Window = 0
	l.talksTo(e)
	l.types("Hello?")
	l.press("enter")
	l.until("the answer before the window", func() bool {
		return !l.Turn.Busy && l.Chat.Messages.Len() == 2 && asked.Load() > 0
	})
	if got := l.Session.Model().Window(); !got.Assumed {
		t.Errorf("the server did not say it yet, and the window is %+v", got)
	}
	close(said)
	l.until("the window", func() bool { return l.Session.Model().Window().Tokens == 4000 })
	l.until("a plan in it", func() bool { return l.Panel.Next.Plan.Sum.Window == 4000 })
}

// If the server read only a part of a request, the panel and the transcript say so.
func TestUnreadPartIsMarked(t *testing.T) {
	entries := []history.Entry{
		{Index: 0, ID: 1, Disposition: history.Kept, Place: history.LevelWhole, TokensAfter: 700, TokensBefore: 700},
		{Index: 1, ID: 2, Disposition: history.Kept, Place: history.LevelWhole, TokensAfter: 300, TokensBefore: 300},
	}
	past := panel.PastRequest(record.ReplayedRequest{RecordedRequest: record.RecordedRequest{
		Request:  store.Request{Turn: 1, Prompt: 400, CutExpected: 1000},
		Verdicts: history.Plan{Sum: history.TokenSum{Total: 1000}, Entries: entries},
	}})
	m := fresh(t, 120, 40)
	m.Panel.ShowPast(&past)
	if shown := strings.Join(m.Panel.View(80, 20), "\n"); strings.Count(shown, "not read") != 1 ||
		!strings.Contains(shown, "The server read 400 of ~1,000") {
		t.Errorf("the panel does not say that the first message was not read:\n%s", shown)
	}
	c := m.Chat
	c.Reset(branch.Branch{}.Append(store.Message{Message: history.Message{ID: 1}}, store.Message{Message: history.Message{ID: 2}}))
	c.SetPlan(past.Plan, past.FirstRead)
	if page := strings.Join(c.View(), "\n"); strings.Count(page, theme.NotRead) != 1 {
		t.Errorf("the transcript does not say that the first message was not read:\n%s", page)
	}
}

// The server first counts 321 tokens in every request, and then cannot count any more.
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
	deps := m.Deps
	deps.Models = new(llm.Catalog).With(llm.Endpoint{Name: "here", BaseURL: server.URL + "/v1", CountsTokens: true})
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	deps.Policy = policy
	s, err := session.New(deps, session.StartOptions{Model: "here/m"})
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
