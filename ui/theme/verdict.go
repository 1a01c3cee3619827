package theme

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/history/cause"
	"winnow/ui/markdown"
)

// Glyph returns the glyph of a verdict.
func Glyph(e history.Entry) string {
	switch {
	case e.Disposition == history.Excluded:
		return "⊘"
	case e.Cause.Code == cause.ReadAgain, e.Cause.Code == cause.CutReadAgain:
		return "↺"
	case e.Disposition == history.Dropped, e.Disposition == history.Unreadable, e.Disposition == history.Blank:
		return "○"
	case e.Pinned:
		return "◆"
	case len(e.Repairs) > 0:
		return "▲"
	case e.Disposition == history.Recalled || e.Recalled:
		return "↺"
	case e.Disposition == history.Cut:
		return "◐"
	}
	return "●"
}

// NotRead is the verdict on a message that was sent but that the server cannot have read.
const NotRead = "not read by the server"

// VerdictWord returns a verdict in one or two words, "" for a message that is sent unchanged.
func VerdictWord(e history.Entry) string {
	word, _, _ := strings.Cut(VerdictText(e), ":")
	return word
}

// VerdictText returns a verdict with its reason, to go with its glyph: "cut to 150 of 2,310", "dropped: over budget",
// "recalled: parse". It is "" for a message that is sent unchanged.
func VerdictText(e history.Entry) string {
	word, reason := string(e.Disposition), e.Cause.Short()
	switch glyph := Glyph(e); {
	case glyph == "●":
		return ""
	case glyph == "◆":
		return "pinned"
	case glyph == "◐":
		return fmt.Sprintf("cut to %s of %s", Thousands(e.CharsAfter), Thousands(e.CharsBefore))
	case glyph == "▲":
		word, reason = "repaired", e.Repairs[0].Cause.Short()
	case glyph == "⊘" && reason == "":
		return "excluded by you"
	case glyph == "↺" && e.Disposition != history.Dropped:
		word = "recalled"
	case e.Disposition == history.Unreadable:
		return "unreadable"
	}
	if reason == "" {
		return word
	}
	return word + ": " + OneLine(reason)
}

// VerdictChange describes the change from one verdict to another. It begins with + if more of the message is sent now
// and with − if less, and is "" if neither: "+ comes back".
func VerdictChange(was, e history.Entry) string {
	verdict := cmp.Or(VerdictText(e), "whole")
	switch {
	case was.Sent() && !e.Sent():
		return "− drops out"
	case e.Sent() && !was.Sent():
		return "+ comes back"
	case e.CharsAfter < was.CharsAfter:
		return "− " + verdict
	case e.CharsAfter > was.CharsAfter:
		return "+ " + verdict
	}
	return ""
}

// GlyphStyle returns the style of a verdict's glyph.
func (st Styles) GlyphStyle(g string) lipgloss.Style {
	if style, ok := st.signs[g]; ok {
		return style
	}
	return st.Seen
}

// speakers are the names of the roles on the screen.
var speakers = map[history.Role]string{history.User: "you", history.Assistant: "model", "": "?"}

// Speaker names the role of a message. Imported messages may have any role.
func Speaker(r history.Role) string { return cmp.Or(speakers[r], markdown.OneLine(string(r), 12)) }

// SpeakerCells is the maximum width of ModelFamily and ShortSpeaker in cells.
const SpeakerCells = 6

// ModelFamily returns a short name of a model, without provider and version: gpt for openai/gpt-5.2. It is "model" if
// there is none.
func ModelFamily(model string) string {
	name := model[strings.LastIndexByte(model, '/')+1:]
	name = strings.TrimSuffix(name, strings.TrimLeftFunc(name, unicode.IsLetter))
	if name == "" || Width(name) > SpeakerCells {
		return Speaker(history.Assistant)
	}
	return name
}

// ShortSpeaker names the speaker of a message in at most SpeakerCells cells.
func ShortSpeaker(r history.Role, model string) string {
	if r == history.Assistant {
		return ModelFamily(model)
	}
	return markdown.OneLine(Speaker(r), SpeakerCells)
}
