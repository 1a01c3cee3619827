package plain

import (
	"fmt"
	"strings"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/theme"
)

// planText says in a sentence what a request holds.
func planText(p history.Plan) string {
	sent := 0
	for _, e := range p.Entries {
		if e.Sent() {
			sent++
		}
	}
	return fmt.Sprintf("Sending %s of %s, about %s tokens.", theme.Thousands(sent),
		theme.Plural(len(p.Entries), "message"), theme.Thousands(p.Sum.Tokens(p.Sum.Total)))
}

// verdict is a verdict in words: "cut to 150 of 2,310 characters". It is "" for a message that is sent whole and as it
// is.
func verdict(e history.Entry) string {
	if e.Disposition == history.Cut {
		return fmt.Sprintf("cut to %s of %s characters", theme.Thousands(e.CharsAfter), theme.Thousands(e.CharsBefore))
	}
	return theme.Verdict(e)
}

// changed are the messages with another verdict than was said of them last, one line each. Messages side by side with
// the same verdict share a line.
func (c *chat) changed(p history.Plan) []string {
	var out []string
	for i := 0; i < len(p.Entries); i++ {
		e := p.Entries[i]
		now := verdict(e)
		if now == c.verdicts[e.ID] {
			continue
		}
		from := i
		for i+1 < len(p.Entries) && verdict(p.Entries[i+1]) == now && c.verdicts[p.Entries[i+1].ID] != now {
			i++
		}
		for _, e := range p.Entries[from : i+1] {
			c.verdicts[e.ID] = now
		}
		if now == "" {
			now = "sent whole again"
		}
		out = append(out, named(p.Entries[from], p.Entries[i])+": "+now)
	}
	return out
}

// named says which messages a line is about.
func named(from, to history.Entry) string {
	if from.Index == to.Index {
		return fmt.Sprintf("message %s, %s", theme.Thousands(from.Index+1), theme.Speaker(from.Role))
	}
	return fmt.Sprintf("messages %s to %s", theme.Thousands(from.Index+1), theme.Thousands(to.Index+1))
}

// Receipt says in words what an answer saw and cost.
func Receipt(r record.Receipt) string {
	parts := []string{fmt.Sprintf("saw %s of %s", theme.Thousands(r.Sent()), theme.Plural(r.Stored, "message"))}
	for _, p := range []struct {
		n    int
		what string
	}{{r.Cut, "cut"}, {r.Dropped, "dropped"}, {r.Recalled, "recalled"}, {r.Repaired, "repaired"}} {
		if p.n > 0 {
			parts = append(parts, theme.Thousands(p.n)+" "+p.what)
		}
	}
	in := "about " + theme.Thousands(r.Expected)
	if r.Usage.Prompt > 0 {
		in = theme.Thousands(r.Usage.Prompt)
	}
	in += " tokens in"
	if r.Usage.Answer > 0 {
		in += ", " + theme.Thousands(r.Usage.Answer) + " out"
	}
	if parts = append(parts, in); r.Unread > 0 {
		parts = append(parts, "the server read only a part")
	}
	if cost := r.Cost.String(); cost != "" {
		parts = append(parts, "cost "+cost)
	}
	if r.Took > 0 {
		parts = append(parts, theme.Duration(r.Took))
	}
	return strings.Join(parts, ", ")
}
