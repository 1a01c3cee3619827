package cli

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"winnow/llm/llmtest"
	"winnow/session/store"
)

// The planted secrets look like ordinary text, so that no rule about the shape of keys detects them.
const (
	configKey    = "planted-in-the-config-4711"
	headerKey    = "planted-in-a-header-4712"
	passwordKey  = "planted-as-a-password-4713"
	queryKey     = "planted-in-the-query-4714"
	environKey   = "planted-in-the-environment-4715"
	commandKey   = "planted-in-a-command-4716"
	fileKey      = "planted-in-a-file-4717"
	storedKey    = "planted-by-keys-set-4719"
	localHeader  = "X-Team-Token"
	plantedCount = 8
)

func plantedKeys() []string {
	return []string{configKey, headerKey, passwordKey, queryKey, environKey, commandKey, fileKey, storedKey}
}

// encodings returns the forms in which a secret may occur in a text.
func encodings(secret string) []string {
	return []string{
		secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte("me:" + secret)),
	}
}

// echoServer answers as the question demands and repeats the secrets of each request in its errors.
func echoServer(t *testing.T, env []string) *served {
	t.Helper()
	server, _ := serve(t, env, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, password, _ := r.BasicAuth()
		told := fmt.Sprintf("you came with %s, %s, %s to %s with %s", r.Header.Get("Authorization"),
			r.Header.Get(localHeader),
			password, r.URL, r.URL.Query().Get("key"))
		w.Header().Set("X-Echo", told)
		w.Header().Set("Www-Authenticate", `Bearer realm="`+told+`"`)
		quoted := fmt.Sprintf("%q", told)
		for _, status := range []int{400, 401, 402, 403, 404, 413, 422, 429, 500, 503} {
			if strings.Contains(string(body), fmt.Sprintf("status %d", status)) {
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"error": {"message": %s, "type": %s, "code": %s, "param": %s}}`, quoted, quoted,
					quoted, quoted)
				return
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"):
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"error": %s}`, quoted)
		case strings.Contains(string(body), "error in the stream"):
			event(w, map[string]any{"content": "It begins"}, "")
			fmt.Fprintf(w, "data: {\"error\": {\"message\": %s}}\n\n", quoted)
		case strings.Contains(string(body), "no JSON"):
			fmt.Fprintf(w, "data: {%s\n\n", told)
		case strings.Contains(string(body), "a page"):
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<html><title>%s</title><body>%s</body></html>", told, told)
		case strings.Contains(string(body), "another place"):
			http.Redirect(w, r, "http://127.0.0.1:1/?"+told, http.StatusFound)
		case strings.Contains(string(body), "repeat it"):
			// The keys arrive in pieces, in the answer, the reasoning and the arguments of a call.
			for _, field := range []string{"content", "reasoning_content"} {
				for rest := told; rest != ""; {
					n := min(len(rest), 7)
					event(w, map[string]any{field: rest[:n]}, "")
					rest = rest[n:]
				}
			}
			event(w, map[string]any{
				"tool_calls": []any{
					map[string]any{
						"index": 0, "id": "c1", "type": "function", "function": map[string]any{
							"name": "tell", "arguments": `{"a": "`,
						},
					},
				},
			}, "")
			event(w, map[string]any{
				"tool_calls": []any{
					map[string]any{
						"index": 0, "function": map[string]any{"arguments": strings.ReplaceAll(quoted, `"`, "") + `"}`},
					},
				},
			}, "stop")
			io.WriteString(w, "data: [DONE]\n\n")
		case strings.Contains(string(body), "hang up"):
			panic(http.ErrAbortHandler)
		default:
			event(w, map[string]any{"content": "An answer of mine."}, "stop")
			io.WriteString(w, "data: [DONE]\n\n")
		}
	}))
	return server
}

// Keys are sent to the server that they belong to, and appear nowhere else.
func TestPlantedKeysAreNowhere(t *testing.T) {
	t.Parallel()
	env := home(t)
	server := echoServer(t, env)
	server.Unheard = 2 // nobody answers at one address, which is tried twice
	address := strings.TrimPrefix(server.URL, "http://")
	bus, err := llmtest.StartSecretService(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	env = append(env, "DBUS_SESSION_BUS_ADDRESS="+bus.Address, "OPENAI_API_KEY="+environKey, "OPENAI_BASE_URL="+
		server.URL+"/v1")
	configure(t, env, fmt.Sprintf(`
[endpoints.config]
base_url = "http://%s/v1"
key = %q
headers = { %q = %q }

[endpoints.address]
base_url = "http://me:%s@%s/v1?key=%s"

[endpoints.command]
base_url = "http://%s/v1"
key_command = ["echo", %q]

[endpoints.file]
base_url = "http://%s/v1"

[endpoints.stored]
base_url = "http://%s/v1"

[endpoints.nobody]
base_url = "http://me:%s@127.0.0.1:1/v1?key=%s"
key = %q

[titles]
model = "config/m"
`, address, configKey, localHeader, headerKey, passwordKey, address, queryKey, address, commandKey, address, address,
		passwordKey, queryKey, configKey))
	outputs := map[string][]byte{}
	run := func(args ...string) {
		// Most of them fail, as they are asked to.
		r := attempt(t, command{Args: append(args, "--debug"), Env: env, Dir: t.TempDir()})
		outputs[strings.Join(args, " ")] = slices.Concat(r.Stdout, r.Stderr)
	}
	keyFile := filepath.Join(valueOf(env, "XDG_CONFIG_HOME"), appFolder, "keys", "file")
	if err := os.MkdirAll(filepath.Dir(keyFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keyFile, []byte(fileKey), 0o600); err != nil {
		t.Fatal(err)
	}
	set := succeed(t, command{
		Args: []string{"keys", "set", "stored", "--debug"}, Env: env, Stdin: []byte(storedKey),
	})
	outputs["keys set"] = slices.Concat(set.Stdout, set.Stderr)
	sources := []string{"address", "config", "command", "openai", "file", "stored"}
	questions := []string{
		"hello", "error in the stream", "a page", "another place", "status 400", "status 401", "status 403",
		"status 404", "status 413",
	}
	for i, endpoint := range sources {
		for j, q := range questions {
			if i == 0 || soak() || i == j%len(sources) { // all that goes wrong at one endpoint, and some of it at each
				run("run", "-m", endpoint+"/m", q)
			}
		}
		run("run", "-m", endpoint+"/m", "--json", "status 401")
	}
	for _, q := range []string{"no JSON", "hang up", "status 402", "status 422", "status 429", "status 500"} {
		run("run", "-m", "address/m", q)
	}
	for _, endpoint := range sources {
		run("run", "-m", endpoint+"/m", "repeat it")
	}
	for _, endpoint := range []string{"config", "command", "openai", "file", "stored"} {
		if told := string(outputs["run -m "+endpoint+"/m repeat it"]); !strings.Contains(told, "[redacted]") {
			t.Errorf("%s was sent no key: %s", endpoint, told)
		}
	}
	run("run", "-m", "config/m", "my keys are "+strings.Join(plantedKeys()[:5], " and "))
	run("run", "-m", "nobody/m", "hello")
	run("doctor")
	run("config", "check")
	run("models")
	run("keys", "list")
	run("keys", "list", "--json")
	run("db", "path")
	run("db", "check")
	run("db", "backup")
	run("sessions", "list", "--json")
	ids := storedIDs(t, databasePath(env))
	for _, id := range ids[:min(rounds(2, len(ids)), len(ids))] {
		run("sessions", "show", id, "--json")
		for _, form := range []string{"--wire", "--json", "--prompt"} {
			run("context", id, form)
		}
		for _, format := range []string{"md", "json", "jsonl", "prompt"} {
			run("export", id, "--format", format)
		}
		run("repair", id, "--json")
	}
	for question, shown := range map[string]string{
		"status 401": "401 from", "error in the stream": "It begins", "repeat it": "you came with",
		"hello": "winnow  An answer of mine", // the title, which is asked for after the answer
	} {
		chat := startIn(t, env, 110, 32, "-m", "address/m", "--debug")
		chat.Want("enter send")
		chat.Send(question)
		chat.Want(question)
		chat.Send(enterKey)
		chat.WaitFor(shown, func(screen string) bool {
			return strings.Contains(screen, shown) && strings.Contains(screen, "enter send") &&
				!strings.Contains(screen, "stops")
		})
		chat.Send(ctrlD)
		chat.End()
		outputs["the chat: "+question] = chat.Written()
	}

	for what, out := range outputs {
		wantNoKey(t, "winnow "+what, out)
	}
	files := 0
	where := strings.TrimPrefix(env[0], "HOME=")
	err = filepath.WalkDir(where, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "config.toml") || path == keyFile {
			return err
		}
		text, err := os.ReadFile(path)
		files++
		wantNoKey(t, strings.TrimPrefix(path, where), text)
		return err
	})
	if err != nil || files < 2 {
		t.Errorf("looked into %d files, %v; want the history and the log", files, err)
	}
	t.Logf("%d keys in %d outputs and %d files", plantedCount, len(outputs), files)
}

// wantNoKey looks for every planted key in a text, in each of its encodings.
func wantNoKey(t *testing.T, what string, text []byte) {
	t.Helper()
	for _, key := range plantedKeys() {
		for _, form := range encodings(key) {
			if at := bytes.Index(text, []byte(form)); at >= 0 {
				t.Errorf("%s holds %q: %q", what, form, text[max(0, at-120):min(len(text), at+80)])
				break
			}
		}
	}
}

func storedIDs(t *testing.T, path string) []string {
	t.Helper()
	var ids []string
	all, err := openHistory(t, path).Sessions(t.Context(), store.SessionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	return ids
}
