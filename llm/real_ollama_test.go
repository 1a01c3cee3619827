package llm

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"winnow/history"
)

// realWindow is the window in tokens that the tests request. It differs from the server's default.
const realWindow = 6144

func TestRealOllama(t *testing.T) {
	e := realEndpoint(t, "ollama", "WINNOW_REAL_OLLAMA")
	e.BaseURL = strings.TrimRight(e.BaseURL, "/") + "/v1"
	for _, w := range []Wire{AutoWire, ChatWire} {
		t.Run(string(w), func(t *testing.T) {
			e := e
			e.Wire = w
			realServer{t: t, endpoint: e, model: "tiny"}.wantOllama(w != ChatWire)
		})
	}
}

// ollama returns a client that has asked the server for the model's window, as each session does. fields are added to
// its requests.
func (s realServer) ollama(fields map[string]any) *Client {
	s.t.Helper()
	c := s.with(fields)
	if _, err := c.StatedWindow(s.t.Context(), s.model); err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s realServer) wantOllama(native bool) {
	models, err := NewClient(s.endpoint).Models(s.t.Context())
	if err != nil || len(models) < 2 {
		s.t.Fatalf("models %v, %v; want tiny and endless", models, err)
	}
	run, endless := s.runs(s.t), s
	endless.model = "endless"
	run("wire", func(s realServer) {
		if got := s.ollama(nil).Wire(s.model); (got == OllamaWire) != native {
			s.t.Errorf("the model is asked in the format %s", got)
		}
	})
	endless.runs(s.t)("chat", func(s realServer) { s.wantStreamed(s.ollama(nil), 200) })
	endless.runs(s.t)("stop", realServer.wantOllamaStops)
	run("tools", func(s realServer) {
		schema := map[string]any{
			"type": "object", "required": []string{"name", "arguments"},
			"properties": map[string]any{"name": map[string]any{"enum": []string{searchTool.Name}}, "arguments": searchTool.Parameters},
		}
		fields := map[string]any{"format": schema}
		if !native {
			fields = map[string]any{"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "call", "schema": schema}}}
		}
		s.wantTools(s.ollama(fields), s.ollama(nil))
	})
	run("unknown model", func(s realServer) {
		s.model = "no-such-model"
		s.wantRefused(s.ollama(nil), s.request("Are you there?", 4), ErrNotFound)
	})
	run("images", func(s realServer) {
		// The server silently drops an image if the model does not support it.
		if p := s.ollama(nil).Profile(s.model); !p.NoImages || p.NoTools {
			s.t.Errorf("the profile is %+v, want no images, and tools", p)
		}
	})
	if !native {
		return
	}
	run("window", func(s realServer) {
		c := s.ollama(nil)
		r := s.request("Are you there?", 4)
		r.Window = realWindow
		if _, _, err := s.answered(c, r); err != nil {
			s.t.Fatal(err)
		}
		w, err := c.StatedWindow(s.t.Context(), s.model)
		if err != nil || w.Tokens != realWindow || w.MaxTokens != 131072 {
			s.t.Errorf("the server states %+v, %v", w, err)
		}
	})
	run("overflow", func(s realServer) {
		r := s.request(strings.Repeat("word ", realWindow), 8)
		r.Window = realWindow
		s.wantRefused(s.ollama(nil), r, ErrTooLong)
		r = s.request("And again?", 8)
		r.Window = realWindow
		for range 4 {
			r.Messages = append(r.Messages, history.Message{Role: history.Assistant, Content: strings.Repeat("word ", realWindow/8)}, history.Message{Role: history.User, Content: "?"})
		}
		s.wantRefused(s.ollama(nil), r, ErrTooLong)
	})
	endless.runs(s.t)("length", func(s realServer) {
		// An answer that fills the window ends; no messages are dropped.
		r := s.request("Fill it.", 0)
		r.Window = 512
		reply, _, err := s.answered(s.ollama(nil), r)
		if sum := reply.Usage.Prompt + reply.Usage.Answer; err != nil || reply.Finished.Reason != "length" || sum < 500 || sum > 520 {
			s.t.Errorf("it ended with %+v and %+v, %v", reply.Finished, reply.Usage, err)
		}
	})
	run("thinking", func(s realServer) {
		r := s.request("Think.", 4)
		r.Effort = "high"
		if _, _, err := s.answered(s.ollama(nil), r); err != nil {
			s.t.Errorf("a model that cannot think is asked to: %v", err)
		}
	})
	run("any history", func(s realServer) {
		c := s.ollama(nil)
		s.wantTakesAnything(c, c.Profile(s.model), 20, Request{Model: s.model, MaxTokens: 1, Window: realWindow})
	})
}

// wantOllamaStops cancels an answer that would fill the window ten times, and checks that the server stops computing
// it. Then it unloads the model: if a client disconnects at the wrong moment, Ollama 0.17 never frees the model's only
// slot, and the next request would hang (ollama/ollama#17131).
func (s realServer) wantOllamaStops() {
	c := s.ollama(nil)
	r := s.request("Write without an end.", 0)
	r.Window = 131072
	s.stopped(c, r)
	for end := time.Now().Add(10 * time.Second); ; {
		before := s.computed()
		time.Sleep(200 * time.Millisecond)
		if s.computed()-before <= 2 {
			break
		}
		if time.Now().After(end) {
			s.t.Fatal("the server still computes an answer that was stopped")
		}
	}
	unload := []byte(`{"model":"` + s.model + `","keep_alive":0}`)
	if err := c.fetchInto(s.t.Context(), http.MethodPost, "/api/generate", unload, &struct{}{}); err != nil {
		s.t.Fatal(err)
	}
}

// computed is the CPU time of all processes of Ollama that run a model, in hundredths of a second.
func (s realServer) computed() (ticks int) {
	s.t.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(commands) == 0 {
		s.t.Skipf("the processes of this machine cannot be read: %v", err)
	}
	for _, file := range commands {
		command, _ := os.ReadFile(file)
		if !strings.Contains(string(command), "ollama\x00runner\x00") {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // These begin with the third field.
		if len(fields) < 13 {
			continue // It has exited.
		}
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		ticks += user + system
	}
	return ticks
}
