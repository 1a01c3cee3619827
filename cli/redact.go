//go:build cgo

package cli

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
)

// secretRule finds one kind of secret by its shape. Where the pattern has a group, the group is
// the secret and the rest of the match stays readable.
type secretRule struct {
	name    string
	pattern *regexp.Regexp
}

// secretRules is the constant table of shapes. Prefixes that providers document come first; the
// last rules know a secret by the word in front of it.
var secretRules = []secretRule{
	{"OpenAI, Anthropic, OpenRouter and DeepSeek keys", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{8,}`)},
	{"GitHub tokens", regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})`)},
	{"AWS access keys", regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{12,}`)},
	{"Google keys", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{20,}`)},
	{"Groq keys", regexp.MustCompile(`\bgsk_[A-Za-z0-9]{16,}`)},
	{"xAI keys", regexp.MustCompile(`\bxai-[A-Za-z0-9]{16,}`)},
	{"Hugging Face tokens", regexp.MustCompile(`\bhf_[A-Za-z0-9]{16,}`)},
	{"Slack tokens", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"GitLab tokens", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`)},
	{"JSON web tokens", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)},
	{"private keys", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)},
	{"authorization headers", regexp.MustCompile(`(?i)\b(?:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{8,})`)},
	{"passwords in addresses", regexp.MustCompile(`://[^/\s:@]+:([^/\s@]+)@`)},
	{"named secrets", regexp.MustCompile(`(?i)\b(?:api[_-]?key|access[_-]?token|secret|password|x-api-key)["']?\s*[:=]\s*["']?([^\s"',;]{8,})`)},
}

// redacted stands where a secret was.
const redacted = "[redacted]"

// Redactor removes secrets from text on its way to a log. It is safe for concurrent use.
type Redactor struct {
	mu    sync.RWMutex
	known []string
}

// Know adds a secret that no rule would recognise, such as a configured key. Shorter than four
// bytes it is no secret, and removing it would tear other words apart.
func (r *Redactor) Know(secret string) {
	if len(secret) < 4 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = append(r.known, secret)
}

// Text is text without its secrets.
func (r *Redactor) Text(text string) string {
	r.mu.RLock()
	for _, secret := range r.known {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	r.mu.RUnlock()
	for _, rule := range secretRules {
		text = replaceSecret(rule.pattern, text)
	}
	return text
}

func replaceSecret(pattern *regexp.Regexp, text string) string {
	matches := pattern.FindAllStringSubmatchIndex(text, -1)
	if matches == nil {
		return text
	}
	var out strings.Builder
	last := 0
	for _, m := range matches {
		from, to := m[0], m[1]
		if len(m) > 2 && m[2] >= 0 {
			from, to = m[2], m[3]
		}
		out.WriteString(text[last:from] + redacted)
		last = to
	}
	return out.String() + text[last:]
}

// redactHandler is a slog.Handler that takes the secrets out of every message and every value.
type redactHandler struct {
	slog.Handler
	redactor *Redactor
}

// Handle redacts a record and hands it on.
func (h redactHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.redactor.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs redacts what every later record will carry.
func (h redactHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return redactHandler{h.Handler.WithAttrs(clean), h.redactor}
}

// WithGroup keeps the redaction under a group.
func (h redactHandler) WithGroup(name string) slog.Handler {
	return redactHandler{h.Handler.WithGroup(name), h.redactor}
}

func (h redactHandler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.redactor.Text(v.String()))
	case slog.KindGroup:
		group := v.Group()
		clean := make([]slog.Attr, len(group))
		for i, member := range group {
			clean[i] = h.attr(member)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}
	case slog.KindAny:
		// Errors, structs and byte slices are logged as the text they print as: their fields
		// cannot be reached one by one.
		if raw, ok := v.Any().([]byte); ok {
			return slog.String(a.Key, h.redactor.Text(string(raw)))
		}
		return slog.String(a.Key, h.redactor.Text(v.String()))
	default:
		return slog.Attr{Key: a.Key, Value: v}
	}
}
