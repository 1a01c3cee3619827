package history

import (
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
)

// searched is what is looked for in a message: its text with its calls and the names of its images.
func (v *candidate) searched() relevance.Text {
	x := relevance.Text{Content: v.Content, Speaker: v.Name, MayInstruct: v.Role == User}
	if len(v.ToolCalls) > 0 {
		x.Content = v.TextWithCalls()
	}
	for _, p := range v.Parts {
		if p.Kind == ImagePart {
			x.Content += "\n" + p.Name
		}
	}
	return x
}

// rank says how much each tool group and single message is about a question. It is valid until the next question.
func (t *prepared) rank(question string) relevance.Ranking {
	if t.index == nil {
		t.index = relevance.NewIndex()
	}
	units := make([]relevance.Unit, 0, len(t.candidates))
	for i := range t.candidates {
		v := &t.candidates[i]
		if i >= t.index.Len() {
			t.index.Add(v.searched())
		}
		if i == 0 || v.group != t.candidates[i-1].group {
			units = append(units, relevance.Unit{From: i, AfterPause: i > 0 && t.pauseBefore(i)})
		}
		u := &units[len(units)-1]
		u.To = i + 1
		u.Tokens += v.tokens
	}
	return t.index.Rank(question, units)
}

// pauseBefore reports whether the conversation had a long pause in front of candidate i.
func (t *prepared) pauseBefore(i int) bool {
	before, now := t.candidates[i-1].CreatedMS, t.candidates[i].CreatedMS
	return before != 0 && now-before > pause
}

// findHits ranks the history by the current message. Answers count more where the question is what the assistant said.
// All else counts less if the limits of recalled texts would cut it.
func (s *selection) findHits() {
	current := s.current()
	if s.o.Policy.RecallMaxTokens == 0 || current < 0 || s.turn.candidates[current].Content == "" {
		return
	}
	question := s.turn.candidates[current].Content
	s.ranking = s.history.rank(question)
	said := s.history.index.AsksAboutAnswers(question)
	for k := range s.ranking.Units {
		u := &s.ranking.Units[k]
		switch {
		case said && s.candidates[u.From].Role == Assistant:
			u.Score *= saidShare
		case s.cutAtLimits(unit{u.From, u.To}):
			u.Score *= longShare
		}
	}
	s.hits = s.ranking.Best()
}

// cutAtLimits reports whether a unit at the limits of recalled texts is cut.
func (s *selection) cutAtLimits(u unit) bool {
	for i := u.from; i < u.to; i++ {
		v := &s.candidates[i]
		if !s.allows(v) && (v.kind() != Assistant || v.chars > s.o.Policy.AssistantRecallChars) {
			return true
		}
	}
	return false
}

// nextHit is the next hit that adds something and is not too long. A text within the limits of a recalled one comes
// whole. So does a longer one, but later: cut, it seldom holds what is looked for, and whole, it takes the budget of
// many others. Where it is more than may be recalled, or longer than a block, it comes cut.
func (s *selection) nextHit() (increment, bool) {
	for len(s.hits) > 0 && s.passed < maxPassed {
		inc := increment{unit: unit{s.hits[0].From, s.hits[0].To}, detail: brief, recall: true}
		s.hits = s.hits[1:]
		if s.cutAtLimits(inc.unit) {
			inc.detail = whole
		}
		tokens, limit := s.recallCost(inc), min(s.o.Policy.RecallMaxTokens-s.cost.recalled, s.step)
		if tokens > limit && inc.detail == whole {
			inc.detail = brief
			tokens = s.recallCost(inc)
		}
		switch {
		case tokens > limit:
			s.passed++
		case tokens > 0:
			return inc, true
		}
	}
	return increment{}, false
}

// recallCost is what an increment adds to what is recalled, 0 where it adds nothing. The newest turn has its own place
// in the list. Under a policy that has no notes for images, messages with images are not recalled.
func (s *selection) recallCost(inc increment) int {
	for i := inc.from; i < inc.to; i++ {
		if s.barred(i) || s.last.holds(i) || !s.o.Policy.ImageNotes && images(s.candidates[i].Parts) > 0 {
			return 0
		}
	}
	before := s.cost
	changes := s.raise(inc)
	tokens := s.cost.recalled - before.recalled
	s.lower(changes, before)
	return tokens
}

// recalledCost is what a text costs in the block of recalled ones, which carries nothing, with the names of the images
// that are attached to it.
func (s *selection) recalledCost(i int, f rendering) int {
	v, tokens := &s.candidates[i], f.tokens
	if tokens > 0 && (len(v.ToolCalls) > 0 || f.whole()) {
		tokens -= v.serverTokens
	}
	for _, p := range f.parts {
		if p.Kind == ImagePart {
			tokens += s.c.countCached(p.AttachedLabel())
		}
	}
	return tokens
}

// recalled reports whether recall shows more of a candidate than its place does.
func (s *selection) recalled(i int) bool { return s.recallAdds(i, s.chosen[i]) }

// recallAdds is recalled for a choice.
func (s *selection) recallAdds(i int, of choice) bool {
	return of.recall != out && (of.body == out || s.rendering(i, of.recall).more(s.rendering(i, of.body)))
}

// causeRecalled is why candidate i is recalled as f.
func (s *selection) causeRecalled(i int, f rendering) Cause {
	c := Cause{Front: s.inBody(i)}
	if !f.whole() {
		c.Have, c.Want = f.chars, s.candidates[i].chars
	}
	end := i + 1
	for end < len(s.candidates) && s.candidates[end].group == s.candidates[i].group {
		end++
	}
	group := s.history.groupBefore(end)
	switch shared := s.ranking.SharedWords(group.from, group.to); {
	case len(shared) > 0:
		c.Code, c.Text = cause.SharedWords, strings.Join(shared, ", ")
	case s.history.index.IsInstruction(i):
		c.Code = cause.Instruction
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
		speaker += ", " + formatDay(v.CreatedMS/msPerDay)
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

const msPerDay = 24 * 60 * 60 * 1000

// day is when a candidate was said, in days since 1970, UTC: the newest day up to there, since only one that is later
// than those before it can stand above messages. It is 0 where it is not known.
func (v *candidate) day() int64 { return v.newest / msPerDay }

// dateOf is a day as text.
func formatDay(day int64) string { return utc(day*msPerDay, time.DateOnly) }

// dayCost is what the line costs that stands in front of what is recalled of a day.
func (s *selection) dayCost(day int64) int {
	if day == 0 {
		return 0
	}
	return s.c.countCached("\n" + formatDay(day))
}

// recalledBlock is the recalled texts in their order, to stand in front of the current message.
type recalledBlock struct {
	text   string      // empty where nothing is recalled
	spans  []EntrySpan // of the texts with their labels, by the bytes of text
	frame  string      // what of the text nobody said
	tokens int         // of the frame
	images []Part      // of the recalled messages
}

// recalledTexts is the block of all that is recalled.
func (s *selection) recalledTexts() (b recalledBlock) {
	var text, frame strings.Builder
	add := func(added string) {
		text.WriteString(added)
		frame.WriteString(added)
		b.tokens += s.c.countCached(added)
	}
	day := int64(0)
	for i := range s.candidates {
		if !s.recalled(i) {
			continue
		}
		v, f := &s.candidates[i], s.rendering(i, s.chosen[i].recall)
		if text.Len() == 0 {
			add(recallHead)
		}
		if d := v.day(); d != day && d != 0 {
			day = d
			add("\n" + formatDay(day))
		}
		from := text.Len()
		add(s.label(i))
		if v.Placeholder {
			add(f.text) // It belongs to the call in front of it.
			if n := len(b.spans) - 1; n >= 0 && b.spans[n].Entry == v.From {
				b.spans[n].To = text.Len()
			}
			continue
		}
		m := v.Message
		m.Content = f.text
		text.WriteString(m.TextWithCalls())
		for _, p := range f.parts {
			if p.Kind == ImagePart {
				text.WriteString("\n" + p.AttachedLabel())
				b.images = append(b.images, p)
				continue
			}
			text.WriteString("\n" + p.SentText())
		}
		calls := v.CallsAsText || len(v.ToolCalls) > 0
		b.spans = append(b.spans, EntrySpan{Entry: v.From, From: from, To: text.Len(), Recalled: true, Calls: calls})
	}
	if text.Len() > 0 {
		add(recallTail)
	}
	b.text, b.frame = text.String(), frame.String()
	return b
}
