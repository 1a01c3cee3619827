package history

import "slices"

// Summary is a text that stands for the oldest messages of a conversation. Somebody else has written
// it: history asks for it with Condense and places it.
type Summary struct {
	ID   int64  // the store's key
	Upto int64  // the newest message that it stands for, by Message.ID; it stands for all before that too
	Text string // what stands in the request
	By   string // the model that wrote it
}

// The frame of a summary.
const (
	summaryHead = "[Summary of what was said before]\n"
	summaryTail = "\n[End of the summary]"
)

// condense lets the summary stand for what it was made of, all but the opener and what is pinned.
// Where even the summary does not fit, nothing stands for them.
func (b *builder) condense() {
	if b.summarized || b.o.Summary == nil || !b.o.Policy.Summarizes() {
		return
	}
	condensed := false
	for i := range b.covered() {
		if b.barred(i) || b.depth[i] != out || b.opener.from <= i && i < b.opener.to {
			continue
		}
		b.why[i], condensed = whyCondensed, true
	}
	if !condensed {
		return
	}
	text := b.summary()
	cost := max(b.c.remembered(text+joint), b.c.remembered(joint+text))
	b.fixed += cost
	if b.summarized = b.need() <= b.room.counted; !b.summarized {
		b.fixed -= cost
	}
}

// covered is the number of views that the summary stands for.
func (b *builder) covered() int {
	if b.o.Summary == nil {
		return 0
	}
	at := slices.IndexFunc(b.views, func(v view) bool { return v.ID == b.o.Summary.Upto && !v.made })
	if at < 0 {
		at = b.lastBefore(b.o.Summary.Upto)
	}
	for at >= 0 && at+1 < len(b.views) && b.views[at+1].group == b.views[at].group {
		at++
	}
	return at + 1
}

// lastBefore is the last view of the messages up to one that has none itself, -1 for none.
func (b *builder) lastBefore(id int64) int {
	upto := slices.IndexFunc(b.c.past, func(m Message) bool { return m.ID == id })
	at := -1
	for i := range b.views {
		if b.views[i].group <= upto {
			at = i
		}
	}
	return at
}

func (b *builder) summary() string { return summaryHead + cleanText(b.o.Summary.Text) + summaryTail }

// Older are the messages that a model is to condense when the user asks for a summary now, the oldest
// first: all before the newest exchange that no summary stands for. It is empty where there are none.
func (c *Conversation) Older(o Options) []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, _ := c.chosen(o) // What does not fit can be condensed all the same.
	if len(b.t.exchanges) == 0 {
		return nil
	}
	var list []Message
	for i := b.covered(); i < b.t.exchanges[len(b.t.exchanges)-1].from; i++ {
		if m, ok := b.told(i); ok {
			list = append(list, m)
		}
	}
	return list
}

// told is the message of a view that a summary may hold, if it may.
func (b *builder) told(i int) (Message, bool) {
	v := &b.views[i]
	return b.c.past[v.from], !v.made && b.why[i] != whyExcluded
}

// Condense are the messages that a model is to condense before the request that o describes is built,
// the oldest first: where not everything fits whole, so many of those that no summary stands for that
// the policy's share of the room is free again. The newest exchange is never among them. It is empty
// where no summary is asked for or everything fits; the new summary stands for the old one's
// messages too.
func (c *Conversation) Condense(o Options) []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := c.chosen(o)
	if err != nil || o.Policy.SummarizeRatio == 0 || len(b.t.exchanges) == 0 {
		return nil
	}
	from, to := b.covered(), b.t.exchanges[len(b.t.exchanges)-1].from
	rest, short := 0, false
	for i := from; i < to; i++ {
		rest += b.views[i].tokens + frameMessage
		short = short || !b.barred(i) && (b.depth[i] == out || !b.form(i, b.depth[i]).shortened.whole())
	}
	if !short {
		return nil
	}
	most := float64(b.room.counted-b.fixed) * (1 - o.Policy.SummarizeRatio)
	var list []Message
	for i := from; i < to && (float64(rest) > most || i == from || b.views[i].exchange == b.views[i-1].exchange); i++ {
		rest -= b.views[i].tokens + frameMessage
		if m, ok := b.told(i); ok {
			list = append(list, m)
		}
	}
	return list
}
