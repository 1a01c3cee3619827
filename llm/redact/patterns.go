package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// secretRule recognizes one kind of secret. If the pattern has a group, only the group is the secret.
type secretRule struct {
	name    string
	hints   []string // in lower case; the slow pattern is tried only on text with one of them
	pattern func() *regexp.Regexp
	accept  func(secret string) bool // nil accepts every match
}

// secretRules begins with the prefixes that providers document. The last rules recognize a secret by the word in front
// of it.
var secretRules = []secretRule{
	{"OpenAI, Anthropic, OpenRouter and DeepSeek keys", []string{"sk-"}, compile(`\bsk-[A-Za-z0-9_-]{8,}`), nil},
	{
		"keys of their kind",
		[]string{"pk-", "rk-", "sk_", "pk_", "rk_"},
		compile(`\b(?:pk|rk)-[A-Za-z0-9_-]{16,}|\b(?:sk|pk|rk)_[A-Za-z0-9_-]{16,}`), nil,
	},
	{
		"GitHub tokens",
		[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
		compile(`\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})`), nil,
	},
	{"AWS access keys", []string{"akia", "asia"}, compile(`\b(?:AKIA|ASIA)[A-Z0-9]{12,}`), nil},
	{"Google keys", []string{"aiza"}, compile(`\bAIza[A-Za-z0-9_-]{20,}`), nil},
	{"Groq keys", []string{"gsk_"}, compile(`\bgsk_[A-Za-z0-9]{16,}`), nil},
	{"xAI keys", []string{"xai-"}, compile(`\bxai-[A-Za-z0-9]{16,}`), nil},
	{"Hugging Face tokens", []string{"hf_"}, compile(`\bhf_[A-Za-z0-9]{16,}`), nil},
	{"Slack tokens", []string{"xox"}, compile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`), nil},
	{"GitLab tokens", []string{"glpat-"}, compile(`\bglpat-[A-Za-z0-9_-]{16,}`), nil},
	{"JSON web tokens", []string{"eyj"}, compile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), nil},
	{
		"private keys",
		[]string{"private key-----"},
		compile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), nil,
	},
	{
		"authorization headers",
		[]string{"bearer", "basic"},
		compile(`(?i)\b(?:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{8,})`), looksRandom,
	},
	{"passwords in addresses", []string{"://"}, compile(`://[^/\s:@]+:([^/\s@]+)@`), nil},
	{
		"named secrets",
		[]string{"key", "token", "secret", "password"},
		compile(`(?i)\b(?:api[_-]?key|access[_-]?token|secret|password` +
			`|x-api-key)\\?["']?\s*[:=]\s*\\?["']?([^\s"',;\\]{8,})`), nil,
	},
}

// compile compiles a pattern when it is first needed, which for most patterns is never.
func compile(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

func findPatterns(text string) (spans [][2]int) {
	lower := strings.ToLower(text)
	for _, rule := range secretRules {
		if slices.ContainsFunc(rule.hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
			spans = append(spans, rule.find(text)...)
		}
	}
	return spans
}

// looksRandom reports whether a word is not one that people write: it is long, or has digits or inner capitals.
func looksRandom(word string) bool {
	capitals := strings.ToLower(word[1:]) != word[1:] && strings.ToUpper(word) != word
	return len(word) >= 24 || strings.ContainsAny(word, "0123456789") || capitals
}

// find returns the byte ranges of the rule's secrets.
func (r secretRule) find(text string) (spans [][2]int) {
	for _, m := range r.pattern().FindAllStringSubmatchIndex(text, -1) {
		from, to := m[0], m[1]
		if len(m) > 2 && m[2] >= 0 {
			from, to = m[2], m[3]
		}
		if r.accept == nil || r.accept(text[from:to]) {
			spans = append(spans, [2]int{from, to})
		}
	}
	return spans
}
