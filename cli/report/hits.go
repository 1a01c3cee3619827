package report

import (
	"fmt"
	"slices"
	"strings"

	"winnow/session/store"
	"winnow/ui/markdown"
)

// Hits writes two lines for each hit: where it is, and what it says. With bold, what was looked for stands out
// by the terminal's attributes; all else that a terminal would act on is visible.
func Hits(hits []store.Hit, bold bool) string {
	var all []store.Session
	for _, h := range hits {
		if !slices.ContainsFunc(all, func(s store.Session) bool { return s.ID == h.Session.ID }) {
			all = append(all, h.Session)
		}
	}
	ids := map[string]string{}
	for i, id := range ShortIDs(all) {
		ids[all[i].ID] = id
	}
	before, after := "", ""
	if bold {
		before, after = "\x1b[1m", "\x1b[22m"
	}
	var b strings.Builder
	for _, h := range hits {
		where := ""
		if !h.Session.Deleted.IsZero() {
			where = "in the trash  "
		}
		fmt.Fprintf(&b, "%s  %s  %s  %s%s\n    %s\n", ids[h.Session.ID], h.At.Local().Format("2006-01-02 15:04"),
			markdown.OneLine(string(h.Role), 20),
			where, Line(Title(h.Session)), marked(h, before, after))
	}
	return b.String()
}

// marked is a hit's snippet with something before and after each of its marks.
func marked(h store.Hit, before, after string) string {
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		b.WriteString(markdown.Visible(h.Snippet[at:m[0]]) + before + markdown.Visible(h.Snippet[m[0]:m[1]]) + after)
		at = m[1]
	}
	return b.String() + markdown.Visible(h.Snippet[at:])
}

// hitJSON is a hit in sessions search --json. It is a contract: fields are added, never renamed or
// removed.
type hitJSON struct {
	Session sessionJSON `json:"session"` // its match is the snippet
	Message int64       `json:"message"` // as the id in sessions show --json
	Role    string      `json:"role"`
	Created string      `json:"created"` // when it was said, RFC 3339, UTC
	Snippet string      `json:"snippet"`
	Marks   [][2]int    `json:"marks"` // what was found: byte ranges of the snippet, [from, to)
}

// HitsJSON is what sessions search --json writes.
func HitsJSON(hits []store.Hit) any {
	out := make([]hitJSON, 0, len(hits))
	for _, h := range hits {
		h.Session.Match = h.Snippet
		out = append(out, hitJSON{
			Session: oneSession(h.Session), Message: h.Message, Role: string(h.Role), Created: stamp(h.At),
			Snippet: h.Snippet, Marks: append([][2]int{}, h.Marks...),
		})
	}
	return out
}
