// Package jsonrepair makes the arguments of a tool call one JSON object: what arrived whole keeps its bytes, and
// nothing is invented. It does not run the arguments, know what a tool expects, or make an object of what is none.
package jsonrepair

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Class is what the arguments of a call were.
type Class string

// The classes. What is no object is sent as the value of one member.
const (
	Sound      Class = ""       // an object in valid JSON
	Damaged    Class = "object" // an object that is not valid JSON, or that broke off
	Encoded    Class = "encoded"
	Absent     Class = "absent"
	Null       Class = "null"
	Value      Class = "value" // a number or a literal
	List       Class = "list"
	String     Class = "string"
	Unreadable Class = "unreadable" // nothing sure could be read
)

// Kind is the kind of damage in the catalogue of docs/context.md.
func (c Class) Kind() string {
	switch c {
	case Sound:
		return ""
	case Damaged, Unreadable:
		return "C1"
	case Absent:
		return "C2"
	}
	return "C3"
}

// Report is what was wrong with the arguments of one call.
type Report struct {
	Class  Class
	Faults Faults // how they were not valid JSON
	Open   bool   // they broke off; what had arrived whole is there, closed
	Rest   string // what was behind the object and is not sent
}

// Repair makes the arguments of a tool call an object in valid JSON. An object that is valid
// already comes back byte for byte. In any other case the members that are whole keep their bytes,
// and no name is invented but "value", for arguments that are no object at all. Where nothing sure
// can be read the object is {}: the caller has to show the raw text itself.
// The time it takes is linear in the length of raw.
func Repair(raw string) (object string, how Report) {
	if isObject(raw) {
		return raw, Report{}
	}
	if trimFiller(raw) == "" {
		return "{}", Report{Class: Absent}
	}
	r, ok := read(raw, maxLayers)
	switch {
	case !ok || !isObject(r.object):
		return "{}", Report{Class: Unreadable}
	case r.Class == Null:
		return "{}", Report{Class: Null}
	case r.Class == Damaged && r.Faults == 0 && !r.Open:
		r.Faults = faultBlank // the object is whole: what was wrong stood around it
	}
	return r.object, r.Report
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
		size, kind := unicodeEscape(text[i:])
		if kind != wholeEscape {
			return false
		}
		i += size - 1
	}
	return true
}
