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

// Sessions is a list of sessions.
type Sessions []store.Session

// Table writes a line for each session.
func (s Sessions) Table(p *Page) {
	ids := shortIDs(s)
	for _, one := range s {
		mark := ""
		if one.Pinned {
			mark = "pinned "
		}
		p.Row(ids[one.ID], one.Updated.Local().Format(minute), theme.Plural(one.Turns, "turn"), Ref(one),
			mark+Line(Title(one)))
	}
}

// Conversation is a session with the messages of its active branch.
type Conversation struct {
	Session  store.Session
	Cost     record.CostSum // of its requests, on every branch
	Messages []store.Message
}

// Table writes a session as text.
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
	p.Text(Title(info))
	p.Text(fmt.Sprintf("%s · %s · %s%s", info.ID, Ref(info), theme.Plural(info.Turns, "turn"), cost))
	for _, m := range c.Messages {
		p.Text("\n── " + messageHead(m))
		for _, call := range m.ToolCalls {
			p.Text(fmt.Sprintf("calls %s(%s)", call.Name, call.Arguments))
		}
		for _, part := range m.Parts {
			p.Text(fmt.Sprintf("attached %s, %s", Line(cmp.Or(part.Name, string(part.Kind))),
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

// messageHead names a message: its number, who speaks, and what is odd about it.
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

// Hits is what a search found.
type Hits []store.Hit

// Table writes two lines for each hit: where it is, and what it says.
func (h Hits) Table(p *Page) {
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
			markdown.OneLine(string(hit.Role), 20), where, Line(Title(hit.Session))))
		p.Text("    " + marked(hit, p.Bold))
	}
}

// marked is a hit's snippet with what was looked for in bold. All else that a terminal would act on is made visible.
func marked(h store.Hit, bold bool) string {
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
