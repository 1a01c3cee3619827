package session

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"winnow/session/record"
)

// What a server found in its cache stands beside what it could have found.
func TestReceiptsCompareTheCacheWithWhatStayed(t *testing.T) {
	t.Parallel()
	b := newBench(t,
		reports("One.",
			`{"prompt_tokens":2000,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}`),
		reports("Two.",
			`{"prompt_tokens":2020,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1990}}`),
		reports("Three.",
			`{"prompt_tokens":2040,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}`))
	b.atHost("http://gateway.example.com/v1")
	b.deps.System = strings.Repeat("A long system prompt that a cache is worth. ", 200)
	s := b.begin()
	var receipts []record.Receipt
	for turn := 1; turn <= 3; turn++ {
		events, err := drain(s.Send(t.Context(), say("hello")))
		if err != nil {
			t.Fatal(err)
		}
		receipts = append(receipts, only[Answered](events)[0].Receipt)
	}
	if c := receipts[0].Cache; c.Reusable != 0 || c.Missed() || c.Sentence(strconv.Itoa) != "" {
		t.Errorf("the first request: %+v", c)
	}
	if c := receipts[1].Cache; c.Reusable < 1000 || c.Read != 1990 || c.Missed() {
		t.Errorf("the second request: %+v", c)
	}
	last := receipts[2].Cache
	if !last.Missed() {
		t.Errorf("the third request: %+v", last)
	}
	want := fmt.Sprintf("the first ~%d tokens were the same as in the request before; the server read 0 of them from its cache", last.Reusable)
	if got := last.Sentence(strconv.Itoa); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	// The records tell the same when the conversation is opened again.
	stored, err := b.open(s.Info().ID).Records().Receipts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.Messages() {
		again := stored[m.Request].Cache
		again.Age, last.Age = again.Age.Truncate(time.Second), last.Age.Truncate(time.Second)
		if m.Content == "Three." && again != last {
			t.Errorf("stored is %+v, want %+v", again, last)
		}
	}
}
