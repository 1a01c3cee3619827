package cause

// Code is the kind of a Cause, and its name in records and in JSON.
type Code string

// The codes. A Cause with the code None has either no reason or only a text.
const (
	None Code = ""

	// The message is sent whole.
	Fits         Code = "fits"
	Opener       Code = "opener"
	Newest       Code = "newest"
	Recent       Code = "recent"
	RecentShort  Code = "recent_short"
	FreeBudget   Code = "room"
	Pinned       Code = "pinned"
	Question     Code = "question"
	System       Code = "system"
	Turn         Code = "turn"
	Note         Code = "note"
	PinnedByNote Code = "pinned_by_note"

	// The message is cut: Have of Want characters are sent.
	UserLimit      Code = "user_limit"
	AssistantLimit Code = "assistant_limit"
	ToolLimit      Code = "tool_limit"
	NewestLimit    Code = "newest_limit"
	TurnLimit      Code = "turn_limit"
	CutByUser      Code = "cut_by_user"

	// The message is recalled; if it is cut, Have of Want characters are sent.
	SharedWords Code = "shared_words"
	Instruction Code = "instruction"
	Neighbour   Code = "neighbour"

	// The message is not sent: the user's choice.
	Excluded         Code = "excluded"
	QuestionExcluded Code = "question_excluded"
	Alone            Code = "alone"
	LeftOut          Code = "left_out"
	LeftOutGroup     Code = "left_out_group"

	// The message is not sent: it cannot be sent, or does not belong in this request.
	Blank         Code = "blank"
	Unreadable    Code = "unreadable"
	Duplicate     Code = "duplicate"
	Trailing      Code = "trailing"
	ToolsLeftOut  Code = "tools_left_out"
	OtherMessages Code = "other_messages"
	Title         Code = "title"
	Invalid       Code = "invalid"

	// The message is not sent: it does not fit.
	MessageCap  Code = "message_cap"
	OverBudget  Code = "over_budget"
	OverChars   Code = "over_chars"
	Older       Code = "older"
	BudgetTaken Code = "room_taken"
	TurnFirst   Code = "turn_room"
	NothingFits Code = "nothing_fits"
	Summarized  Code = "summarized"

	// A text was added.
	Gap           Code = "gap"
	NoResult      Code = "no_result"
	BeginsAsUser  Code = "begins_as_user"
	Bridge        Code = "bridge"
	RecalledBlock Code = "recalled_block"

	// The message is not sent in its place, or cut there to Have of Want characters, but the model has read it with the
	// recall tool, whose result is in the request.
	ReadAgain    Code = "read_again"
	CutReadAgain Code = "cut_read_again"
	ImageNote    Code = "image_note"

	// A fault of a stored message was repaired: its tool calls and their results.
	CallEmpty     Code = "call_empty"
	CallUnnamed   Code = "call_unnamed"
	CallName      Code = "call_name"
	CallID        Code = "call_id"
	CallsUnrun    Code = "calls_unrun"
	ResultMissing Code = "result_missing"
	ResultID      Code = "result_id"
	ResultAgain   Code = "result_again"
	ResultSecond  Code = "result_second"
	ResultLoose   Code = "result_loose"
	ResultOfText  Code = "result_of_text"
	ResultMoved   Code = "result_moved"
	ResultEmpty   Code = "result_empty"
	ResultBinary  Code = "result_binary"

	// The arguments of a tool call were repaired. Want is the first invalid character, counted from 1; Have is how many
	// characters arrived before the arguments were cut off.
	ArgumentsAbsent    Code = "arguments_absent"
	ArgumentsLost      Code = "arguments_lost"
	ArgumentsSplit     Code = "arguments_split"
	ArgumentsFirst     Code = "arguments_first"
	ArgumentsRepaired  Code = "arguments_repaired"
	ArgumentsUnwrapped Code = "arguments_unwrapped"
	ArgumentsValue     Code = "arguments_value"

	// Other faults of a stored message that were repaired.
	RowUnreadable  Code = "row_unreadable"
	AnswerEmpty    Code = "answer_empty"
	SystemLate     Code = "system_late"
	ImageNotOfUser Code = "image_not_of_user"
	ImageDamaged   Code = "image_damaged"
	ImageUnseen    Code = "image_unseen"
	TextBytes      Code = "text_bytes"
)

// wording is how a code is shown to the user. Texts in braces are replaced with the numbers and the text of a Cause.
type wording struct {
	sentence string
	short    string // a few words after the disposition; "" if that says enough
}

// words has the wording of each code.
var words = map[Code]wording{
	Fits:         {"kept whole: everything fits", ""},
	Opener:       {"kept whole: the opening of the conversation", ""},
	Newest:       {"kept whole: the newest turn", ""},
	Recent:       {"kept whole: one of the newest messages", ""},
	RecentShort:  {"kept whole: one of the newest messages, and short enough", ""},
	FreeBudget:   {"kept whole: it fits", ""},
	Pinned:       {"kept whole: pinned by you", ""},
	Question:     {"kept whole: its answer is sent", ""},
	System:       {"kept whole: it belongs to the system prompt", ""},
	Turn:         {"kept whole: it belongs to this turn", ""},
	Note:         {"kept: a note replaces what cannot be sent", ""},
	PinnedByNote: {"pinned by you: a note replaces what cannot be sent", ""},

	UserLimit:      {"{cut}: your messages are limited to {limit}", ""},
	AssistantLimit: {"{cut}: older answers are limited to {limit}", ""},
	ToolLimit:      {"{cut}: tool results are limited to {limit}", ""},
	NewestLimit:    {"{cut}: the newest turn is longer than {limit} tokens", ""},
	TurnLimit:      {"{cut}: the current turn does not fit with the whole result", ""},
	CutByUser:      {"cut by you: {have} of {want} characters are sent, so that the request fits", ""},

	SharedWords: {"{recalled}: related to your message ({text})", "{text}"},
	Instruction: {"{recalled}: an instruction for all answers", "an instruction"},
	Neighbour:   {"{recalled}: near a message related to yours", "near a match"},

	Excluded:         {"not sent: excluded by you", ""},
	QuestionExcluded: {"not sent: its question is excluded", "with its question"},
	Alone:            {"not sent: you sent your message alone", "sent alone"},
	LeftOut:          {"not sent: damaged, and left out by you", "left out by you"},
	LeftOutGroup: {
		"not sent: its tool call is damaged, and you left out the call with its results",
		"left out by you",
	},

	Blank:         {"not sent: it is empty", ""},
	Unreadable:    {"not sent: the stored message cannot be read, or its role is unknown", ""},
	Duplicate:     {"not sent: the same result is already in the request", "sent once already"},
	Trailing:      {"not sent: a request must end with your message or a tool result", "nothing follows it"},
	ToolsLeftOut:  {"dropped: past tool calls and results are not sent", "past tool call"},
	OtherMessages: {"not sent: this summary covers other messages", "other messages"},
	Title:         {"not sent: the title is made from the first turn", "title request"},
	Invalid:       {"dropped: the request would not be valid with it", "not valid"},

	MessageCap:  {"dropped: the limit is {limit} messages", "over the message limit"},
	OverBudget:  {"dropped: needs {want} tokens, {have} left", "over budget"},
	OverChars:   {"dropped: needs {want} characters, {have} left", "over budget"},
	Older:       {"dropped: older than a message that did not fit", "over budget"},
	BudgetTaken: {"dropped: newer and recalled messages fill the budget", "over budget"},
	TurnFirst:   {"dropped: the current turn fills the budget", "over budget"},
	NothingFits: {"dropped: the required messages alone do not fit", "over budget"},
	Summarized:  {"dropped: the summary replaces it", "summarized"},

	Gap:           {"replaces {want} {messages} not sent{condensed}", ""},
	NoResult:      {"no result was recorded for this call", ""},
	BeginsAsUser:  {"a request must begin with a user message", ""},
	Bridge:        {"this endpoint needs an answer between a tool result and your message", ""},
	RecalledBlock: {"contains earlier messages related to yours", ""},

	ReadAgain:    {"dropped here: the model read it with the recall tool", "looked up since"},
	CutReadAgain: {"{cut}: the model read more of it with the recall tool", ""},
	ImageNote:    {"cut: a note replaces an older image", "image as a note"},

	CallEmpty:   {"An empty tool call is left out.", "empty call"},
	CallUnnamed: {"A tool call was cut off before its name; the calls are sent as text.", "call broke off"},
	CallName:    {"The tool name of this call has characters that servers refuse; they are sent as _.", "tool name"},
	CallID: {
		"The id of a tool call was missing, malformed or used before; the call and its result get a new one.",
		"call id",
	},
	CallsUnrun:    {"The answer was cut off before its tool calls ran; it is sent without them.", "calls never ran"},
	ResultMissing: {"No result was recorded for the call {text}; a placeholder result is sent instead.", "no result"},
	ResultID:      {"The id of this tool result is changed to that of its call.", "call id"},
	ResultAgain:   {"The same result is already in the request; it is sent once.", "sent once already"},
	ResultSecond:  {"Its call already has a different result; this one is sent as text.", "second result"},
	ResultLoose:   {"The call of this tool result is missing; it is sent as text.", "no call"},
	ResultOfText:  {"The call of this result was cut off; both are sent as text.", "call sent as text"},
	ResultMoved:   {"This tool result was in the wrong place; it is moved after its call.", "wrong place"},
	ResultEmpty:   {"The tool result was empty; a note is sent instead.", "empty result"},
	ResultBinary:  {"The tool result is binary data; a note with its size is sent instead.", "binary result"},

	ArgumentsAbsent:    {"This call had no arguments; an empty object is sent.", "no arguments"},
	ArgumentsLost:      {"These arguments cannot be read as an object; an empty object is sent.", "arguments lost"},
	ArgumentsSplit:     {"The arguments of several calls were joined; each call gets its own.", "arguments"},
	ArgumentsFirst:     {"The arguments of several calls were joined; the first object is sent.", "arguments"},
	ArgumentsRepaired:  {"{invalid}{short}", "arguments"},
	ArgumentsUnwrapped: {"These arguments were an object in a string; the object itself is sent.{short}", "arguments"},
	ArgumentsValue:     {"These arguments were not an object; they are sent as {\"value\": …}.{short}", "arguments"},

	RowUnreadable:  {"This message cannot be read, or its role is unknown; it is kept but not sent.", "unreadable"},
	AnswerEmpty:    {"This answer has no text; it is left out.", "no text"},
	SystemLate:     {"A system message within the conversation is sent where the model's format allows one.", "moved"},
	ImageNotOfUser: {"Servers accept images from the user only; a note is sent instead.", "image"},
	ImageDamaged:   {"This image is incomplete, or of a type that servers refuse; a note is sent.", "image damaged"},
	ImageUnseen:    {"This model does not accept images; a note is sent instead.", "image not supported"},
	TextBytes:      {"Bytes that are not valid text are sent as replacement characters.", "invalid bytes"},
}
