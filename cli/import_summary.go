//go:build cgo

package cli

import (
	"fmt"
	"strings"

	"winnow/cli/report"
	"winnow/session/transfer"
	"winnow/ui/theme"
)

// tally is how many conversations became what.
type tally struct {
	New   int `json:"new"`
	Grown int `json:"grown"` // they were here already, with fewer messages
	Added int `json:"added"` // the messages that are new, of both
	Here  int `json:"here"`  // nothing of them is new
	Trash int `json:"trash"` // they are in the trash and stay there
	Empty int `json:"empty"` // they hold no message
	Lost  int `json:"lost"`  // they could not be read

	grownBy int // the messages that are new in those that have grown
}

func (in *importing) tally() tally {
	var t tally
	for _, one := range in.all {
		if one.err != nil {
			continue
		}
		t.Added += one.Added
		switch {
		case one.New:
			t.New++
		case one.Added > 0:
			t.Grown++
			t.grownBy += one.Added
		case !one.Session.Deleted.IsZero():
			t.Trash++
		case one.Again:
			t.Here++
		case len(one.Errors) > 0:
			t.Lost++
		default:
			t.Empty++
		}
	}
	return t
}

// writeSummary says what was imported and how to open it.
func (in *importing) writeSummary() error {
	if len(in.all) == 0 {
		return nil
	}
	if one := in.all[0]; len(in.all) == 1 && one.Place == 0 {
		return in.summarizeOne(one)
	}
	t := in.tally()
	here := t.New + t.Grown + t.Here + t.Trash
	if here == 0 {
		return nil
	}
	conversations := here + t.Empty + t.Lost
	text := theme.Plural(conversations, "conversation") + ": " + t.String()
	if in.try {
		text += " (dry run; nothing was stored)."
	} else if t.New+t.Grown > 0 {
		text += ". List them with: winnow sessions list"
	}
	_, err := fmt.Fprintln(in.p.out, text)
	return err
}

// String says what became of the conversations.
func (t tally) String() string {
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{
		{t.New, fmt.Sprintf("%d new", t.New)},
		{t.Grown, fmt.Sprintf("%d extended by %s", t.Grown, theme.Plural(t.grownBy, "message"))},
		{t.Here, fmt.Sprintf("%d already here", t.Here)},
		{t.Trash, fmt.Sprintf("%d in the trash", t.Trash)},
		{t.Empty, fmt.Sprintf("%d empty", t.Empty)},
		{t.Lost, fmt.Sprintf("%d not imported", t.Lost)},
	} {
		if part.n > 0 {
			parts = append(parts, part.text)
		}
	}
	return strings.Join(parts, ", ")
}

// summarizeOne says what became of a file that is one conversation.
func (in *importing) summarizeOne(one arrived) error {
	s := one.Session
	if one.err != nil || s.Messages == 0 {
		return nil
	}
	var text string
	switch {
	case one.Again:
		text = fmt.Sprintf("This conversation was imported before and has %s now; nothing was imported. Open it "+
			"with: winnow -s %s", theme.Plural(s.Messages, "message"), s.ID)
	case in.try:
		text = fmt.Sprintf("%s would be imported; nothing was stored.", theme.Plural(s.Messages, "message"))
	default:
		text = fmt.Sprintf("Imported %s. Open the conversation with: winnow -s %s", theme.Plural(s.Messages, "message"),
			s.ID)
	}
	_, err := fmt.Fprintln(in.p.out, text)
	return err
}

// maxShown is how many remarks of one kind are written out.
const maxShown = 10

// writeRemarks writes what was not imported, and what is odd about what was, the first ones of each. The error of a
// file that is the only one is said as the program ends.
func (in *importing) writeRemarks() {
	for _, kind := range []struct {
		lead string
		of   func(arrived) []transfer.Remark
	}{
		{"not imported: ", func(one arrived) []transfer.Remark { return one.Errors }},
		{"", func(one arrived) []transfer.Remark { return one.Warnings }},
	} {
		written := map[bool]int{} // by whether it is about a message
		for _, one := range in.all {
			for _, r := range kind.of(one) {
				ofMessage := r.Message != ""
				if written[ofMessage]++; written[ofMessage] <= maxShown {
					text := report.Sentence(in.where(one, r) + r.String())
					fmt.Fprintf(in.p.err, "winnow: %s%s\n", kind.lead, text)
				}
			}
		}
		if more := max(0, written[true]-maxShown) + max(0, written[false]-maxShown); more > 0 {
			fmt.Fprintf(in.p.err, "winnow: %s%s; --json lists them all\n", kind.lead,
				theme.PluralOf(more, "more remark", "more remarks"))
		}
	}
	if in.files() > 1 {
		for _, one := range in.all {
			if one.err != nil {
				fmt.Fprintf(in.p.err, "winnow: %s\n", report.ErrorText(one.err))
			}
		}
	}
}

// where names the file and the conversation that a remark is about, where there are several.
func (in *importing) where(one arrived, r transfer.Remark) string {
	at := ""
	if in.files() > 1 {
		at = one.file + ", "
	}
	if one.Place > 0 && r.Line == 0 {
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
