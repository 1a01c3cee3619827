//go:build cgo

package cli

import (
	"fmt"

	"winnow/session"
)

// mostShown is how many remarks about the same field are written out.
const mostShown = 10

// sayRemarks writes what was not imported, and what is odd about what was.
func (p *program) sayRemarks(im session.Imported) {
	p.sayEach("not imported: ", im.Errors)
	p.sayEach("", im.Warnings)
}

func (p *program) sayEach(lead string, remarks []session.Remark) {
	told := map[string]int{}
	var fields []string
	for _, r := range remarks {
		if r.Index >= 0 {
			if told[r.Field]++; told[r.Field] == mostShown+1 {
				fields = append(fields, r.Field)
			}
		}
		if told[r.Field] <= mostShown || r.Index < 0 {
			fmt.Fprintf(p.err, "winnow: %s%s\n", lead, p.sentence(r.String()))
		}
	}
	for _, field := range fields {
		fmt.Fprintf(p.err, "winnow: %s%s more, %s; --json lists them all\n", lead, messages(told[field]-mostShown), about(field))
	}
}

// about names what of a message a remark is about.
func about(field string) string {
	if field == "" {
		return "each as a whole"
	}
	return "each about its " + field
}

// importJSON is what sessions import --json writes. It is a contract: fields are added, never
// renamed or removed.
type importJSON struct {
	Session  string       `json:"session"`  // "" where nothing was imported
	Messages int          `json:"messages"` // of the session
	Again    bool         `json:"again"`    // it was there already
	Warnings []remarkJSON `json:"warnings"`
	Errors   []remarkJSON `json:"errors"` // what was not imported
}

type remarkJSON struct {
	Index int    `json:"index"` // the message's place in the file, from 0; -1 for the file
	Line  int    `json:"line"`  // from 1; 0 for the file
	Field string `json:"field"` // "" for all of the message
	What  string `json:"what"`
}

func importedJSON(im session.Imported) importJSON {
	return importJSON{im.Session.ID, im.Session.Messages, im.Again, remarksJSON(im.Warnings), remarksJSON(im.Errors)}
}

func remarksJSON(remarks []session.Remark) []remarkJSON {
	out := make([]remarkJSON, 0, len(remarks))
	for _, r := range remarks {
		out = append(out, remarkJSON(r))
	}
	return out
}
