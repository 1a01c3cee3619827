//go:build cgo

package cli

import (
	"fmt"

	"winnow/session/transfer"
	"winnow/ui/theme"
)

// mostShown is how many remarks of one kind are written out.
const mostShown = 10

// remarkKind groups remarks that are alike.
type remarkKind struct{ lead, of, field string }

// sayRemarks writes what was not imported, and what is odd about what was. Of many remarks that are alike
// it writes the first. The error of a file that is the only one is said as the program ends.
func (in *importing) sayRemarks() {
	told := map[remarkKind]int{}
	var many []remarkKind
	say := func(lead string, one arrived, r transfer.Remark) {
		kind := remarkKind{lead, "conversation", r.Field}
		if r.Index >= 0 || r.Label != "" {
			kind.of = "message"
		}
		if told[kind]++; kind.of == "message" || one.Place > 0 {
			if told[kind] == mostShown+1 {
				many = append(many, kind)
			}
			if told[kind] > mostShown {
				return
			}
		}
		fmt.Fprintf(in.p.err, "winnow: %s%s\n", lead, in.p.sentence(in.where(one, r)+r.String()))
	}
	for _, one := range in.all {
		for _, r := range one.Errors {
			say("not imported: ", one, r)
		}
	}
	for _, one := range in.all {
		for _, r := range one.Warnings {
			say("", one, r)
		}
	}
	for _, kind := range many {
		fmt.Fprintf(in.p.err, "winnow: %s%s more, %s; --json lists them all\n", kind.lead, theme.Plural(told[kind]-mostShown, kind.of), about(kind.field))
	}
	if in.files() > 1 {
		for _, one := range in.all {
			if one.err != nil {
				fmt.Fprintf(in.p.err, "winnow: %s\n", sentence(one.err))
			}
		}
	}
}

// about names what of a message a remark is about.
func about(field string) string {
	if field == "" {
		return "each as a whole"
	}
	return "each about its " + field
}

// where names the file and the conversation that a remark is about, where there are several.
func (in *importing) where(one arrived, r transfer.Remark) string {
	at := ""
	if in.files() > 1 {
		at = one.file + ", "
	}
	if one.Place > 0 && (r.Line == 0 || r.Label != "") {
		at += fmt.Sprintf("conversation %d, ", one.Place)
		if one.Title != "" {
			at += fmt.Sprintf("%q, ", one.Title)
		}
	}
	if at == "" {
		return ""
	}
	return at[:len(at)-2] + ": "
}

// files is how many files took part so far.
func (in *importing) files() int {
	names := map[string]bool{}
	for _, one := range in.all {
		names[one.file] = true
	}
	return len(names)
}
