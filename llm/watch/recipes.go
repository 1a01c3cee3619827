package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// Target is the proxy that a client is pointed at, and what that depends on.
type Target struct {
	Base   string                   // http://127.0.0.1:PORT/r/RUN
	Env    func(name string) string // the environment that the client would have
	Folder string                   // an empty one, to write files to; "" for none
}

// Launch says how to start a client.
type Launch struct {
	Env   []string // NAME=value, to add to the environment
	Flags []string // to put before the client's own arguments

	// Note says what the user must know, such as what the client does not do behind a proxy; "" for nothing.
	Note string
}

// Recipe points one client at a proxy. It changes none of the user's files.
type Recipe func(Target) (Launch, error)

// recipes are the clients that need more than the two common variables.
var recipes = map[string]Recipe{
	"codex":    codex,
	"claude":   claude,
	"opencode": opencode,
	"crush":    crush,
}

// RecipeFor returns the recipe for a program, by the name of its file.
func RecipeFor(program string) Recipe {
	name, _, _ := strings.Cut(filepath.Base(program), ".")
	if r, ok := recipes[name]; ok {
		return r
	}
	return anyClient
}

// Upstreams returns the servers that requests may be passed on to: those of OpenAI and Anthropic, or what the
// environment names instead of them, and then the configured ones. The first of a name counts.
func Upstreams(env func(string) string, configured ...Upstream) []Upstream {
	return append([]Upstream{
		{"openai", cmp.Or(env("OPENAI_BASE_URL"), "https://api.openai.com/v1")},
		{"anthropic", cmp.Or(env("ANTHROPIC_BASE_URL"), "https://api.anthropic.com")},
	}, configured...)
}

// Shell returns the lines that start a client in the same way from a shell.
func (l Launch) Shell(client string) []string {
	var lines []string
	if l.Note != "" {
		lines = append(lines, "# "+l.Note)
	}
	for _, pair := range l.Env {
		name, value, _ := strings.Cut(pair, "=")
		lines = append(lines, "export "+name+"="+quoted(value))
	}
	for _, flag := range l.Flags {
		client += " " + quoted(flag)
	}
	return append(lines, client)
}

// Run runs a client on the terminal of this process until it ends. Keys such as ctrl+c reach the client itself. If this
// process is told to end, the client is told so. The error is an *exec.ExitError if the client fails.
func (l Launch) Run(args, environ []string) error {
	keys := make(chan os.Signal, 1)
	signal.Notify(keys, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(keys)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	c := exec.CommandContext(ctx, args[0], append(l.Flags, args[1:]...)...)
	// With this error, the result is the client's own exit code.
	c.Cancel = func() error { return cmp.Or(c.Process.Signal(syscall.SIGTERM), os.ErrProcessDone) }
	c.Env = append(environ, l.Env...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	return c.Run()
}

// quoted returns a word as shells read it.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// url returns the address that stands for an upstream's base URL.
func (t Target) url(upstream string) string { return t.Base + "/" + upstream }

// anyClient sets the variables that most clients and SDKs read.
func anyClient(t Target) (Launch, error) {
	return Launch{Env: []string{
		"OPENAI_BASE_URL=" + t.url("openai"),
		"OPENAI_API_BASE=" + t.url("openai"),
		"ANTHROPIC_BASE_URL=" + t.url("anthropic"),
	}}, nil
}

// codex defines a model provider, because Codex does not read OPENAI_BASE_URL.
func codex(t Target) (Launch, error) {
	const provider = `{name="OpenAI", base_url=%q, env_key="OPENAI_API_KEY", wire_api="responses"}`
	if t.Env("OPENAI_API_KEY") == "" {
		return Launch{}, errors.New("winnow records Codex only with an API key; set OPENAI_API_KEY")
	}
	return Launch{Flags: []string{
		"-c", `model_provider="winnow"`,
		"-c", "model_providers.winnow=" + fmt.Sprintf(provider, t.url("openai")),
	}}, nil
}

// claude keeps tools out of the prompt until they are needed, which Claude Code does not do behind a base URL.
func claude(t Target) (Launch, error) {
	return Launch{
		Env: []string{
			"ANTHROPIC_BASE_URL=" + t.url("anthropic"),
			"ENABLE_TOOL_SEARCH=" + cmp.Or(t.Env("ENABLE_TOOL_SEARCH"), "true"),
		},
		Note: "Behind a base URL, Claude Code turns Remote Control off, and may turn the 1M window off",
	}, nil
}

// opencode adds to the configuration that opencode reads from a variable, and prefers to its files.
func opencode(t Target) (Launch, error) {
	const name = "OPENCODE_CONFIG_CONTENT"
	text, err := t.point(name, t.Env(name), "provider/%s/options/baseURL", "/v1")
	return Launch{
		Env:  []string{name + "=" + text},
		Note: "The base URLs in opencode.json do not apply; OPENAI_BASE_URL and ANTHROPIC_BASE_URL do",
	}, err
}

// crush makes a folder of configuration: links to the user's files, and a copy of crush.json with other base URLs.
func crush(t Target) (Launch, error) {
	const name, file = "CRUSH_GLOBAL_CONFIG", "crush.json"
	if t.Env("OPENAI_API_ENDPOINT")+t.Env("ANTHROPIC_API_ENDPOINT") != "" {
		return Launch{}, errors.New("unset OPENAI_API_ENDPOINT and ANTHROPIC_API_ENDPOINT; " +
			"winnow reads OPENAI_BASE_URL and ANTHROPIC_BASE_URL instead")
	}
	home := cmp.Or(t.Env("HOME"), t.Env("USERPROFILE"))
	all := cmp.Or(t.Env("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	from, _ := filepath.Abs(cmp.Or(t.Env(name), filepath.Join(all, "crush")))
	own := filepath.Join(from, file)
	var old []byte
	if t.Folder != "" {
		// What winnow cannot read, crush cannot either.
		old, _ = os.ReadFile(own)
	}
	text, err := t.point(own, string(old), "providers/%s/base_url", "")
	if err != nil || t.Folder == "" {
		return Launch{Note: "Add to " + own + ": " + text}, err
	}
	files, _ := os.ReadDir(from)
	for _, f := range files {
		if f.Name() != file {
			link := filepath.Join(t.Folder, f.Name())
			err = errors.Join(err, os.Symlink(filepath.Join(from, f.Name()), link))
		}
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(t.Folder, file), []byte(text), 0o600))
	return Launch{
		Env:  []string{name + "=" + t.Folder, "CRUSH_CLIENT_SERVER=0"},
		Note: "Requests to a base URL that a crushrc or a project sets are not recorded",
	}, err
}

// point returns a client's JSON configuration with other base URLs of OpenAI and Anthropic. place is where they are,
// with %s for the name of the provider; Anthropic's ends in version. source names the configuration in errors. A base
// URL of another server is not replaced, because its key must not be sent to anyone else.
func (t Target) point(source, text, place, version string) (string, error) {
	config := map[string]any{}
	err := json.Unmarshal([]byte(cmp.Or(text, "{}")), &config)
	if err != nil || config == nil {
		return "", fmt.Errorf("%s is not a JSON object", source)
	}
	for _, up := range Upstreams(t.Env) {
		version := map[string]string{"anthropic": version}[up.Name]
		dir, key := path.Split(fmt.Sprintf(place, up.Name))
		at := config
		for name := range strings.SplitSeq(path.Clean(dir), "/") {
			if _, ok := at[name].(map[string]any); !ok {
				at[name] = map[string]any{}
			}
			at = at[name].(map[string]any)
		}
		base := strings.TrimSuffix(up.BaseURL, "/") + version
		old, _ := at[key].(string)
		if old = os.Expand(old, t.Env); old != "" && strings.TrimSuffix(old, "/") != base {
			return "", fmt.Errorf("%s points %s to %s; set %s_BASE_URL to the same URL",
				source, up.Name, old, strings.ToUpper(up.Name))
		}
		at[key] = t.url(up.Name) + version
	}
	changed, err := json.Marshal(config)
	return string(changed), err
}
