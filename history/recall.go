package history

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"winnow/history/cause"
	"winnow/history/relevance"
)

// The rules of what is recalled how.
const (
	maxPassed = 32  // units that are too long for what may still be recalled are passed over, so many
	longShare = 0.7 // of the score of a unit that its limits would cut
	saidShare = 1.5 // of the score of an answer, where what the assistant said is asked for

	pause = 4 * 60 * 60 * 1000 // milliseconds between two messages that are about different things

	namedScore = 2 // of a message with an image that the question names: more than any other
)

// searchable is the index of all candidates of a thread.
func (t *thread) searchable() *relevance.Index {
	if t.index == nil {
		t.index = relevance.NewIndex()
	}
	for i := t.index.Len(); i < len(t.candidates); i++ {
		t.index.Add(t.candidates[i].searched())
	}
	return t.index
}

// searched is what is looked for in a message: its text with its calls.
func (v *candidate) searched() relevance.Text {
	x := relevance.Text{Content: v.Content, Speaker: v.Name, Asks: v.Role == User}
	if len(v.ToolCalls) > 0 {
		x.Content = v.TextWithCalls()
	}
	return x
}

// rank says how much each tool group and single message is about a question.
func (t *thread) rank(question string) relevance.Ranking {
	units := make([]relevance.Unit, 0, len(t.candidates))
	for i := range t.candidates {
		v := &t.candidates[i]
		if i == 0 || v.group != t.candidates[i-1].group {
			units = append(units, relevance.Unit{From: i, Apart: i > 0 && t.pauseBefore(i)})
		}
		u := &units[len(units)-1]
		u.To = i + 1
		u.Tokens += v.tokens
	}
	return t.searchable().Rank(question, units)
}

// pauseBefore reports whether the conversation had a long pause in front of candidate i.
func (t *thread) pauseBefore(i int) bool {
	before, now := t.candidates[i-1].CreatedMS, t.candidates[i].CreatedMS
	return before != 0 && now-before > pause
}

// leastFound is the score that Search finds a group of messages with: those that have words of the question, and their
// next neighbours, which may be the answer.
const leastFound = 0.3

// Search lists the groups of messages that a question is about, the most relevant first, by their positions in the
// conversation: a message that calls tools with the results of its calls, or one message alone. A message that cannot
// be sent, such as a quarantined one, is not found.
func (c *Conversation) Search(question string) [][]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.thread(c.newest)
	var found [][]int
	for _, hit := range t.rank(question).Best() {
		if hit.Score < leastFound {
			break
		}
		var group []int
		for _, v := range t.candidates[hit.From:hit.To] {
			if !v.StandIn {
				group = append(group, v.From)
			}
		}
		if len(group) > 0 {
			found = append(found, group)
		}
	}
	return found
}

// hits are the units that the current message is about, on their way into the priority list.
type hits struct {
	*selection
	units  []relevance.Unit // the most relevant first
	passed int              // how many of them were too long
}

// find finds the hits.
func (h *hits) find() {
	current := h.current()
	if h.o.Policy.RecallMaxTokens == 0 || current < 0 || h.turn.candidates[current].Content == "" {
		return
	}
	h.rankFor(h.turn.candidates[current].Content)
	h.units = h.ranking.Best()
}

// next is the next hit that adds something and is not too long. A text within the limits of a recalled one comes whole.
// So does a longer one, but later: cut, it seldom holds what is looked for, and whole, it takes the budget of many
// others. Where it is more than may be recalled, or longer than a block, it comes cut.
func (h *hits) next() (increment, bool) {
	for len(h.units) > 0 && h.passed < maxPassed {
		inc := increment{unit: unit{h.units[0].From, h.units[0].To}, detail: brief, recall: true}
		h.units = h.units[1:]
		if h.cutAtLimits(inc.unit) {
			inc.detail = whole
		}
		tokens, limit := h.recallCost(inc), min(h.o.Policy.RecallMaxTokens-h.cost.recalled, h.step)
		if tokens > limit && inc.detail == whole {
			inc.detail = brief
			tokens = h.recallCost(inc)
		}
		switch {
		case tokens > limit:
			h.passed++
		case tokens > 0:
			return inc, true
		}
	}
	return increment{}, false
}

// rankFor ranks the history by a question, and changes the scores of what comes later or earlier than its words say.
// Where the question is what the assistant said, no answer has to wait, and each counts more.
func (s *selection) rankFor(question string) {
	s.ranking = s.history.rank(question) // valid until the next question
	said, named := s.history.index.AsksWhatWasSaid(question), strings.ToLower(question)
	for k := range s.ranking.Units {
		u := &s.ranking.Units[k]
		switch found := (unit{u.From, u.To}); {
		case s.limits.imageNotes && s.names(named, found):
			u.Score = namedScore
		case said && s.candidates[u.From].Role == Assistant:
			u.Score *= saidShare
		case s.cutAtLimits(found):
			u.Score *= longShare
		}
	}
}

// cutAtLimits reports whether a unit at the limits of recalled texts is cut.
func (s *selection) cutAtLimits(u unit) bool {
	for i := u.from; i < u.to; i++ {
		v := &s.candidates[i]
		if !s.limits.allows(v) && (v.kind() != Assistant || v.chars > s.o.Policy.AssistantRecallChars) {
			return true
		}
	}
	return false
}

// names reports whether a text names an image of a unit.
func (s *selection) names(text string, u unit) bool {
	return slices.ContainsFunc(s.candidates[u.from:u.to], func(v candidate) bool {
		return slices.ContainsFunc(v.Parts, func(p Part) bool {
			return p.Kind == ImagePart && p.Name != "" && strings.Contains(text, strings.ToLower(p.Name))
		})
	})
}

// recallCost is what an increment adds to what is recalled, 0 where it adds nothing. Under a policy that has no notes
// for images, messages with images are not recalled.
func (s *selection) recallCost(inc increment) int {
	tokens := 0
	for i := inc.from; i < inc.to; i++ {
		v := &s.candidates[i]
		// The newest turn has its own place in the list.
		if s.barred(i) || !s.limits.imageNotes && images(v.Parts) > 0 || s.last.holds(i) {
			return 0
		}
		before, after := s.rendering(i, max(s.body[i], s.recall[i])), s.rendering(i, inc.detail)
		if s.inRequest(i) && !after.more(before) {
			continue
		}
		switch {
		case s.inOrder():
			tokens += max(0, after.tokens-before.tokens)
			if q := s.questionOf(i); q >= 0 && !s.inBody(q) {
				tokens += s.rendering(q, short).tokens
			}
		case s.recalled(i):
			tokens += s.recalledCost(i, after) - s.recalledCost(i, before)
		default:
			tokens += s.recalledCost(i, after) + s.labelCost(i)
			if s.days[v.day()] == 0 {
				tokens += s.dayCost(v.day())
			}
		}
	}
	return tokens
}

// recalledCost is what a text costs in the block of recalled ones, with the names of the images that are attached to
// it.
func (s *selection) recalledCost(i int, f rendering) int {
	tokens := s.candidates[i].alone(f)
	for _, p := range f.parts {
		if p.Kind == ImagePart {
			tokens += s.c.remembered(p.Attached())
		}
	}
	return tokens
}

// recalled reports whether recall shows more of a candidate than its place does.
func (s *selection) recalled(i int) bool { return s.recallAdds(i, s.body[i], s.recall[i]) }

// recallAdds reports whether recall at one detail level shows more of a candidate than its place at another.
func (s *selection) recallAdds(i int, body, recall detail) bool {
	return recall != out && (body == out || s.rendering(i, recall).more(s.rendering(i, body)))
}

// causeRecalled is why candidate i is recalled as f.
func (s *selection) causeRecalled(i int, f rendering) Cause {
	c := Cause{Front: s.body[i] != out && !s.inOrder()}
	if !f.whole() {
		c.Have, c.Want = f.chars, s.candidates[i].chars
	}
	end := i + 1
	for end < len(s.candidates) && s.candidates[end].group == s.candidates[i].group {
		end++
	}
	group := s.history.groupBefore(end)
	switch shared := s.ranking.Shared(group.from, group.to); {
	case len(shared) > 0:
		c.Code, c.Text = cause.SharedWords, strings.Join(shared, ", ")
	case s.history.index.Standing(i):
		c.Code = cause.Instruction
	case s.inOrder() && s.recall[i] == short:
		c.Code = cause.AnswerRecalled
	default:
		c.Code = cause.Neighbour
	}
	return c
}

// The frame of the block of recalled texts.
const (
	recallHead = "Recalled from earlier in this conversation:"
	recallTail = "\n[End of what is recalled]"
)

// label says which message a recalled text is, who said it, and when, where the line of the day does not. The number of
// a message that is right behind the one before it is left out: it is the next.
func (s *selection) label(i int) string {
	v, number := &s.candidates[i], ""
	if !s.follows(i) {
		number = "#" + strconv.Itoa(v.From+1) + " "
	}
	speaker := string(v.kind())
	if v.CreatedMS != 0 && v.CreatedMS/msPerDay != v.day() {
		speaker += ", " + dateOf(v.CreatedMS/msPerDay)
	}
	return "\n" + number + speaker + ":\n"
}

// follows reports whether a candidate is in the block right behind the message before it, on the same day.
func (s *selection) follows(i int) bool {
	if i == 0 || !s.recalled(i-1) {
		return false
	}
	v, before := &s.candidates[i], &s.candidates[i-1]
	return v.From == before.From+1 && v.day() == before.day()
}

// labelCosts is what the labels cost of a candidate and of the one behind it, which depends on it, where they are
// recalled.
func (s *selection) labelCosts(i int) int {
	tokens := 0
	for k := i; k < min(i+2, len(s.candidates)); k++ {
		if s.recalled(k) {
			tokens += s.labelCost(k)
		}
	}
	return tokens
}

func (s *selection) labelCost(i int) int { return s.c.remembered(s.label(i)) }

const msPerDay = 24 * 60 * 60 * 1000

// day is when a candidate was said, in days since 1970, UTC: the newest day up to there, since only one that is later
// than those before it can stand above messages. It is 0 where it is not known.
func (v *candidate) day() int64 { return v.newest / msPerDay }

// dayLine stands in front of what is recalled of a day.
func dayLine(day int64) string { return "\n" + dateOf(day) }

func dateOf(day int64) string { return time.UnixMilli(day * msPerDay).UTC().Format(time.DateOnly) }

// dayCost is what the line of a day costs.
func (s *selection) dayCost(day int64) int {
	if day == 0 {
		return 0
	}
	return s.c.remembered(dayLine(day))
}

// date adds recalled candidate i to the count of its day, or takes it off with sign -1, and returns the change in cost:
// the line of a day stands once in the block.
func (s *selection) date(i, sign int) int {
	if !s.recalled(i) || s.inOrder() {
		return 0
	}
	day := s.candidates[i].day()
	s.days[day] += sign
	if sign > 0 && s.days[day] == 1 || sign < 0 && s.days[day] == 0 {
		return sign * s.dayCost(day)
	}
	return 0
}

// recalledBlock is the recalled texts in their order, to stand in front of the current message, with the images of the
// recalled messages. Both are empty where nothing is recalled.
func (w *writer) recalledBlock() ([]piece, []Part) {
	var text, frame strings.Builder // frame is what of text nobody said
	var spans []Span
	var images []Part
	tokens := w.c.remembered(recallHead) + w.c.remembered(recallTail)
	add := func(added string, cost int) {
		text.WriteString(added)
		frame.WriteString(added)
		tokens += cost
	}
	add(recallHead, 0)
	day := int64(0)
	for i := range w.candidates {
		if !w.recalled(i) {
			continue
		}
		v, f := &w.candidates[i], w.rendering(i, w.recall[i])
		if d := v.day(); d != day && d != 0 {
			day = d
			add(dayLine(day), w.dayCost(day))
		}
		from := text.Len()
		add(w.label(i), w.labelCost(i))
		if v.StandIn {
			add(f.text, f.tokens) // It belongs to the call in front of it.
			if n := len(spans) - 1; n >= 0 && spans[n].Entry == v.From {
				spans[n].To = text.Len()
			}
			continue
		}
		m := v.Message
		m.Content = f.text
		text.WriteString(m.TextWithCalls())
		for _, p := range f.parts {
			if p.Kind == ImagePart {
				text.WriteString("\n" + p.Attached())
				images = append(images, p)
				continue
			}
			text.WriteString("\n" + p.Sent())
		}
		calls := v.CallsAsText || len(v.ToolCalls) > 0
		spans = append(spans, Span{Entry: v.From, From: from, To: text.Len(), Recalled: true, Calls: calls})
	}
	if text.Len() == len(recallHead) {
		return nil, nil
	}
	add(recallTail, 0)
	block := w.add(Added{
		Kind: AddedRecalled, Text: frame.String(), Tokens: tokens, Cause: Cause{Code: cause.RecalledBlock},
	})
	said := w.said(text.String(), spans...)
	said.added = block.added
	return []piece{said, {text: joint}}, images
}
