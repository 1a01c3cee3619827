package wire

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	blanks     = " \t\r\n"
)

// thinking takes reasoning out of the content of servers that leave it there: the text between <think> at the very
// start and </think>. Anywhere else the tags are ordinary text. A tag may arrive in pieces, so what could still become
// one is held back.
type thinking struct {
	held    string
	inside  bool // after <think>
	answers bool // in the answer: a tag is ordinary text
	trims   bool // the blanks between </think> and the answer go
}

// add takes the next piece of content, and gives what is reasoning and what is the answer. The last piece gives
// everything.
func (t *thinking) add(piece string, last bool) (thought, text string) {
	t.held += piece
	if !t.inside && !t.answers {
		trimmed := strings.TrimLeft(t.held, blanks)
		rest, opens := strings.CutPrefix(trimmed, thinkOpen)
		switch {
		case opens:
			t.inside, t.held = true, strings.TrimLeft(rest, "\r\n")
		case !last && strings.HasPrefix(thinkOpen, trimmed):
			return "", ""
		default:
			t.answers = true
		}
	}
	if t.inside {
		before, after, closed := strings.Cut(t.held, thinkClose)
		if !closed {
			for n := len(thinkClose) - 1; n > 0 && !last; n-- {
				if sure, found := strings.CutSuffix(t.held, thinkClose[:n]); found {
					t.held = thinkClose[:n]
					return sure, ""
				}
			}
		}
		thought, t.held = before, after
		t.inside, t.answers, t.trims = !closed, closed, closed
	}
	if t.trims {
		t.held = strings.TrimLeft(t.held, blanks)
		t.trims = t.held == ""
	}
	text, t.held = t.held, ""
	return thought, text
}
