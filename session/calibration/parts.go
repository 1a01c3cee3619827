package calibration

import (
	"unicode"

	"winnow/history"
	"winnow/history/message"
)

// Part is a piece of a request whose tokens are counted as one.
type Part struct {
	partKey
	kind   textKind
	images int // that it holds; partKey's tokens are without them
}

// partKey identifies a part of a request: a message, and how much of it was sent. Message 0 is what
// stands around the messages, such as the system prompt and the tools.
type partKey struct {
	message int64
	tokens  int
}

// PartsOf are the parts of a request by its plan. find is the message of an entry, nil where it is not there.
func PartsOf(sum history.Sum, entries history.Entries, find func(id int64) *message.Message) []Part {
	fixed := sum.System + sum.Tools
	parts := []Part{{partKey: partKey{0, fixed}}}
	rest := sum.Total - fixed
	for _, e := range entries.Sent() {
		p := Part{partKey: partKey{e.ID, e.TokensAfter + frameTokens}}
		if m := find(e.ID); m != nil {
			p.kind, p.images = kindOf(m.Content), Images(*m)
			p.tokens = max(frameTokens, p.tokens-p.images*history.ImageTokens)
		}
		rest -= e.TokensAfter + frameTokens
		parts = append(parts, p)
	}
	if rest > 0 {
		parts = append(parts, Part{partKey: partKey{-1, rest}}) // Markers and what else was added.
	}
	return parts
}

// frameTokens is about what the chat format costs around each message.
const frameTokens = 4

// Images is how many images a message holds.
func Images(m message.Message) (n int) {
	for _, p := range m.Parts {
		if p.Kind == message.ImagePart {
			n++
		}
	}
	return n
}

// textKind is a kind of text that a tokenizer may count differently from others.
type textKind int

// The kinds of text in Latin script. Those of other scripts are their code points' blocks.
const (
	proseText textKind = iota
	denseText          // code, JSON, tables: many signs and digits
	solidText          // hex, base64: hardly a space
	hanText
	scriptText // and above
)

// kindSample is how many code points tell a text's kind.
const kindSample = 800

// kindOf is the kind of text that a tokenizer may count differently from others.
func kindOf(text string) textKind {
	var latin, spaces, signs, n int
	blocks := map[textKind]int{}
	for _, r := range text {
		if n++; n > kindSample {
			break
		}
		switch {
		case unicode.IsSpace(r):
			spaces++
		case r < 0x250 && unicode.IsLetter(r):
			latin++
		case r < 0x250:
			signs++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			blocks[hanText]++
		case unicode.IsLetter(r) || unicode.IsMark(r):
			blocks[scriptText+textKind(r>>7)]++
		default:
			signs++
		}
	}
	kind, largest := proseText, latin
	for k, of := range blocks {
		// A script beside Latin letters costs more of the tokens than of the letters.
		if of *= 2; of > largest || of == largest && k < kind {
			kind, largest = k, of
		}
	}
	switch {
	case kind != proseText:
		return kind
	case spaces*40 < latin+signs:
		return solidText
	case signs*3 > latin:
		return denseText
	}
	return proseText
}
