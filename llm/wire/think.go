package wire

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	blanks     = " \t\r\n"
)

// thinking separates reasoning that servers leave in the content: the text between <think> at the very beginning and
// </think>. Elsewhere the tags are ordinary text. A tag may be split over several pieces, so text that could become one
// is held back.
type thinking struct {
	stage thinkStage
	held  string
}

type thinkStage int

const (
	beforeThink thinkStage = iota
	insideThink
	behindThink // the white space between </think> and the answer is removed
	inAnswer    // tags are ordinary text
)

// add returns the reasoning and the text of the next piece of content. With last, nothing is held back.
func (t *thinking) add(piece string, last bool) (thought, text string) {
	t.held += piece
	if t.stage == beforeThink {
		trimmed := strings.TrimLeft(t.held, blanks)
		rest, opens := strings.CutPrefix(trimmed, thinkOpen)
		switch {
		case opens:
			t.stage, t.held = insideThink, strings.TrimLeft(rest, "\r\n")
		case !last && strings.HasPrefix(thinkOpen, trimmed):
			return "", ""
		default:
			t.stage = inAnswer
		}
	}
	if t.stage == insideThink {
		before, after, closed := strings.Cut(t.held, thinkClose)
		at := strings.LastIndexByte(t.held, '<')
		if closed {
			t.stage = behindThink
		} else if !last && at >= 0 && strings.HasPrefix(thinkClose, t.held[at:]) {
			before, after = t.held[:at], t.held[at:]
		}
		thought, t.held = before, after
	}
	if t.stage == behindThink {
		if t.held = strings.TrimLeft(t.held, blanks); t.held != "" {
			t.stage = inAnswer
		}
	}
	if t.stage == inAnswer {
		text, t.held = t.held, ""
	}
	return thought, text
}
