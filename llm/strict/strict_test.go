package strict

import (
	"errors"
	"flag"
	"fmt"
	"maps"
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
	return map[string]Profile{
		"openai":             OpenAI,
		"llamacpp":           LlamaCpp,
		"llamacpp+alternate": {Server: "llamacpp", Alternate: true},
		"llamacpp+toolless":  {Server: "llamacpp", Toolless: true},
		"mistral":            Mistral,
		"deepseek":           DeepSeek,
		"deepseek+thinking":  {Server: "deepseek", Thinking: true},
		"anthropic":          Anthropic,
		"anthropic+offered":  {Server: "anthropic", Offered: true},
		"gemini":             Gemini,
		"gemini+signatures":  {Server: "gemini", Signatures: true},
		"responses":          Responses,
		"strictest":          Strictest,
	}
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
			if shown[p.Server] == nil {
				shown[p.Server] = map[string]bool{}
			}
			maps.Copy(shown[p.Server], fired)
		})
	}
	for server, book := range servers {
		for _, r := range append([]rule{book.unread}, book.rules...) {
			if !shown[server][r.name] {
				t.Errorf("%s: no example breaks rule %s", server, r.name)
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
	book := servers[p.Server]
	c, wrong := book.open(body)
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
