package cli

import (
	"encoding/json"
	"strings"

	"winnow/cli/report"
	"winnow/session/store"
)

// wire is a request as its server reads it.
type wire struct {
	Messages []wireMessage `json:"messages"`
	Tools    []any         `json:"tools"`
}

type wireMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Calls   []struct {
		Function struct{ Name, Arguments string } `json:"function"`
	} `json:"tool_calls"`

	text string // of Content
}

func readWire(body []byte) (wire, error) {
	var w wire
	if err := json.Unmarshal(body, &w); err != nil {
		return w, err
	}
	for i := range w.Messages {
		m := &w.Messages[i]
		if len(m.Content) > 0 {
			if err := json.Unmarshal(m.Content, &m.text); err != nil {
				return w, err
			}
		}
	}
	return w, nil
}

// wordsIn counts a token for each word, so that the parts of a text cost what it costs. Nothing but
// blanks is one too: a text that is there costs something.
func wordsIn(text string) int {
	if n := len(strings.Fields(text)); n > 0 || text == "" {
		return n
	}
	return 1
}

// cost counts the request again: a token a word, 4 around each message, 8 around each call, 3
// around all. The tools are counted apart.
func (w wire) cost() int {
	n := 3
	for _, m := range w.Messages {
		n += 4 + wordsIn(m.text)
		for _, c := range m.Calls {
			n += 8 + wordsIn(c.Function.Name) + wordsIn(c.Function.Arguments)
		}
	}
	return n
}

// holds says whether a text stands in a message, or in the arguments of a call.
func (w wire) holds(text string) bool {
	for _, m := range w.Messages {
		if strings.Contains(m.text, text) {
			return true
		}
		for _, c := range m.Calls {
			if strings.Contains(c.Function.Arguments, text) {
				return true
			}
		}
	}
	return false
}

// sentOf is the text of a message that is sent as its verdict says: without what is cut, with what was
// put in its place. Bytes that are no text are sent as a sign for that, each as one.
func sentOf(m store.Message, e report.EntryJSON) string {
	var b strings.Builder
	said := []rune(strings.ReplaceAll(m.Content, "\x00", "\uFFFD"))
	insert := func(at int) {
		for _, in := range e.Inserted {
			if in.At == at {
				b.WriteString(in.Text)
			}
		}
	}
	cut := func(at int) bool {
		for _, c := range e.Cuts {
			if c[0] <= at && at < c[1] {
				return true
			}
		}
		return false
	}
	for i, r := range said {
		if insert(i); !cut(i) {
			b.WriteRune(r)
		}
	}
	insert(len(said))
	return b.String()
}
