package cli

import (
	"strings"
	"testing"
)

// asksToAdd is an answer that calls the MCP server's tool, as a block of a scripted server; saysText one with a text.
func asksToAdd(id string) string {
	return "200\n" + `data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"` + id +
		`","type":"function","function":{"name":"calc__add","arguments":"{\"a\":2,\"b\":3}"}}]},"finish_reason":"tool_calls"}]}` + "\ndata: [DONE]"
}

func saysText(text string) string {
	return "200\n" + `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"` + text + `"},"finish_reason":"stop"}]}` + "\ndata: [DONE]"
}

// The user's answers to the questions about a tool of a real MCP server: a reason reaches the model, what is always
// allowed runs unasked after the next start too, and a tool that takes something else than then is asked about again.
func TestAnswersAboutAToolReachTheModelAndStay(t *testing.T) {
	t.Parallel()
	model := newScriptedServer(strings.Join([]string{
		asksToAdd("c1"), saysText("As you wish."), asksToAdd("c2"), saysText("It is five."),
		asksToAdd("c3"), saysText("Five again."), asksToAdd("c4"), saysText("Not any more."),
	}, "\n----\n"))
	_, env := serve(t, home(t), model)
	configure(t, env, "[mcp_servers.calc]\ncommand = \"mcp-server\"\n")
	const question = "asks to run calc__add"
	open := func(args ...string) *terminal {
		t.Helper()
		chat := startIn(t, env, 110, 40, append([]string{"-m", "openai/small"}, args...)...)
		chat.want("enter send")
		return chat
	}
	say := func(chat *terminal, text string) {
		t.Helper()
		chat.send(text)
		chat.want(text)
		chat.send(enterKey)
	}
	leave := func(chat *terminal) {
		t.Helper()
		chat.waitFor("the end of the turn", func(screen string) bool { return answered(screen) && !strings.Contains(screen, "esc stops") })
		chat.send(ctrlD)
		chat.end()
	}

	chat := open()
	say(chat, "add 2 and 3")
	chat.want(question, "call 1 of")
	chat.send("r")
	chat.want("refuse with this reason")
	chat.send("the sum is secret\r")
	chat.want("As you wish.")
	if asked := model.lastBody(); !strings.Contains(asked, "the sum is secret") {
		t.Errorf("the reason is not in the next request: %s", asked)
	}
	say(chat, "add them all the same")
	chat.want(question, "call 1 of")
	chat.send("a")
	chat.want("It is five.")
	if asked := model.lastBody(); !strings.Contains(asked, `"content":"5","tool_call_id":"c2"`) && !strings.Contains(asked, `"tool_call_id":"c2","content":"5"`) {
		t.Errorf("the result is not in the next request: %s", asked)
	}
	leave(chat)

	chat = open("-c")
	say(chat, "and once more")
	chat.want("Five again.")
	leave(chat)
	if strings.Contains(string(chat.raw), "asks to run") {
		t.Error("a tool that is always allowed is asked about after the next start")
	}

	configure(t, env, "[mcp_servers.calc]\ncommand = \"mcp-server\"\nenv = { ADD_REPORTS = \"1\" }\n")
	chat = open("-c")
	say(chat, "a last time")
	chat.want(question, "call 1 of")
	chat.send("n")
	chat.want("Not any more.")
	leave(chat)
}

// A request above a limit is asked about. Refused, nothing leaves and the draft stays; allowed, it leaves.
func TestARequestAboveALimitLeavesWhenItIsAllowed(t *testing.T) {
	t.Parallel()
	server, env := serve(t, home(t), newScriptedServer(saysText("It is five.")))
	configure(t, env, "[limits]\nrequest_tokens = 10\n")
	chat := startIn(t, env, 110, 40, "-m", "openai/small")
	chat.want("enter send")
	chat.send("what is two and three?")
	chat.want("what is two and three?")
	chat.send(enterKey)
	chat.want("above your limit of 10 tokens per request", "Don’t send it")
	chat.send("\x1b[B")
	chat.want("▌  Don’t send it")
	chat.send(enterKey)
	chat.want("Not sent; the draft is kept.", "what is two and three?")
	if list, _ := commandOutput(t, env, "sessions", "list", "--json"); strings.TrimSpace(list) != "[]" || server.Asked() != 0 {
		t.Errorf("after no, %d requests left and the sessions are %s", server.Asked(), list)
	}
	chat.send(enterKey)
	chat.want("Send it this time")
	chat.send("\x1b[B\x1b[B")
	chat.want("▌  Send it this time")
	chat.send(enterKey)
	chat.want("It is five.")
	if server.Asked() != 1 {
		t.Errorf("after yes, %d requests left", server.Asked())
	}
	chat.send(ctrlD)
	chat.end()
}
