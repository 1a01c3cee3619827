package llm

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinkSplitter takes reasoning out of the content of servers that leave it there: text between
// <think> at the very start and </think>. Anywhere else the tags are ordinary text. A tag may
// arrive in pieces, so what could still become one is held back.
type thinkSplitter struct {
	state thinkState
	held  string
}

type thinkState int

const (
	atStart  thinkState = iota // nothing but white space yet
	inside                     // after <think>
	between                    // after </think>: white space before the answer goes
	thinkOff                   // in the answer
)

// add takes the next piece of content.
func (t *thinkSplitter) add(piece string) (events []Event) {
	if piece == "" {
		return nil
	}
	t.held += piece
	if t.state == atStart {
		trimmed := strings.TrimLeft(t.held, " \t\r\n")
		rest, opens := strings.CutPrefix(trimmed, thinkOpen)
		switch {
		case opens:
			t.state, t.held = inside, strings.TrimLeft(rest, "\r\n")
		case strings.HasPrefix(thinkOpen, trimmed):
			return nil // It may become the tag.
		default:
			t.state = thinkOff
		}
	}
	if t.state == inside {
		thought, rest, closed := strings.Cut(t.held, thinkClose)
		if closed {
			t.state = between
		} else {
			thought, rest = withoutTag(t.held)
		}
		if t.held = rest; thought != "" {
			events = append(events, ReasoningDelta{thought})
		}
	}
	if t.state == between {
		if t.held = strings.TrimLeft(t.held, " \t\r\n"); t.held != "" {
			t.state = thinkOff
		}
	}
	if t.state == thinkOff && t.held != "" {
		events = append(events, TextDelta{t.held})
		t.held = ""
	}
	return events
}

// withoutTag splits off an end that could become the closing tag.
func withoutTag(thought string) (sure, end string) {
	for n := min(len(thinkClose)-1, len(thought)); n > 0; n-- {
		if strings.HasSuffix(thought, thinkClose[:n]) {
			return thought[:len(thought)-n], thought[len(thought)-n:]
		}
	}
	return thought, ""
}

// end gives what is still held back.
func (t *thinkSplitter) end() []Event {
	held := t.held
	t.held = ""
	switch {
	case held == "":
		return nil
	case t.state == inside:
		return []Event{ReasoningDelta{held}}
	}
	return []Event{TextDelta{held}}
}
