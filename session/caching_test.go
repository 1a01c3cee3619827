package session

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"winnow/llm"
	"winnow/session/record"
)

// diagnosed answers with an id, a usage and more keys of a chunk.
func diagnosed(text, id, usage, keys string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"id\":%q,\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", id, text)
		fmt.Fprintf(w, "data: {\"id\":%q,\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]%s}\n\n",
			id, keys)
		fmt.Fprintf(w, "data: {\"id\":%q,\"choices\":[],\"usage\":%s}\n\ndata: [DONE]\n\n", id, usage)
	}
}

// cachingBench is a bench at another address, which was configured so.
func cachingBench(t *testing.T, base string, edit func(*llm.Endpoint), steps ...step) *bench {
	b := newBench(t, steps...)
	b.atHost(base)
	e := b.deps.Models.Endpoints()[0]
	if edit != nil {
		edit(&e)
	}
	b.deps.Models = new(llm.Catalog).With(e)
	return b
}

// What requests say to a server's cache is recorded: past requests are proven byte for byte, whatever is configured
// later, and the view of the next one shows what will be sent.
func TestCachingIsRecordedAndShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A long system prompt that a cache is worth. ", 200)
	for name, c := range map[string]struct {
		base, model string
		edit        func(*llm.Endpoint)
		holds       []string // in the body of the third request
	}{
		"key": {"http://api.openai.com/v1", "gpt-4.1", nil, []string{`"prompt_cache_key":"`}},
		"marks": {
			"http://openrouter.ai/api/v1", "anthropic/claude-opus-4.7", nil, []string{
				`"cache_control":{"type":"ephemeral"}}]},{"role":"user","content":"hello 1"}`,
			},
		},
		"diagnosis": {
			"http://gateway.example.com/v1", "claude", func(e *llm.Endpoint) { e.Diagnosis = llm.DiagnosisOn },
			[]string{`"diagnostics":{"previous_message_id":"msg_2"}`},
		},
		"off": {
			"http://openrouter.ai/api/v1", "anthropic/claude-opus-4.7",
			func(e *llm.Endpoint) { e.Cache = llm.CacheOff }, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var steps []step
			for turn := 1; turn <= 4; turn++ {
				steps = append(steps, diagnosed("Yes.", fmt.Sprint("msg_", turn),
					`{"prompt_tokens":2000,"completion_tokens":2}`, ""))
			}
			b := cachingBench(t, c.base, c.edit, steps...)
			b.deps.System = long
			s, err := New(b.deps, Start{Ref: "test/" + c.model})
			if err != nil {
				t.Fatal(err)
			}
			for turn := 1; turn <= 3; turn++ {
				text := fmt.Sprint("hello ", turn)
				if turn > 1 {
					// The preview of the very words is what is sent.
					tried := s.Try(Trial{})
					plan, err := tried.Preview(text)
					if err != nil {
						t.Fatal(err)
					}
					shown, err := tried.Body(plan)
					if err != nil {
						t.Fatal(err)
					}
					defer func() {
						if sent := b.body(turn); sent != string(shown) {
							t.Errorf("request %d was shown as\n%s\nand sent as\n%s", turn, shown, sent)
						}
					}()
				}
				if _, err := drain(s.Send(t.Context(), text)); err != nil {
					t.Fatal(err)
				}
			}
			for _, part := range c.holds {
				if !strings.Contains(b.body(3), part) {
					t.Errorf("the third request is %s, want %s in it", b.body(3), part)
				}
			}
			if n := strings.Count(b.body(3), "cache_control") + strings.Count(b.body(3), "prompt_cache_key") +
				strings.Count(b.body(3), "diagnostics"); (n == 0) != (len(c.holds) == 0) {
				t.Errorf("the third request is %s", b.body(3))
			}
			if strings.Contains(b.body(3), s.Info().ID) {
				t.Error("the session's id is sent")
			}
			// Opened again, with another configuration.
			b.deps.Models = new(llm.Catalog).With(llm.Endpoint{
				Name: "test", BaseURL: "http://127.0.0.1:1/v1", Cache: llm.CacheOff,
			})
			again := b.open(s.Info().ID)
			for turn := 1; turn <= 3; turn++ {
				if r, err := again.Records().Replay(t.Context(), turn, 1); err != nil || !r.Proven ||
					string(r.Body) != b.body(turn) {
					t.Errorf("turn %d is not proven: %v %s", turn, err, r.Doubt)
				}
			}
		})
	}
}

// What a server found in its cache stands beside what it could have found, and beside what it says itself.
func TestReceiptsCompareTheCacheWithWhatStayed(t *testing.T) {
	t.Parallel()
	b := cachingBench(t, "http://gateway.example.com/v1", func(e *llm.Endpoint) { e.Diagnosis = llm.DiagnosisOn },
		diagnosed("One.", "msg_1",
			`{"prompt_tokens":2000,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}`,
			`,"diagnostics":null`),
		diagnosed("Two.", "msg_2",
			`{"prompt_tokens":2020,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1990}}`,
			`,"diagnostics":{"cache_miss_reason":null}`),
		diagnosed("Three.", "msg_3",
			`{"prompt_tokens":2040,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}`,
			`,"diagnostics":{"cache_miss_reason":{"type":"tools_changed","cache_missed_input_tokens":2010}}`))
	b.deps.System = strings.Repeat("A long system prompt that a cache is worth. ", 200)
	s := b.begin()
	var receipts []record.Receipt
	for turn := 1; turn <= 3; turn++ {
		events, err := drain(s.Send(t.Context(), "hello"))
		if err != nil {
			t.Fatal(err)
		}
		receipts = append(receipts, only[Answered](events)[0].Receipt)
	}
	if c := receipts[0].Cache; c.Reusable != 0 || c.Missed() || len(c.Sentences(strconv.Itoa)) > 0 {
		t.Errorf("the first request: %+v", c)
	}
	if c := receipts[1].Cache; c.Reusable < 1000 || c.Read != 1990 || c.Missed() || c.Diagnosed {
		t.Errorf("the second request: %+v", c)
	}
	last := receipts[2].Cache
	if !last.Missed() || !last.Diagnosed || last.Diagnosis.Reason != "tools_changed" {
		t.Errorf("the third request: %+v", last)
	}
	want := fmt.Sprintf("the first ~%d tokens were the same as in the request before; the server read none of them from its cache|the server says about its cache: tools changed (~2,010 tokens missed)", last.Reusable)
	if got := strings.Join(last.Sentences(strconv.Itoa), "|"); got != want {
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
