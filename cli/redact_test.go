package cli

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"winnow/llm/redact"
)

// What a log is given loses known keys and what looks like one, wherever it is. Which texts look like one is tested
// where they are recognised, in package redact.
func TestLogHoldsNoSecret(t *testing.T) {
	t.Parallel()
	var r redact.Redactor
	r.AddSecrets("plain-configured-key")
	// Put together here, so that no scanner takes this file for a leak.
	for _, secret := range []string{"plain-configured-key", "sk-" + "proj-" + strings.Repeat("Ab3", 12)} {
		var out bytes.Buffer
		err := fmt.Errorf("ask the server with %s", secret)
		redact.NewLog(&out, &r).With("with", secret).WithGroup("g").Info("message "+secret, "plain", secret, "err", err,
			slog.Group("inner", "deep", secret), "struct", struct{ Key string }{secret})
		if got := out.String(); strings.Contains(got, secret) || strings.Count(got, "[redacted]") != 6 {
			t.Errorf("the log holds %q, or not 6 redacted places:\n%s", secret, got)
		}
	}
}
