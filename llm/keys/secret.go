// Package keys has a type for API keys that never prints one, and the places that keys come from: commands, files that
// only the user can read, and the system keyring. It does not know which server uses which key.
package keys

import "log/slog"

// Redacted replaces a secret wherever one would be shown.
const Redacted = "[redacted]"

// Secret is an API key. Printing, logging or encoding it yields "[redacted]". Only Reveal returns the key, and only
// code that sets a request header or stores the key calls it.
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

// GoString implements fmt.GoStringer, for %#v, without the key.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText implements encoding.TextMarshaler, for JSON, TOML and XML, without the key.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue implements slog.LogValuer, without the key.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
