package cli

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"winnow/llm/redact"
)

// The planted secrets are put together here so that no scanner takes this file for a leak.
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
		"a configured key":    "plain-configured-key",
	}
}

// secretOf is the part of a planted text that must not be left.
func secretOf(text string) string {
	for _, mark := range []string{"Bearer ", "me:", `: "`} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			return strings.TrimSuffix(strings.TrimSuffix(rest, "@db/x"), `"`)
		}
	}
	return text
}

func TestLogHoldsNoSecret(t *testing.T) {
	t.Parallel()
	var r redact.Redactor
	r.AddSecrets("plain-configured-key")
	for name, text := range planted() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			log := newLog(&out, &r)
			err := fmt.Errorf("ask the server: %w", errors.New(text))
			log.With("with", text).WithGroup("g").Info("message "+text, "plain", text, "err", err,
				slog.Group("inner", "deep", text), "struct", struct{ Key string }{text})
			if strings.Contains(out.String(), secretOf(text)) {
				t.Errorf("the log holds %q:\n%s", secretOf(text), out.String())
			}
			if got := strings.Count(out.String(), "[redacted]"); got < 6 {
				t.Errorf("the log has %d redacted places, want 6 or more:\n%s", got, out.String())
			}
		})
	}
}
