// Package jsonrepair makes the arguments of a tool call one JSON object. What arrived complete keeps its bytes, and
// no name or value is invented. It does not run a call and does not know what a tool expects.
package jsonrepair

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Class is what was done to the arguments of a call.
type Outcome string

// The classes.
const (
	Unchanged Outcome = ""          // they are an object in valid JSON, and its bytes are unchanged
	Closed    Outcome = "closed"    // they broke off, and the complete part is closed
	Fixed     Outcome = "fixed"     // they were not valid JSON, or no object
	Unwrapped Outcome = "unwrapped" // they were an object written as a string
	Emptied   Outcome = "emptied"   // they were absent or null, or nothing in them is certain
)

// Report is what was wrong with the arguments of one call.
type Report struct {
	Outcome Outcome
	Kind    string // in the catalogue of docs/context.md: C1 is invalid JSON, C2 no arguments, C3 no object
	Offset  int    // how many bytes at the beginning are unchanged, where the class is Closed or Fixed
	Cut     bool   // they broke off
}

// Lost reports whether nothing in the arguments is certain. The caller has to show the raw text itself.
func (r Report) Lost() bool { return r.Outcome == Emptied && r.Kind == "C1" }

const (
	maxLayers = 8 // how often an object may be written as a string in a string
	maxBraces = 4 // how many opening braces in other text are tried
)

// Repair makes the arguments of a tool call an object in valid JSON. The only name that it adds is "value", around
// arguments that are no object. The time it takes is linear in the length of raw.
func Repair(raw string) (object string, how Report) {
	if isObject(raw) {
		return raw, Report{}
	}
	object, how = read(raw, maxLayers)
	if !isObject(object) {
		return "{}", Report{Outcome: Emptied, Kind: "C1"}
	}
	if how.Outcome == Fixed {
		how.Offset = commonPrefix(raw, object)
		if how.Cut && strings.Trim(object[how.Offset:], `"}]`) == "" {
			how.Outcome = Closed
		}
	}
	return object, how
}

// Split takes apart the arguments of several calls that were joined: {…}{…}. It returns the objects as they stand
// there, not repaired. It is nil where raw is not two objects or more and nothing else.
func SplitObjects(raw string) []string {
	var objects []string
	plain := false
	for rest := strings.TrimLeftFunc(raw, isFiller); rest != ""; {
		p := parse(rest, plain)
		if rest[0] != '{' || p.failed {
			return nil
		}
		// Once a string ran to the end, the later ones are read plainly: to try each again would not be linear.
		plain = p.plain
		objects = append(objects, rest[:p.pos])
		rest = strings.TrimLeftFunc(rest[p.pos:], func(r rune) bool { return r == ',' || r == ';' || isFiller(r) })
	}
	if len(objects) < 2 {
		return nil
	}
	return objects
}

// isObject reports whether text is one JSON object that every server can read. Some refuse numbers beyond a double, as
// Unmarshal does, and some refuse bytes that are not UTF-8 and halves of surrogate pairs.
func isObject(text string) bool {
	var object map[string]any
	err := json.Unmarshal([]byte(text), &object)
	return err == nil && object != nil && utf8.ValidString(text) &&
		(!strings.Contains(text, `\u`) || pairedSurrogates(text))
}

// pairedSurrogates reports whether each surrogate in valid JSON has its other half.
func pairedSurrogates(text string) bool {
	for at := strings.IndexByte(text, '\\'); at >= 0; at = strings.IndexByte(text, '\\') {
		n := escapeLength(text[at:])
		if n <= 0 {
			return false
		}
		text = text[at+n:]
	}
	return true
}

// read reads an object from arguments. What it returns is no object where it finds none.
func read(raw string, layers int) (object string, how Report) {
	text := strings.TrimLeftFunc(raw, isFiller)
	if inner, fenced := strings.CutPrefix(text, "```"); fenced {
		text = strings.TrimLeftFunc(strings.TrimLeftFunc(inner, isNameRune), isFiller)
	}
	quote, _ := quoteAt(text)
	switch literal := literalOf(strings.TrimRightFunc(text, isFiller)); {
	case text == "":
		return "{}", Report{Outcome: Emptied, Kind: "C2"}
	case literal == "null":
		return "{}", Report{Outcome: Emptied, Kind: "C3"}
	case literal != "":
		return wrapped(literal, false)
	case quote != 0:
		return readString(text, layers)
	case text[0] == '{' && strings.HasPrefix(strings.TrimLeft(text[1:], jsonBlanks), `\"`):
		return readString(`"`+text, layers) // an escaped object without the quotes around it
	case text[0] == '{' || text[0] == '[':
		p := parse(text, false)
		if text[0] == '[' {
			return wrapped(string(p.out), p.cut)
		}
		return p.object()
	}
	return readOtherText(text)
}

// wrapped is an object around arguments that are none.
func wrapped(value string, cut bool) (object string, how Report) {
	return `{"value": ` + value + "}", Report{Outcome: Fixed, Kind: "C3", Cut: cut}
}

// object is the object that was read, "" where the reading failed.
func (p *parser) object() (object string, how Report) {
	if p.failed {
		return "", Report{}
	}
	return string(p.out), Report{Outcome: Fixed, Kind: "C1", Cut: p.cut}
}

// readString reads arguments that are one string, most often an object that was encoded twice.
func readString(text string, layers int) (object string, how Report) {
	p := &parser{src: text}
	p.text(atTop)
	var content string
	if err := json.Unmarshal(p.out, &content); err != nil {
		return "", Report{}
	}
	if layers > 0 && strings.HasPrefix(strings.TrimLeft(content, "\"\\"+jsonBlanks), "{") {
		object, how = content, Report{}
		if !isObject(object) {
			object, how = read(content, layers-1)
		}
		if isObject(object) && (how.Kind != "C3" || how.Outcome == Unwrapped) {
			return object, Report{Outcome: Unwrapped, Kind: "C3", Cut: p.cut || how.Cut}
		}
	}
	return wrapped(string(p.out), p.cut)
}

// readOtherText looks for an object inside a text.
func readOtherText(text string) (object string, how Report) {
	for range maxBraces {
		brace := strings.IndexByte(text, '{')
		if brace < 0 {
			break
		}
		if object, how = parse(text[brace:], false).object(); object != "" {
			return object, how
		}
		text = text[brace+1:]
	}
	return "", Report{}
}

// commonPrefix is how many bytes two texts have in common at their beginning.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
