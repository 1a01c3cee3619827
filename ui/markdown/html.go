package markdown

import (
	"strings"
)

// tags are those that are drawn or left out; any other is text, as it may be what somebody asks about.
const (
	noTag = iota
	breakTag
	subTag
	superTag
	keyTag
	detailsTag
	summaryTag
)

// tagOf returns what a tag is, and whether it is a closing one.
func tagOf(tag string) (kind int, end bool) {
	name := strings.TrimSuffix(strings.TrimPrefix(tag, "<"), ">")
	name, end = strings.CutPrefix(name, "/")
	name = strings.TrimSpace(strings.TrimSuffix(name, "/"))
	if i := strings.IndexByte(name, ' '); i >= 0 {
		name = name[:i]
	}
	switch strings.ToLower(name) {
	case "br":
		return breakTag, end
	case "sub":
		return subTag, end
	case "sup":
		return superTag, end
	case "kbd":
		return keyTag, end
	case "details":
		return detailsTag, end
	case "summary":
		return summaryTag, end
	}
	return noTag, end
}

// tagBegins tells whether s is the beginning of one of these tags, with nothing behind it.
func tagBegins(s string) bool {
	name, ok := strings.CutPrefix(s, "<")
	if !ok || strings.IndexByte(s, '>') >= 0 {
		return false
	}
	name = strings.ToLower(strings.TrimPrefix(name, "/"))
	for _, known := range []string{"br /", "sub", "sup", "kbd", "details", "summary"} {
		if strings.HasPrefix(known, name) || strings.HasPrefix(name, known+" ") {
			return true
		}
	}
	return false
}

// opened is a <sub>, <sup> or <kbd> that is open.
type opened struct {
	kind  int
	start int // the run that it begins with
}

// html adds a tag within a text.
func (in *inline) html(tag string) {
	kind, end := tagOf(tag)
	switch {
	case kind == noTag:
		in.add(tag)
	case kind == breakTag:
		in.runs = append(in.runs, run{end: true})
	case kind == keyTag:
		in.key(end)
	case kind == subTag || kind == superTag:
		in.raise(kind, end)
	case kind == summaryTag && !end:
		in.look.role, in.look.attrs = strongRole, in.look.attrs|bold
	case kind == summaryTag:
		in.look.role, in.look.attrs = textRole, in.look.attrs&^bold
		in.runs = append(in.runs, run{end: true})
	}
}

// key begins or ends the name of a key, which looks like code; without tints it stands in brackets.
func (in *inline) key(end bool) {
	at, ok := in.opened(keyTag, end)
	if !ok {
		return
	}
	name := runsText(in.runs[at:])
	in.runs = in.runs[:at]
	if in.tints() {
		in.code(name)
	} else {
		in.runs = append(in.runs, run{text: "[" + name + "]", look: in.look, solid: true})
	}
}

// opened notes a tag that opens, or returns the run at which the one that closes was opened.
func (in *inline) opened(kind int, end bool) (at int, ok bool) {
	if !end {
		in.open = append(in.open, opened{kind, len(in.runs)})
		return 0, false
	}
	last := len(in.open) - 1
	if last < 0 || in.open[last].kind != kind {
		return 0, false
	}
	at = in.open[last].start
	in.open = in.open[:last]
	return at, at < len(in.runs)
}

// raise begins or ends a lowered or raised text.
func (in *inline) raise(kind int, end bool) {
	at, ok := in.opened(kind, end)
	if !ok {
		return
	}
	shown := make([]string, len(in.runs)-at)
	small := true
	for i, r := range in.runs[at:] {
		var ok bool
		shown[i], ok = shifted(r.text, kind)
		small = small && ok && !r.end
	}
	if small {
		for i, s := range shown {
			in.runs[at+i].text = s
		}
		return
	}
	sign := "_"
	if kind == superTag {
		sign = "^"
	}
	in.runs[at].text = sign + "(" + in.runs[at].text
	in.add(")")
}

// The characters that have a lowered or a raised form, and these forms, in the same order.
const (
	shiftable = "0123456789+-=()n"
	lowered   = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙ"
	lifted    = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ"
)

// shifted returns a text in lowered or raised characters, and whether all of its characters have one.
func shifted(s string, kind int) (string, bool) {
	forms := []rune(lowered)
	if kind == superTag {
		forms = []rune(lifted)
	}
	var b strings.Builder
	for _, r := range s {
		i := strings.IndexRune(shiftable, r)
		if i < 0 {
			return "", false
		}
		b.WriteRune(forms[i])
	}
	return b.String(), true
}

// htmlBlock returns the lines of a block of HTML: its text, with the tags drawn that winnow knows.
func (d *doc) htmlBlock(raw string, width int) []string {
	in := inline{doc: d}
	for raw != "" {
		i := strings.IndexByte(raw, '<')
		if i < 0 {
			i = len(raw)
		}
		in.addLines(raw[:i])
		raw = raw[i:]
		n := strings.IndexByte(raw, '>') + 1
		if kind, _ := tagOf(raw[:n]); n == 0 || kind == noTag {
			n = min(1, len(raw))
			in.addLines(raw[:n])
		} else {
			in.html(raw[:n])
		}
		raw = raw[n:]
	}
	runs := in.runs
	for len(runs) > 0 && runs[0].end {
		runs = runs[1:]
	}
	for len(runs) > 0 && runs[len(runs)-1].end {
		runs = runs[:len(runs)-1]
	}
	return d.flowed(runs, width)
}

// addLines adds text whose line breaks stay.
func (in *inline) addLines(s string) {
	for i := strings.IndexByte(s, '\n'); i >= 0; i = strings.IndexByte(s, '\n') {
		in.add(s[:i])
		in.runs = append(in.runs, run{end: true})
		s = s[i+1:]
	}
	in.add(s)
}
