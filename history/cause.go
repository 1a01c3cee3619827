package history

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"winnow/history/message"
)

// Cause says why a message is in a request the way it is, or why a text was added: a code with its numbers. What a
// request holds, and every mark and colour, follows from the code; Sentence has the words for it.
type Cause struct {
	Code  CauseCode
	Front bool   // of a recalled message: its place holds less of it than the block in front of the current message
	Want  int    // what it takes: characters of a message that is cut, tokens of one that did not fit, messages of a gap
	Have  int    // how much of Want is there: characters that are sent, tokens that were left
	Limit int    // the limit that the code names: characters, tokens or messages
	Text  string // words that the current message shares with it, the model that made a summary, or the sentence of an older record without a code
}

// CauseCode is the kind of a Cause.
type CauseCode uint8

// The codes. The numbers of a cause are in tokens as the server counts them, or in what the comment says.
const (
	NoCause CauseCode = iota // none is known

	// The message is sent whole.
	CauseFits         // everything fits
	CauseOpener       // the opening of the conversation
	CauseNewest       // the newest exchange
	CauseRecent       // one of the newest
	CauseRecentShort  // one of the newest, and not over its limit
	CauseRoom         // there is room for it
	CausePinned       // the user pinned it
	CauseQuestion     // an answer to it is sent
	CauseSystem       // it belongs to the system prompt
	CauseTurn         // it belongs to the running turn
	CauseNote         // a note stands for what of it cannot be sent
	CausePinnedByNote // the same, and the user pinned it

	// The message is cut: Have of Want characters are sent.
	CauseUserLimit      // a message of the user above Limit characters
	CauseAssistantLimit // an older answer above Limit characters
	CauseToolLimit      // a tool result above Limit characters
	CauseNewestLimit    // the newest exchange is longer than Limit tokens
	CauseTurnLimit      // the running turn does not fit with all of this result
	CauseCutByUser      // the user chose it, so that the request fits

	// The message is recalled, at Have of Want characters where it is cut.
	CauseSharedWords    // the current message is about it too: Text has words of both
	CauseInstruction    // it says what the user wants from all answers
	CauseAnswerRecalled // an answer to it is recalled
	CauseNeighbour      // it was said next to what the current message is about

	// The message is not sent: the user's choice.
	CauseExcluded         // the user excluded it
	CauseQuestionExcluded // the question that it answers is excluded
	CauseAlone            // the current message is sent alone
	CauseLeftOut          // it is damaged, and the user had it left out
	CauseLeftOutGroup     // its tool call is damaged, and the user had the call left out

	// The message is not sent: it cannot be, or has no place in this request.
	CauseBlank         // there is nothing in it to send
	CauseUnreadable    // the row cannot be read, or its role is unknown
	CauseDuplicate     // the same result is there already
	CauseTrailing      // a request ends with a message of the user or a tool result
	CauseToolsLeftOut  // tool calls and results of the past are not sent
	CauseOtherMessages // the request is a summary of other messages
	CauseTitle         // the request is for a title, which is made from the first exchange
	CauseInvalid       // with it the request would not have been valid

	// The message is not sent: there is no room for it.
	CauseMessageCap  // more than Limit messages
	CauseOverBudget  // next in line: it needed Want tokens, and Have were left
	CauseOverChars   // the same in characters
	CauseOlder       // older than a message that did not fit
	CauseRoomTaken   // newer messages and recalled ones take the room
	CauseTurnRoom    // the running turn needs the room
	CauseNothingFits // what must be sent does not fit by itself
	CauseSummarized  // the summary stands for it

	// A text was added.
	CauseGap           // it stands for Want messages; Text is the model that condensed them, "" for a marker
	CauseNoResult      // no result of this call is recorded
	CauseBeginsAsUser  // a request begins with a message of the user
	CauseBridge        // the endpoint wants an answer between a tool result and a message of the user
	CauseRecalledBlock // it frames what the current message is about

	causeCodes // how many there are
)

// causeNames are the codes as records and JSON have them. A name that was released stays.
var causeNames = [causeCodes]string{
	CauseFits: "fits", CauseOpener: "opener", CauseNewest: "newest", CauseRecent: "recent", CauseRecentShort: "recent_short",
	CauseRoom: "room", CausePinned: "pinned", CauseQuestion: "question", CauseSystem: "system", CauseTurn: "turn",
	CauseNote: "note", CausePinnedByNote: "pinned_by_note",

	CauseUserLimit: "user_limit", CauseAssistantLimit: "assistant_limit", CauseToolLimit: "tool_limit",
	CauseNewestLimit: "newest_limit", CauseTurnLimit: "turn_limit", CauseCutByUser: "cut_by_user",

	CauseSharedWords: "shared_words", CauseInstruction: "instruction", CauseAnswerRecalled: "answer_recalled",
	CauseNeighbour: "neighbour",

	CauseExcluded: "excluded", CauseQuestionExcluded: "question_excluded", CauseAlone: "alone", CauseLeftOut: "left_out",
	CauseLeftOutGroup: "left_out_group",

	CauseBlank: "blank", CauseUnreadable: "unreadable", CauseDuplicate: "duplicate", CauseTrailing: "trailing",
	CauseToolsLeftOut: "tools_left_out", CauseOtherMessages: "other_messages", CauseTitle: "title", CauseInvalid: "invalid",

	CauseMessageCap: "message_cap", CauseOverBudget: "over_budget", CauseOverChars: "over_chars", CauseOlder: "older",
	CauseRoomTaken: "room_taken", CauseTurnRoom: "turn_room", CauseNothingFits: "nothing_fits", CauseSummarized: "summarized",

	CauseGap: "gap", CauseNoResult: "no_result", CauseBeginsAsUser: "begins_as_user", CauseBridge: "bridge",
	CauseRecalledBlock: "recalled_block",
}

// String is the code's name, "" for NoCause.
func (c CauseCode) String() string {
	if c >= causeCodes {
		return "code " + strconv.Itoa(int(c))
	}
	return causeNames[c]
}

// causeSentences are the words for each code. {have}, {want}, {limit} and {text} stand for what a Cause has.
var causeSentences = [causeCodes]string{
	CauseFits:         "kept whole: everything fits",
	CauseOpener:       "kept whole: the opening of the conversation",
	CauseNewest:       "kept whole: the newest exchange",
	CauseRecent:       "kept whole: one of the newest",
	CauseRecentShort:  "kept whole: one of the newest, and short enough",
	CauseRoom:         "kept whole: there is room for it",
	CausePinned:       "kept whole: pinned by you",
	CauseQuestion:     "kept whole: an answer to it is sent",
	CauseSystem:       "kept whole: it belongs to the system prompt",
	CauseTurn:         "kept whole: it belongs to this turn",
	CauseNote:         "kept: a note stands for what cannot be sent",
	CausePinnedByNote: "pinned by you: a note stands for what cannot be sent",

	CauseUserLimit:      "cut to {have} of {want} characters: a message of yours above {limit}",
	CauseAssistantLimit: "cut to {have} of {want} characters: an older answer above {limit}",
	CauseToolLimit:      "cut to {have} of {want} characters: a tool result above {limit}",
	CauseNewestLimit:    "cut to {have} of {want} characters: the newest exchange is longer than {limit} tokens",
	CauseTurnLimit:      "cut to {have} of {want} characters: the running turn does not fit with all of this result",
	CauseCutByUser:      "cut by you: {have} of {want} characters are sent, so that the request fits",

	CauseSharedWords:    "{recalled}: your message is about it too ({text})",
	CauseInstruction:    "{recalled}: it says what you want from all answers",
	CauseAnswerRecalled: "{recalled}: an answer to it is recalled",
	CauseNeighbour:      "{recalled}: said next to what your message is about",

	CauseExcluded:         "not sent: excluded by you",
	CauseQuestionExcluded: "not sent: the question that it answers is excluded",
	CauseAlone:            "not sent: you sent your message alone",
	CauseLeftOut:          "not sent: it is damaged, and you had it left out",
	CauseLeftOutGroup:     "not sent: its tool call is damaged, and you had the call left out with its results",

	CauseBlank:         "not sent: there is nothing in it to send",
	CauseUnreadable:    "not sent: the row cannot be read, or its role is unknown",
	CauseDuplicate:     "not sent: the same result stands there already",
	CauseTrailing:      "not sent: a request ends with your message or with a tool's result",
	CauseToolsLeftOut:  "dropped: tool calls and results of the past are not sent",
	CauseOtherMessages: "not sent: this summary is of other messages",
	CauseTitle:         "not sent: the title is made from the first exchange",
	CauseInvalid:       "dropped: with it the request would not have been valid",

	CauseMessageCap:  "dropped: more than {limit} messages",
	CauseOverBudget:  "dropped: next in line, needed {want}, {have} left",
	CauseOverChars:   "dropped: next in line, needed {want} characters, {have} left",
	CauseOlder:       "dropped: older than a message that did not fit",
	CauseRoomTaken:   "dropped: the room is taken by newer messages and by what yours is about",
	CauseTurnRoom:    "dropped: the running turn needs the room",
	CauseNothingFits: "dropped: what must be sent does not fit by itself",
	CauseSummarized:  "dropped: the summary stands for it",

	CauseGap:           "stands for {messages} not sent",
	CauseNoResult:      "no result of this call is recorded",
	CauseBeginsAsUser:  "a request begins with a message of the user",
	CauseBridge:        "this endpoint wants an answer between a tool's result and your message",
	CauseRecalledBlock: "holds what your message is about from earlier in the conversation",
}

// Sentence is the cause in words for the user, with its numbers.
func (c Cause) Sentence() string {
	if c.Code == NoCause || c.Code >= causeCodes {
		return c.Text
	}
	template := causeSentences[c.Code]
	if !strings.Contains(template, "{") {
		return template
	}
	sentence := strings.NewReplacer(
		"{have}", message.Grouped(c.Have), "{want}", message.Grouped(c.Want), "{limit}", message.Grouped(c.Limit),
		"{text}", c.Text, "{recalled}", c.recalledHow(), "{messages}", messagesThatAre(c.Want),
	).Replace(template)
	if c.Code == CauseGap && c.Text != "" {
		sentence += ", condensed by " + c.Text
	}
	return sentence
}

// recalledHow says how much of a recalled message is where.
func (c Cause) recalledHow() string {
	how := "recalled"
	if c.Want > 0 {
		how = fmt.Sprintf("recalled, cut to %s of %s characters", message.Grouped(c.Have), message.Grouped(c.Want))
	}
	if c.Front {
		how += " to the front, cut in its place"
	}
	return how
}

func messagesThatAre(n int) string {
	if n == 1 {
		return "1 message that is"
	}
	return message.Grouped(n) + " messages that are"
}

// MarshalText writes a cause as records keep it: the name of its code, then the numbers that it has, and the text
// last. A cause without a code is its text.
func (c Cause) MarshalText() ([]byte, error) {
	if c.Code == NoCause {
		return []byte(c.Text), nil
	}
	text := []byte(c.Code.String())
	for _, n := range []struct {
		key   string
		value int
	}{{" have=", c.Have}, {" want=", c.Want}, {" limit=", c.Limit}} {
		if n.value != 0 {
			text = strconv.AppendInt(append(text, n.key...), int64(n.value), 10)
		}
	}
	if c.Front {
		text = append(text, " front"...)
	}
	if c.Text != "" {
		text = append(append(text, " text="...), c.Text...)
	}
	return text, nil
}

// UnmarshalText reads what MarshalText wrote, or the sentence of a record from before causes had codes.
func (c *Cause) UnmarshalText(text []byte) error {
	written := string(text)
	if read, ok := readCause(written); ok {
		*c = read
		return nil
	}
	*c = causeOfSentence(written)
	return nil
}

// readCause reads what MarshalText wrote for a cause with a code.
func readCause(written string) (Cause, bool) {
	name, rest, _ := strings.Cut(written, " ")
	code := slices.Index(causeNames[:], cmp.Or(name, "-"))
	if code < 0 {
		return Cause{}, false
	}
	c := Cause{Code: CauseCode(code)}
	for rest != "" {
		if text, ok := strings.CutPrefix(rest, "text="); ok {
			c.Text = text
			return c, true
		}
		var field string
		field, rest, _ = strings.Cut(rest, " ")
		key, value, _ := strings.Cut(field, "=")
		n, err := strconv.Atoi(value)
		switch {
		case field == "front":
			c.Front = true
		case err != nil:
			return Cause{}, false
		case key == "have":
			c.Have = n
		case key == "want":
			c.Want = n
		case key == "limit":
			c.Limit = n
		default:
			return Cause{}, false
		}
	}
	return c, true
}
