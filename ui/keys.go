package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// KeyMap holds every key of the application. The help line, the help screen and the table of the
// README are made from it.
type KeyMap struct {
	// Everywhere.
	Back      key.Binding
	Stop      key.Binding
	Suspend   key.Binding
	Palette   key.Binding
	New       key.Binding
	Sessions  key.Binding
	Models    key.Binding
	Context   key.Binding
	Reason    key.Binding
	Help      key.Binding
	Focus     key.Binding
	FocusBack key.Binding
	PageUp    key.Binding
	PageDown  key.Binding

	// In the draft.
	Send    key.Binding
	Newline key.Binding
	Older   key.Binding
	Newer   key.Binding
	Recall  key.Binding
	Editor  key.Binding
	Open    key.Binding
	Slash   key.Binding
	Ask     key.Binding
	Quit    key.Binding

	// In the transcript and the panel.
	Down     key.Binding
	Up       key.Binding
	Next     key.Binding
	Prev     key.Binding
	HalfDown key.Binding
	HalfUp   key.Binding
	Top      key.Binding
	Bottom   key.Binding
	Boundary key.Binding
	Inspect  key.Binding
	Expand   key.Binding
	Copy     key.Binding
	CopyCode key.Binding
	Again    key.Binding
	Pin      key.Binding
	Exclude  key.Binding
	Auto     key.Binding
	TakeBack key.Binding
	Find     key.Binding
	NextHit  key.Binding
	PrevHit  key.Binding
	Select   key.Binding
	Pick     key.Binding
	Seen     key.Binding
	WhatIf   key.Binding
	Repairs  key.Binding
	Request  key.Binding

	// In the panel.
	Earlier key.Binding
	Later   key.Binding
	Compare key.Binding

	// In the inspector.
	NextView key.Binding
	PrevView key.Binding

	// In lists.
	Choose   key.Binding
	ListUp   key.Binding
	ListDown key.Binding
	Rename   key.Binding
	Delete   key.Binding
	Undo     key.Binding

	// In the list of repairs.
	Remedy key.Binding

	// When a tool call asks for permission.
	Allow  key.Binding
	Refuse key.Binding
}

// Row is one line of the key table.
type Row struct {
	Where  string // the part of the screen in which the keys work
	Action string // the name that remaps it
	Keys   []string
	Help   string
}

// The parts of the screen that keys belong to, in the order of the help screen.
const (
	everywhere   = "everywhere"
	inDraft      = "draft"
	inTranscript = "transcript"
	inPanel      = "panel"
	inInspector  = "inspector"
	inLists      = "lists"
	inRepairs    = "repairs"
	inQuestion   = "tool question"
)

// DefaultKeys is the key map of a fresh installation.
func DefaultKeys() KeyMap {
	b := func(help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(strings.Join(keys, " "), help))
	}
	return KeyMap{
		Back:      b("close, leave the selection, stop the answer", "esc"),
		Stop:      b("stop, then clear the draft, twice to quit", "ctrl+c"),
		Suspend:   b("suspend", "ctrl+z"),
		Palette:   b("palette", "ctrl+p"),
		New:       b("new session", "ctrl+n"),
		Sessions:  b("sessions", "ctrl+s"),
		Models:    b("model", "ctrl+l"),
		Context:   b("context panel", "ctrl+x", "f2"),
		Reason:    b("show or hide reasoning", "ctrl+t"),
		Help:      b("help", "f1"),
		Focus:     b("next pane: draft, transcript, panel", "tab"),
		FocusBack: b("the pane before", "shift+tab"),
		PageUp:    b("transcript a page up", "pgup"),
		PageDown:  b("transcript a page down", "pgdown"),

		Send:    b("send", "enter"),
		Newline: b("new line", "shift+enter", "alt+enter", "ctrl+j"),
		Older:   b("up, on the first line the prompt before", "up"),
		Newer:   b("down, on the last line the prompt after", "down"),
		Recall:  b("search the prompts sent", "ctrl+r"),
		Editor:  b("write the draft in $EDITOR", "ctrl+g"),
		Open:    b("open a pasted text", "ctrl+o"),
		Slash:   b("commands, on an empty draft", "/"),
		Ask:     b("help, on an empty draft", "?"),
		Quit:    b("quit, on an empty draft", "ctrl+d"),

		Down:     b("line down", "j", "down"),
		Up:       b("line up", "k", "up"),
		Next:     b("next message", "J", "shift+down"),
		Prev:     b("previous message", "K", "shift+up"),
		HalfDown: b("half a page down", "ctrl+d"),
		HalfUp:   b("half a page up", "ctrl+u"),
		Top:      b("first message", "g", "home"),
		Bottom:   b("last message, and follow", "G", "end"),
		Boundary: b("first message that the model sees", "'"),
		Inspect:  b("what the model gets of the message", "enter"),
		Expand:   b("expand or collapse", "ctrl+o"),
		Copy:     b("copy the message", "y"),
		CopyCode: b("copy its last code block", "Y"),
		Again:    b("ask again", "r"),
		Pin:      b("pin: always sent whole", "p"),
		Exclude:  b("exclude: never sent", "x"),
		Auto:     b("back to automatic", "o"),
		TakeBack: b("undo the last pin, exclude or automatic", "u"),
		Find:     b("search, and say what the model still knows", "/"),
		NextHit:  b("next hit", "n"),
		PrevHit:  b("previous hit", "N"),
		Select:   b("begin a range, or keep it", "v"),
		Pick:     b("select one message, or not", "space"),
		Seen:     b("what the model saw for this answer", "c"),
		WhatIf:   b("try other settings out", "w"),
		Repairs:  b("what was mended, and what is sent instead", "m"),
		Request:  b("the whole request, as it is sent", "i"),

		Earlier: b("the request before", "left", "h"),
		Later:   b("the request after", "right", "l"),
		Compare: b("compare two requests: mark one, then the other", "d"),

		NextView: b("next view", "tab"),
		PrevView: b("the view before", "shift+tab"),

		Choose:   b("choose", "enter"),
		ListUp:   b("up", "up", "ctrl+k"),
		ListDown: b("down", "down", "ctrl+j"),
		Rename:   b("rename the session", "ctrl+e"),
		Delete:   b("delete the session to the trash", "ctrl+d", "delete"),
		Undo:     b("bring the deleted session back", "ctrl+u"),

		Remedy: b("send a damaged call otherwise: mended, as text, not at all", "t"),

		Allow:  b("allow the tool call", "y"),
		Refuse: b("refuse it", "n"),
	}
}

// entry names a binding for the table and for remapping.
type entry struct {
	where, action string
	binding       *key.Binding
}

// entries lists every binding in the order of the help screen.
func (k *KeyMap) entries() []entry {
	return []entry{
		{inDraft, "send", &k.Send},
		{inDraft, "newline", &k.Newline},
		{inDraft, "older", &k.Older},
		{inDraft, "newer", &k.Newer},
		{inDraft, "recall", &k.Recall},
		{inDraft, "editor", &k.Editor},
		{inDraft, "open", &k.Open},
		{inDraft, "commands", &k.Slash},
		{inDraft, "ask", &k.Ask},
		{inDraft, "quit", &k.Quit},
		{everywhere, "back", &k.Back},
		{everywhere, "stop", &k.Stop},
		{everywhere, "context", &k.Context},
		{everywhere, "sessions", &k.Sessions},
		{everywhere, "models", &k.Models},
		{everywhere, "palette", &k.Palette},
		{everywhere, "new", &k.New},
		{everywhere, "reasoning", &k.Reason},
		{everywhere, "focus", &k.Focus},
		{everywhere, "focus-back", &k.FocusBack},
		{everywhere, "page-up", &k.PageUp},
		{everywhere, "page-down", &k.PageDown},
		{everywhere, "suspend", &k.Suspend},
		{everywhere, "help", &k.Help},
		{inTranscript, "down", &k.Down},
		{inTranscript, "up", &k.Up},
		{inTranscript, "next", &k.Next},
		{inTranscript, "previous", &k.Prev},
		{inTranscript, "half-down", &k.HalfDown},
		{inTranscript, "half-up", &k.HalfUp},
		{inTranscript, "top", &k.Top},
		{inTranscript, "bottom", &k.Bottom},
		{inTranscript, "boundary", &k.Boundary},
		{inTranscript, "inspect", &k.Inspect},
		{inTranscript, "expand", &k.Expand},
		{inTranscript, "copy", &k.Copy},
		{inTranscript, "copy-code", &k.CopyCode},
		{inTranscript, "again", &k.Again},
		{inTranscript, "pin", &k.Pin},
		{inTranscript, "exclude", &k.Exclude},
		{inTranscript, "automatic", &k.Auto},
		{inTranscript, "take-back", &k.TakeBack},
		{inTranscript, "find", &k.Find},
		{inTranscript, "next-hit", &k.NextHit},
		{inTranscript, "previous-hit", &k.PrevHit},
		{inTranscript, "select", &k.Select},
		{inTranscript, "select-one", &k.Pick},
		{inTranscript, "seen", &k.Seen},
		{inTranscript, "what-if", &k.WhatIf},
		{inTranscript, "repairs", &k.Repairs},
		{inTranscript, "request", &k.Request},
		{inPanel, "earlier", &k.Earlier},
		{inPanel, "later", &k.Later},
		{inPanel, "compare", &k.Compare},
		{inInspector, "next-view", &k.NextView},
		{inInspector, "previous-view", &k.PrevView},
		{inLists, "choose", &k.Choose},
		{inLists, "list-up", &k.ListUp},
		{inLists, "list-down", &k.ListDown},
		{inLists, "rename", &k.Rename},
		{inLists, "delete", &k.Delete},
		{inLists, "undo", &k.Undo},
		{inRepairs, "remedy", &k.Remedy},
		{inQuestion, "allow", &k.Allow},
		{inQuestion, "refuse", &k.Refuse},
	}
}

// Table lists the keys in the order of the help screen.
func (k KeyMap) Table() []Row {
	var rows []Row
	for _, e := range k.entries() {
		rows = append(rows, Row{e.where, e.action, e.binding.Keys(), e.binding.Help().Desc})
	}
	return rows
}

// With is the key map with some actions on other keys: action name to keys. The error names an
// unknown action, or two actions of one part of the screen that share a key.
func (k KeyMap) With(keys map[string][]string) (KeyMap, error) {
	for _, action := range slices.Sorted(maps.Keys(keys)) {
		to := keys[action]
		found := false
		for _, e := range k.entries() {
			if e.action != action {
				continue
			}
			found = true
			e.binding.SetKeys(to...)
			e.binding.SetHelp(strings.Join(to, " "), e.binding.Help().Desc)
		}
		if !found {
			return k, fmt.Errorf("there is no key action %q: winnow knows %s", action, strings.Join(k.actions(), ", "))
		}
	}
	return k, k.clash()
}

// clash is an error where two actions that work in the same place share a key. The inspector, lists and
// questions cover the panes, so theirs may be the keys of an action that works everywhere else.
func (k KeyMap) clash() error {
	taken := map[string][]entry{}
	for _, e := range k.entries() {
		for _, name := range e.binding.Keys() {
			for _, other := range taken[name] {
				if meet(e.where, other.where) {
					return fmt.Errorf("the key %s is given to both %s and %s", name, other.action, e.action)
				}
			}
			taken[name] = append(taken[name], e)
		}
	}
	return nil
}

// meet says whether actions of two places can hear the same key press. Panel and inspector are moved in
// with the transcript's keys, and the inspector covers what works everywhere.
func meet(a, b string) bool {
	covers := func(where string) bool {
		return where == inLists || where == inRepairs || where == inQuestion || where == inInspector
	}
	moved := func(where string) bool { return where == inTranscript || where == inPanel || where == inInspector }
	return a == b || moved(a) && moved(b) || !covers(a) && !covers(b) && (a == everywhere || b == everywhere)
}

func (k KeyMap) actions() []string {
	var names []string
	for _, e := range k.entries() {
		names = append(names, e.action)
	}
	return names
}

// pressed says whether a key press is one of the bindings'. Keys that arrive as text of more than
// one character are typing, whatever they spell: an input method may commit the word "end".
func pressed(msg tea.KeyPressMsg, bindings ...key.Binding) bool {
	if utf8.RuneCountInString(msg.Text) > 1 {
		return false
	}
	return key.Matches(msg, bindings...)
}

// firstKey is the key of a binding that hints name.
func firstKey(b key.Binding) string {
	if keys := b.Keys(); len(keys) > 0 {
		return keys[0]
	}
	return "(no key)"
}
