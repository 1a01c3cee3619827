package strict

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the refusals into the fixtures; read the difference before you keep it")

// profiles are those that a fixture can be named for.
func profiles() map[string]Profile {
	all := map[string]Profile{}
	for _, p := range []Profile{
		OpenAI, LlamaCpp, Mistral, DeepSeek, Anthropic, Gemini, Strictest,
		{server: llamaCpp, Alternate: true},
		{server: llamaCpp, Toolless: true},
		{server: deepSeek, Thinking: true},
		{server: gemini, Signatures: true},
		{server: anthropic, Offered: true},
	} {
		all[p.String()] = p
	}
	return all
}

// TestEachRuleFiresOnItsOwnExample reads testdata/PROFILE.txtar:
//
//	-- sound/NAME --    a body that passes
//	-- broken/RULE --   a body that breaks this rule and no other; RULE may have a suffix such as RULE.2
//	-- refusal/RULE --  what the server answers: the message, counted from 0, status, code and text
func TestEachRuleFiresOnItsOwnExample(t *testing.T) {
	shown := map[string]map[string]bool{} // rules by server
	for name, p := range profiles() {
		t.Run(name, func(t *testing.T) {
			fired := checkFixture(t, filepath.Join("testdata", name+".txtar"), p)
			server := servers[p.server].name
			if shown[server] == nil {
				shown[server] = map[string]bool{}
			}
			maps.Copy(shown[server], fired)
		})
	}
	for _, book := range servers {
		for _, r := range append([]rule{book.unread}, book.rules...) {
			if !shown[book.name][r.name] {
				t.Errorf("%s: no example breaks rule %s", book.name, r.name)
			}
		}
	}
}

func checkFixture(t *testing.T, file string, p Profile) (fired map[string]bool) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string][]byte{}
	for _, f := range a.Files {
		bodies[f.Name] = f.Data
	}
	fired = map[string]bool{}
	sound := 0
	for i, f := range a.Files {
		kind, name, _ := strings.Cut(f.Name, "/")
		switch kind {
		case "sound":
			sound++
			if err := Check(p, f.Data); err != nil {
				t.Errorf("%s: %v\n%s", f.Name, err, f.Data)
			}
		case "broken":
			rule, _, _ := strings.Cut(name, ".")
			if got := broken(f.Data, p); !slices.Equal(got, []string{rule}) {
				t.Errorf("%s breaks %v, want %s alone\n%s", f.Name, got, rule, f.Data)
			}
			fired[rule] = true
			if _, ok := bodies["refusal/"+name]; !ok {
				t.Errorf("%s: its refusal is missing", f.Name)
			}
		case "refusal":
			var refusal *Refusal
			if !errors.As(Check(p, bodies["broken/"+name]), &refusal) {
				t.Fatalf("%s: the body passes", f.Name)
			}
			got := fmt.Sprintf("message %d: %d %s\n%s\n", refusal.Index, refusal.Status, refusal.Code, refusal.Text)
			if *update {
				a.Files[i].Data = []byte(got)
			} else if got != string(f.Data) {
				t.Errorf("%s:\n got %s\nwant %s", f.Name, got, f.Data)
			}
		default:
			t.Errorf("%s is neither sound, broken nor a refusal", f.Name)
		}
	}
	if sound == 0 {
		t.Error("no body passes")
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return fired
}

// broken names every rule that a body breaks, looked for by itself.
func broken(body []byte, p Profile) []string {
	book := servers[p.server]
	c, wrong := read(body)
	if wrong != nil {
		return []string{book.unread.name}
	}
	var names []string
	for _, r := range book.rules {
		if r.broken(c, p) != nil {
			names = append(names, r.name)
		}
	}
	return names
}

func TestHandlerAnswersWhatPassesAndRefusesTheRestInItsOwnShape(t *testing.T) {
	sound := `{"model":"m","messages":[{"role":"user","content":"hello"}],"stream":true}`
	for _, c := range []struct {
		p      Profile
		broken string
		status int
		want   string
	}{
		{OpenAI, `{"model":"m","messages":[{"role":"tool","content":"x","tool_call_id":"c"}]}`, 400, `{"error":{"code":null,"message":"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.","param":null,"type":"invalid_request_error"}}`},
		{LlamaCpp, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"system","content":"y"}]}`, 500, `{"error":{"code":500,"message":"System message must be at the beginning.","type":"server_error"}}`},
		{Mistral, `{"model":"m","messages":[{"role":"user","content":"x","name":"ann"}]}`, 422, `{"detail":[{"loc":["body","messages[0].name"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"}]}`},
		{Mistral, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, 400, `{"code":"3230","message":"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant","object":"error","param":null,"type":"invalid_request_message_order"}`},
		{DeepSeek, `{"model":"m","messages":[{"role":"user"}]}`, 400, "{\"error\":{\"code\":\"invalid_request_error\",\"message\":\"Failed to deserialize the JSON body into the target type: messages[0]: missing field `content`\",\"param\":null,\"type\":\"invalid_request_error\"}}"},
		{Gemini, `{"model":"m","messages":[{"role":"user","content":" "}]}`, 400, `[{"error":{"code":400,"message":"* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.","status":"INVALID_ARGUMENT"}}]`},
	} {
		server := httptest.NewServer(Handler(c.p, "Hello."))
		defer server.Close()
		post := func(body string) (int, string) {
			resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return resp.StatusCode, string(text)
		}
		if status, text := post(sound); status != 200 || !strings.Contains(text, `"content":"Hello."`) || !strings.HasSuffix(text, "data: [DONE]\n\n") {
			t.Errorf("%s: a sound body gets %d %s, want a stream", c.p, status, text)
		}
		if status, text := post(c.broken); status != c.status || strings.TrimSpace(text) != c.want {
			t.Errorf("%s: %s\n got %d %s\nwant %d %s", c.p, c.broken, status, text, c.status, c.want)
		}
	}
}
