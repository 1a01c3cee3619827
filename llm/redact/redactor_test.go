package redact

import (
	"strings"
	"testing"

	"winnow/llm/keys"
)

// planted assembles its secrets so that scanners do not take this file for a leak.
func planted() map[string]string {
	long := strings.Repeat("Ab3", 12)
	return map[string]string{
		"an OpenAI key":       "sk-" + "proj-" + long,
		"an OpenRouter key":   "sk-" + "or-v1-" + long,
		"an AWS key":          "AKIA" + "ABCDEFGH12345678",
		"a GitHub token":      "ghp_" + long,
		"a Google key":        "AIza" + long,
		"a Groq key":          "gsk_" + long,
		"an xAI key":          "xai-" + long,
		"a Hugging Face key":  "hf_" + long,
		"a Slack token":       "xoxb-" + "123456789012-" + long,
		"a JSON web token":    "eyJ" + long + ".eyJ" + long + "." + long,
		"a bearer token":      "Authorization: Bearer " + "q" + long,
		"a password in a URL": "postgres://me:" + "hunter2hunter2" + "@db/x",
		"a named secret":      `"api_key": "` + "zzz" + long + `"`,
		"a secret in JSON":    `{"arguments":"{\"api_key\": \"` + "zzz" + long + `\"}"}`,
		"a configured key":    "plain-configured-key",
	}
}

// secretOf is the part of a planted text that must be removed.
func secretOf(text string) string {
	for _, mark := range []string{"Bearer ", "me:", `: \"`, `: "`} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			return strings.TrimRight(strings.TrimSuffix(rest, "@db/x"), `\"}`)
		}
	}
	return text
}

func TestRedactorTakesSecretsOutOfText(t *testing.T) {
	var r Redactor
	r.AddSecrets("plain-configured-key")
	for name, text := range planted() {
		t.Run(name, func(t *testing.T) {
			got := r.Redact("before " + text + " after")
			if strings.Contains(got, secretOf(text)) || !strings.Contains(got, keys.Redacted) {
				t.Errorf("Text(%q) = %q, want the secret gone", text, got)
			}
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Errorf("Text(%q) = %q, want the words around it kept", text, got)
			}
		})
	}
}

func TestRedactorLeavesOrdinaryTextAlone(t *testing.T) {
	var r Redactor
	r.AddSecrets("abc") // too short to be a secret
	for _, text := range []string{
		"the task-oriented risk-averse approach", "abc", "https://example.com/a:b@c",
		"session 019ab3f2-1c2d-7aaa-8bbb-0123456789ab", "AKIA is a prefix", "the bearer of news",
		"tokens: 12, secret: no", "a basic understanding", "BASIC PRINCIPLES of bearer certificates",
	} {
		if got := r.Redact(text); got != text {
			t.Errorf("Text(%q) = %q, want it as it was", text, got)
		}
	}
}
