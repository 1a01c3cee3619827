package cause

// Short is the cause in a few words that stand behind the word of its verdict, such as "over budget" behind "dropped".
// It is "" where the verdict says all there is to say.
func (c Cause) Short() string {
	if c.Code == SharedWords {
		return c.Text
	}
	return shorts[c.Code]
}

// shorts are the causes that are worth a word beside a verdict.
var shorts = map[Code]string{
	Instruction:    "an instruction",
	AnswerRecalled: "with its answer",
	Neighbour:      "beside a match",

	ImageNote: "image as a note",

	QuestionExcluded: "with its question",
	Alone:            "sent alone",
	LeftOut:          "left out by you",
	LeftOutGroup:     "left out by you",

	Duplicate:     "sent once already",
	Trailing:      "nothing follows it",
	ToolsLeftOut:  "past tool call",
	OtherMessages: "other messages",
	Title:         "title request",
	Invalid:       "not valid",

	MessageCap:  "over the message limit",
	OverBudget:  "over budget",
	OverChars:   "over budget",
	Older:       "over budget",
	BudgetTaken: "over budget",
	TurnFirst:   "over budget",
	NothingFits: "over budget",
	Summarized:  "summarized",
	ReadAgain:   "looked up since",

	CallEmpty: "empty call", CallUnnamed: "call broke off", CallName: "tool name",
	CallIDBlank: "call id", CallIDLong: "call id", CallIDBad: "call id", CallIDTaken: "call id",
	CallsUnrun:    "calls never ran",
	ResultMissing: "no result", ResultID: "call id", ResultAgain: "sent once already", ResultSecond: "second result",
	ResultLoose: "no call", ResultOfText: "call sent as text", ResultMoved: "wrong place", ResultEmpty: "empty result",
	ResultBinary:    "binary result",
	ArgumentsAbsent: "no arguments", ArgumentsNull: "no arguments", ArgumentsLost: "arguments lost",
	ArgumentsSplit: "arguments", ArgumentsFirst: "arguments", ArgumentsRepaired: "arguments",
	ArgumentsUnwrapped: "arguments", ArgumentsValue: "arguments",
	RowUnreadable: "unreadable", AnswerEmpty: "no text", SystemLate: "moved",
	ImageNotOfUser: "image", ImageDamaged: "image damaged", ImageUnseen: "image not supported",
	TextBytes: "invalid bytes", ReasoningBytes: "invalid bytes", AttachmentBytes: "invalid bytes", CallNameBytes: "invalid bytes",
}
