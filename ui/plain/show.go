package plain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/ui/theme"
)

// show shows what happened in a turn, and asks what the turn asks.
func (c *chat) show(ctx context.Context, e session.Event, stop func()) {
	switch e := e.(type) {
	case session.Planned:
		c.say("Sending %s", sums(e.Plan))
		c.sayChanged(e.Plan)
		c.say("%s:", theme.OneLine(e.Request.Model))
	case session.Delta:
		if c.thinking {
			c.write(e.Reasoning)
		}
		c.write(e.Text)
	case session.Answered:
		c.say("(%s)", Receipt(e.Receipt))
	case session.Running:
		c.say("Running %s.", theme.OneLine(e.Name))
	case session.Ran:
		c.say("%s returned %s.", theme.OneLine(e.Call.Name), theme.Plural(len([]rune(e.Message.Content)), "character"))
	case session.Notice:
		c.say("winnow: %s", theme.OneSentence(e.Text))
	case session.Waiting:
		if e.Changed == "" { // A notice says the rest.
			c.say("winnow: %s Trying again in %s.", theme.Sentence(e.Err), theme.Duration(e.After))
		}
	case session.Asked:
		c.approve(ctx, e, stop)
	case session.OverLimit:
		c.say("%s", theme.UpperFirst(theme.Sentence(errors.New(e.Over.Clause()))))
		word := c.choose(ctx, "Send it? yes, raise (the limit, for this chat) or no", stop, "no", "yes", "raise")
		e.Answer(map[string]limits.Answer{"no": limits.No, "yes": limits.Once, "raise": limits.Raise}[word])
	}
}

// approve asks whether a tool call may run.
func (c *chat) approve(ctx context.Context, e session.Asked, stop func()) {
	from := ""
	if e.Server != "" {
		from = " of " + theme.OneLine(e.Server)
	}
	c.say("The model wants to call the tool %s%s with:", theme.OneLine(e.Call.Name), from)
	c.say("%s", e.Arguments.Object)
	if len(e.Arguments.Repairs) > 0 {
		c.say("These arguments were repaired: the model wrote something different.")
	}
	words, question := []string{"no", "yes"}, "Run it? y: yes"
	if slices.Contains(e.Choices, approval.Session) {
		words, question = append(words, "session"), question+", s: yes, and its later calls in this chat"
	}
	if slices.Contains(e.Choices, approval.Forever) {
		words, question = append(words, "always"), question+", a: always"
	}
	word := c.choose(ctx, question+", n: no, r: no, with a reason for the model", stop, append(words, "reason")...)
	answer := approval.Answer{Choice: map[string]approval.Choice{
		"no": approval.No, "reason": approval.No, "yes": approval.Once,
		"session": approval.Session, "always": approval.Forever,
	}[word]}
	if word == "reason" {
		reason, _ := c.answer(ctx, "reason: ", stop) // No reason is an answer too.
		answer.Reason = strings.TrimSpace(reason)
	}
	e.Answer(answer)
}

// sums says how much a request holds: "3 of 5 messages, about 1,200 tokens."
func sums(p history.Plan) string {
	sent := 0
	for _, e := range p.Entries {
		if e.Sent() {
			sent++
		}
	}
	return fmt.Sprintf("%s of %s, about %s tokens.", theme.Thousands(sent), theme.Plural(len(p.Entries), "message"),
		theme.Thousands(p.Sum.Tokens(p.Sum.Total)))
}

// verdict is a verdict in words: "cut to 150 of 2,310 characters". It is "" for a message that is sent whole and as it
// is.
func verdict(e history.Entry) string {
	if e.Disposition == history.Cut {
		return fmt.Sprintf("cut to %s of %s characters", theme.Thousands(e.CharsAfter), theme.Thousands(e.CharsBefore))
	}
	return theme.Verdict(e)
}

// sayChanged prints the messages with another verdict than was said of them last. Messages side by side with the same
// verdict share a line.
func (c *chat) sayChanged(p history.Plan) {
	for from := 0; from < len(p.Entries); from++ {
		now, to := verdict(p.Entries[from]), from
		for to < len(p.Entries) && verdict(p.Entries[to]) == now && c.verdicts[p.Entries[to].ID] != now {
			c.verdicts[p.Entries[to].ID] = now
			to++
		}
		if to > from {
			c.say("  %s: %s", numbers(p.Entries[from:to]), cmp.Or(now, "sent whole again"))
			from = to - 1
		}
	}
}

// numbers says which messages a line is about.
func numbers(list []history.Entry) string {
	first, last := list[0], list[len(list)-1]
	if len(list) == 1 {
		return fmt.Sprintf("message %s, %s", theme.Thousands(first.Index+1), theme.Speaker(first.Role))
	}
	return fmt.Sprintf("messages %s to %s", theme.Thousands(first.Index+1), theme.Thousands(last.Index+1))
}

// Receipt says in words what an answer saw and cost.
func Receipt(r record.Receipt) string {
	parts := []string{fmt.Sprintf("saw %s of %s", theme.Thousands(r.Sent()), theme.Plural(r.Stored, "message"))}
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, theme.Thousands(n)))
		}
	}
	add(r.Cut, "%s cut")
	add(r.Dropped, "%s dropped")
	add(r.Recalled, "%s recalled")
	add(r.Repaired, "%s repaired")
	if add(r.Usage.Prompt, "%s tokens in"); r.Usage.Prompt == 0 {
		add(r.Expected, "about %s tokens in")
	}
	add(r.Usage.Answer, "%s out")
	if r.Unread > 0 {
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
