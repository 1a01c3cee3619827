package watch

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// variables returns a lookup of NAME=value lines.
func variables(lines string) func(string) string {
	values := map[string]string{}
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

// TestRecipes verifies how each client of testdata/recipes.txtar is started.
func TestRecipes(t *testing.T) {
	t.Parallel()
	cases, err := txtar.ParseFile("testdata/recipes.txtar")
	ok(t, err)
	for _, c := range cases.Files {
		env, want, _ := strings.Cut("\n"+string(c.Data), "\n\n")
		launch, err := RecipeFor(c.Name)(Target{Base: "http://127.0.0.1:4141/r/RUN", Env: variables(env)})
		got := strings.Join(launch.Shell(c.Name), "\n")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != strings.TrimSpace(want) {
			t.Errorf("%s with%s:\n%s\nwant\n%s", c.Name, env, got, want)
		}
	}
}

// TestCrushFolder verifies that crush finds all of the user's files in the folder that it is given, with other base
// URLs, and that the user's own files stay as they are.
func TestCrushFolder(t *testing.T) {
	t.Parallel()
	files, err := txtar.ParseFile("testdata/crush.txtar")
	ok(t, err)
	home, folder := t.TempDir(), t.TempDir()
	ok(t, txtar.Write(files, home))
	env := variables("API=https://api.openai.com\nXDG_CONFIG_HOME=" + home)
	launch, err := RecipeFor("crush")(Target{"http://127.0.0.1:1/r/R", env, folder})
	ok(t, err)
	if !slices.Equal(launch.Env, []string{"CRUSH_GLOBAL_CONFIG=" + folder, "CRUSH_CLIENT_SERVER=0"}) {
		t.Errorf("crush is started with %q", launch.Env)
	}
	for _, f := range files.Files {
		_, name, _ := strings.Cut(f.Name, "/")
		seen, _ := os.ReadFile(filepath.Join(folder, name))
		if f.Name != "crush/crush.json" && strings.TrimSpace(string(seen)) != strings.TrimSpace(string(f.Data)) {
			t.Errorf("crush sees in %s:\n%s\nwant\n%s", name, seen, f.Data)
		}
		if own, _ := os.ReadFile(filepath.Join(home, f.Name)); string(own) != string(f.Data) {
			t.Errorf("the user's %s is now %q", f.Name, own)
		}
	}
}

// TestUpstreams verifies that the environment says where requests go, and that a configured endpoint cannot take the
// name of one of the two servers.
func TestUpstreams(t *testing.T) {
	t.Parallel()
	env := variables("ANTHROPIC_BASE_URL=http://a")
	p := Proxy{Run: "R", Upstreams: Upstreams(env, Upstream{"openai", "http://o"}, Upstream{"local", "http://l"})}
	for name, want := range map[string]string{
		"openai": "https://api.openai.com/v1", "anthropic": "http://a", "local": "http://l",
	} {
		if up, _, _ := p.route(&url.URL{Path: "/r/R/" + name + "/x"}); up.BaseURL != want {
			t.Errorf("%s leads to %s", name, up.BaseURL)
		}
	}
}
