package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// SessionList is a list of sessions.
type SessionList []store.Session

// Table writes a row for each session.
func (s SessionList) Table(p *Page) {
	ids := shortIDs(s)
	for _, one := range s {
		mark := ""
		if one.Pinned {
			mark = "pinned "
		}
		p.Row(ids[one.ID], one.Updated.Local().Format(minute), theme.Plural(one.Turns, "turn"), SessionModel(one),
			mark+ShortLine(SessionTitle(one)))
	}
}

// Conversation is a session with the messages of its active branch.
type Conversation struct {
	Session  store.Session
	Cost     record.CostSum // of its requests on all branches
	Messages []store.Message
}

// Table writes the session as text.
func (c Conversation) Table(p *Page) {
	cost := ""
	switch {
	case c.Cost.Priced == 0:
	case c.Cost.Priced < c.Cost.Requests:
		cost = fmt.Sprintf(" · %s for %d of %d requests", c.Cost, c.Cost.Priced, c.Cost.Requests)
	default:
		cost = " · " + c.Cost.String()
	}
	info := c.Session
	p.Text(SessionTitle(info))
	p.Text(fmt.Sprintf("%s · %s · %s%s", info.ID, SessionModel(info), theme.Plural(info.Turns, "turn"), cost))
	for _, m := range c.Messages {
		p.Text("\n── " + messageHead(m))
		for _, call := range m.ToolCalls {
			p.Text(fmt.Sprintf("calls %s(%s)", call.Name, call.Arguments))
		}
		for _, part := range m.Parts {
			p.Text(fmt.Sprintf("attached %s, %s", ShortLine(cmp.Or(part.Name, string(part.Kind))),
				theme.Size(len(part.Text)+len(part.Data))))
		}
		if m.Damaged {
			p.Text("[damaged: this differs from what was stored; the readable part follows]")
			p.Text(markdown.Visible(m.Remains))
		} else {
			p.Text(m.Content)
		}
	}
}

// messageHead returns the heading of a message: its number, role, model and status.
func messageHead(m store.Message) string {
	head := fmt.Sprintf("%d %s", m.Seq, m.Role)
	if m.Label != "" {
		head += " [" + m.Label + "]"
	}
	if m.Model != "" {
		head += " " + m.Model
	}
	if m.Status != "complete" && m.Status != "imported" {
		head += ", " + string(m.Status)
	}
	return head
}

// SearchHits is the result of a search.
type SearchHits []store.SearchHit

// Table writes two lines for each hit: where it is, and its snippet.
func (h SearchHits) Table(p *Page) {
	var all []store.Session
	for _, hit := range h {
		if !slices.ContainsFunc(all, func(s store.Session) bool { return s.ID == hit.Session.ID }) {
			all = append(all, hit.Session)
		}
	}
	ids := shortIDs(all)
	for _, hit := range h {
		where := ""
		if !hit.Session.Deleted.IsZero() {
			where = "in the trash  "
		}
		p.Text(fmt.Sprintf("%s  %s  %s  %s%s", ids[hit.Session.ID], hit.At.Local().Format(minute),
			markdown.OneLine(string(hit.Role), 20), where, ShortLine(SessionTitle(hit.Session))))
		p.Text("    " + boldMatches(hit, p.BoldMatches))
	}
}

// boldMatches returns the snippet of a hit with the matches in bold, and all control characters made visible.
func boldMatches(h store.SearchHit, bold bool) string {
	before, after := "", ""
	if bold {
		before, after = "\x1b[1m", "\x1b[22m"
	}
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		b.WriteString(markdown.Visible(h.Snippet[at:m[0]]) + before + markdown.Visible(h.Snippet[m[0]:m[1]]) + after)
		at = m[1]
	}
	return b.String() + markdown.Visible(h.Snippet[at:])
}
