package cli

import (
	"bytes"
	"strings"
	"testing"
)

// A chat that was begun on one machine goes on on another, and back again. On both, past requests are shown with their
// receipts and are proven, byte for byte the same.
func TestAChatGoesOnElsewhereWithItsProofs(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	desk, lap := home(t), home(t)
	onDesk, onLap := winnowIn(t, desk), winnowIn(t, lap)
	say := func(env []string, turn int, text string, args ...string) {
		t.Helper()
		chat := startIn(t, env, 110, 40, args...)
		chat.Want("enter send")
		if turn > 1 {
			chat.WaitFor("the receipts", func(screen string) bool { return receipts(screen) == turn-1 })
		}
		chat.Send(text)
		chat.Want(text)
		chat.Send(enterKey)
		chat.WaitFor("another receipt", func(screen string) bool { return receipts(screen) == turn })
		chat.Send(ctrlD)
		if code := chat.End(); code != 0 {
			t.Fatalf("winnow ended with %d:\n%s", code, chat.Text())
		}
	}
	say(desk, 1, "hello desk", "-m", "guide")
	onDesk("sync", folder)
	if out := string(onLap("sync", folder)); !strings.HasPrefix(out, "Received 2 messages in 1 session from ") {
		t.Errorf("the first sync says %q", out)
	}
	say(lap, 2, "hello lap", "-c")
	onLap("sync", folder)
	onDesk("sync", folder)
	say(desk, 3, "hello again", "-c")
	onDesk("sync", folder)
	onLap("sync", folder)

	id := string(idPattern.Find(onDesk("sessions", "list", "--json")))
	for _, turn := range []string{"1", "2", "3"} {
		args := []string{"context", id, "--turn", turn}
		for _, winnow := range []func(...string) []byte{onDesk, onLap} {
			if out := winnow(append(args, "--json")...); !bytes.Contains(out, []byte(`"proven": true`)) {
				t.Errorf("turn %s is not proven:\n%s", turn, out)
			}
		}
		if here, there := onDesk(append(args, "--wire")...),
			onLap(append(args, "--wire")...); !bytes.Equal(here, there) {
			t.Errorf("turn %s is %s on one machine and %s on the other", turn, here, there)
		}
	}
	if here, there := onDesk("sessions", "show", id), onLap("sessions", "show", id); !bytes.Equal(here, there) {
		t.Errorf("the session is\n%s\non one machine and\n%s\non the other", here, there)
	}
}
