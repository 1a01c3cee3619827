package report

import (
	"fmt"
	"strings"

	"winnow/session/transfer"
	"winnow/ui/theme"
)

// ImportReport describes an import of files.
type ImportReport struct {
	Conversations []ImportedConversation
}

// ImportedConversation is what became of one conversation of an import.
type ImportedConversation struct {
	File string
	transfer.Imported
}

// outcomes lists the possible outcomes in the order in which they are shown.
var outcomes = []string{"new", "extended", "already here", "in the trash", "empty", "not imported"}

// outcome says what became of the conversation.
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

// Table writes how many conversations were imported and how to open them.
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

// Remarks returns sentences about what was not imported, followed by warnings about what was. named adds the names of
// the files.
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
