package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// killedWhileAsking is the environment of a session whose program was killed while it asked about a tool call. After
// it the model goes on with an answer.
func killedWhileAsking(t *testing.T, answer string) []string {
	t.Helper()
	asksForTheTime := strings.NewReplacer("calc__add", "now", `{\"a\":2,\"b\":3}`, "{}").Replace(asksToAdd("c1"))
	_, env := serve(t, home(t), newScriptedServer(asksForTheTime+"\n----\n"+answer))
	configure(t, env, "model = \"openai/small\"\n[tools]\nfetch = true\n[tools.permissions]\nnow = \"ask\"\n")
	chat := startIn(t, env, 100, 30)
	chat.Want("enter send")
	chat.Send("what time is it?\r")
	chat.Want("asks to run now", "call 1 of")
	chat.Kill()
	return env
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
			env := killedWhileAsking(t, saysText("It is five."))
			again := startIn(t, env, 100, 30, "-c")
			if screen := again.Want("asks to run now", "call 1 of"); strings.Contains(screen, "repair") {
				t.Errorf("a call that waits is called repaired:\n%s", screen)
			}
			again.Send(c.key)
			again.WaitFor("the end of the turn", func(screen string) bool {
				return answered(screen) && strings.Contains(screen, "enter send")
			})
			again.Send(ctrlD)
			again.End()
			list := output(t, env, "sessions", "list", "--json")
			var sessions []struct{ ID string }
			if err := json.Unmarshal([]byte(list), &sessions); err != nil || len(sessions) != 1 {
				t.Fatalf("the sessions are %s (%v), want one", list, err)
			}
			out := output(t, env, "sessions", "export", sessions[0].ID, "--format", "json")
			var kept struct {
				Sessions []struct {
					Lines []keptLine
				}
			}
			if err := json.Unmarshal([]byte(out), &kept); err != nil || len(kept.Sessions) != 1 {
				t.Fatalf("the session is %s (%v)", out, err)
			}
			lines := slices.DeleteFunc(kept.Sessions[0].Lines, func(l keptLine) bool { return l.Message == nil })
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
	env := killedWhileAsking(t, saysText("It is five."))
	stderr := string(succeed(t, command{Args: []string{"run", "-c", "hello"}, Env: env}).Stderr)
	if !strings.Contains(stderr, "1 tool call of the last answer has no result; a note in the request says so") {
		t.Errorf("run said %q", stderr)
	}
}

// A call of the tool of an MCP server waits until that server has started.
func TestToolQuestionIsAskedAgainWhenItsServerIsReady(t *testing.T) {
	t.Parallel()
	chat, _ := startToolChat(t, asksToAdd("c1"), saysText("It is five."))
	chat.say("add 2 and 3")
	chat.asked()
	chat.Kill()
	chat.open("-c")
	chat.asked()
	chat.Send("y")
	chat.Want("It is five.")
}

// keptLine is a line of an archive, as far as it is a message.
type keptLine struct {
	Message *struct{ Role, Content string }
}
