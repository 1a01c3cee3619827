package ui

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session"
)

// charging makes the application talk to its server at these prices. At another address than this
// machine's the server is a hosted one.
func (l *live) charging(base string, prices map[string]pricing.Prices) {
	l.t.Helper()
	e := l.With.Models.Endpoints()[0]
	if base != "" {
		e.BaseURL, e.Doer = base, sentTo(strings.TrimPrefix(e.BaseURL, "http://"))
	}
	e.Prices = prices
	l.talksTo(e)
}

// talksTo begins a conversation with the first of the endpoints.
func (l *live) talksTo(endpoints ...llm.Endpoint) {
	l.t.Helper()
	l.With.Models = new(llm.Catalog).With(endpoints...)
	s, err := session.New(l.With, session.Start{Ref: "here/small"})
	if err != nil {
		l.t.Fatal(err)
	}
	l.begins(s)
	l.run(l.Init())
}

// sentTo sends every request to one host, whatever its address says.
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
			// The costs of the requests are read after the answer has come.
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
	endpoints := l.With.Models.Endpoints()
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

// The price of the first request is there before anything is sent, where only the server's list has it.
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
		Default: "small", Window: 4096,
	})
	l.types("What is it worth?")
	l.press("ctrl+x")
	l.shows("~$0.50 in")
	if got := l.Session.Info().ID; got != "" {
		t.Errorf("session %s was stored", got)
	}
}
