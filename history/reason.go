package history

import (
	"strings"

	"winnow/history/message"
)

// reason says why a view is where it is; a plan has it as a sentence.
type reason uint8

const (
	whyLeft reason = iota // nothing took it
	whyFits
	whyOpener
	whyNewest
	whyShort
	whyRoom
	whyPinned
	whySystem
	whyExcluded
	whyCap
	whyCondensed
	whyQuestion
	whyUnasked
	whyOutOfScope
)

// kept are the sentences for messages that are sent whole.
func (w reason) kept() string {
	switch w {
	case whyFits:
		return "kept whole: everything fits"
	case whyOpener:
		return "kept whole: the opening of the conversation"
	case whyNewest:
		return "kept whole: the newest exchange"
	case whyShort:
		return "kept whole: one of the newest, and short enough"
	case whyPinned:
		return "kept whole: pinned by you"
	case whyRoom:
		return "kept whole: there is room for it"
	case whyQuestion:
		return "kept whole: an answer to it is sent"
	case whySystem:
		return "kept whole: it belongs to the system prompt"
	}
	return "kept whole: one of the newest"
}

const (
	sentenceExcluded     = "not sent: excluded by you"
	sentenceAlone        = "not sent: you sent your message alone"
	sentenceOtherSummary = "not sent: this summary is of other messages"
	sentenceInvalid      = "dropped: with it the request would not have been valid"
	sentenceTitle        = "not sent: the title is made from the first exchange"
	sentenceUnasked      = "not sent: the question that it answers is excluded"
	sentenceBehind       = "dropped: older than a message that did not fit"
	sentenceSpent        = "dropped: the room is taken by newer messages and by what yours is about"
	sentenceSummary      = "dropped: the summary stands for it"
	sentenceBlank        = "not sent: there is nothing in it to send"
	sentenceIsolated     = "not sent: the row cannot be read, or its role is unknown"
	sentenceNoResult     = "no result of this call is recorded"
	sentenceTrailing     = "not sent: a request ends with your message or with a tool's result"
	sentenceDoubled      = "not sent: the same result stands there already"
	sentenceLeftGroup    = "not sent: its tool call is damaged, and you had the call left out with its results"
	sentenceLeft         = "not sent: it is damaged, and you had it left out"
	sentenceNote         = "kept: a note stands for what cannot be sent"
	sentencePinned       = "pinned by you: a note stands for what cannot be sent"
	sentenceTurn         = "kept whole: it belongs to this turn"
)

// dropped is the sentence for view i where it is not sent.
func (b *builder) dropped(i int) string {
	switch {
	case b.why[i] == whyExcluded:
		return sentenceExcluded
	case b.why[i] == whyUnasked:
		return sentenceUnasked
	case b.why[i] == whyCap:
		return b.overCap
	case b.why[i] == whyOutOfScope:
		return b.o.Scope.For.outside()
	case b.why[i] == whyCondensed:
		return sentenceSummary
	case b.stopped.to == 0 && b.stop != "", b.stopped.from <= i && i < b.stopped.to:
		return b.stop
	case b.stopped.recall:
		return sentenceSpent
	}
	return sentenceBehind
}

// whyRecalled is the sentence for view i where recall brings it back as f.
func (b *builder) whyRecalled(i int, f form) string {
	how := "recalled"
	if !f.shortened.whole() {
		how = "recalled, cut to " + message.Grouped(f.chars) + " of " + message.Grouped(b.views[i].chars) + " characters"
	}
	if b.depth[i] != out && !b.ordered() {
		how += " to the front, cut in its place"
	}
	end := i + 1
	for end < len(b.views) && b.views[end].group == b.views[i].group {
		end++
	}
	group := b.t.groupBefore(end)
	if said := b.about.Shared(group.from, group.to); len(said) > 0 {
		return how + ": your message is about it too (" + strings.Join(said, ", ") + ")"
	}
	if b.t.index.Standing(i) {
		return how + ": it says what you want from all answers"
	}
	if b.ordered() && b.back[i] == short {
		return how + ": an answer to it is recalled"
	}
	return how + ": said next to what your message is about"
}

// sentence is the reason for a cut with its sum.
func (f form) sentence(v *view, why string) string {
	if f.shortened.whole() {
		return ""
	}
	kept, of := f.chars, v.chars
	if !v.replaced {
		e := Entry{CharsBefore: v.chars - v.lead - v.tail}
		f.locate(v, &e)
		kept, of = e.CharsAfter, e.CharsBefore
	}
	return "cut to " + message.Grouped(kept) + " of " + message.Grouped(of) + " characters: " + why
}

// reasonToCut says which limit a view is over.
func (b *builder) reasonToCut(v *view) string {
	switch v.kind() {
	case User:
		return "a message of yours above " + message.Grouped(b.limits.user)
	case Tool:
		return "a tool result above " + message.Grouped(b.limits.tool)
	}
	return "an older answer above " + message.Grouped(b.limits.assistant)
}
