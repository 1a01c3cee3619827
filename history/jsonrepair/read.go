package jsonrepair

import (
	"encoding/json"
	"strings"
)

// maxLayers is how often an object may be written as a string in a string. Each layer is read once,
// so the limit keeps the time linear.
const maxLayers = 8

// maxProse is how many opening braces of a prose are tried before the text counts as lost.
const maxProse = 4

// reading is an object read out of arguments, with what was wrong on the way.
type reading struct {
	Report
	object string
}

// isObject reports whether the arguments were an object, however it was written.
func (r reading) isObject() bool { return r.Class == Damaged || r.Class == Encoded || r.Class == Null }

// read reads an object from a text that is not blank, however it is packed.
func read(text string, layers int) (reading, bool) {
	text, fenced := unfence(strings.TrimLeftFunc(text, isFiller))
	if isObject(text) && !fenced {
		return reading{object: text, Report: Report{Class: Damaged}}, true
	}
	if text == "" || layers == 0 {
		return reading{}, false
	}
	if plain, changed := plainTokens(text); changed {
		if plain = strings.TrimLeftFunc(plain, isFiller); plain != "" {
			if r, ok := readPacked(plain, layers); ok {
				r.Faults |= faultBlank
				return r, true
			}
		}
	}
	r, ok := readPacked(text, layers)
	if fenced {
		r.Faults |= faultAround
	}
	return r, ok
}

func readPacked(text string, layers int) (reading, bool) {
	switch {
	case text[0] == '{' && strings.HasPrefix(skipBlanks(text[1:]), `\`):
		// Glue that escaped an object and forgot the quotes around it: {\"a\": 1}.
		inner, _ := readString(text)
		return readInner(inner, layers)
	case text[0] == '{':
		return readObject(text)
	case text[0] == '[':
		return readArray(text)
	case startsWithKey(text):
		r, ok := readObject("{" + text)
		r.Faults |= faultBracket
		return r, ok
	case startsWithQuote(text):
		return readQuoted(text, layers)
	}
	switch literal, ok := bareLiteral(trimFiller(text)); {
	case ok && literal == "null":
		return reading{object: "{}", Report: Report{Class: Null}}, true
	case ok:
		return reading{object: `{"value": ` + literal + `}`, Report: Report{Class: Value}}, true
	}
	return readProse(text)
}

// unfence takes the fence of a Markdown code block off, and brackets around it.
func unfence(text string) (inner string, fenced bool) {
	if text != "" && strings.HasPrefix(text[1:], "```") {
		text = unbracket(text)
	}
	inner, fenced = strings.CutPrefix(text, "```")
	if !fenced {
		return text, false
	}
	inner = strings.TrimLeft(inner, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
	if end := strings.TrimRightFunc(inner, isFiller); strings.HasSuffix(end, "```") {
		inner = strings.TrimSuffix(end, "```")
	}
	return strings.TrimLeftFunc(inner, isFiller), true
}

// unbracket takes the bracket off that stands in front of a code block, and the one behind it.
func unbracket(text string) string {
	closing := map[byte]string{'{': "}", '[': "]"}[text[0]]
	if closing == "" {
		return text
	}
	inner := strings.TrimRightFunc(text[1:], isFiller)
	if block, ok := strings.CutSuffix(inner, closing); ok && strings.HasSuffix(strings.TrimRightFunc(block, isFiller), "```") {
		return block
	}
	return inner
}

// readObject reads the object that text begins with.
func readObject(text string) (reading, bool) {
	p, ok := parse(text, false)
	if !ok || !isObject(string(p.out)) {
		return reading{}, false
	}
	r := p.reading(Damaged, string(p.out), text[p.pos:])
	if r.Rest != "" {
		r.Faults |= faultAround
	}
	return r, true
}

func readArray(text string) (reading, bool) {
	p, ok := parse(text, false)
	if !ok {
		return reading{}, false
	}
	if next := trimFiller(text[p.pos:]); string(p.out) == "[]" && strings.HasPrefix(next, "{") {
		r, ok := readObject(next)
		r.Faults |= faultAround
		return r, ok
	}
	return p.reading(List, `{"value": `+string(p.out)+`}`, text[p.pos:]), true
}

// readQuoted reads arguments that are one string: most often an object that was encoded twice.
func readQuoted(text string, layers int) (reading, bool) {
	p := parser{src: text}
	if p.text(atTop); p.broken {
		return reading{}, false
	}
	content, ok := decodeString(p.out)
	if !ok {
		return reading{}, false
	}
	if strings.HasPrefix(strings.TrimLeft(content, "\"\\ \t\r\n"), "{") {
		if r, ok := readInner(content, layers); ok && r.isObject() {
			r.Open = r.Open || p.open
			return r, true
		}
	}
	return p.reading(String, `{"value": `+string(p.out)+`}`, ""), true
}

// readInner reads what was written as a string.
func readInner(inner string, layers int) (reading, bool) {
	r, ok := read(inner, layers-1)
	if r.Class == Damaged {
		r.Class = Encoded
	}
	return r, ok
}

// reading is an object that was read as a class of arguments, with what is behind it.
func (p *parser) reading(c Class, object, rest string) reading {
	return reading{object: object, Report: Report{Class: c, Faults: p.faults, Open: p.open, Rest: trimFiller(rest)}}
}

// readProse looks for an object inside prose.
func readProse(text string) (reading, bool) {
	for range maxProse {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		if r, ok := readObject(text[at:]); ok {
			r.Faults |= faultAround
			return r, true
		}
		text = text[at+1:]
	}
	return reading{}, false
}

// readString reads the whole text as the inside of a string.
func readString(text string) (content string, ok bool) {
	p := parser{src: text}
	p.emit("\"")
	p.textBody('"', atTop)
	return decodeString(p.out)
}

func decodeString(quoted []byte) (content string, ok bool) {
	err := json.Unmarshal(quoted, &content)
	return content, err == nil
}
