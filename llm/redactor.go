package llm

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// secretRule finds one kind of secret by its shape. Where the pattern has a group, the group is
// the secret and the rest of the match stays readable.
type secretRule struct {
	name    string
	pattern *regexp.Regexp
	really  func(secret string) bool // nil takes every match
}

// secretRules is the constant table of shapes. Prefixes that providers document come first; the
// last rules know a secret by the word in front of it.
var secretRules = []secretRule{
	{"OpenAI, Anthropic, OpenRouter and DeepSeek keys", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{8,}`), nil},
	{"keys of their kind", regexp.MustCompile(`\b(?:pk|rk)-[A-Za-z0-9_-]{16,}|\b(?:sk|pk|rk)_[A-Za-z0-9_-]{16,}`), nil},
	{"GitHub tokens", regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})`), nil},
	{"AWS access keys", regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{12,}`), nil},
	{"Google keys", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{20,}`), nil},
	{"Groq keys", regexp.MustCompile(`\bgsk_[A-Za-z0-9]{16,}`), nil},
	{"xAI keys", regexp.MustCompile(`\bxai-[A-Za-z0-9]{16,}`), nil},
	{"Hugging Face tokens", regexp.MustCompile(`\bhf_[A-Za-z0-9]{16,}`), nil},
	{"Slack tokens", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`), nil},
	{"GitLab tokens", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`), nil},
	{"JSON web tokens", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), nil},
	{"private keys", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), nil},
	{"authorization headers", regexp.MustCompile(`(?i)\b(?:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{8,})`), random},
	{"passwords in addresses", regexp.MustCompile(`://[^/\s:@]+:([^/\s@]+)@`), nil},
	{"named secrets", regexp.MustCompile(`(?i)\b(?:api[_-]?key|access[_-]?token|secret|password|x-api-key)\\?["']?\s*[:=]\s*\\?["']?([^\s"',;\\]{8,})`), nil},
}

// Redactor removes secrets from text on its way to a log, to the screen or to a file for others. Its zero
// value knows the rules and no secret. It is safe for concurrent use.
type Redactor struct {
	mu      sync.RWMutex
	known   secrets // everything that was told
	certain secrets // those of it that can be no ordinary word
}

// Know adds secrets that no rule would recognise, such as a configured key. Shorter than four bytes it is
// no secret, and removing it would tear other words apart.
func (r *Redactor) Know(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) >= 4 {
			r.known.add(secret)
		}
		if certain(secret) {
			r.certain.add(secret)
		}
	}
}

// Text is text without its secrets: those that are known, and what has the shape of one.
func (r *Redactor) Text(text string) string {
	r.mu.RLock()
	text, _ = r.known.replace(text, false)
	r.mu.RUnlock()
	return RedactShapes(text)
}

// Known is text without the secrets that are known, the longest first. It is for what is said: shapes are
// left alone, and so is a known secret that is an ordinary word.
func (r *Redactor) Known(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	text, _ = r.certain.replace(text, false)
	return text
}

// stream is for one answer.
func (r *Redactor) stream() *stream {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return &stream{known: slices.Clone(r.certain)}
}

// RedactShapes is text without what has the shape of a secret, whoever it belongs to.
func RedactShapes(text string) string {
	for _, rule := range secretRules {
		text = rule.redact(text)
	}
	return text
}

// random says that a word is not one that people write: it is long, has a digit, or capital letters within.
func random(word string) bool {
	return len(word) >= 24 || strings.ContainsAny(word, "0123456789") || strings.ToLower(word[1:]) != word[1:] && strings.ToUpper(word) != word
}

func (r secretRule) redact(text string) string {
	matches := r.pattern.FindAllStringSubmatchIndex(text, -1)
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
		if r.really != nil && !r.really(text[from:to]) {
			continue
		}
		out.WriteString(text[last:from] + redacted)
		last = to
	}
	return out.String() + text[last:]
}
