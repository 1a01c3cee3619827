package cli

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// killedWhileAsking is the environment of a session whose program was killed while it asked about a tool call.
func killedWhileAsking(t *testing.T) []string {
	t.Helper()
	env := home(t)
	chat := startIn(t, env, 100, 30, "-m", "guide")
	chat.want("guide", "enter send")
	chat.send("/guide tool search_docs context panel\r")
	chat.want("call 1 of")
	if err := chat.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-chat.over
	return env
}

// commandOutput runs winnow and returns what it wrote.
func commandOutput(t *testing.T, env []string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(winnowPath(t), args...)
	cmd.Env = env
	var out, err strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); e != nil {
		t.Fatalf("winnow %s: %v: %s", strings.Join(args, " "), e, err.String())
	}
	return out.String(), err.String()
}

func TestToolQuestionIsAskedAgainAfterAKill(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key string
		ran       bool
	}{
		{"allowed", "y", true},
		{"declined", "n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := killedWhileAsking(t)
			again := startIn(t, env, 100, 30, "-c")
			if screen := again.want("asks to run search_docs", "call 1 of"); strings.Contains(screen, "repair") {
				t.Errorf("a call that waits is called repaired:\n%s", screen)
			}
			again.send(c.key)
			again.waitFor("the end of the turn", func(screen string) bool {
				return strings.Contains(screen, "saw 3 of 3") && strings.Contains(screen, "enter send")
			})
			again.send(ctrlD)
			again.end()
			list, _ := commandOutput(t, env, "sessions", "list", "--json")
			var sessions []struct{ ID string }
			if err := json.Unmarshal([]byte(list), &sessions); err != nil || len(sessions) != 1 {
				t.Fatalf("the sessions are %s (%v), want one", list, err)
			}
			out, _ := commandOutput(t, env, "sessions", "export", sessions[0].ID, "--format", "json")
			var kept struct {
				Sessions []struct {
					Lines []struct {
						Message *struct{ Role, Content string }
					}
				}
			}
			if err := json.Unmarshal([]byte(out), &kept); err != nil || len(kept.Sessions) != 1 {
				t.Fatalf("the session is %s (%v)", out, err)
			}
			lines := kept.Sessions[0].Lines
			result, answer := lines[len(lines)-2].Message, lines[len(lines)-1].Message
			if result == nil || answer == nil {
				t.Fatalf("the session is %s, want a result and an answer at its end", out)
			}
			declined := result.Content == "[the user did not allow this call; it did not run]"
			if result.Role != "tool" || result.Content == "" || declined == c.ran {
				t.Errorf("the result is %+v, want one of a call that ran: %v", result, c.ran)
			}
			if answer.Role != "assistant" || answer.Content == "" {
				t.Errorf("the answer is %+v", answer)
			}
		})
	}
}

func TestRunSaysWhatBecomesOfAPendingCall(t *testing.T) {
	t.Parallel()
	env := killedWhileAsking(t)
	_, stderr := commandOutput(t, env, "run", "-c", "hello")
	if !strings.Contains(stderr, "1 tool call of the last answer has no result; a note in the request says so") {
		t.Errorf("run said %q", stderr)
	}
}
