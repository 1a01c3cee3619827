package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
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
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/llm/redact"
	"winnow/session/sessiontest"
	"winnow/session/store"
)

// secretWord is in everything that is said in a scenario, so that a request that carries a part of a
// conversation is known by it.
const secretWord = "zanzibar"

// site is a server at one address.
type site struct {
	address  string
	lists    string // what it answers when it is asked for its models: a JSON list, "" for 404, "page" for a web page
	chats    string // answer, redirect, unknown, page, tools, key: what it does with a conversation
	slow     bool   // it answers too late for a probe
	models   []string
	conns    chan net.Conn
	over     chan struct{} // closed when nobody listens any more
	once     sync.Once
	scenario *destinationScenario
	asked    atomic.Int64
}

// heard is a request that carried a part of a conversation.
type heard struct {
	address, model string
	path           string
}

// destinationScenario is what surrounds one run of winnow: servers, environment, configuration, a stored session and
// what is named.
type destinationScenario struct {
	seed      uint64
	t         *testing.T
	dir       string
	places    map[string]*site
	env       map[string]string
	config    string
	endpoints map[string]string // what the names of endpoints mean, by the scenario's own reckoning
	user      map[string]bool   // endpoints that the user configured or has a key for
	flag      string            // -m
	stored    string            // the model of a stored session, "" for a new one

	requests llmtest.Ledger // counted where they leave: at some addresses nobody listens

	mu    sync.Mutex
	heard []heard
}

// Accept, Close and Addr make a site a listener.
func (p *site) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p *site) Close() error {
	p.once.Do(func() { close(p.over) })
	return nil
}

func (p *site) Addr() net.Addr { return &net.TCPAddr{} }

// dialing does HTTP over connections that dial opens, without a proxy.
func dialing(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	client := llm.OverNetwork()
	client.Transport = &http.Transport{DialContext: dial, DialTLSContext: dial}
	return client
}

// dial opens a connection to what is at an address in this scenario.
func (w *destinationScenario) dial(ctx context.Context, _, address string) (net.Conn, error) {
	p, there := w.places[address]
	if !there {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	here, yonder := net.Pipe()
	select {
	case p.conns <- yonder:
		return here, nil
	case <-p.over:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *site) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if strings.Contains(string(body)+r.URL.String(), secretWord) {
		var request struct{ Model string }
		json.Unmarshal(body, &request)
		p.scenario.mu.Lock()
		p.scenario.heard = append(p.scenario.heard, heard{p.address, request.Model, r.URL.Path})
		p.scenario.mu.Unlock()
	}
	if p.slow {
		time.Sleep(150*time.Millisecond + 50*time.Millisecond)
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		switch p.lists {
		case "":
			http.NotFound(rw, r)
		case "page":
			io.WriteString(rw, "<html><title>a router</title></html>")
		case "redirect":
			http.Redirect(rw, r, "http://stranger.example/v1/models", http.StatusFound)
		default:
			io.WriteString(rw, p.lists)
		}
	case !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		http.NotFound(rw, r)
	default:
		p.complete(rw, r)
	}
}

func (p *site) complete(rw http.ResponseWriter, r *http.Request) {
	switch p.chats {
	case "redirect":
		http.Redirect(rw, r, "http://stranger.example/v1/chat/completions", http.StatusTemporaryRedirect)
		return
	case "unknown":
		rw.WriteHeader(http.StatusNotFound)
		io.WriteString(rw, `{"error":{"message":"there is no such model","code":"model_not_found"}}`)
		return
	case "key":
		rw.WriteHeader(http.StatusUnauthorized)
		io.WriteString(rw, `{"error":{"message":"wrong key"}}`)
		return
	case "page":
		io.WriteString(rw, "<html><title>a router</title></html>")
		return
	}
	rw.Header().Set("Content-Type", "text/event-stream")
	if p.chats == "tools" && p.asked.Add(1) == 1 {
		io.WriteString(rw,
			`data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[`+
				`{"index":0,"id":"call_1","type":"function","function":{"name":"read_file","arguments":"{}"}}`+
				`]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
		return
	}
	fmt.Fprintf(rw, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"The %s of "+
		"%s.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", secretWord, p.address)
}

// newScenario makes up a scenario.
func newScenario(t *testing.T, seed uint64) *destinationScenario {
	r := rand.New(rand.NewPCG(seed, 11))
	w := &destinationScenario{
		seed: seed, t: t, dir: t.TempDir(), places: map[string]*site{}, env: map[string]string{},
		user: map[string]bool{},
	}
	w.endpoints = map[string]string{
		"ollama": "127.0.0.1:11434", "llama.cpp": "127.0.0.1:8080", "lmstudio": "127.0.0.1:1234",
		"vllm": "127.0.0.1:8000",
	}
	one := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	chance := func(percent int) bool { return r.IntN(100) < percent }

	w.put(&site{address: "stranger.example:80", lists: `{"data":[{"id":"any"}]}`, chats: "answer"})
	for _, address := range []string{
		"api.openai.com:443", "openrouter.ai:443", "llm.work.example:443", "box.lan:8000",
		"proxy.example:443", "127.0.0.1:11434", "127.0.0.1:8080", "127.0.0.1:1234", "127.0.0.1:8000",
	} {
		if chance(25) {
			continue // nobody listens
		}
		p := &site{
			address: address, slow: chance(10), chats: one("answer", "answer", "answer", "answer", "redirect",
				"unknown", "page", "tools", "key"),
		}
		for _, model := range []string{"large", "small", "vendor/large", "gpt-5.2", "gpt-6", "text-embedding-3"} {
			if chance(50) {
				p.models = append(p.models, model)
			}
		}
		var entries []map[string]string
		for _, model := range p.models {
			entries = append(entries, map[string]string{"id": model})
		}
		list, _ := json.Marshal(map[string]any{"object": "list", "data": entries})
		p.lists = one(string(list), string(list), string(list), string(list), "", "page", "redirect", `{"data":[]}`)
		w.put(p)
	}

	if chance(40) {
		w.env["OPENAI_API_KEY"] = "key-of-openai-0001"
		w.endpoints["openai"], w.user["openai"] = "api.openai.com:443", true
	}
	if chance(20) {
		w.env["OPENAI_BASE_URL"] = "https://proxy.example/v1"
		w.endpoints["openai"], w.user["openai"] = "proxy.example:443", true
	}
	if chance(25) {
		w.env["OPENROUTER_API_KEY"] = "key-of-openrouter-0002"
		w.endpoints["openrouter"], w.user["openrouter"] = "openrouter.ai:443", true
	}
	var tables strings.Builder
	for _, e := range []struct{ name, base, address string }{
		{"work", "https://llm.work.example/v1", "llm.work.example:443"},
		{"box", "http://box.lan:8000/v1", "box.lan:8000"},
	} {
		if !chance(45) {
			continue
		}
		fmt.Fprintf(&tables, "[endpoints.%s]\nbase_url = %q\n", e.name, e.base)
		if chance(50) {
			fmt.Fprintf(&tables, "key = %q\n", "key-of-"+e.name+"-0003")
		}
		if chance(40) {
			fmt.Fprintf(&tables, "model = %q\n", one("large", "small", "vendor/large"))
		}
		w.endpoints[e.name], w.user[e.name] = e.address, true
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

func (w *destinationScenario) put(p *site) {
	p.scenario, p.conns, p.over = w, make(chan net.Conn), make(chan struct{})
	w.places[p.address] = p
	server := &http.Server{Handler: p}
	go server.Serve(p)
	w.t.Cleanup(func() { server.Close() })
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
		env: func(name string) string { return w.env[name] }, now: time.Now, redactor: new(redact.Redactor), build: "test",
		network: counted{dialing(w.dial), &w.requests}, observe: sessiontest.RecordAnnouncements(&w.requests),
	}
}

// counted counts the requests that leave through a client.
type counted struct {
	client   llm.Doer
	requests *llmtest.Ledger
}

func (c counted) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		c.requests.Came(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return c.client.Do(r)
}

// store makes the stored session.
func (w *destinationScenario) store(p *program) string {
	s, err := store.Open(w.t.Context(), w.env["WINNOW_DB"], store.Options{Now: p.now})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	endpoint, model, _ := strings.Cut(w.stored, "/")
	row, last, err := s.Begin(w.t.Context(), store.Session{
		Endpoint: endpoint, Model: model, Title: "stored", TitleFrom: "user",
	},
		store.Message{
			Message: history.Message{
				Role: history.User, Content: "What of " + secretWord + "?", Status: history.Complete,
			},
		})
	for i := 0; err == nil && i < 3; i++ {
		role := history.Assistant
		if i == 1 {
			role = history.User
		}
		last, err = s.Append(w.t.Context(), store.Message{
			Session: row.ID, Parent: last.ID, Endpoint: endpoint, Model: model,
			Message: history.Message{Role: role, Content: "Usage: " + secretWord + ".", Status: history.Complete},
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return row.ID
}

// allowed says whether a reference that was named to the user stands for where a request went.
func (w *destinationScenario) allowed(ref string, h heard) bool {
	name, model, _ := strings.Cut(ref, "/")
	return w.endpoints[strings.ToLower(name)] == h.address && model == h.model
}

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
			w.failed("a part of the conversation went to %s as %s, and --json names %q\nexit %d, stderr: %s", h.address,
				h.model, answer.Model, code, said)
		}
	}
	if code == OK && (answer.Model == "" || answer.Answer == "") || code != OK && len(out) == 0 && len(said) == 0 {
		w.failed("exit %d with stdout %q and stderr %q", code, out, said)
	}
	named := w.flag != "" || w.stored != "" || w.env["WINNOW_MODEL"] != "" ||
		strings.HasPrefix(w.config, "model = \"") && !strings.HasPrefix(w.config, `model = ""`)
	if !named && len(w.user) == 0 && (code != Provider || len(w.heard) > 0 || len(out) > 0) {
		w.failed("nothing is named, configured or keyed: exit %d, stdout %q; want %d and silence", code, out, Provider)
	}
	if name, _, slash := strings.Cut(w.flag, "/"); slash && w.endpoints[name] != "" && code == OK &&
		answer.Model != w.flag {
		w.failed("-m %s was answered by %s", w.flag, answer.Model)
	}
	if !named && strings.HasPrefix(answer.Model, "guide/") {
		w.failed("the guide answered without being named")
	}
}

// In random scenarios every request of winnow run that carries a part of a conversation goes to the endpoint and model
// that --json names, and to nobody else; it was announced and is recorded.
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
