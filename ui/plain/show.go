package plain

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"winnow/history"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// show shows what happened in a turn, and asks what the turn asks.
func (c *chat) show(ctx context.Context, e session.Event) {
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
		c.say("(%s)", transcript.Receipt(e.Receipt))
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
		c.approve(ctx, e)
	case session.OverLimit:
		word := c.ask(ctx, e.Over.Sentence()+" Send it? raise changes the limit for this chat.", "no", "yes", "raise")
		e.Answer(map[string]limits.Answer{"no": limits.No, "yes": limits.Once, "raise": limits.Raise}[word])
	}
}

// approve asks whether a tool call may run.
func (c *chat) approve(ctx context.Context, e session.Asked) {
	from := ""
	if e.Server != "" {
		from = " of " + theme.OneLine(e.Server)
	}
	c.say("The model wants to call the tool %s%s with:", theme.OneLine(e.Call.Name), from)
	c.say("%s", e.Arguments.Object)
	if len(e.Arguments.Repairs) > 0 {
		c.say("These arguments were repaired: the model wrote something different.")
	}
	choices := map[string]approval.Choice{"no": approval.No, "reason": approval.No}
	words := []string{"no"}
	for _, choice := range e.Choices {
		word := strings.Replace(string(choice), string(approval.Once), "yes", 1)
		words, choices[word] = append(words, word), choice
	}
	word := c.ask(ctx, "Run it? session allows the tool in this chat, reason is no with a reason for the model.",
		append(words, "reason")...)
	answer := approval.Answer{Choice: choices[word]}
	if word == "reason" {
		reason, _ := c.newLine(ctx, "reason: ") // No reason is an answer too.
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

// sayChanged prints the messages with another verdict than was said of them last. Messages side by side with the same
// verdict share a line.
func (c *chat) sayChanged(p history.Plan) {
	for from := 0; from < len(p.Entries); from++ {
		now, to := theme.Verdict(p.Entries[from]), from
		for to < len(p.Entries) && theme.Verdict(p.Entries[to]) == now && c.verdicts[p.Entries[to].ID] != now {
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
