package history

import (
	"strconv"
	"strings"
	"time"

	"winnow/history/cause"
	"winnow/history/relevance"
)

// The rules of recall.
const (
	maxPassed = 32  // how many hits that are too long may be skipped
	longShare = 0.7 // factor for the score of a unit that its limits would cut
	saidShare = 1.5 // factor for the score of an answer if the question is about answers

	pause = 4 * 60 * 60 * 1000 // milliseconds between two messages that are likely to be about different things
)

// searched returns what is indexed of a message: its text, with its calls and the names of its images.
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

// rank scores each tool group and each single message by its relevance to a question. The result is valid until the
// next call.
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

// pauseBefore reports whether there was a long pause before candidate i.
func (t *prepared) pauseBefore(i int) bool {
	before, now := t.candidates[i-1].CreatedMS, t.candidates[i].CreatedMS
	return before != 0 && now-before > pause
}

// findHits ranks the history by its relevance to the current message. Answers get a higher score if the question is
// about what the assistant said. All other units get a lower one if the limits of recalled texts would cut them.
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

// cutAtLimits reports whether the limits of recalled texts cut a message of the unit.
func (s *selection) cutAtLimits(u unit) bool {
	for i := u.from; i < u.to; i++ {
		v := &s.candidates[i]
		if !s.allows(v) && (v.kind() != Assistant || v.chars > s.o.Policy.AssistantRecallChars) {
			return true
		}
	}
	return false
}

// nextHit returns the next hit that adds something and is not too long. It comes whole even if its texts exceed the
// limits: cut texts seldom contain what is looked for. It is cut only if it would otherwise be longer than a block or
// than what may still be recalled.
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

// recallCost returns how many tokens an increment adds to the recalled texts, 0 if it cannot be recalled. The newest
// turn has its own place in the priority list. If the policy has no notes for images, messages with images are not
// recalled.
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

// recalledCost returns the tokens of a text in the block of recalled texts. There it has no server-specific keys, and
// the images attached to it are named.
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

// recalled reports whether the recalled text of a candidate shows more than its own place does.
func (s *selection) recalled(i int) bool { return s.recallAdds(i, s.chosen[i]) }

// recallAdds is recalled for a given choice.
func (s *selection) recallAdds(i int, of choice) bool {
	return of.recall != out && (of.body == out || s.rendering(i, of.recall).more(s.rendering(i, of.body)))
}

// causeRecalled returns why candidate i is recalled as f.
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

// label returns the heading of a recalled text: its number, its author, and its date if the heading of the day does not
// say it. The number is omitted for a message that directly follows the one before it.
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

// follows reports whether the block holds the previous message directly before a candidate, under the same day.
func (s *selection) follows(i int) bool {
	if i == 0 || !s.recalled(i-1) {
		return false
	}
	v, before := &s.candidates[i], &s.candidates[i-1]
	return v.From == before.From+1 && v.day() == before.day()
}

const msPerDay = 24 * 60 * 60 * 1000

// day returns the newest day up to and including a candidate, in days since 1970 UTC, 0 if unknown. Clocks of imported
// messages may go back, but the headings of days must not.
func (v *candidate) day() int64 { return v.newest / msPerDay }

// formatDay formats a day as a date.
func formatDay(day int64) string { return utc(day*msPerDay, time.DateOnly) }

// dayCost returns the tokens of the heading of a day.
func (s *selection) dayCost(day int64) int {
	if day == 0 {
		return 0
	}
	return s.c.countCached("\n" + formatDay(day))
}

// recalledBlock holds the recalled texts in order, which are put in front of the current message.
type recalledBlock struct {
	text   string      // empty if nothing is recalled
	spans  []EntrySpan // of the texts with their labels, as bytes of text
	frame  string      // the parts of text that winnow added
	tokens int         // of frame
	images []Part      // of the recalled messages
}

// recalledTexts writes the block of recalled texts.
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
			text.WriteString("\n" + p.AsText())
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
