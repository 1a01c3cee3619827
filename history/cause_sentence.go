package history

import (
	"regexp"
	"strconv"
	"strings"
)

// Records from before causes had codes hold the sentences of their day. This file alone knows them: they are mapped
// to codes when a record is read, and change no more. A sentence that is not here is kept as it is, without a code.

// oldSentences are the codes of sentences without numbers.
var oldSentences = map[string]CauseCode{
	"kept whole: everything fits":                          CauseFits,
	"kept whole: the opening of the conversation":          CauseOpener,
	"kept whole: the newest exchange":                      CauseNewest,
	"kept whole: one of the newest":                        CauseRecent,
	"kept whole: one of the newest, and short enough":      CauseRecentShort,
	"kept whole: there is room for it":                     CauseRoom,
	"kept whole: pinned by you":                            CausePinned,
	"kept whole: an answer to it is sent":                  CauseQuestion,
	"kept whole: it belongs to the system prompt":          CauseSystem,
	"kept whole: it belongs to this turn":                  CauseTurn,
	"kept whole: it belongs to the running turn":           CauseTurn,
	"kept: a note stands for what cannot be sent":          CauseNote,
	"pinned by you: a note stands for what cannot be sent": CausePinnedByNote,

	"not sent: excluded by you":                                                          CauseExcluded,
	"not sent: the question that it answers is excluded":                                 CauseQuestionExcluded,
	"not sent: you sent your message alone":                                              CauseAlone,
	"not sent: it is damaged, and you had it left out":                                   CauseLeftOut,
	"not sent: its tool call is damaged, and you had the call left out with its results": CauseLeftOutGroup,

	"not sent: there is nothing in it to send":                           CauseBlank,
	"not sent: the row cannot be read, or its role is unknown":           CauseUnreadable,
	"not sent: the same result stands there already":                     CauseDuplicate,
	"not sent: a request ends with your message or with a tool's result": CauseTrailing,
	"dropped: tool calls and results of the past are not sent":           CauseToolsLeftOut,
	"not sent: this summary is of other messages":                        CauseOtherMessages,
	"not sent: the title is made from the first exchange":                CauseTitle,
	"dropped: with it the request would not have been valid":             CauseInvalid,

	"dropped: older than a message that did not fit":                          CauseOlder,
	"dropped: the room is taken by newer messages and by what yours is about": CauseRoomTaken,
	"dropped: the running turn needs the room":                                CauseTurnRoom,
	"dropped: what must be sent does not fit by itself":                       CauseNothingFits,
	"dropped: the summary stands for it":                                      CauseSummarized,

	"no result of this call is recorded":                                     CauseNoResult,
	"a request begins with a message of the user":                            CauseBeginsAsUser,
	"this endpoint wants an answer between a tool's result and your message": CauseBridge,
	"holds what your message is about from earlier in the conversation":      CauseRecalledBlock,
}

// oldPatterns find the sentences with numbers; the groups are named for the field of a Cause.
var oldPatterns = []struct {
	code    CauseCode
	pattern *regexp.Regexp
}{
	{CauseUserLimit, regexp.MustCompile(`^cut to (?P<have>[\d,]+) of (?P<want>[\d,]+) characters: a message of yours above (?P<limit>[\d,]+)$`)},
	{CauseAssistantLimit, regexp.MustCompile(`^cut to (?P<have>[\d,]+) of (?P<want>[\d,]+) characters: an older answer above (?P<limit>[\d,]+)$`)},
	{CauseToolLimit, regexp.MustCompile(`^cut to (?P<have>[\d,]+) of (?P<want>[\d,]+) characters: a tool result above (?P<limit>[\d,]+)$`)},
	{CauseNewestLimit, regexp.MustCompile(`^cut to (?P<have>[\d,]+) of (?P<want>[\d,]+) characters: the newest exchange is longer than (?P<limit>[\d,]+) tokens$`)},
	{CauseTurnLimit, regexp.MustCompile(`^cut to (?P<have>[\d,]+) of (?P<want>[\d,]+) characters: the running turn does not fit with all of this result$`)},
	{CauseCutByUser, regexp.MustCompile(`^cut by you: (?P<have>[\d,]+) of (?P<want>[\d,]+) characters are sent, so that the request fits$`)},
	{CauseMessageCap, regexp.MustCompile(`^dropped: more than (?P<limit>[\d,]+) messages$`)},
	{CauseOverBudget, regexp.MustCompile(`^dropped: next in line, needed (?P<want>[\d,]+), (?P<have>[\d,]+) left$`)},
	{CauseOverChars, regexp.MustCompile(`^dropped: next in line, needed (?P<want>[\d,]+) characters, (?P<have>[\d,]+) left$`)},
	{CauseGap, regexp.MustCompile(`^stands for (?P<want>[\d,]+) messages? that (?:is|are) not sent(?:, condensed by (?P<text>.+))?$`)},
	{CauseSharedWords, regexp.MustCompile(oldRecalled + `your message is about it too \((?P<text>.*)\)$`)},
	{CauseInstruction, regexp.MustCompile(oldRecalled + `it says what you want from all answers$`)},
	{CauseAnswerRecalled, regexp.MustCompile(oldRecalled + `an answer to it is recalled$`)},
	{CauseNeighbour, regexp.MustCompile(oldRecalled + `said next to what your message is about$`)},
}

const oldRecalled = `^recalled(?:, cut to (?P<have>[\d,]+) of (?P<want>[\d,]+) characters)?(?P<front> to the front, cut in its place)?: `

// causeOfSentence is the cause that a sentence of an older record tells.
func causeOfSentence(sentence string) Cause {
	if code, ok := oldSentences[sentence]; ok {
		return Cause{Code: code}
	}
	for _, old := range oldPatterns {
		found := old.pattern.FindStringSubmatch(sentence)
		if found == nil {
			continue
		}
		c := Cause{Code: old.code}
		for k, name := range old.pattern.SubexpNames() {
			n, _ := strconv.Atoi(strings.ReplaceAll(found[k], ",", ""))
			switch name {
			case "have":
				c.Have = n
			case "want":
				c.Want = n
			case "limit":
				c.Limit = n
			case "text":
				c.Text = found[k]
			case "front":
				c.Front = found[k] != ""
			}
		}
		return c
	}
	return Cause{Text: sentence}
}
