package ui

import (
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
	Reveal    key.Binding
	Help      key.Binding
	Ask       key.Binding
	Focus     key.Binding
	FocusBack key.Binding
	PageUp    key.Binding
	PageDown  key.Binding

	// In the draft.
	Send    key.Binding
	SendCut key.Binding
	Newline key.Binding
	Older   key.Binding
	Newer   key.Binding
	Recall  key.Binding
	Editor  key.Binding
	Open    key.Binding
	Slash   key.Binding
	Quit    key.Binding

	// In the transcript and the panel.
	Down        key.Binding
	Up          key.Binding
	Next        key.Binding
	Prev        key.Binding
	HalfDown    key.Binding
	HalfUp      key.Binding
	Top         key.Binding
	Bottom      key.Binding
	Boundary    key.Binding
	Inspect     key.Binding
	Expand      key.Binding
	Copy        key.Binding
	CopyCode    key.Binding
	Again       key.Binding
	Edit        key.Binding
	VersionBack key.Binding
	VersionOn   key.Binding
	Fork        key.Binding
	Trail       key.Binding
	Pin         key.Binding
	Exclude     key.Binding
	Auto        key.Binding
	TakeBack    key.Binding
	Find        key.Binding
	NextHit     key.Binding
	PrevHit     key.Binding
	Select      key.Binding
	Pick        key.Binding
	Seen        key.Binding
	WhatIf      key.Binding
	Repairs     key.Binding
	Request     key.Binding

	// In the panel.
	Earlier key.Binding
	Later   key.Binding
	Compare key.Binding
	Adopt   key.Binding

	// In the inspector.
	NextView key.Binding
	PrevView key.Binding

	// In the inspector, on the whole request.
	Fold    key.Binding
	FoldAll key.Binding

	// In lists.
	Choose   key.Binding
	ListUp   key.Binding
	ListDown key.Binding

	// In the list of sessions.
	AllText key.Binding
	Shelves key.Binding
	Rename  key.Binding
	Tags    key.Binding
	PinTop  key.Binding
	Archive key.Binding
	Delete  key.Binding
	Restore key.Binding
	Undo    key.Binding
	ForkOff key.Binding

	// In the list of repairs.
	Remedy key.Binding

	// In the composer of a session that another window has.
	Away key.Binding
	Take key.Binding

	// When a tool call asks for permission.
	Allow  key.Binding
	Refuse key.Binding
}

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
		Reveal:    b("show or hide secrets", "f3"),
		Help:      b("help", "f1"),
		Ask:       b("help, where no text is being typed", "?"),
		Focus:     b("next pane: draft, transcript, panel", "tab"),
		FocusBack: b("the pane before", "shift+tab"),
		PageUp:    b("transcript a page up", "pgup"),
		PageDown:  b("transcript a page down", "pgdown"),

		Send:    b("send", "enter"),
		SendCut: b("send a message cut that does not fit", "ctrl+y"),
		Newline: b("new line", "shift+enter", "alt+enter", "ctrl+j"),
		Older:   b("up, on the first line the prompt before", "up"),
		Newer:   b("down, on the last line the prompt after", "down"),
		Recall:  b("search the prompts sent", "ctrl+r"),
		Editor:  b("write the draft in $EDITOR", "ctrl+g"),
		Open:    b("open a pasted text", "ctrl+o"),
		Slash:   b("commands, on an empty draft", "/"),
		Quit:    b("quit, on an empty draft", "ctrl+d"),

		Down:        b("line down", "j", "down"),
		Up:          b("line up", "k", "up"),
		Next:        b("next message", "J", "shift+down"),
		Prev:        b("previous message", "K", "shift+up"),
		HalfDown:    b("half a page down", "ctrl+d"),
		HalfUp:      b("half a page up", "ctrl+u"),
		Top:         b("first message", "g", "home"),
		Bottom:      b("last message, and follow", "G", "end"),
		Boundary:    b("first message that the model sees", "'"),
		Inspect:     b("what the model gets of the message", "enter"),
		Expand:      b("expand or collapse", "ctrl+o"),
		Copy:        b("copy the message", "y"),
		CopyCode:    b("copy its last code block", "Y"),
		Again:       b("answer the turn again, as another version", "r"),
		Edit:        b("edit a message of yours, as another version", "e"),
		VersionBack: b("the version before, with its branch", "["),
		VersionOn:   b("the next version, with its branch", "]"),
		Fork:        b("fork: go on from the message in a session of its own", "f"),
		Trail:       b("go where the session was forked from, or to a fork of it", "b"),
		Pin:         b("pin: always sent whole", "p"),
		Exclude:     b("exclude: never sent", "x"),
		Auto:        b("back to automatic", "o"),
		TakeBack:    b("undo the last pin, exclude or automatic", "u"),
		Find:        b("search, and say what the model still knows", "/"),
		NextHit:     b("next hit", "n"),
		PrevHit:     b("previous hit", "N"),
		Select:      b("begin a range, or keep it", "v"),
		Pick:        b("select one message, or not", "space"),
		Seen:        b("what the model saw for this answer", "c"),
		WhatIf:      b("try other settings out", "w"),
		Repairs:     b("what was mended, and what is sent instead", "m"),
		Request:     b("the whole request, as it is sent", "i"),

		Earlier: b("the request before", "left", "h"),
		Later:   b("the request after", "right", "l"),
		Compare: b("compare two requests: mark one, then the other", "d"),
		Adopt:   b("use the context window that the server really has", "W"),

		NextView: b("next view", "tab"),
		PrevView: b("the view before", "shift+tab"),

		Fold:    b("collapse or expand the message", "enter", "space", "ctrl+o"),
		FoldAll: b("collapse or expand all messages", "O"),

		Choose:   b("choose", "enter"),
		ListUp:   b("up", "up", "ctrl+k"),
		ListDown: b("down", "down", "ctrl+j"),

		AllText: b("search the text of all messages, or the titles again", "tab"),
		Shelves: b("sessions in use, in the archive, in the trash", "shift+tab"),
		Rename:  b("rename the session", "ctrl+e"),
		Tags:    b("give the session tags", "ctrl+t"),
		PinTop:  b("pin the session on top, or not", "ctrl+p"),
		Archive: b("put the session into the archive, or back in use", "ctrl+a"),
		Delete:  b("delete the session to the trash; there, for good", "ctrl+d", "delete"),
		Restore: b("bring the session back from the trash", "ctrl+r"),
		ForkOff: b("fork the session at its end", "ctrl+f"),
		Undo:    b("undo the last change of a session, and the one before it", "ctrl+u"),

		Remedy: b("send a damaged call otherwise: mended, as text, not at all", "t"),

		Away: b("go on in a fork of the session", "ctrl+f"),
		Take: b("take the session, once the other window has let go of it", "enter"),

		Allow:  b("run the tool call once", "y"),
		Refuse: b("don't run it", "n"),
	}
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
