package report

import (
	"strings"
	"testing"
	"time"

	"winnow/session/record"
	"winnow/session/store"
)

// TestPastRequestAsJSON is the golden form of what --turn adds.
func TestPastRequestAsJSON(t *testing.T) {
	r := record.Replayed{
		Recorded: record.Recorded{Nth: 2, Of: 3, Request: store.Request{
			ID: 7, Turn: 4, Created: time.Date(2026, 3, 14, 10, 26, 53, 0, time.FixedZone("", 3600)),
			BodyHash:  "c0ffee",
			Tokenizer: "o200k_base", End: "cut", Finish: "stop", Error: "the connection broke", Retries: 1,
			FirstToken: 250 * time.Millisecond, Took: 1900 * time.Millisecond, Prompt: 1912, Cached: 812,
			Answer: 301, Reasoning: -1,
			Cost: 4_120_000, CostFrom: "prices", PriceSource: "the configuration", CacheWrite: 100,
		}},
		Doubt: "a stored message is damaged",
	}
	var got strings.Builder
	if err := WriteJSON(&got, requestObject(r)); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "id": 7,
  "turn": 4,
  "nth": 2,
  "of": 3,
  "sent": "2026-03-14T09:26:53Z",
  "hash": "c0ffee",
  "proven": false,
  "doubt": "a stored message is damaged",
  "tokenizer": "o200k_base",
  "ended": "cut",
  "finish": "stop",
  "error": "the connection broke",
  "retries": 1,
  "first_token_ms": 250,
  "took_ms": 1900,
  "usage": {
    "prompt": 1912,
    "cached": 812,
    "answer": 301,
    "reasoning": -1,
    "cache_write": 100
  },
  "cost": {
    "usd": 0.00412,
    "source": "prices",
    "prices": "the configuration"
  },
  "unread": 0,
  "reusable": 0,
  "first_read": 0
}
`
	if got.String() != want {
		t.Errorf("a request of the past is\n%swant\n%s", got.String(), want)
	}
}
