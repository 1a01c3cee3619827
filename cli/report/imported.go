package report

import (
	"fmt"
	"strings"

	"winnow/session/transfer"
	"winnow/ui/theme"
)

// ImportReport is an import of files and what became of it.
type ImportReport struct {
	Conversations []ImportedConversation
}

// ImportedConversation is one conversation.
type ImportedConversation struct {
	File string
	transfer.Imported
}

// outcomes are what can become of a conversation.
var outcomes = []string{"new", "extended", "already here", "in the trash", "empty", "not imported"}

// outcome is what became of the conversation.
func (i ImportedConversation) outcome() string {
	switch {
	case i.New:
		return "new"
	case i.Added > 0:
		return "extended"
	case !i.Session.Deleted.IsZero():
		return "in the trash"
	case i.Again:
		return "already here"
	case len(i.Errors) > 0:
		return "not imported"
	}
	return "empty"
}

// Table says what was imported and how to open it.
func (in ImportReport) Table(p *Page) {
	of := map[string]int{}
	for _, one := range in.Conversations {
		of[one.outcome()]++
	}
	var parts []string
	for _, fate := range outcomes {
		if of[fate] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of[fate], fate))
		}
	}
	n := len(in.Conversations)
	switch text := theme.Plural(n, "conversation") + ": " + strings.Join(parts, ", "); {
	case n == 0, n == 1 && of["empty"] == 1:
	case n == 1 && in.Conversations[0].Session.Messages > 0:
		p.Line("%s. Open it with: winnow -s %s", text, in.Conversations[0].Session.ID)
	default:
		p.Line("%s. List them with: winnow sessions list", text)
	}
}

// Remarks are what was not imported, then what is odd about what was. named says that there are several files.
func (in ImportReport) Remarks(named bool) []string {
	var lost, odd []string
	for _, one := range in.Conversations {
		at := ""
		if named {
			at = one.File + ": "
		}
		if one.Place > 0 {
			at += fmt.Sprintf("conversation %d, %q: ", one.Place, one.Title)
		}
		for _, r := range one.Errors {
			lost = append(lost, SafeLine("not imported: "+at+r.String()))
		}
		for _, r := range one.Warnings {
			odd = append(odd, SafeLine(at+r.String()))
		}
	}
	return append(lost, odd...)
}
