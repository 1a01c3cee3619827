package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"winnow/llm/llmtest"
	"winnow/ui/uitest/terminal"
)

// wantEcho waits until a terminal shows what is typed, or until it does not.
func wantEcho(t *testing.T, s *terminal.Terminal, wanted bool) {
	t.Helper()
	for limit := time.Now().Add(terminal.Patience); ; runtime.Gosched() {
		state, err := term.GetState(s.TTY.Fd())
		switch {
		case err != nil:
			t.Fatal(err)
		case (state.Lflag&unix.ECHO != 0) == wanted:
			return
		case time.Now().After(limit):
			t.Fatalf("the terminal never came to show what is typed: %t", wanted)
		}
	}
}

// A key that is typed is not shown, and a stop leaves the terminal as it was.
func TestKeysSetShowsNothingOfWhatIsTyped(t *testing.T) {
	t.Parallel()
	env := home(t)
	folder := filepath.Join(strings.TrimPrefix(env[4], "XDG_CONFIG_HOME="), "winnow", "keys")
	typing := startIn(t, env, 100, 10, "keys", "set", "openai")
	typing.Want("Key of openai (not shown):")
	wantEcho(t, typing, false)
	typing.Send("planted-by-typing-4720\r")
	typing.Want("Stored the key of openai in the file")
	typing.End()
	if bytes.Contains(typing.Written(), []byte("planted")) {
		t.Errorf("the terminal showed the key: %q", typing.Written())
	}
	text, err := os.ReadFile(filepath.Join(folder, "openai"))
	if err != nil || string(text) != "planted-by-typing-4720\n" {
		t.Errorf("stored %q, %v", text, err)
	}

	stopped := startIn(t, env, 100, 10, "keys", "set", "groq")
	stopped.Want("Key of groq (not shown):")
	wantEcho(t, stopped, false)
	stopped.Send("planted-and-stopped-4721\x03")
	if code := stopped.End(); code != int(Interrupted) {
		t.Errorf("stopped with exit code %d", code)
	}
	wantEcho(t, stopped, true)
	if bytes.Contains(stopped.Written(), []byte("planted")) {
		t.Errorf("the terminal showed the key: %q", stopped.Written())
	}
	if _, err := os.Stat(filepath.Join(folder, "groq")); err == nil {
		t.Error("a key that was not finished is stored")
	}
}

// The screen does not wait for the keyring: it is there before the keyring has answered, and the first request that
// needs the key does wait. A start that waited would have given the key up before its first frame.
func TestTheFirstFrameDoesNotWaitForTheKeyring(t *testing.T) {
	t.Parallel()
	bus, err := llmtest.StartSecretService(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	env := append(home(t), "DBUS_SESSION_BUS_ADDRESS="+bus.Address)
	configure(t, env, fmt.Sprintf("[endpoints.work]\nbase_url = %q\nmodel = \"m\"\n", echoServer(t, env).URL+"/v1"))
	succeed(t, command{Args: []string{"keys", "set", "work"}, Env: env, Stdin: []byte(storedKey)})
	release := bus.Hold()
	t.Cleanup(release)
	chat := startIn(t, env, 110, 32)
	chat.Want("enter send")
	release()
	chat.Send("repeat it")
	chat.Want("repeat it")
	chat.Send(enterKey)
	chat.Want("you came with Bearer [redacted]")
	chat.Send(ctrlD)
	chat.End()
	wantNoKey(t, "the screen", chat.Written())
}
