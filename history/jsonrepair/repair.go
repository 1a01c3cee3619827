// Package jsonrepair makes the arguments of a tool call one JSON object: what arrived whole keeps its bytes, and
// nothing is invented. It does not run the arguments, know what a tool expects, or make an object of what is none.
package jsonrepair

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Class says how much had to be done to a call's arguments.
type Class string

// The classes, from nothing to everything.
const (
	Unchanged Class = "unchanged" // the bytes are an object already
	Closed    Class = "closed"    // they broke off; what had arrived is closed
	Fixed     Class = "fixed"     // they were not an object of valid JSON and are now
	Unwrapped Class = "unwrapped" // the object was written as a string
	Emptied   Class = "emptied"   // there were none, or null
	Lost      Class = "lost"      // nothing sure could be read; an empty object stands in
)

// Report is what was done to the arguments of one call.
type Report struct {
	Class Class
	Kind  string // C1 damaged, C2 absent, C3 not an object; "" where unchanged
	What  string // a sentence for the user, "" where unchanged
	Rest  string // what stood behind the object and is not sent
}

// Repair makes the arguments of a tool call an object in valid JSON. An object that is valid
// already comes back byte for byte. In any other case the members that are whole keep their bytes,
// and no name is invented but "value", for arguments that are no object at all. Where nothing sure
// can be read the class is lost and the object {}: the caller has to show the raw text elsewhere.
// The time it takes is linear in the length of raw.
func Repair(raw string) (object string, how Report) {
	if isObject(raw) {
		return raw, Report{Class: Unchanged}
	}
	if trimFiller(raw) == "" {
		return "{}", Report{Class: Emptied, Kind: "C2", What: "This call came without arguments; an empty object is sent."}
	}
	r, ok := read(raw, maxLayers)
	if !ok || !isObject(r.object) {
		return "{}", Report{Class: Lost, Kind: "C1", What: "The arguments of this call cannot be read as an object; an empty object is sent in their place.", Rest: trimFiller(raw)}
	}
	return r.object, r.report(raw)
}

// Split takes the arguments of several calls apart that were glued into one: {…}{…}. It
// returns the objects as they stand there, not repaired, and nil where raw is anything but two objects
// or more, one behind the other. Linear in the length of raw.
func Split(raw string) []string {
	var objects []string
	plain := false
	for rest := trimFiller(raw); rest != ""; {
		if rest[0] != '{' {
			return nil
		}
		p, ok := parse(rest, plain)
		if !ok {
			return nil
		}
		// One string that ran to the end makes every later object suspect; reading each of them
		// to the end of the text would cost the square of its length.
		plain = plain || p.plain
		objects = append(objects, rest[:p.pos])
		rest = strings.TrimLeft(rest[p.pos:], " \t\n\v\f\r,;")
	}
	if len(objects) < 2 {
		return nil
	}
	return objects
}

// isObject reports whether text is one JSON object that every server can read. Stricter than
// json.Valid, it refuses bytes that are not UTF-8, halves of surrogate pairs and numbers beyond a
// double: some servers answer those with an error for the whole conversation.
func isObject(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") &&
		utf8.ValidString(text) && json.Valid([]byte(text)) && pairedSurrogates(text) && numbersFit(text)
}

// numbersFit reports whether each number of valid JSON is one that a double can hold, if not exactly.
func numbersFit(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case isDigit(c):
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], "0123456789.eE+-"))
			if !fitsDouble(text[i : i+n]) {
				return false
			}
			i += n - 1
		}
	}
	return true
}

// pairedSurrogates reports whether each \ud800 to \udbff of valid JSON has its second half.
func pairedSurrogates(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if text[i+1] != 'u' {
			i++
			continue
		}
		size, form := unicodeEscape(text[i:])
		if form != wholeEscape {
			return false
		}
		i += size - 1
	}
	return true
}

// report puts what the reading met into words.
func (r reading) report(raw string) Report {
	how := Report{Class: Fixed, Kind: "C1", Rest: r.rest}
	switch {
	case r.null:
		return Report{Class: Emptied, Kind: "C3", What: "The arguments of this call were null; an empty object is sent."}
	case r.unwrapped:
		how.Class, how.Kind = Unwrapped, "C3"
		how.What = "The arguments of this call were an object written as a string; the object itself is sent."
	case r.wrapped != "":
		how.Kind = "C3"
		how.What = fmt.Sprintf("The arguments of this call were %s, not an object; they are sent as {\"value\": …}.", r.wrapped)
	case r.faults == 0 && r.open:
		how.Class = Closed
	case r.faults == 0:
		r.faults = faultBlank // the object is whole: what was wrong stood around it
	}
	if r.faults != 0 {
		how.What = sentences(how.What, "The arguments of this call were not valid JSON ("+r.faults.String()+"); they are sent repaired.")
	}
	if r.open {
		how.What = sentences(how.What, fmt.Sprintf("The arguments of this call broke off after %d characters; what had arrived whole is sent, closed.", utf8.RuneCountInString(raw)))
	}
	if r.rest != "" {
		how.What = sentences(how.What, fmt.Sprintf("%d characters behind the object are not sent.", utf8.RuneCountInString(r.rest)))
	}
	return how
}

func sentences(first, second string) string { return strings.TrimSpace(first + " " + second) }
