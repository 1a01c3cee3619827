package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// mendClass says how much had to be done to a call's arguments.
type mendClass string

// The classes, from nothing to everything.
const (
	mendUnchanged mendClass = "unchanged" // the bytes are an object already
	mendClosed    mendClass = "closed"    // they broke off; what had arrived is closed
	mendFixed     mendClass = "fixed"     // they were not an object of valid JSON and are now
	mendUnwrapped mendClass = "unwrapped" // the object was written as a string
	mendEmptied   mendClass = "emptied"   // there were none, or null
	mendLost      mendClass = "lost"      // nothing sure could be read; an empty object stands in
)

// mend is what was done to the arguments of one call.
type mend struct {
	class mendClass
	kind  string // C1 damaged, C2 absent, C3 not an object; "" where unchanged
	what  string // a sentence for the user, "" where unchanged
	rest  string // what stood behind the object and is not sent
}

// mendArguments makes the arguments of a tool call an object in valid JSON. An object that is valid
// already comes back byte for byte. In any other case the members that are whole keep their bytes,
// and no name is invented but "value", for arguments that are no object at all. Where nothing sure
// can be read the class is lost and the object {}: the caller has to show the raw text elsewhere.
// The time it takes is linear in the length of raw.
func mendArguments(raw string) (object string, how mend) {
	if isObject(raw) {
		return raw, mend{class: mendUnchanged}
	}
	if trimArguments(raw) == "" {
		return "{}", mend{class: mendEmptied, kind: "C2", what: "This call came without arguments; an empty object is sent."}
	}
	r, ok := readArguments(raw, maxLayers)
	if !ok || !isObject(r.object) {
		return "{}", mend{class: mendLost, kind: "C1", what: "The arguments of this call cannot be read as an object; an empty object is sent in their place.", rest: trimArguments(raw)}
	}
	return r.object, r.mend(raw)
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

func trimArguments(text string) string { return strings.TrimFunc(text, isFiller) }

func isFiller(r rune) bool { return r == 0 || isSpace(r) || invisible(r) }

// mend puts what the reading met into words.
func (r reading) mend(raw string) mend {
	how := mend{class: mendFixed, kind: "C1", rest: r.rest}
	switch {
	case r.null:
		return mend{class: mendEmptied, kind: "C3", what: "The arguments of this call were null; an empty object is sent."}
	case r.unwrapped:
		how.class, how.kind = mendUnwrapped, "C3"
		how.what = "The arguments of this call were an object written as a string; the object itself is sent."
	case r.wrapped != "":
		how.kind = "C3"
		how.what = fmt.Sprintf("The arguments of this call were %s, not an object; they are sent as {\"value\": …}.", r.wrapped)
	case r.faults == 0 && r.open:
		how.class = mendClosed
	case r.faults == 0:
		r.faults = faultBlank // the object is whole: what was wrong stood around it
	}
	if r.faults != 0 {
		how.what = sentences(how.what, "The arguments of this call were not valid JSON ("+r.faults.String()+"); they are sent mended.")
	}
	if r.open {
		how.what = sentences(how.what, fmt.Sprintf("The arguments of this call broke off after %d characters; what had arrived whole is sent, closed.", utf8.RuneCountInString(raw)))
	}
	if r.rest != "" {
		how.what = sentences(how.what, fmt.Sprintf("%d characters behind the object are not sent.", utf8.RuneCountInString(r.rest)))
	}
	return how
}

func sentences(first, second string) string { return strings.TrimSpace(first + " " + second) }
