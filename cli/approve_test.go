package cli

import (
	"strings"
	"testing"

	"winnow/ui/uitest/terminal"
)

// asksToAdd is an answer that calls the MCP server's tool, as a block of a scripted server; saysText one with a text.
func asksToAdd(id string) string {
	return "200\n" + `data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[` +
		`{"index":0,"id":"` + id + `","type":"function",` +
		`"function":{"name":"calc__add","arguments":"{\"a\":2,\"b\":3}"}}` +
		`]},"finish_reason":"tool_calls"}]}` + "\ndata: [DONE]"
}

func saysText(text string) string {
	return "200\n" + `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"` + text +
		`"},"finish_reason":"stop"}]}` + "\ndata: [DONE]"
}

// toolChat is a chat with a real MCP server.
type toolChat struct {
	*terminal.Terminal
	t   *testing.T
	env []string
}

// startToolChat serves the answers of a model to the chats of a home that has an MCP server.
func startToolChat(t *testing.T, answers ...string) (*toolChat, *scriptedServer) {
	t.Helper()
	model := newScriptedServer(strings.Join(answers, "\n----\n"))
	_, env := serve(t, home(t), model)
	configure(t, env, "[mcp_servers.calc]\ncommand = \"mcp-server\"\n")
	c := &toolChat{t: t, env: env}
	c.open()
	return c, model
}

func (c *toolChat) open(args ...string) {
	c.t.Helper()
	c.Terminal = startIn(c.t, c.env, 110, 40, append([]string{"-m", "openai/small"}, args...)...)
	c.Want("enter send")
}

func (c *toolChat) say(text string) {
	c.t.Helper()
	c.Send(text)
	c.Want(text)
	c.Send(enterKey)
}

// asked waits for the question whether the tool may run, until it takes an answer.
func (c *toolChat) asked() {
	c.t.Helper()
	c.Want("asks to run calc__add", "call 1 of")
}

// again leaves the chat behind the running turn and goes on with it, by the next start of the program.
func (c *toolChat) again() {
	c.t.Helper()
	c.leave()
	c.open("-c")
}

func (c *toolChat) leave() {
	c.t.Helper()
	c.WaitFor("the end of the turn", func(screen string) bool {
		return answered(screen) && !strings.Contains(screen, "esc stops")
	})
	c.Send(ctrlD)
	c.End()
}

// The user's answers to the questions about a tool of a real MCP server: a reason reaches the model, and what is always
// allowed runs unasked, after the next start too.
func TestAnswersAboutAToolReachTheModelAndStay(t *testing.T) {
	t.Parallel()
	chat, model := startToolChat(t, asksToAdd("c1"), saysText("As you wish."), asksToAdd("c2"), saysText("It is five."),
		asksToAdd("c3"), saysText("Five again."))
	chat.say("add 2 and 3")
	chat.asked()
	chat.Send("r")
	chat.Want("refuse with this reason")
	chat.Send("the sum is secret\r")
	chat.Want("As you wish.")
	if asked := model.lastBody(); !strings.Contains(asked, "the sum is secret") {
		t.Errorf("the reason is not in the next request: %s", asked)
	}
	chat.say("add them all the same")
	chat.asked()
	chat.Send("a")
	chat.Want("It is five.")
	if asked := model.lastBody(); !strings.Contains(asked, `"content":"5","tool_call_id":"c2"`) &&
		!strings.Contains(asked, `"tool_call_id":"c2","content":"5"`) {
		t.Errorf("the result is not in the next request: %s", asked)
	}
	chat.again()
	chat.say("and once more")
	chat.Want("Five again.")
	chat.leave()
	if strings.Contains(string(chat.Written()), "asks to run") {
		t.Error("a tool that is always allowed is asked about after the next start")
	}
}

// A tool that is always allowed, and then takes something else than before, is asked about again.
func TestAChangedToolIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	chat, model := startToolChat(t, asksToAdd("c1"), saysText("It is five."), asksToAdd("c2"),
		saysText("Not any more."))
	chat.say("add 2 and 3")
	chat.asked()
	chat.Send("a")
	chat.Want("It is five.")
	configure(t, chat.env, "[mcp_servers.calc]\ncommand = \"mcp-server\"\nenv = { ADD_REPORTS = \"1\" }\n")
	chat.again()
	chat.say("and once more")
	chat.asked()
	chat.Send("n")
	chat.Want("Not any more.")
	if asked := model.lastBody(); strings.Count(asked, `"content":"5"`) != 1 {
		t.Errorf("a call that was refused ran: %s", asked)
	}
	chat.leave()
}
