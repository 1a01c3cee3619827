package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
)

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
	inRequest    = "whole request"
	inLists      = "lists"
	inSessions   = "sessions"
	inRepairs    = "repairs"
	inElsewhere  = "session open elsewhere"
	inQuestion   = "tool question"
)

// entry names a binding for the table and for remapping.
type entry struct {
	where, action string
	binding       *key.Binding
}

// entries lists every binding in the order of the help screen.
func (k *KeyMap) entries() []entry {
	return []entry{
		{inDraft, "send", &k.Send},
		{inDraft, "send-cut", &k.SendCut},
		{inDraft, "newline", &k.Newline},
		{inDraft, "older", &k.Older},
		{inDraft, "newer", &k.Newer},
		{inDraft, "recall", &k.Recall},
		{inDraft, "editor", &k.Editor},
		{inDraft, "open", &k.Open},
		{inDraft, "commands", &k.Slash},
		{inDraft, "quit", &k.Quit},
		{everywhere, "back", &k.Back},
		{everywhere, "stop", &k.Stop},
		{everywhere, "context", &k.Context},
		{everywhere, "sessions", &k.Sessions},
		{everywhere, "models", &k.Models},
		{everywhere, "palette", &k.Palette},
		{everywhere, "new", &k.New},
		{everywhere, "reasoning", &k.Reason},
		{everywhere, "reveal", &k.Reveal},
		{everywhere, "focus", &k.Focus},
		{everywhere, "focus-back", &k.FocusBack},
		{everywhere, "page-up", &k.PageUp},
		{everywhere, "page-down", &k.PageDown},
		{everywhere, "suspend", &k.Suspend},
		{everywhere, "help", &k.Help},
		{everywhere, "ask", &k.Ask},
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
		{inTranscript, "edit", &k.Edit},
		{inTranscript, "version-back", &k.VersionBack},
		{inTranscript, "version-on", &k.VersionOn},
		{inTranscript, "fork", &k.Fork},
		{inTranscript, "trail", &k.Trail},
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
		{inPanel, "adopt-window", &k.Adopt},
		{inInspector, "next-view", &k.NextView},
		{inInspector, "previous-view", &k.PrevView},
		{inRequest, "collapse", &k.Fold},
		{inRequest, "collapse-all", &k.FoldAll},
		{inLists, "choose", &k.Choose},
		{inLists, "list-up", &k.ListUp},
		{inLists, "list-down", &k.ListDown},
		{inSessions, "all-text", &k.AllText},
		{inSessions, "shelves", &k.Shelves},
		{inSessions, "rename", &k.Rename},
		{inSessions, "tags", &k.Tags},
		{inSessions, "pin-on-top", &k.PinTop},
		{inSessions, "archive", &k.Archive},
		{inSessions, "delete", &k.Delete},
		{inSessions, "restore", &k.Restore},
		{inSessions, "undo", &k.Undo},
		{inSessions, "fork-session", &k.ForkOff},
		{inRepairs, "remedy", &k.Remedy},
		{inElsewhere, "fork-away", &k.Away},
		{inElsewhere, "take-over", &k.Take},
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

func (k KeyMap) actions() []string {
	var names []string
	for _, e := range k.entries() {
		names = append(names, e.action)
	}
	return names
}
