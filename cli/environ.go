//go:build cgo

package cli

import (
	"os"
	"slices"
	"strings"

	"winnow/llm"
	"winnow/llm/keys"
)

// longSecret is the length from which a secret is looked for within other values: what is shorter, such
// as the key "ollama" of a local server, may be a part of a path.
const longSecret = 16

// lookupIn looks variables up in a list of NAME=value, whatever is taken out of the process's environment later.
func lookupIn(environ []string) func(name string) string {
	values := make(map[string]string, len(environ))
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

// unsetKeys takes the keys of endpoints out of the environment that the programs which winnow starts
// inherit: an editor, a clipboard helper, a key_command. winnow itself read them before.
func (p *program) unsetKeys(endpoints ...llm.Endpoint) {
	if p.unset == nil {
		return
	}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if slices.Contains(llm.KeyVariables(), name) || slices.ContainsFunc(endpoints,
			func(e llm.Endpoint) bool { return holdsSecret(e, name, value) }) {
			p.unset(name)
		}
	}
}

// holdsSecret reports whether a variable holds a secret of an endpoint.
func holdsSecret(e llm.Endpoint, name, value string) bool {
	if e.KeyFrom.Kind == keys.Variable && name == e.KeyFrom.Name || value != "" && value == e.Key.Reveal() {
		return true
	}
	return slices.ContainsFunc(e.Secrets(), func(secret string) bool {
		return value == secret || len(secret) >= longSecret && strings.Contains(value, secret)
	})
}
