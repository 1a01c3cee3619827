package session

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"winnow/session/approval"
)

// Each log line names its session and turn, and repairs and errors by their codes. None quotes the conversation, which
// a server's error may do.
func TestLogNamesSessionTurnAndCodes(t *testing.T) {
	var log bytes.Buffer
	b := newBench(t, calls("c1", "add", `{"a":1,"b":2`), says("Three."),
		refuses(http.StatusUnauthorized, `{"error":{"message":"no key for SECRETWORD"}}`))
	b.deps.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b.deps.Approval.Mode = approval.ModeAlways
	b.offer(adder())
	s := b.begin()
	drain(s.Send(t.Context(), say("1+2, SECRETWORD?")))
	drain(s.Send(t.Context(), say("Again")))
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	for _, line := range lines {
		if !strings.Contains(line, "session="+s.Info().ID) || !strings.Contains(line, " turn=") {
			t.Errorf("the line does not name its session and turn: %s", line)
		}
	}
	for _, want := range []string{
		" repaired=1", "turn=1", "turn=2", "ended=failed error=auth",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "SECRETWORD") {
		t.Errorf("the log quotes what was said:\n%s", log.String())
	}
}
