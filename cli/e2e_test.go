package cli

import (
	"bytes"
	"strings"
	"syscall"
	"testing"

	"winnow/ui/uitest/terminal"
)

func TestChatFromStartToResume(t *testing.T) {
	t.Parallel()
	env := home(t)
	chat := startIn(t, env, 110, 32, "-m", "guide")
	chat.Want("guide", "enter send")
	chat.Send("which keys are there?")
	chat.Want("which keys are there?")
	chat.Send(enterKey)
	chat.WaitFor("the guide's whole answer", answered)
	chat.Send(ctrlD)
	if code := chat.End(); code != 0 {
		t.Fatalf("winnow ended with %d after ctrl+d, want 0; it left\n%s", code, chat.Text())
	}
	if text := chat.Text(); !strings.Contains(text, "which keys are there?\nContinue: winnow -c") {
		t.Fatalf("winnow left no title with the way to continue:\n%s", text)
	}

	again := startIn(t, env, 110, 32, "-m", "guide", "-c")
	again.Want("which keys are there?")
	again.WaitFor("the guide's answer again", answered)
	again.Send(ctrlD)
	again.End()

	named := startIn(t, env, 110, 32, "-m", "guide", "-s",
		string(idPattern.Find(output(t, env, "sessions", "list", "--json"))))
	named.Want("which keys are there?")
	named.Send(ctrlD)
	named.End()
}

// answered says that a finished answer with its receipt is on the screen.
func answered(screen string) bool { return receipts(screen) > 0 }

// receipts counts the receipts on a screen: long ones, and those of requests in which everything was whole.
func receipts(screen string) int {
	return strings.Count(screen, "saw ") + strings.Count(screen, " tokens · ")
}

func TestChatThatSaidNothingLeavesNothing(t *testing.T) {
	t.Parallel()
	env := home(t)
	chat := startIn(t, env, 100, 30, "-m", "guide")
	chat.Want("guide", "enter send")
	chat.Send(ctrlD)
	if code := chat.End(); code != 0 {
		t.Fatalf("winnow ended with %d, want 0", code)
	}
	if line := resumeLine.FindString(chat.Text()); line != "" {
		t.Errorf("winnow says %q, but nothing was saved", line)
	}
	if list := output(t, env, "sessions", "list", "--json"); strings.TrimSpace(string(list)) != "[]" {
		t.Errorf("the sessions are %s, want none", list)
	}
}

// hanging is a server that sends the beginning of an answer and then nothing more.
func hanging(t *testing.T, env []string) []string {
	t.Helper()
	_, env = serve(t, env, newScriptedServer("hang\n"+
		`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Half of what I wanted to say"}}]}`))
	return env
}

// askHanging is a chat with the beginning of that answer on its screen.
func askHanging(t *testing.T, env []string) *terminal.Terminal {
	t.Helper()
	chat := startIn(t, env, 110, 32, "-m", "openai/small")
	chat.Want("small", "enter send")
	chat.Send("remember this question")
	chat.Want("remember this question")
	chat.Send(enterKey)
	chat.Want("Half of what I wanted to say")
	return chat
}

// waitUntilStored waits until the checkpoint of a streaming answer is on disk: it may be a quarter
// of a second behind the screen.
func waitUntilStored(t *testing.T, env []string, text string) {
	t.Helper()
	for {
		_, rest, ok := bytes.Cut(output(t, env, "sessions", "list", "--json"), []byte(`"id": "`))
		if !ok {
			continue
		}
		id, _, _ := bytes.Cut(rest, []byte(`"`))
		if bytes.Contains(output(t, env, "sessions", "show", string(id)), []byte(text)) {
			return
		}
	}
}

func TestTerminationSaysHowToResume(t *testing.T) {
	t.Parallel()
	env := hanging(t, home(t))
	chat := askHanging(t, env)
	if err := chat.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := chat.End(); code != int(Terminated) {
		t.Errorf("winnow ended with %d after SIGTERM, want %d", code, Terminated)
	}
	if !resumeLine.MatchString(chat.Text()) {
		t.Fatalf("winnow left no line that says how to resume:\n%s", chat.Text())
	}
	id := string(idPattern.Find(output(t, env, "sessions", "list", "--json")))
	if out := output(t, env, "sessions", "show", id); !bytes.Contains(out,
		[]byte("Half of what I wanted to say")) {
		t.Errorf("the stopped answer is not kept:\n%s", out)
	}
}

func TestDraftSurvivesHoweverTheScreenEnds(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(chat *terminal.Terminal) error{
		"SIGHUP":  func(chat *terminal.Terminal) error { return chat.Cmd.Process.Signal(syscall.SIGHUP) },
		"SIGTERM": func(chat *terminal.Terminal) error { return chat.Cmd.Process.Signal(syscall.SIGTERM) },
		"/quit":   func(chat *terminal.Terminal) error { chat.Send("\x10quit\r"); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			env := home(t)
			chat := startIn(t, env, 100, 30, "-m", "guide")
			chat.Want("built in and offline")
			chat.Send("a thought that is not finished")
			chat.Want("a thought that is not finished")
			if err := leave(chat); err != nil {
				t.Fatal(err)
			}
			chat.End()
			startIn(t, env, 100, 30, "-m", "guide").Want("You have an unsent draft")
		})
	}
}

// A terminal that does not answer questions must not make anybody wait for the sentence about a wrong flag.
func TestErrorsOfUsageAskTheTerminalNothing(t *testing.T) {
	t.Parallel()
	env := home(t)
	for _, args := range [][]string{
		{"--bogus"},
		{"bogus"},
		{"sessions", "rename"},
		{"sessions", "list", "--limit", "x"},
		{"db", "bogus"},
	} {
		term := startIn(t, env, 100, 30, args...)
		if code := term.End(); code != int(Usage) {
			t.Errorf("winnow %v ended with %d, want %d", args, code, Usage)
		}
		raw := string(term.Written())
		if strings.Contains(raw, "\x1b]11;?") || strings.Contains(raw, "\x1b[c") {
			t.Errorf("winnow %v asks the terminal: %q", args, raw)
		}
		if strings.Count(raw, "winnow: ") != 1 || strings.Count(raw, "winnow --help lists") != 1 {
			t.Errorf("winnow %v says %q", args, raw)
		}
	}
}
