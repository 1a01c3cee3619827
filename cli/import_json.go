//go:build cgo

package cli

import (
	"winnow/cli/report"
	"winnow/session/transfer"
)

// importJSON is what sessions import --json writes. It is a contract: fields are added, never
// renamed or removed.
type importJSON struct {
	Session  string       `json:"session"`  // of the only conversation; "" where nothing was imported, and for several
	Messages int          `json:"messages"` // of all sessions
	Again    bool         `json:"again"`    // all of it was there already
	Warnings []remarkJSON `json:"warnings"`
	Errors   []remarkJSON `json:"errors"` // what was not imported

	DryRun        bool               `json:"dry_run"` // nothing was stored
	Counts        tally              `json:"counts"`
	Conversations []conversationJSON `json:"conversations"`
}

type conversationJSON struct {
	File     string `json:"file"`
	Position int    `json:"place"` // in the file, from 1; 0 where the file is one conversation
	Title    string `json:"title"`
	Session  string `json:"session"`  // "" where nothing was imported
	Messages int    `json:"messages"` // of the session
	New      bool   `json:"new"`
	Added    int    `json:"added"`
	Trash    bool   `json:"trash"`
}

type remarkJSON struct {
	File         string `json:"file"`
	Conversation int    `json:"conversation"` // its place, 0 where the file is one conversation
	Message      string `json:"message"`      // its id, or its number from 1; "" for the file or the conversation
	Line         int    `json:"line"`         // from 1, where the remark is about a line
	What         string `json:"what"`
}

// object is what became of the files. The error of the only one is said on standard error as well.
func (in *importing) object(names []string) importJSON {
	out := importJSON{
		DryRun: in.try, Counts: in.tally(), Warnings: []remarkJSON{}, Errors: []remarkJSON{},
		Conversations: []conversationJSON{},
	}
	for _, one := range in.all {
		out.Warnings = append(out.Warnings, remarksJSON(one, one.Warnings)...)
		out.Errors = append(out.Errors, remarksJSON(one, one.Errors)...)
		if one.err != nil {
			if len(names) > 1 {
				out.Errors = append(out.Errors, remarkJSON{What: report.ErrorText(one.err), File: one.file})
			}
			continue
		}
		s := one.Session
		out.Messages += s.Messages
		out.Conversations = append(out.Conversations, conversationJSON{
			File: one.file, Position: one.Place, Title: one.Title, Session: s.ID, Messages: s.Messages,
			New: one.New, Added: one.Added, Trash: !s.Deleted.IsZero(),
		})
	}
	if len(out.Conversations) == 1 {
		out.Session = out.Conversations[0].Session
	}
	out.Again = out.Counts.Here > 0 && out.Counts.Here == len(out.Conversations)
	return out
}

func remarksJSON(one arrived, remarks []transfer.Remark) []remarkJSON {
	out := make([]remarkJSON, 0, len(remarks))
	for _, r := range remarks {
		out = append(out, remarkJSON{one.file, one.Place, r.Message, r.Line, r.What})
	}
	return out
}
