package guide

import (
	"fmt"
	"strings"
)

// act is something that real servers do and the guide plays, for a message that is "/guide NAME" or asks for it.
type act struct {
	name  string
	what  string // one line for the user
	asked string // a question that it answers better than the pages do, "" for none
}

// acts are all of them, in the order in which the guide lists them.
var acts = [...]act{
	{"long", "a long answer, longer than my window, which the next request has to cut", "show me a message being cut"},
	{"corrupt-tool-call", "a tool call whose arguments break off", "what does a broken tool call look like"},
	{"cut-stream", "a connection that breaks in the middle of an answer", ""},
	{"overflow", "a request that is refused as too long", ""},
}

// actFor finds the act that a message asks for.
func actFor(question string) (act, bool) {
	asked := plain(question)
	for _, a := range acts {
		if asked == "/guide "+a.name || asked != "" && asked == a.asked {
			return a, true
		}
	}
	return act{}, false
}

// longBytes is the least size of the long answer.
const longBytes = 20 << 10

// play is what an act sends. The overflow sends nothing: it refuses.
func (l *library) play(a act) answer {
	switch a.name {
	case "long":
		var b strings.Builder
		b.WriteString(Signature + " This is a long answer: my pages from the first one on.\n")
		for n := 0; n < len(l.parts) && b.Len() < longBytes; n++ {
			fmt.Fprintf(&b, "\n### %s\n\n%s\n", l.parts[n].head, l.parts[n].text)
		}
		return answer{text: b.String()}
	case "corrupt-tool-call":
		return answer{
			text: Signature + " Here I call a tool, and the call breaks off, as it does where a model reaches its " +
				"length limit. winnow keeps what came, does not run it, and repairs it in the next request: ask me " +
				"something else, then look at the repairs.",
			arguments: `{"query": "context panel", "path": "C:\Users\me", "limit`,
		}
	}
	return answer{text: Signature + " This answer breaks off in the middle of a sent", cut: true}
}

// list names the acts for the user.
func list() string {
	var b strings.Builder
	for _, a := range acts {
		fmt.Fprintf(&b, "- `/guide %s`: %s\n", a.name, a.what)
	}
	return b.String()
}
