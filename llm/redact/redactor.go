// Package redact takes secrets out of texts: those that it knows, and what looks like one. It does not know
// where a text goes.
package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"winnow/llm/keys"
)

// secretRule finds one kind of secret by its pattern. Where the pattern has a group, the group is
// the secret and the rest of the match stays readable.
type secretRule struct {
	name    string
	hints   []string // in lower case: without one of them the pattern finds nothing, and it is slow
	pattern func() *regexp.Regexp
	really  func(secret string) bool // nil takes every match
}

// secretRules is the constant table of patterns. Prefixes that providers document come first; the
// last rules know a secret by the word in front of it.
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
		compile(`(?i)\b(?:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{8,})`), random,
	},
	{"passwords in addresses", []string{"://"}, compile(`://[^/\s:@]+:([^/\s@]+)@`), nil},
	{
		"named secrets",
		[]string{"key", "token", "secret", "password"},
		compile(`(?i)\b(?:api[_-]?key|access[_-]?token|secret|password` +
			`|x-api-key)\\?["']?\s*[:=]\s*\\?["']?([^\s"',;\\]{8,})`), nil,
	},
}

// compile compiles a pattern when a text first has one of its hints; most programs never see one.
func compile(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// Redactor removes secrets from text on its way to a log, to the screen or to a file for others. Its zero
// value knows the rules and no secret. It is safe for concurrent use.
type Redactor struct {
	mu      sync.RWMutex
	known   secrets // all of them
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

// Text is text without its secrets: those that are known, and what looks like one.
func (r *Redactor) Text(text string) string { return replaceSpans(text, r.Find(text)) }

// Find returns where secrets stand in a text, known ones and those that look like one, as bytes from and
// to, in order and apart.
func (r *Redactor) Find(text string) [][2]int {
	return disjoint(append(r.occurrences(text), findPatterns(text)...))
}

// FindIn is Find, or without patterns where the known secrets stand alone.
func (r *Redactor) FindIn(text string, patterns bool) [][2]int {
	if patterns {
		return r.Find(text)
	}
	return disjoint(r.occurrences(text))
}

func (r *Redactor) occurrences(text string) [][2]int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return findAll(text, r.known)
}

// findAll finds every occurrence of some secrets, of which one may be a part of another.
func findAll(text string, secrets []string) (spans [][2]int) {
	for _, secret := range secrets {
		for at := 0; ; {
			i := strings.Index(text[at:], secret)
			if i < 0 {
				break
			}
			spans = append(spans, [2]int{at + i, at + i + len(secret)})
			at += i + 1
		}
	}
	return spans
}

// disjoint joins spans that overlap and puts them in order.
func disjoint(spans [][2]int) [][2]int {
	slices.SortFunc(spans, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	var apart [][2]int
	for _, span := range spans {
		if last := len(apart) - 1; last >= 0 && span[0] < apart[last][1] {
			apart[last][1] = max(apart[last][1], span[1])
			continue
		}
		apart = append(apart, span)
	}
	return apart
}

func replaceSpans(text string, spans [][2]int) string {
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	last := 0
	for _, span := range spans {
		out.WriteString(text[last:span[0]] + keys.Redacted)
		last = span[1]
	}
	return out.String() + text[last:]
}

// Known is text without the secrets that are known, the longest first. It is for what is said: patterns are
// left alone, and so is a known secret that is an ordinary word.
func (r *Redactor) Known(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	text, _ = r.certain.replace(text, false)
	return text
}

// Stream is Known for a text that arrives in pieces.
func (r *Redactor) Stream() *Stream {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return &Stream{known: slices.Clone(r.certain)}
}

// ByPattern is text without what looks like a secret, whoever it belongs to.
func ByPattern(text string) string { return replaceSpans(text, disjoint(findPatterns(text))) }

func findPatterns(text string) (spans [][2]int) {
	lower := strings.ToLower(text)
	for _, rule := range secretRules {
		if slices.ContainsFunc(rule.hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
			spans = append(spans, rule.find(text)...)
		}
	}
	return spans
}

// random says that a word is not one that people write: it is long, has a digit, or capital letters within.
func random(word string) bool {
	capitals := strings.ToLower(word[1:]) != word[1:] && strings.ToUpper(word) != word
	return len(word) >= 24 || strings.ContainsAny(word, "0123456789") || capitals
}

// find returns where the rule's secrets stand.
func (r secretRule) find(text string) (spans [][2]int) {
	for _, m := range r.pattern().FindAllStringSubmatchIndex(text, -1) {
		from, to := m[0], m[1]
		if len(m) > 2 && m[2] >= 0 {
			from, to = m[2], m[3]
		}
		if r.really == nil || r.really(text[from:to]) {
			spans = append(spans, [2]int{from, to})
		}
	}
	return spans
}
