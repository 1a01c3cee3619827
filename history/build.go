package history

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Build decides one request from a history, the policy and the running turn. When what must be sent
// does not fit, the plan comes with a *OverBudgetError.
func Build(past []Message, o Options) (Plan, error) { return Read(past, o.Count).Build(o) }

// Build is the same for a history that is already read.
func (c *Conversation) Build(o Options) (Plan, error) {
	b := builder{c: c, o: o, room: measure(o.Policy, o.Window, o.Ratio), level: make([]Level, len(c.views)), out: map[int]bool{}}
	b.turn = Read(o.Turn, c.count)
	b.exclude()
	must := b.mandatory()
	err := b.choose(must)
	return b.render(), err
}

type builder struct {
	c     *Conversation
	turn  *Conversation
	o     Options
	room  room
	level []Level
	out   map[int]bool // groups the user excluded
	why   string       // why the next exchange is not in the request
}

func (b *builder) exclude() {
	for _, v := range b.c.views {
		if b.o.Flags[v.ID] == Exclude {
			b.out[v.group] = true
		}
	}
}

// mandatory is what a request costs before any history: prompt, schemas, turn, pins and a marker.
func (b *builder) mandatory() int {
	need := frameRequest + frameMessage + b.o.Tools + b.c.count(b.o.System) + b.c.count(b.o.Policy.Marker)
	for _, v := range b.turn.views {
		need += v.tokens + frameMessage
	}
	for i, v := range b.c.views {
		if v.Role == System || b.pinned(i) {
			b.level[i], need = Whole, need+v.tokens+frameMessage
		}
	}
	return need
}

func (b *builder) pinned(i int) bool {
	return !b.out[b.c.views[i].group] && b.o.Flags[b.c.views[i].ID] == Pin
}

// choose raises exchanges, the opener and the newest first, until the first that does not fit.
func (b *builder) choose(used int) error {
	have := min(b.room.counted, NoLimit)
	if used > have {
		b.why = "dropped: what must be sent does not fit by itself"
		return &OverBudgetError{Need: used, Have: have}
	}
	p, spent, chars := b.o.Policy, used, 0
	cap := b.room.history
	if cap != NoLimit {
		have = min(have, used+cap)
	}
	count := 0
	for _, e := range b.order() {
		cost, size, n := 0, 0, 0
		for i := e[0]; i < e[1]; i++ {
			if v := b.c.views[i]; !b.out[v.group] && b.level[i] < Level(e[2]) {
				s, t := b.text(i, Level(e[2]))
				_, was := b.text(i, b.level[i])
				cost, size = cost+t-was, size+utf8.RuneCountInString(s.text)
				n++
			}
		}
		if spent+cost > have || count+n > p.MaxMessages && Level(e[2]) != Whole || size+chars > b.room.chars {
			b.why = fmt.Sprintf("dropped: next in line, needed %d, %d left", cost, have-spent)
			if p.Strategy == DropNone {
				return &OverBudgetError{Need: spent + cost, Have: have}
			}
			return nil
		}
		spent, chars, count = spent+cost, chars+size, count+n
		for i := e[0]; i < e[1]; i++ {
			if !b.out[b.c.views[i].group] {
				b.level[i] = max(b.level[i], Level(e[2]))
			}
		}
	}
	return nil
}

// order is the priority list: spans of views with the level they rise to.
func (b *builder) order() [][3]int {
	var spans [][3]int
	for i := 0; i < len(b.c.views); {
		from := i
		for i++; i < len(b.c.views) && b.c.views[i].exchange == b.c.views[from].exchange; i++ {
		}
		spans = append(spans, [3]int{from, i, int(Shortened)})
	}
	if len(spans) == 0 {
		return nil
	}
	var list [][3]int
	if b.o.Policy.Strategy == DropMiddle {
		list = append(list, spans[0])
	}
	last := spans[len(spans)-1]
	if last[2] = int(Whole); b.o.Policy.LastWholeMaxTokens > 0 {
		list = append(list, last)
	}
	for k := len(spans) - 1; k >= 0; k-- {
		list = append(list, spans[k])
	}
	for k := len(spans) - 1; k >= 0 && b.o.Policy.Elastic; k-- {
		list = append(list, [3]int{spans[k][0], spans[k][1], int(Whole)})
	}
	return list
}

// text is a view at a level with what it costs there, its frame included.
func (b *builder) text(i int, l Level) (shortened, int) {
	v := b.c.views[i]
	if l == Out {
		return shortened{}, 0
	}
	s := shortened{text: v.Content}
	if l < Whole {
		s = cutMessage(b.o.Policy, v.Role, v.Content, v.chars, b.o.Policy.AssistantMaxChars)
	}
	if s.whole() {
		return s, v.tokens + frameMessage
	}
	return s, b.c.count(s.text) + overhead(v.Message, b.c.count) + frameMessage
}

// render lays the chosen texts out and says what became of every message.
func (b *builder) render() Plan {
	p := Plan{Rules: Rules, Entries: make([]Entry, len(b.c.past))}
	p.Sum = Sum{Tools: b.o.Tools, Reserve: b.room.reserve, Window: b.o.Window, Limit: b.room.limit, Ratio: b.room.ratio, Margin: b.room.margin, Frame: frameRequest, Stored: len(b.c.past), System: b.c.count(b.o.System)}
	for i, m := range b.c.past {
		p.Entries[i] = Entry{ID: m.ID, Index: i, Role: m.Role, Disposition: Blank, Reason: "not sent: there is nothing in it to send", Repairs: b.c.repairs[i], CharsBefore: utf8.RuneCountInString(m.Content)}
		if m.Status == Quarantined || m.Role != System && m.Role != User && m.Role != Assistant && m.Role != Tool {
			p.Entries[i].Disposition, p.Entries[i].Reason = Isolated, "not sent: the row cannot be read, or its role is unknown"
		}
	}
	system, gap := b.o.System, 0
	var body []Message
	mark := func(m *Message) {
		if gap > 0 {
			text := b.marker(gap)
			p.Added = append(p.Added, Added{Kind: "marker", Before: len(body) + 1, Text: text, Tokens: b.c.count(text), Reason: "stands for " + strconv.Itoa(gap) + " messages that are not sent"})
			m.Content, gap = text+"\n\n"+m.Content, 0
		}
	}
	for i, v := range b.c.views {
		e := &p.Entries[v.from]
		e.TokensBefore, e.Pinned, e.Level = v.tokens, b.pinned(i), b.level[i]
		if b.out[v.group] {
			e.Disposition, e.Level, e.Reason = Excluded, Out, "not sent: excluded by you"
			gap++
			continue
		}
		if b.level[i] == Out {
			e.Disposition, e.Reason = Dropped, b.why
			gap++
			continue
		}
		s, cost := b.text(i, b.level[i])
		m := v.Message
		m.Content = s.text
		e.Disposition, e.Reason, e.Whole, e.TokensAfter = Kept, "kept whole", true, cost-frameMessage
		e.Cuts, e.Inserted, e.CharsAfter = s.cuts, s.insert, e.CharsBefore
		if !s.whole() {
			e.Disposition, e.Whole = Cut, false
			e.CharsAfter -= s.cuts[0].To - s.cuts[0].From
			e.Reason = fmt.Sprintf("cut %d to %d characters", e.CharsBefore, e.CharsAfter)
		}
		p.Sum.Sent++
		p.Sum.Frame += frameMessage
		if e.Pinned {
			p.Sum.Pinned += e.TokensAfter
		} else {
			p.Sum.Body += e.TokensAfter
		}
		if v.Role == System {
			system = strings.TrimSpace(system + "\n\n" + m.Content)
			continue
		}
		if len(body) == 0 && m.Role != User {
			body = append(body, Message{Role: User, Content: b.marker(max(1, gap))})
			p.Added = append(p.Added, Added{Kind: "marker", Before: 1, Text: body[0].Content, Tokens: b.c.count(body[0].Content), Reason: "a request begins with a user message"})
			p.Sum.Frame, gap = p.Sum.Frame+frameMessage, 0
		}
		if m.Role == User {
			mark(&m)
		}
		body = append(body, m)
	}
	if gap > 0 {
		text := b.marker(gap)
		system = strings.TrimSpace(system + "\n\n" + text)
		p.Added = append(p.Added, Added{Kind: "marker", Text: text, Tokens: b.c.count(text), Reason: "stands for " + strconv.Itoa(gap) + " messages that are not sent"})
	}
	if system != "" {
		p.Messages, p.Sum.Frame = append(p.Messages, Message{Role: System, Content: system}), p.Sum.Frame+frameMessage
	}
	p.Messages = append(p.Messages, body...)
	for _, v := range b.turn.views {
		p.Messages = append(p.Messages, v.Message)
		p.Sum.Draft, p.Sum.Frame = p.Sum.Draft+v.tokens, p.Sum.Frame+frameMessage
		if v.ID != 0 {
			p.Entries = append(p.Entries, Entry{
				ID: v.ID, Index: len(b.c.past) + v.from, Role: v.Role, Disposition: Kept, Level: Whole, Whole: true,
				Reason: "kept whole: it belongs to the running turn", TokensBefore: v.tokens, TokensAfter: v.tokens,
				CharsBefore: v.chars, CharsAfter: v.chars, Repairs: b.turn.repairs[v.from],
			})
		}
	}
	for _, a := range p.Added {
		p.Sum.Added += a.Tokens
	}
	p.Sum.Total = p.Sum.System + p.Sum.Tools + p.Sum.Pinned + p.Sum.Body + p.Sum.Draft + p.Sum.Added + p.Sum.Frame
	return p
}

func (b *builder) marker(n int) string {
	if b.o.Policy.MarkerDetail {
		return strings.ReplaceAll(b.o.Policy.MarkerCounted, "{n}", strconv.Itoa(n))
	}
	return b.o.Policy.Marker
}
