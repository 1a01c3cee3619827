package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm/llmtest"
	"winnow/llm/redact"
	"winnow/session/sessiontest"
	"winnow/session/store"
)

// secretWord is in every message of a scenario, so that a request with a part of the conversation is recognised by it.
const secretWord = "zanzibar"

// site is a server at one host.
type site struct {
	lists string // its answer to /models: JSON, or "page" for a web page
	chats string // what it does with a conversation: answer, unknown, page, tools or key
	slow  bool   // it answers too late for a probe
	asked atomic.Int64
}

// heard is a request with a part of the conversation.
type heard struct{ host, model string }

// destinationScenario is the environment of one run of winnow: servers, variables, configuration, a stored session, and
// the models that are named. It does the HTTP of that run.
type destinationScenario struct {
	seed      uint64
	t         *testing.T
	dir       string
	sites     map[string]*site // by host; nobody listens at other hosts
	env       map[string]string
	config    string
	endpoints map[string]string // the host that each endpoint's name stands for
	user      map[string]bool   // endpoints that the user configured or has a key for
	flag      string            // -m
	stored    string            // the model of a stored session, "" for a new one
	requests  llmtest.Ledger

	mu    sync.Mutex
	heard []heard
}

func (w *destinationScenario) Do(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		w.requests.Came(body)
	}
	s := w.sites[r.URL.Host]
	if s == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	if strings.Contains(string(body)+r.URL.String(), secretWord) {
		var request struct{ Model string }
		json.Unmarshal(body, &request)
		w.mu.Lock()
		w.heard = append(w.heard, heard{r.URL.Host, request.Model})
		w.mu.Unlock()
	}
	if s.slow {
		select {
		case <-time.After(200 * time.Millisecond):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	return answer.Result(), nil
}

func (s *site) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	const page = "<html><title>a router</title></html>"
	models := strings.HasSuffix(r.URL.Path, "/models")
	switch {
	case models && s.lists == "page", !models && s.chats == "page":
		io.WriteString(rw, page)
	case models && s.lists != "":
		io.WriteString(rw, s.lists)
	case models, !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		http.NotFound(rw, r)
	case s.chats == "unknown":
		rw.WriteHeader(http.StatusNotFound)
		io.WriteString(rw, `{"error":{"message":"there is no such model","code":"model_not_found"}}`)
	case s.chats == "key":
		rw.WriteHeader(http.StatusUnauthorized)
		io.WriteString(rw, `{"error":{"message":"wrong key"}}`)
	case s.chats == "tools" && s.asked.Add(1) == 1:
		event(rw, map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": "call_1", "type": "function", "function": map[string]any{"name": "read", "arguments": "{}"},
		}}}, "tool_calls")
		io.WriteString(rw, "data: [DONE]\n\n")
	default:
		event(rw, map[string]any{"content": "The " + secretWord + "."}, "stop")
		io.WriteString(rw, "data: [DONE]\n\n")
	}
}

// newScenario makes a random scenario.
func newScenario(t *testing.T, seed uint64) *destinationScenario {
	r := rand.New(rand.NewPCG(seed, 11))
	w := &destinationScenario{
		seed: seed, t: t, dir: t.TempDir(), sites: map[string]*site{}, env: map[string]string{}, user: map[string]bool{},
	}
	w.endpoints = map[string]string{
		"ollama": "127.0.0.1:11434", "llama.cpp": "127.0.0.1:8080", "lmstudio": "127.0.0.1:1234",
		"vllm": "127.0.0.1:8000",
	}
	one := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	chance := func(percent int) bool { return r.IntN(100) < percent }
	for _, host := range []string{
		"api.openai.com", "openrouter.ai", "llm.work.example", "box.lan:8000", "proxy.example", "127.0.0.1:11434",
		"127.0.0.1:8080", "127.0.0.1:1234", "127.0.0.1:8000",
	} {
		var entries []map[string]string
		for _, model := range []string{"large", "small", "vendor/large", "gpt-5.2", "gpt-6", "text-embedding-3"} {
			if chance(50) {
				entries = append(entries, map[string]string{"id": model})
			}
		}
		list, _ := json.Marshal(map[string]any{"object": "list", "data": entries})
		if chance(75) {
			w.sites[host] = &site{
				slow: chance(10), lists: one(string(list), string(list), string(list), "", "page", `{"data":[]}`),
				chats: one("answer", "answer", "answer", "answer", "unknown", "page", "tools", "key"),
			}
		}
	}
	known := func(name, host string) { w.endpoints[name], w.user[name] = host, true }
	if chance(40) {
		w.env["OPENAI_API_KEY"] = "key-of-openai-0001"
		known("openai", "api.openai.com")
	}
	if chance(20) {
		w.env["OPENAI_BASE_URL"] = "https://proxy.example/v1"
		known("openai", "proxy.example")
	}
	if chance(25) {
		w.env["OPENROUTER_API_KEY"] = "key-of-openrouter-0002"
		known("openrouter", "openrouter.ai")
	}
	var tables strings.Builder
	for _, e := range []struct{ name, scheme, host string }{
		{"work", "https", "llm.work.example"}, {"box", "http", "box.lan:8000"},
	} {
		if !chance(45) {
			continue
		}
		fmt.Fprintf(&tables, "[endpoints.%s]\nbase_url = \"%s://%s/v1\"\n", e.name, e.scheme, e.host)
		if chance(40) {
			fmt.Fprintf(&tables, "model = %q\n", one("large", "small", "vendor/large"))
		}
		known(e.name, e.host)
	}
	ref := func() string {
		model := one("large", "small", "vendor/large", "gpt-5.2", "lagre")
		switch r.IntN(10) {
		case 0, 1, 2:
			return one(slices.Sorted(maps.Keys(w.endpoints))...) + "/" + model
		case 3:
			return one("wrok", "opnai", "olama", "bxo", "guidee", "mistral", "vendor") + "/" + model
		case 4:
			return model
		case 5:
			return one(append(slices.Sorted(maps.Keys(w.endpoints)), "guide", "wrok", "olama")...)
		case 6:
			return "guide/guide"
		}
		return ""
	}
	if chance(40) {
		w.flag = ref()
	}
	if chance(25) {
		w.env["WINNOW_MODEL"] = ref()
	}
	head := ""
	if chance(25) {
		head = fmt.Sprintf("model = %q\n", ref())
	}
	w.config = head + tables.String()
	if chance(35) {
		w.stored = one("work/large", "box/small", "openai/gpt-5.2", "gone/large", "ollama/small", "guide/guide",
			"openrouter/vendor/large")
	}
	return w
}

// program is winnow in this scenario.
func (w *destinationScenario) program() *program {
	open := func(name string) *os.File {
		f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { f.Close() })
		return f
	}
	if err := os.WriteFile(filepath.Join(w.dir, "config.toml"), []byte(w.config), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.env["HOME"], w.env["WINNOW_CONFIG"], w.env["WINNOW_DB"] = w.dir, filepath.Join(w.dir, "config.toml"),
		filepath.Join(w.dir, "winnow.db")
	return &program{
		in: open("in"), out: &printer{file: open("out")}, err: open("err"),
		env: func(name string) string { return w.env[name] }, now: time.Now, redactor: new(redact.Redactor),
		build: "test", network: w, observe: sessiontest.RecordAnnouncements(&w.requests),
	}
}

// store stores the session and returns its id.
func (w *destinationScenario) store(p *program) string {
	s, err := store.Open(w.t.Context(), w.env["WINNOW_DB"], store.Options{Now: p.now})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	endpoint, model, _ := strings.Cut(w.stored, "/")
	said := store.Message{Message: history.Message{Role: history.User, Content: "What of " + secretWord + "?"}}
	row, last, err := s.BeginSession(w.t.Context(), store.Session{Endpoint: endpoint, Model: model}, said)
	if err == nil {
		said.Session, said.Parent, said.Role, said.Endpoint, said.Model = row.ID, last.ID, history.Assistant, endpoint, model
		_, err = s.AppendMessage(w.t.Context(), said)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return row.ID
}

// allowed reports whether a request went to the endpoint and model of a reference.
func (w *destinationScenario) allowed(ref string, h heard) bool {
	name, model, _ := strings.Cut(ref, "/")
	return w.endpoints[strings.ToLower(name)] == h.host && model == h.model
}

// failed reports an error with the whole scenario.
func (w *destinationScenario) failed(format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("scenario %d: %s\nconfig:\n%s\nenvironment: %v\n-m %q, stored %q\nheard: %+v", w.seed,
		fmt.Sprintf(format, args...),
		w.config, w.env, w.flag, w.stored, w.heard)
}

// run answers one message with winnow run --json.
func (w *destinationScenario) run() {
	p := w.program()
	args := []string{"run", "--json", "Tell me of " + secretWord + "."}
	if w.flag != "" {
		args = append(args, "-m", w.flag)
	}
	if w.stored != "" {
		args = append(args, "-s", w.store(p))
	}
	code := p.main(w.t.Context(), args)
	out, _ := os.ReadFile(filepath.Join(w.dir, "out"))
	said, _ := os.ReadFile(filepath.Join(w.dir, "err"))
	var answer struct{ Model, Answer string }
	json.Unmarshal(out, &answer)
	for _, h := range w.heard {
		if !w.allowed(answer.Model, h) {
			w.failed("a part of the conversation went to %s as %s, and --json names %q\nexit %d, stderr: %s", h.host,
				h.model, answer.Model, code, said)
		}
	}
	if code == exitOK && (answer.Model == "" || answer.Answer == "") || code != exitOK && len(out) == 0 && len(said) == 0 {
		w.failed("exit %d with stdout %q and stderr %q", code, out, said)
	}
	named := w.flag != "" || w.stored != "" || w.env["WINNOW_MODEL"] != "" ||
		strings.HasPrefix(w.config, "model = \"") && !strings.HasPrefix(w.config, `model = ""`)
	if !named && len(w.user) == 0 && (code != exitProvider || len(w.heard) > 0 || len(out) > 0) {
		w.failed("nothing is named, configured or keyed: exit %d, stdout %q; want %d and silence", code, out, exitProvider)
	}
	if name, _, slash := strings.Cut(w.flag, "/"); slash && w.endpoints[name] != "" && code == exitOK &&
		answer.Model != w.flag {
		w.failed("-m %s was answered by %s", w.flag, answer.Model)
	}
	if !named && strings.HasPrefix(answer.Model, "guide/") {
		w.failed("the guide answered without being named")
	}
}

// In random scenarios, every request of winnow run that contains a part of a conversation goes to the endpoint and
// model that --json names, and to nobody else. Each was announced and is recorded.
func TestAConversationGoesNowhereElse(t *testing.T) {
	t.Parallel()
	count := rounds(24, 1200)
	if testing.Short() {
		count = 8
	}
	var heardIn atomic.Int64
	t.Run("scenarios", func(t *testing.T) {
		workers := make(chan struct{}, 16)
		for i := range count {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				workers <- struct{}{}
				defer func() { <-workers }()
				w := newScenario(t, uint64(i)+1)
				w.run()
				sessiontest.CheckAnnounced(t, &w.requests, w.env["WINNOW_DB"])
				if len(w.heard) > 0 {
					heardIn.Add(1)
				}
			})
		}
	})
	t.Logf("%d scenarios; in %d of them something was sent", count, heardIn.Load())
	if heardIn.Load() < int64(count)/10 {
		t.Error("hardly anything was sent: the scenarios are of no use")
	}
}
