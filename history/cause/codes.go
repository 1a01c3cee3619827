package cause

import "strconv"

// Code is the kind of a Cause.
type Code uint8

// The codes. The numbers of a cause are in tokens as the server counts them, or in what the comment says.
const (
	None Code = iota // none is known

	// The message is sent whole.
	Fits         // everything fits
	Opener       // the opening of the conversation
	Newest       // the newest turn
	Recent       // one of the newest
	RecentShort  // one of the newest, and not over its limit
	FreeBudget   // it fits beside all that comes first
	Pinned       // the user pinned it
	Question     // an answer to it is sent
	System       // it belongs to the system prompt
	Turn         // it belongs to the running turn
	Note         // a note stands for what of it cannot be sent
	PinnedByNote // the same, and the user pinned it

	// The message is cut: Have of Want characters are sent.
	UserLimit      // a message of the user above Limit characters
	AssistantLimit // an older answer above Limit characters
	ToolLimit      // a tool result above Limit characters
	NewestLimit    // the newest turn is longer than Limit tokens
	TurnLimit      // the current turn does not fit with the whole result
	CutByUser      // the user chose it, so that the request fits

	// The message is recalled, at Have of Want characters where it is cut.
	SharedWords    // the current message is about it too: Text has words of both
	Instruction    // it says what the user wants from all answers
	AnswerRecalled // an answer to it is recalled
	Neighbour      // it was said next to what the current message is about

	// The message is not sent: the user's choice.
	Excluded         // the user excluded it
	QuestionExcluded // the question that it answers is excluded
	Alone            // the current message is sent alone
	LeftOut          // it is damaged, and the user had it left out
	LeftOutGroup     // its tool call is damaged, and the user had the call left out

	// The message is not sent: it cannot be, or has no place in this request.
	Blank         // there is nothing in it to send
	Unreadable    // the row cannot be read, or its role is unknown
	Duplicate     // the same result is there already
	Trailing      // a request ends with a message of the user or a tool result
	ToolsLeftOut  // tool calls and results of the past are not sent
	OtherMessages // the request is a summary of other messages
	Title         // the request is for a title, which is made from the first turn
	Invalid       // with it the request would not have been valid

	// The message is not sent: it does not fit.
	MessageCap  // more than Limit messages
	OverBudget  // next in line: it needed Want tokens, and Have were left
	OverChars   // the same in characters
	Older       // older than a message that did not fit
	BudgetTaken // newer messages and recalled ones take the budget
	TurnFirst   // the running turn needs the budget
	NothingFits // what must be sent does not fit by itself
	Summarized  // the summary stands for it

	// A text was added.
	Gap           // it stands for Want messages; Text is the model that condensed them, "" for a marker
	NoResult      // no result of this call is recorded
	BeginsAsUser  // a request must begin with a user message
	Bridge        // the endpoint wants an answer between a tool result and a message of the user
	RecalledBlock // it frames what the current message is about

	// The message is not sent in its place, or cut there to Have of Want characters, and the result of a recall in the
	// request holds what the model wanted to read of it.
	ReadAgain
	CutReadAgain

	ImageNote // the text of the message is whole, and a note replaces its image

	// A fault of a stored message was repaired: its tool calls and their results.
	CallEmpty     // a call with nothing in it is left out
	CallUnnamed   // a call broke off before its name
	CallName      // no server takes the name
	CallIDBlank   // the id is blank
	CallIDLong    // the id is too long
	CallIDBad     // the id has characters that no id has
	CallIDTaken   // the id is that of another call
	CallsUnrun    // an answer broke off before its calls ran
	ResultMissing // no result is recorded of the call that Text names
	ResultID      // the id of a result is changed to that of its call
	ResultAgain   // the same result is there already
	ResultSecond  // its call has another result already
	ResultLoose   // the call of the result is missing
	ResultOfText  // the call of the result is sent as text
	ResultMoved   // the result was not behind its call
	ResultEmpty   // the result has no text
	ResultBinary  // the result is binary data

	// The arguments of a tool call were repaired. Want is the first character that is not valid, counted from 1, and Have
	// is how many characters had arrived where they broke off.
	ArgumentsAbsent    // there were none
	ArgumentsNull      // they were null
	ArgumentsLost      // nothing in them is certain
	ArgumentsSplit     // those of several calls were joined
	ArgumentsFirst     // the same, and no call is there for the others
	ArgumentsRepaired  // they were not valid JSON, or broke off
	ArgumentsUnwrapped // they were an object written as a string
	ArgumentsValue     // they were a value that is no object

	// Other faults of a stored message that were repaired.
	RowUnreadable   // the row cannot be read, or its role is unknown
	AnswerEmpty     // an answer has no text
	SystemLate      // a system message is in the middle
	ImageNotOfUser  // servers take images from the user alone
	ImageDamaged    // the image is not all there, or of a kind that servers do not take
	ImageUnseen     // the model takes no images
	TextBytes       // bytes that are not text
	ReasoningBytes  // the same in the reasoning
	AttachmentBytes // the same in an attached text
	CallNameBytes   // the same in the name of a tool

	codes // how many there are
)

// words are the name of each code, as records and JSON have it, and its sentence. A name that was released stays.
// What a sentence has in braces comes from the numbers and the text of its Cause.
var words = [codes]struct{ name, sentence string }{
	Fits:             {"fits", "kept whole: everything fits"},
	Opener:           {"opener", "kept whole: the opening of the conversation"},
	Newest:           {"newest", "kept whole: the newest turn"},
	Recent:           {"recent", "kept whole: one of the newest messages"},
	RecentShort:      {"recent_short", "kept whole: one of the newest messages, and short enough"},
	FreeBudget:       {"room", "kept whole: it fits"},
	Pinned:           {"pinned", "kept whole: pinned by you"},
	Question:         {"question", "kept whole: its answer is sent"},
	System:           {"system", "kept whole: it belongs to the system prompt"},
	Turn:             {"turn", "kept whole: it belongs to this turn"},
	Note:             {"note", "kept: a note replaces what cannot be sent"},
	PinnedByNote:     {"pinned_by_note", "pinned by you: a note replaces what cannot be sent"},
	UserLimit:        {"user_limit", "cut to {have} of {want} characters: your messages are limited to {limit}"},
	AssistantLimit:   {"assistant_limit", "cut to {have} of {want} characters: older answers are limited to {limit}"},
	ToolLimit:        {"tool_limit", "cut to {have} of {want} characters: tool results are limited to {limit}"},
	NewestLimit:      {"newest_limit", "cut to {have} of {want} characters: the newest turn is longer than {limit} tokens"},
	TurnLimit:        {"turn_limit", "cut to {have} of {want} characters: the current turn does not fit with the whole result"},
	CutByUser:        {"cut_by_user", "cut by you: {have} of {want} characters are sent, so that the request fits"},
	ImageNote:        {"image_note", "cut: a note replaces an older image"},
	SharedWords:      {"shared_words", "{recalled}: related to your message ({text})"},
	Instruction:      {"instruction", "{recalled}: an instruction for all answers"},
	AnswerRecalled:   {"answer_recalled", "{recalled}: its answer is recalled"},
	Neighbour:        {"neighbour", "{recalled}: next to a message related to yours"},
	Excluded:         {"excluded", "not sent: excluded by you"},
	QuestionExcluded: {"question_excluded", "not sent: its question is excluded"},
	Alone:            {"alone", "not sent: you sent your message alone"},
	LeftOut:          {"left_out", "not sent: damaged, and left out by you"},
	LeftOutGroup:     {"left_out_group", "not sent: its tool call is damaged, and you left out the call with its results"},
	Blank:            {"blank", "not sent: it is empty"},
	Unreadable:       {"unreadable", "not sent: the stored message cannot be read, or its role is unknown"},
	Duplicate:        {"duplicate", "not sent: the same result is already in the request"},
	Trailing:         {"trailing", "not sent: a request must end with your message or a tool result"},
	ToolsLeftOut:     {"tools_left_out", "dropped: past tool calls and results are not sent"},
	OtherMessages:    {"other_messages", "not sent: this summary covers other messages"},
	Title:            {"title", "not sent: the title is made from the first turn"},
	Invalid:          {"invalid", "dropped: the request would not be valid with it"},
	MessageCap:       {"message_cap", "dropped: the limit is {limit} messages"},
	OverBudget:       {"over_budget", "dropped: needs {want} tokens, {have} left"},
	OverChars:        {"over_chars", "dropped: needs {want} characters, {have} left"},
	Older:            {"older", "dropped: older than a message that did not fit"},
	BudgetTaken:      {"room_taken", "dropped: newer and recalled messages fill the budget"},
	TurnFirst:        {"turn_room", "dropped: the current turn fills the budget"},
	NothingFits:      {"nothing_fits", "dropped: the required messages alone do not fit"},
	Summarized:       {"summarized", "dropped: the summary replaces it"},
	ReadAgain:        {"read_again", "dropped here: the model read it with the recall tool"},
	CutReadAgain:     {"cut_read_again", "cut to {have} of {want} characters: the model read more of it with the recall tool"},
	Gap:              {"gap", "replaces {messages} not sent{condensed}"},
	NoResult:         {"no_result", "no result of this call is recorded"},
	BeginsAsUser:     {"begins_as_user", "a request must begin with a user message"},
	Bridge:           {"bridge", "this endpoint requires an answer between a tool result and your message"},
	RecalledBlock:    {"recalled_block", "contains earlier messages related to yours"},

	CallEmpty:     {"call_empty", "An empty tool call is left out."},
	CallUnnamed:   {"call_unnamed", "A tool call was cut off before its name; the calls of this message are sent as text."},
	CallName:      {"call_name", "The tool name of this call has characters that servers refuse; they are sent as _."},
	CallIDBlank:   {"call_id_blank", "The id of a tool call was empty; the call and its result get a new one."},
	CallIDLong:    {"call_id_long", "The id of a tool call was too long; the call and its result get a new one."},
	CallIDBad:     {"call_id_bad", "The id of a tool call was malformed; the call and its result get a new one."},
	CallIDTaken:   {"call_id_taken", "The id of a tool call was used before; the call and its result get a new one."},
	CallsUnrun:    {"calls_unrun", "The answer was cut off before its tool calls ran; it is sent without them."},
	ResultMissing: {"result_missing", "The call {text} has no recorded result; a neutral note is sent instead."},
	ResultID:      {"result_id", "The id of this tool result is changed to that of its call."},
	ResultAgain:   {"result_again", "The same result is already in the request; it is sent once."},
	ResultSecond:  {"result_second", "Its call already has a different result; this one is sent as text."},
	ResultLoose:   {"result_loose", "The call of this tool result is missing; it is sent as text."},
	ResultOfText:  {"result_of_text", "The call of this tool result was cut off and is sent as text; so is the result."},
	ResultMoved:   {"result_moved", "This tool result was in the wrong place; it is moved after its call."},
	ResultEmpty:   {"result_empty", "The tool result was empty; a note is sent instead."},
	ResultBinary:  {"result_binary", "The tool result is binary data; a note with its size is sent instead."},

	ArgumentsAbsent:    {"arguments_absent", "This call had no arguments; an empty object is sent."},
	ArgumentsNull:      {"arguments_null", "The arguments of this call were null; an empty object is sent."},
	ArgumentsLost:      {"arguments_lost", "The arguments of this call cannot be read as an object; an empty object is sent instead."},
	ArgumentsSplit:     {"arguments_split", "The arguments of several calls were joined; each call gets its own."},
	ArgumentsFirst:     {"arguments_first", "The arguments of several calls were joined; the first object is sent."},
	ArgumentsRepaired:  {"arguments_repaired", "{invalid}{short}"},
	ArgumentsUnwrapped: {"arguments_unwrapped", "The arguments of this call were an object written as a string; the object itself is sent.{short}"},
	ArgumentsValue:     {"arguments_value", "The arguments of this call were not an object; they are sent as {\"value\": …}.{short}"},

	RowUnreadable:   {"row_unreadable", "This message cannot be read, or its role is unknown; it is kept but not sent."},
	AnswerEmpty:     {"answer_empty", "This answer has no text; it is left out."},
	SystemLate:      {"system_late", "A system message within the conversation is sent where the model's format allows one."},
	ImageNotOfUser:  {"image_not_of_user", "Servers accept images from the user only; a note is sent instead."},
	ImageDamaged:    {"image_damaged", "This image is incomplete, or of a type that servers do not accept; a note is sent instead."},
	ImageUnseen:     {"image_unseen", "This model does not accept images; a note is sent instead."},
	TextBytes:       {"text_bytes", "Bytes that are not valid text are sent as replacement characters."},
	ReasoningBytes:  {"reasoning_bytes", "Bytes in the reasoning that are not valid text are replaced when it is sent."},
	AttachmentBytes: {"attachment_bytes", "Bytes in an attached text that are not valid text are sent as replacement characters."},
	CallNameBytes:   {"call_name_bytes", "Bytes in a tool name that are not valid text are sent as _."},
}

// String is the code's name, "" for None.
func (c Code) String() string {
	if c >= codes {
		return "code " + strconv.Itoa(int(c))
	}
	return words[c].name
}
