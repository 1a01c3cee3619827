// Package jsonrepair turns the arguments of a tool call into one JSON object. Complete parts keep their bytes, and no
// name or value is invented. The package does not know which arguments a tool expects.
package jsonrepair

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Outcome is what was done to the arguments of a call.
type Outcome string

// The outcomes.
const (
	Unchanged Outcome = ""          // they are a valid JSON object
	Closed    Outcome = "closed"    // they were cut off; the complete part was closed
	Fixed     Outcome = "fixed"     // they were invalid JSON, or not an object
	Unwrapped Outcome = "unwrapped" // they were an object encoded as a string
	Emptied   Outcome = "emptied"   // they were missing or null, or nothing in them is certain
)

// Report says what was wrong with the arguments of one call.
type Report struct {
	Outcome Outcome
	Kind    string // see docs/context.md: C1 is invalid JSON, C2 no arguments, C3 not an object
	Offset  int    // how many bytes at the start are unchanged, if the outcome is Closed or Fixed
	Cut     bool   // they were cut off
}

// Lost reports whether nothing in the arguments is certain. The caller should show the raw text.
func (r Report) Lost() bool { return r.Outcome == Emptied && r.Kind == "C1" }

const (
	maxLayers = 8 // how often an object may be encoded as a string
	maxBraces = 4 // how many opening braces inside other text are tried
)

// Repair turns the arguments of a tool call into a valid JSON object. The only name that it adds is "value", around
// arguments that are not an object. It runs in linear time.
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

// SplitObjects splits the joined arguments of several calls, {…}{…}, into their objects without repairing them. It
// returns nil if raw is not just two or more objects.
func SplitObjects(raw string) []string {
	var objects []string
	plain := false
	for rest := strings.TrimLeftFunc(raw, isFiller); rest != ""; {
		p := parse(rest, plain)
		if rest[0] != '{' || p.failed {
			return nil
		}
		// After a string that ran to the end, later ones are read plainly. Retrying each would not be linear.
		plain = p.plain
		objects = append(objects, rest[:p.pos])
		rest = strings.TrimLeftFunc(rest[p.pos:], func(r rune) bool { return r == ',' || r == ';' || isFiller(r) })
	}
	if len(objects) < 2 {
		return nil
	}
	return objects
}

// isObject reports whether text is one JSON object that every server can read. Some refuse numbers beyond a float64, as
// Unmarshal does, invalid UTF-8, or unpaired surrogates.
func isObject(text string) bool {
	var object map[string]any
	err := json.Unmarshal([]byte(text), &object)
	return err == nil && object != nil && utf8.ValidString(text) &&
		(!strings.Contains(text, `\u`) || pairedSurrogates(text))
}

// pairedSurrogates reports whether every surrogate in valid JSON is part of a pair.
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

// read reads an object from arguments. If there is none, the result is not an object.
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
		return readString(`"`+text, layers) // an escaped object without its quotes
	case text[0] == '{' || text[0] == '[':
		p := parse(text, false)
		if text[0] == '[' {
			return wrapped(string(p.out), p.cut)
		}
		return p.object()
	}
	return readOtherText(text)
}

// wrapped returns an object around a value that is not one.
func wrapped(value string, cut bool) (object string, how Report) {
	return `{"value": ` + value + "}", Report{Outcome: Fixed, Kind: "C3", Cut: cut}
}

// object returns the object that was read, or "" if parsing failed.
func (p *parser) object() (object string, how Report) {
	if p.failed {
		return "", Report{}
	}
	return string(p.out), Report{Outcome: Fixed, Kind: "C1", Cut: p.cut}
}

// readString reads arguments that are one string, usually an object that was encoded twice.
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

// readOtherText looks for an object inside other text.
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

// commonPrefix returns the length in bytes of the common prefix of two texts.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
