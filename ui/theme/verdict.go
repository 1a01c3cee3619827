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

// Glyph is the sign of a verdict.
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

// NotRead marks a message that was sent and that the server cannot have read.
const NotRead = "not read by the server"

// VerdictWord is a verdict in one or two words, "" for a message that is sent whole and as it is.
func VerdictWord(e history.Entry) string {
	word, _, _ := strings.Cut(VerdictText(e), ":")
	return word
}

// VerdictText is a verdict with its reason in a few words, as its glyph shows it: "cut to 150 of 2,310", "dropped: over
// budget", "recalled: parse". It is "" for a message that is sent whole and as it is.
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

// VerdictChange is what becomes of a message whose verdict was another one, with a sign that says whether more of it is sent
// now: "+ comes back". It is "" where as much is sent.
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

// GlyphStyle is the style of a verdict's sign.
func (st Styles) GlyphStyle(g string) lipgloss.Style {
	if style, ok := st.signs[g]; ok {
		return style
	}
	return st.Seen
}

// speakers name the roles of the screen's own conversations.
var speakers = map[history.Role]string{history.User: "you", history.Assistant: "model", "": "?"}

// Speaker names who said a message. A file that was imported may hold any text as a role.
func Speaker(r history.Role) string { return cmp.Or(speakers[r], markdown.OneLine(string(r), 12)) }

// SpeakerCells is the most cells of a short name.
const SpeakerCells = 6

// ModelFamily is a model's name without its version and its endpoint: gpt-5.2 is gpt. One without a short name is a
// model.
func ModelFamily(model string) string {
	name := model[strings.LastIndexByte(model, '/')+1:]
	name = strings.TrimSuffix(name, strings.TrimLeftFunc(name, unicode.IsLetter))
	if name == "" || Width(name) > SpeakerCells {
		return Speaker(history.Assistant)
	}
	return name
}

// ShortSpeaker is who said a message, in the few cells of a column.
func ShortSpeaker(r history.Role, model string) string {
	if r == history.Assistant {
		return ModelFamily(model)
	}
	return markdown.OneLine(Speaker(r), SpeakerCells)
}
