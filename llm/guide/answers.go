package guide

import (
	"fmt"
	"slices"
	"strings"
)

// Signature begins every answer.
const signature = "*I am winnow's guide, not a language model.*"

// answer is what the guide sends for a request.
type answer struct {
	text      string
	arguments string // of a call of a tool, which breaks off at the length limit; "" is no call
	cut       bool   // the connection breaks behind the text
	overflows bool   // nothing is sent: the request is refused as too long
}

// act is something that real servers do and the guide plays, for a message that is "/guide NAME" or asks for it.
type act struct {
	name  string
	what  string // one line for the user
	asked string // a question that it answers better than the pages do, "" for none
	plays answer // nothing for the long answer, which is made of the pages
}

const brokenCall = "Here I call a tool, and the call breaks off, as it does where a model reaches its length limit. " +
	"winnow keeps what came, does not run it, and repairs it in the next request: ask me something else, then look " +
	"at the repairs."

// acts are all of them, in the order in which the guide lists them.
var acts = [...]act{
	{
		"long", "a long answer, longer than my window, which the next request has to cut",
		"show me a message being cut",
		answer{},
	},
	{
		"corrupt-tool-call", "a tool call whose arguments break off", "what does a broken tool call look like",
		answer{text: brokenCall, arguments: `{"query": "context panel", "path": "C:\Users\me", "limit`},
	},
	{
		"cut-stream", "a connection that breaks in the middle of an answer", "",
		answer{text: "This answer breaks off in the middle of a sent", cut: true},
	},
	{"overflow", "a request that is refused as too long", "", answer{overflows: true}},
}

// list names the acts for the user.
func list() string {
	var b strings.Builder
	for _, a := range acts {
		fmt.Fprintf(&b, "- `/guide %s` – %s\n", a.name, a.what)
	}
	return b.String()
}

// questions are what the guide offers to be asked.
var questions = [...]string{
	"What happens when a chat gets too long?",
	"How do I add my API key?",
	"What does a broken tool call look like?",
}

var offered = " Try one of these:\n\n- " + strings.Join(questions[:], "\n- ") + "\n"

// greetings are messages that want no section of the pages.
var greetings = []string{
	"", "hello", "hello there", "hi", "hi there", "hey", "good morning", "good evening", "help", "help me", "test",
	"thanks", "thank you", "ok", "bye", "who are you", "what are you", "what is this", "what can you do",
	"what do you know", "what can i ask", "are you a language model", "are you an ai",
}

// answer is what the guide says to a question.
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
		// Its first line says where the text is from: it stays where the answer is cut later.
		a.text = fmt.Sprintf("From docs/%s, “%s”:\n\n### %s\n\n%s", best.page, best.head, best.head, best.text)
	}
	a.text = signature + " " + a.text
	return a
}

// longBytes is the least size of the long answer.
const longBytes = 20 << 10

// long is an answer with the pages from the first one on.
func (l *library) long() string {
	text := "This is a long answer: my pages from the first one on.\n"
	for n := 0; n < len(l.sections) && len(text) < longBytes; n++ {
		text += "\n### " + l.sections[n].head + "\n\n" + l.sections[n].text + "\n"
	}
	return text
}
