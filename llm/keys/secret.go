// Package keys is about the keys of servers: a type that never shows one, and the places that keep one: commands,
// files that only the user can read, the system keyring. It does not know which server takes which key.
package keys

import "log/slog"

// Redacted is shown in the place of a secret wherever one would be shown.
const Redacted = "[redacted]"

// Secret is a key. Printing, logging or encoding one gives "[redacted]"; only Reveal gives the
// key, and only the code that sets a request header calls it.
type Secret string

// Reveal returns the key itself.
func (s Secret) Reveal() string { return string(s) }

// String returns "[redacted]", or "" for no key.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return Redacted
}

// GoString is what %#v prints: as String.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText is what JSON, TOML and XML encode: as String.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue is what slog writes: as String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
