package record

import (
	"time"

	"winnow/history"
)

// Forecast is what the requests before tell about one that is planned.
type Forecast struct {
	Prefix Prefix

	// Losses are the messages that lose text for the first time in this conversation, as indexes into
	// plan.Entries: they are not sent whole, and were sent whole in every earlier request that knew them and
	// that something was answered to. Those that the user excludes or has left out, and those that hold
	// nothing to send or cannot be read, are none. A turn's own requests count as earlier ones once it has
	// ended. Before the first answer there are none: a conversation that was imported has lost nothing.
	Losses []int

	// Of the newest request that the server counted; nil where it read all, and after a change of the model.
	Shortfall *Shortfall
}

// Prefix is how much of a request a server may have read before, in counted tokens.
type Prefix struct {
	// The messages that the request and the one before it begin with alike, and the tool schemas in front of them.
	Tokens      int
	IfNextDrops int       // how many of those stay when the plan's Next loses its text
	Known       bool      // false where there is nothing to compare with
	Sent        time.Time // when the one before it was sent
}

// Forecast compares a plan for the model in use with the requests before it. Of a conversation that was opened nothing
// is known before Load.
func (p *Past) Forecast(plan history.Plan) Forecast {
	p.mu.Lock()
	before, model := p.known, p.model
	p.mu.Unlock()
	c := Forecast{Shortfall: before.shortfall}
	// What both requests begin with alike, the server of the same model may still know.
	if a := before.answered; a != nil && a.model == model {
		c.Prefix = a.prefix(plan)
	}
	if before.read && before.begun {
		c.Losses = losses(plan.Entries, before.cutShort)
	}
	return c
}

// prefix compares a plan with a request that was answered.
func (a *answered) prefix(plan history.Plan) Prefix {
	if a.tools != plan.Sum.Tools {
		return Prefix{Known: true, Sent: a.at} // They are what a model reads first.
	}
	alike := history.Alike(a.messages, plan.Messages)
	return Prefix{Tokens: a.upto[alike], IfNextDrops: a.upto[min(alike, plan.Stays)], Known: true, Sent: a.at}
}

// losses are the indexes of the entries that lose text and are not among the messages that did so before, whose
// ids are sorted. It is asked with every key, so it walks both lists at once: entries are nearly always sorted too.
func losses(entries []history.Entry, before []int64) []int {
	var list []int
	at := 0 // index into before
	for i := range entries {
		e := &entries[i]
		if e.Whole || e.LeftOut() || e.Disposition == history.Excluded || e.Disposition == history.Blank || e.Disposition == history.Isolated {
			continue
		}
		if at > 0 && before[at-1] >= e.ID {
			at = 0
		}
		for at < len(before) && before[at] < e.ID {
			at++
		}
		if at == len(before) || before[at] != e.ID {
			list = append(list, i)
		}
	}
	return list
}
