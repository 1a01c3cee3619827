//go:build cgo

package cli

import (
	"os"
	"slices"
	"strings"

	"winnow/llm"
)

// longSecret is the length from which a secret is looked for within other values: what is shorter, such
// as the key "ollama" of a local server, may be a part of a path.
const longSecret = 16

// environment returns how to look up the variables of the process as they are now, whatever is taken out
// of its environment later.
func environment() func(string) string {
	noted := map[string]string{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		noted[name] = value
	}
	return func(name string) string { return noted[name] }
}

// withhold takes the keys of endpoints out of the environment that the programs which winnow starts
// inherit: an editor, a clipboard helper, a key_command. winnow itself has noted them.
func (p *program) withhold(endpoints ...llm.Endpoint) {
	if p.unset == nil {
		return
	}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if slices.Contains(llm.KeyVariables(), name) || slices.ContainsFunc(endpoints, func(e llm.Endpoint) bool { return holdsSecret(e, name, value) }) {
			p.unset(name)
		}
	}
}

// holdsSecret reports whether a variable holds a secret of an endpoint.
func holdsSecret(e llm.Endpoint, name, value string) bool {
	if name == e.KeyFrom || value != "" && value == e.Key.Reveal() {
		return true
	}
	return slices.ContainsFunc(e.Secrets(), func(secret string) bool {
		return value == secret || len(secret) >= longSecret && strings.Contains(value, secret)
	})
}
