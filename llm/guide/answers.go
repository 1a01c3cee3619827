package guide

import (
	"fmt"
	"slices"
	"strings"
)

// signature begins every answer.
const signature = "*I am winnow's guide, not a language model.*"

// answer is the guide's response to a request.
type answer struct {
	text      string
	arguments string // of a tool call that is cut off by the length limit; "" for no call
	cut       bool   // the connection is lost after the text
	overflows bool   // the request is refused as too long
}

// act is a behavior of real servers that the guide imitates, for the message "/guide NAME" or a matching question.
type act struct {
	name  string
	what  string // a line for the user
	asked string // a question that it answers better than the pages do; may be ""
	plays answer // empty for the long answer, which consists of the pages
}

const brokenCall = "Here I call a tool, and the call breaks off, as it does where a model reaches its length limit. " +
	"winnow keeps what came, does not run it, and repairs it in the next request: ask me something else, then look " +
	"at the repairs."

// acts are listed to the user in this order.
var acts = [...]act{
	{
		"long", "a long answer, longer than my window, which the next request has to cut",
		"show me a message being cut",
		answer{},
	},
	{
		"corrupt-tool-call", "a tool call whose arguments break off", "what does a broken tool call look like",
		answer{
			text: brokenCall, arguments: `{"query": "context panel", "path": "C:\Users\me", "limit`,
		},
	},
	{
		"cut-stream", "a connection that breaks in the middle of an answer", "",
		answer{
			text: "This answer breaks off in the middle of a sent", cut: true,
		},
	},
	{"overflow", "a request that is refused as too long", "", answer{overflows: true}},
}

// list describes the acts for the user.
func list() string {
	var b strings.Builder
	for _, a := range acts {
		fmt.Fprintf(&b, "- `/guide %s` – %s\n", a.name, a.what)
	}
	return b.String()
}

// questions are suggestions for the user.
var questions = [...]string{
	"What happens when a chat gets too long?",
	"How do I add my API key?",
	"What does a broken tool call look like?",
}

var offered = " Try one of these:\n\n- " + strings.Join(questions[:], "\n- ") + "\n"

// greetings are messages that no section of the pages should answer.
var greetings = []string{
	"", "hello", "hello there", "hi", "hi there", "hey", "good morning", "good evening", "help", "help me", "test",
	"thanks", "thank you", "ok", "bye", "who are you", "what are you", "what is this", "what can you do",
	"what do you know", "what can i ask", "are you a language model", "are you an ai",
}

// answer answers a question.
func (l *library) answer(question string) answer {
	asked := strings.ToLower(strings.Trim(question, " \t\n.,!?"))
	var a answer
	played := slices.IndexFunc(acts[:], func(a act) bool {
		return asked == "/guide "+a.name || asked != "" && asked == a.asked
	})
	switch best, found := l.search(question); {
	case played == 0:
		a.text = l.long()
	case played > 0:
		a = acts[played].plays
	case strings.HasPrefix(asked, "/guide"):
		a.text = "I can act out these:\n\n" + list()
	case slices.Contains(greetings, asked):
		a.text = "I answer questions about winnow from its own pages, without a network: how it chooses what to " +
			"send, keys and models, tools, import and export, sync, settings." + offered +
			"\nI also act out what goes wrong with real servers:\n\n" + list()
	case !found:
		a.text = "I found nothing about that in winnow's pages, and they are all I know." + offered +
			"\nFor other questions, press `ctrl+l` and choose a real model."
	default:
		// The source is in the first line, which survives when the answer is cut later.
		a.text = fmt.Sprintf(
			"From docs/%s, “%s”:\n\n### %s\n\n%s", best.page, best.head, best.head, best.text,
		)
	}
	a.text = signature + " " + a.text
	return a
}

// longBytes is the minimum size of the long answer.
const longBytes = 20 << 10

// long is an answer with the pages in order, from the first one.
func (l *library) long() string {
	text := "This is a long answer: my pages from the first one on.\n"
	for n := 0; n < len(l.sections) && len(text) < longBytes; n++ {
		text += "\n### " + l.sections[n].head + "\n\n" + l.sections[n].text + "\n"
	}
	return text
}
