package report

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/markdown"
)

// SessionTitle returns the title of a session, or "(no title)".
func SessionTitle(s store.Session) string {
	if s.Title == "" {
		return "(no title)"
	}
	return s.Title
}

// SessionModel returns the model of a session as endpoint/model, or "-" if it has none.
func SessionModel(s store.Session) string {
	if s.Endpoint == "" {
		return "-"
	}
	return s.Endpoint + "/" + s.Model
}

// ShortLine returns a text on one line of at most 80 cells, with control characters made visible.
func ShortLine(text string) string { return markdown.OneLine(text, 80) }

// SafeLine returns a text on one line of any length, with control characters made visible.
func SafeLine(text string) string {
	return strings.Join(strings.Fields(markdown.Visible(text)), " ")
}

// shortIDs maps the ids of sessions to shortened ids, or to themselves if those are ambiguous.
func shortIDs(list []store.Session) map[string]string {
	of := map[string]string{} // session ids by shortened id
	shown := map[string]string{}
	for _, s := range list {
		short := store.ShortID(s.ID)
		if other, taken := of[short]; taken {
			shown[other], short = other, s.ID
		} else {
			of[short] = s.ID
		}
		shown[s.ID] = short
	}
	return shown
}

// ErrorText returns the text of an error on one line, without control characters, because errors quote servers and
// files.
func ErrorText(err error) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, err.Error())
	return strings.Join(strings.Fields(clean), " ")
}

// minute is the layout of times.
const minute = "2006-01-02 15:04"

// count is a number with its label.
type count struct {
	what string
	n    int
}

// nonZero lists the counts that are not 0, or returns "none".
func nonZero(all ...count) string {
	var list []string
	for _, c := range all {
		if c.n != 0 {
			list = append(list, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

// role returns the role of a message, shortened: an invalid message may have any text as its role.
func role(r history.Role) string {
	return markdown.OneLine(string(r), 12)
}

// WindowText returns a context window in tokens, or "unknown" for 0.
func WindowText(window int) string {
	if window == 0 {
		return "unknown"
	}
	return fmt.Sprint(window)
}
