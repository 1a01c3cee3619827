package session

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"winnow/llm"
	"winnow/llm/pricing"
)

// hosted makes the scripted server one of somebody else's, as far as its address tells, with prices.
func (b *bench) hosted(prices map[string]pricing.Prices) {
	b.atHost("http://llm.example.com/v1")
	e := b.deps.Models.Endpoints()[0]
	e.Prices = prices
	b.deps.Models = new(llm.Catalog).With(e)
}

// atHost makes the bench's endpoint one at another address. Its requests still go to the scripted server.
func (b *bench) atHost(base string) {
	e := b.deps.Models.Endpoints()[0]
	server, err := url.Parse(e.BaseURL)
	if err != nil {
		b.t.Fatal(err)
	}
	e.BaseURL, e.Doer = base, otherHost{server.Host}
	b.deps.Models = new(llm.Catalog).With(e)
}

// otherHost sends every request to one host.
type otherHost struct{ host string }

func (e otherHost) Do(req *http.Request) (*http.Response, error) {
	req.URL.Host = e.host
	return http.DefaultTransport.RoundTrip(req)
}

// reports answers with a text and a usage of the server's own, "" for none.
func reports(text, usage string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"content": text})
		event(w, map[string]any{
			"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}},
		})
		if usage != "" {
			fmt.Fprintf(w, "data: {\"choices\": [], \"usage\": %s}\n\n", usage)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// perMillion are prices in dollars for a million tokens.
func perMillion(in, out pricing.Money) map[string]pricing.Prices {
	return map[string]pricing.Prices{
		pricing.AnyModel: {
			Rates:  pricing.Rates{In: in * pricing.Dollar, Cached: in * pricing.Dollar / 10, Out: out * pricing.Dollar},
			Source: "the test",
		},
	}
}

func TestReceiptSaysWhatAnAnswerCost(t *testing.T) {
	const usage = `{"prompt_tokens": 1000, "completion_tokens": 200, "prompt_tokens_details": {"cached_tokens": 400}}`
	const charged = `{"prompt_tokens": 1000, "completion_tokens": 200, "cost": 0.00412}`
	list := `{"data": [{"id": "m", "pricing": {"prompt": "0.000002", "completion": "0.00001"}}]}`
	tests := []struct {
		name   string
		own    bool
		prices map[string]pricing.Prices
		list   string
		answer step
		want   string
	}{
		{"the server says it", false, perMillion(1, 2), "", reports("hi", charged), "$0.0041"},
		// 600 + 40 + 400 millionths.
		{"by the configuration", false, perMillion(1, 2), "", reports("hi", usage), "$0.001"},
		{"by the server's list", false, nil, list, reports("hi", usage), "$0.004"},
		// 16 tokens there, 2 back.
		{"nothing reported", false, perMillion(1000, 2000), "", reports("hi there", ""), "~$0.02"},
		{"nobody knows a price", false, nil, "", reports("hi", usage), "–"},
		{"on this machine", true, nil, "", reports("hi", usage), ""},
		{"on this machine, by its list", true, nil, list, reports("hi", usage), "$0.004"},
		{"by the server's list, with a configured window", false, nil, "window " +
			list, reports("hi", usage), "$0.004"},
		{"free", false, perMillion(0, 0), "", reports("hi", ""), "$0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, test.answer)
			if !test.own {
				b.hosted(test.prices)
			}
			if list, configured := strings.CutPrefix(test.list, "window "); list != "" {
				b.info = map[string]func() string{"/v1/models": func() string { return list }}
				e := b.deps.Models.Endpoints()[0]
				if !configured {
					e.Window = 0
				}
				b.deps.Models = new(llm.Catalog).With(e)
			}
			s := b.begin()
			events := completed(t, s.Send(context.Background(), say("hello")))
			live := only[Answered](events)[0]
			if got := live.Receipt.Cost.String(); got != test.want {
				t.Errorf("the receipt says %q, want %q", got, test.want)
			}
			want := live.Receipt
			b.hosted(perMillion(999, 999)) // the prices of a later day
			stored, err := b.open(s.Info().ID).Records().Receipts(context.Background())
			if err != nil || stored[live.Message.Request] != want {
				t.Errorf("the stored receipt is\n%+v, %v; want\n%+v", stored[live.Message.Request], err, want)
			}
		})
	}
}

// What arrived before a stop was paid for.
func TestStoppedAnswerIsEstimated(t *testing.T) {
	sent := make(chan struct{})
	b := newBench(t, hangs(sent, strings.Repeat("word ", 400)))
	b.hosted(perMillion(0, 1000))
	s := b.begin()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	events := s.Send(ctx, say("go on"))
	until[Delta](events)
	stop()
	rest, err := drain(events)
	if err != nil {
		t.Fatal(err)
	}
	answers := only[Answered](rest)
	if len(answers) != 1 || answers[0].Receipt.Cost.String() != "~$0.50" {
		t.Errorf("the answers are %+v, want one that costs ~$0.50", answers)
	}
}
