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
func (t *thinkSplitter) add(piece string) []Event {
	if piece == "" {
		return nil
	}
	if t.state == thinkOff {
		return []Event{TextDelta{piece}}
	}
	var events []Event
	t.held += piece
	for {
		before := t.state
		switch t.state {
		case atStart:
			t.start()
		case inside:
			events = t.inside(events)
		case between:
			if t.held = strings.TrimLeft(t.held, " \t\r\n"); t.held != "" {
				t.state = thinkOff
			}
		case thinkOff:
			if t.held != "" {
				events = append(events, TextDelta{t.held})
				t.held = ""
			}
		}
		if t.state == before {
			return events
		}
	}
}

// start decides what the content begins with, as soon as that can be told.
func (t *thinkSplitter) start() {
	trimmed := strings.TrimLeft(t.held, " \t\r\n")
	switch {
	case strings.HasPrefix(trimmed, thinkOpen):
		t.state, t.held = inside, strings.TrimLeft(trimmed[len(thinkOpen):], "\r\n")
	case strings.HasPrefix(thinkOpen, trimmed):
	default:
		t.state = thinkOff
	}
}

// inside gives the reasoning, except an end that could become the closing tag.
func (t *thinkSplitter) inside(events []Event) []Event {
	thought, rest, closed := strings.Cut(t.held, thinkClose)
	if closed {
		t.state, t.held = between, rest
		return withReasoning(events, thought)
	}
	keep := 0
	for n := min(len(thinkClose)-1, len(t.held)); n > 0; n-- {
		if strings.HasSuffix(t.held, thinkClose[:n]) {
			keep = n
			break
		}
	}
	thought, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
	return withReasoning(events, thought)
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

func withReasoning(events []Event, thought string) []Event {
	if thought == "" {
		return events
	}
	return append(events, ReasoningDelta{thought})
}
