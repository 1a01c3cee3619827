package llm

import (
	"regexp"
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
	return RedactShapes(text)
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
