package ui

import (
	"fmt"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// arriving is the item of the answer that streams; it takes the stored message's id when it has
// one. Items of tool calls have the numbers below it.
const arriving = -1

// chat is the transcript with the messages behind it.
type chat struct {
	list      *transcript.Model
	messages  []store.Message
	place     map[int64]int     // by message id
	owner     map[int64]int64   // the message of a tool call's item
	callIDs   map[int64][]int64 // the items of a message's tool calls
	calls     int64             // items of tool calls made so far
	plan      history.Plan
	streaming bool
	reasoning bool // reasoning is unfolded
	receipts  map[int64]session.Receipt
	firstRead int              // index of the first message that the server can have read of the request shown; 0 is all
	trails    map[int64]string // where other conversations begin or end, by message
	edited    int64            // the message that is being edited, 0 for none
	name      string           // the model that answers, in short
	holds     func(int64) bool // a message is selected
	find      *find
	width     int
	styles    theme.Styles
}

// newChat returns an empty chat. More says how much of a very long message is not shown, and what helps.
func newChat(more func(bytes int) string) chat {
	return chat{list: transcript.New(transcript.Options{More: more}), place: map[int64]int{}, owner: map[int64]int64{}, callIDs: map[int64][]int64{}, receipts: map[int64]session.Receipt{}}
}

func (c *chat) restyle(st theme.Styles) {
	c.styles = st
	c.list.SetStyles(transcript.Styles{
		Label: func(it transcript.Item) lipgloss.Style {
			switch it.Role {
			case history.User:
				return st.User
			case history.Assistant:
				return st.Model
			case history.System:
				return st.System
			}
			return st.Tool
		},
		Reasoning: st.Dim, Note: st.Warn, Footer: st.Faint, Fold: st.Dim, Rule: st.Accent, Cursor: st.Focus,
		Found: st.Found, Hit: st.Hit, Head: st.Accent, Trail: st.Accent,
	}, st.Markdown)
}

func (c *chat) resize(w, h int) {
	c.width = w
	c.list.SetSize(w, h)
}

// reset shows other messages.
func (c *chat) reset(messages []store.Message) {
	c.messages, c.place, c.plan, c.streaming, c.calls = nil, map[int64]int{}, history.Plan{}, false, 0
	c.owner, c.callIDs = map[int64]int64{}, map[int64][]int64{}
	c.receipts, c.trails, c.edited = map[int64]session.Receipt{}, nil, 0
	c.list.ClearBoundary()
	if c.find != nil {
		c.find.forget() // what was found stands elsewhere now, or nowhere
	}
	c.list.SetMarks(c.mark)
	c.list.SetItems(nil)
	c.keep(messages)
	c.list.SetItems(c.items(messages))
}

// keep notes messages behind the list, at the end.
func (c *chat) keep(messages []store.Message) {
	for i := range messages {
		c.place[messages[i].ID] = len(c.messages) + i
	}
	c.messages = append(c.messages, messages...)
}

// prepend shows the messages that opening a session left out, and the receipts of the answers. The slice of
// all messages is the chat's from then on: there may be very many.
func (c *chat) prepend(all []store.Message, receipts map[int64]session.Receipt) {
	for id, r := range receipts {
		c.receipts[id] = r
	}
	older := 0
	for len(c.messages) > 0 && older < len(all) && all[older].ID != c.messages[0].ID {
		older++
	}
	if older == len(all) {
		older = 0
	}
	shown := c.messages
	if older > 0 {
		c.messages, c.place = all[:older], make(map[int64]int, len(all))
		for i := range c.messages {
			c.place[c.messages[i].ID] = i
		}
		c.keep(shown)
		c.list.Prepend(c.items(all[:older])...)
	}
	for _, m := range shown {
		if it, ok := c.list.Item(m.ID); ok && it.Footer == "" && m.Request != 0 {
			c.list.Replace(m.ID, c.item(m))
		}
	}
}

// add shows one more stored message.
func (c *chat) add(m store.Message, r session.Receipt) {
	if m.Request != 0 && r.Stored+r.Estimate > 0 {
		c.receipts[m.Request] = r
	}
	c.keep([]store.Message{m})
	c.list.Append(c.items([]store.Message{m})...)
}

// stream adds to the answer that arrives.
func (c *chat) stream(text, reasoning string) {
	if !c.streaming {
		c.streaming = true
		c.list.Append(transcript.Item{ID: arriving, Role: history.Assistant, Label: c.name})
		if c.reasoning {
			c.list.ToggleReasoning(arriving)
		}
	}
	c.list.Write(arriving, text, reasoning)
}

// answer puts the stored answer in the place of the one that streamed.
func (c *chat) answer(m store.Message, r session.Receipt) {
	if !c.streaming {
		c.add(m, r)
		return
	}
	c.streaming = false
	c.receipts[m.Request] = r
	c.keep([]store.Message{m})
	c.list.Replace(arriving, c.item(m))
	c.list.Append(c.callItems(m)...)
}

// settle ends a turn: what streamed and was never stored says so.
func (c *chat) settle() {
	if !c.streaming {
		return
	}
	c.streaming = false
	it, ok := c.list.Item(arriving)
	if !ok {
		return
	}
	c.calls++
	it.ID, it.Note = arriving-c.calls, "not saved"
	c.list.Replace(arriving, it)
}

// follow shows another branch of the conversation. The verdicts on messages that both have stay until
// the next plan.
func (c *chat) follow(messages []store.Message) {
	plan, receipts, trails := c.plan, c.receipts, c.trails
	cursor, selected := c.list.Cursor()
	c.reset(nil)
	c.receipts, c.trails = receipts, trails
	c.keep(messages)
	c.list.SetItems(c.items(messages))
	if selected && !c.goTo(cursor) {
		c.newest()
	}
	c.judge(plan)
}

// lead shows where other conversations part from this one, by message.
func (c *chat) lead(trails map[int64]string) {
	was := c.trails
	c.trails = trails
	for id := range was {
		if trails[id] != was[id] {
			c.refresh(id)
		}
	}
	for id := range trails {
		if trails[id] != was[id] {
			c.refresh(id)
		}
	}
}

// refresh draws a message anew.
func (c *chat) refresh(id int64) {
	if i, ok := c.place[id]; ok {
		c.list.Replace(id, c.item(c.messages[i]))
	}
}

// cutBehind takes what follows a message off the screen: another branch goes on from there. 0 is the
// beginning.
func (c *chat) cutBehind(message int64) {
	at := -1
	if i, ok := c.place[message]; ok {
		at = i
	} else if message != 0 {
		return
	}
	if at+1 < len(c.messages) {
		c.follow(c.messages[:at+1])
	}
}

// judge shows the verdicts of a plan beside the messages.
func (c *chat) judge(plan history.Plan) { c.judgeRead(plan, 0) }

// judgeRead is judge for a request of which the server read only the messages from an index on.
func (c *chat) judgeRead(plan history.Plan, first int) {
	c.plan, c.firstRead = plan, first
	c.list.SetMarks(c.mark)
	c.list.ClearBoundary()
	if c.find != nil {
		c.find.judge(c)
	}
	if id, above, ok := c.seenFrom(); ok {
		c.list.SetBoundary(id, above)
	}
}

// seenFrom is the message behind the last one that fell out of the plan: from there on the model sees the
// conversation. above is how many of those in front of it the model sees too: the opening, what is pinned and
// what is recalled. It is false where none fell out, or none stands behind it.
func (c *chat) seenFrom() (id int64, above int, ok bool) {
	entries := c.plan.Entries
	for i := len(entries) - 1; i >= 0; i-- {
		if !entries[i].FellOut() {
			continue
		}
		if i+1 == len(entries) {
			return 0, 0, false
		}
		for _, e := range entries[:i] {
			if e.Sent() {
				above++
			}
		}
		return entries[i+1].ID, above, true
	}
	return 0, 0, false
}

// verdict is the plan's entry of a message. The plan has one entry per message, in order.
func (c *chat) verdict(id int64) (history.Entry, bool) {
	i, ok := c.place[id]
	if ok && i < len(c.plan.Entries) && c.plan.Entries[i].ID == id {
		return c.plan.Entries[i], true
	}
	return history.Entry{}, false
}

func (c *chat) mark(id int64) transcript.Mark {
	selected := c.holds != nil && c.holds(id)
	hits := c.hitTag(id)
	if id == c.edited && hits == "" {
		hits = "being edited"
	}
	e, ok := c.verdict(id)
	if !ok {
		return transcript.Mark{Tag: hits, Style: c.styles.Accent, Selected: selected}
	}
	g := theme.Glyph(e)
	tag := theme.Word(e)
	if session.NotRead(e, c.firstRead) {
		g, tag = "⚠", theme.NotRead
	} else if e.Disposition == history.Cut {
		tag = fmt.Sprintf("✂ %s/%s", theme.Thousands(e.CharsAfter), theme.Thousands(e.CharsBefore))
	}
	if hits != "" {
		tag = hits
	}
	return transcript.Mark{Glyph: g, Tag: tag, Style: c.styles.OfGlyph(g), Selected: selected}
}

func (c *chat) empty() bool    { return c.list.Len() == 0 }
func (c *chat) view() []string { return c.list.Lines() }
