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

// SessionTitle is a session's title, in words where it has none.
func SessionTitle(s store.Session) string {
	if s.Title == "" {
		return "(no title)"
	}
	return s.Title
}

// SessionModel is the model of a session as endpoint/model, - where it has none.
func SessionModel(s store.Session) string {
	if s.Endpoint == "" {
		return "-"
	}
	return s.Endpoint + "/" + s.Model
}

// ShortLine makes a text safe and short enough for one line of a list.
func ShortLine(text string) string {
	return markdown.OneLine(text, 80)
}

// SafeLine makes a text safe for one line, however long.
func SafeLine(text string) string {
	return strings.Join(strings.Fields(markdown.Visible(text)), " ")
}

// shortIDLength is how much of an id is shown: the time it was made, to the millisecond. Ids that share
// it are shown whole.
const shortIDLength = 13

// shortIDs are the ids of sessions by their whole ids, cut where that leaves them apart.
func shortIDs(list []store.Session) map[string]string {
	of := map[string]string{} // by what is shown
	shown := map[string]string{}
	for _, s := range list {
		short := ShortSessionID(s.ID)
		if other, taken := of[short]; taken {
			shown[other], short = other, s.ID
		} else {
			of[short] = s.ID
		}
		shown[s.ID] = short
	}
	return shown
}

// ShortSessionID is the beginning of an id, which mostly is enough to name a session.
func ShortSessionID(id string) string { return id[:min(len(id), shortIDLength)] }

// ErrorText is an error's text on one line, without control characters: errors quote what servers
// and files hold.
func ErrorText(err error) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, err.Error())
	return strings.Join(strings.Fields(clean), " ")
}

// minute is how a time is shown to people.
const minute = "2006-01-02 15:04"

// count is a number and what it counts.
type count struct {
	what string
	n    int
}

// nonZero is the numbers that are not 0.
func nonZero(all ...count) string {
	var list []string
	for _, c := range all {
		if c.n != 0 {
			list = append(list, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

// role is a message's role. That of a quarantined one may be any text.
func role(r history.Role) string {
	return markdown.OneLine(string(r), 12)
}

// WindowText is a window in tokens, or that it is unknown.
func WindowText(window int) string {
	if window == 0 {
		return "unknown"
	}
	return fmt.Sprint(window)
}
