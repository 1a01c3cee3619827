package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/llm"
	"winnow/session/approval"
	"winnow/session/store"
	"winnow/session/transfer/archive"
)

// A conversation with tools that was recorded on each wire beside Chat Completions replays to the bytes that were sent,
// on a machine that knows nothing of its server. Its file is the archive of the session, and what came to the server.
// With -update one that is missing is made.
func TestRecordsOfEveryWireReplay(t *testing.T) {
	t.Parallel()
	for wire, hold := range map[llm.Wire]func(*testing.T) (*bench,
		*Session){llm.ResponsesWire: recordResponses, llm.OllamaWire: recordOllama} {
		t.Run(string(wire), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", "replay", "wire-"+string(wire)+".txtar")
			if _, err := os.Stat(path); *update && errors.Is(err, fs.ErrNotExist) {
				b, s := hold(t)
				writeRecord(t, path, wire, b, s)
			}
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b := newBench(t)
			b.Unrecorded = 1 - len(a.Files) // They came to another server.
			var id string
			if err := archive.Restore(t.Context(), b.deps.Store, bytes.NewReader(a.Files[0].Data),
				func(r archive.Restored) { id = r.Session.ID }); err != nil {
				t.Fatal(err)
			}
			s := b.open(id)
			for _, sent := range a.Files[1:] {
				var turn, nth int
				if _, err := fmt.Sscanf(sent.Name, "turn %d request %d", &turn, &nth); err != nil {
					t.Fatal(err)
				}
				wantProven(t, s, turn, nth, strings.TrimSuffix(string(sent.Data), "\n"))
			}
		})
	}
}

// writeRecord writes what TestRecordsOfEveryWireReplay reads.
func writeRecord(t *testing.T, path string, wire llm.Wire, b *bench, s *Session) {
	t.Helper()
	a := &txtar.Archive{
		Comment: fmt.Appendf(nil, "A conversation with a tool over the wire %q, as winnow records it.\n", wire),
	}
	add := func(name string, data []byte) {
		a.Files = append(a.Files, txtar.File{Name: name, Data: append(bytes.TrimSuffix(data, []byte("\n")), '\n')})
	}
	add("archive", archiveOf(t, b.deps.Store, s.Info().ID))
	records, err := b.deps.Store.Requests(t.Context(), s.Info().ID, store.RequestFilter{})
	if err != nil {
		t.Fatal(err)
	}
	nth := map[int]int{}
	for i, r := range records {
		nth[r.Turn]++
		add(fmt.Sprintf("turn %d request %d", r.Turn, nth[r.Turn]), []byte(b.body(b.requests()-len(records)+i+1)))
	}
	if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// recordResponses holds a conversation over the Responses API: reasoning that goes back to its model, a call, its
// result.
func recordResponses(t *testing.T) (*bench, *Session) {
	b := newBench(t, thinksAndCalls("Zm9v+/"), responds(respondsText, respondsEnd), responds(respondsText, respondsEnd))
	b.deps.Sampling.Effort = "low"
	return b, b.recorded(t, func(e *llm.Endpoint) { e.Wire = llm.ResponsesWire })
}

// recordOllama holds a conversation over Ollama's own format: a window that is asked for, a call, its result.
func recordOllama(t *testing.T) (*bench, *Session) {
	b := newOllamaBench(
		t,
		tells(`{"message":{"role":"assistant","thinking":"They want a sum.","content":"I add."},"done":false}`,
			`{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"add","arguments":{ `+
				`"a": 1,"b":2 }}}]},"done":false}`),
		tells(`{"message":{"role":"assistant","content":"Three."},"done":false}`),
		tells(`{"message":{"role":"assistant","content":"It is three."},"done":false}`),
	)
	return b.bench, b.recorded(t, func(e *llm.Endpoint) { e.KeepAlive = "10m" })
}

// recorded holds the conversation of a record with an endpoint that is changed first.
func (b *bench) recorded(t *testing.T, change func(*llm.Endpoint)) *Session {
	t.Helper()
	b.deps.Approval.Mode = approval.Always
	b.deps.Now = func() time.Time { return written }
	b.offer(adder(t))
	e := b.deps.Models.Endpoints()[0]
	change(&e)
	b.deps.Models = new(llm.Catalog).With(e)
	s := b.begin()
	for _, text := range []string{"What is 1 + 2?", "Are you sure?"} {
		if _, err := drain(s.Send(t.Context(), say(text))); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func thinksAndCalls(secret string) step {
	return responds(
		`{"type":"response.output_item.done","output_index":0,"item":`+thought(secret)+`}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc_1",`+
			`"call_id":"c1","name":"add","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"a\":1,\"b\":2}"}`,
		respondsEnd)
}

// responds streams events of the Responses API. What is given is put around an answer: its usage is the last.
func responds(events ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range append([]string{`{"type":"response.created","response":{"status":"in_progress"}}`},
			events...) {
			_, _ = w.Write([]byte("data: " + e + "\n\n"))
		}
		w.(http.Flusher).Flush()
	}
}

// thought is an item of reasoning that nobody but its server can read.
func thought(secret string) string {
	return `{"id":"rs_1","type":"reasoning","encrypted_content":"` + secret + `","summary":[]}`
}

const (
	respondsText = `{"type":"response.output_text.delta","output_index":9,"delta":"It is three."}`
	respondsEnd  = `{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":60,` +
		`"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4}}}}`
	onlyResponses = `{"error":{"message":"Function tools with reasoning_effort are not supported for m in ` +
		`/v1/chat/completions. Please use /v1/responses instead.","param":"reasoning_effort"}}`
)
