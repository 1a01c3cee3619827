package keys

import (
	"os"
	"slices"
	"strings"
)

// Unset removes environment variables by their names, and all whose value is a secret.
func Unset(names, secrets []string) {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if slices.Contains(names, name) || value != "" && slices.Contains(secrets, value) {
			os.Unsetenv(name)
		}
	}
}
