package keymap

// Action is what a key does. Its text is the name that remaps it in the configuration, so it is a contract: a
// name that is given up stays accepted.
type Action string

// The actions, in the order of the help screen.
const (
	Send    Action = "send"
	SendCut Action = "send-cut"
	Newline Action = "newline"
	Older   Action = "older"
	Newer   Action = "newer"
	Recall  Action = "recall"
	Editor  Action = "editor"
	Open    Action = "open"
	Slash   Action = "commands"
	Quit    Action = "quit"

	Back      Action = "back"
	Stop      Action = "stop"
	Context   Action = "context"
	Sessions  Action = "sessions"
	Models    Action = "models"
	Palette   Action = "palette"
	New       Action = "new"
	Reason    Action = "reasoning"
	Reveal    Action = "reveal"
	Focus     Action = "focus"
	FocusBack Action = "focus-back"
	PageUp    Action = "page-up"
	PageDown  Action = "page-down"
	Suspend   Action = "suspend"
	Help      Action = "help"
	Ask       Action = "ask"

	Down        Action = "down"
	Up          Action = "up"
	Next        Action = "next"
	Prev        Action = "previous"
	HalfDown    Action = "half-down"
	HalfUp      Action = "half-up"
	Top         Action = "top"
	Bottom      Action = "bottom"
	Boundary    Action = "boundary"
	Inspect     Action = "inspect"
	Expand      Action = "expand"
	Copy        Action = "copy"
	CopyCode    Action = "copy-code"
	Again       Action = "again"
	AgainWith   Action = "again-with"
	Edit        Action = "edit"
	VersionBack Action = "version-back"
	VersionOn   Action = "version-on"
	Fork        Action = "fork"
	Trail       Action = "trail"
	Pin         Action = "pin"
	Exclude     Action = "exclude"
	Auto        Action = "automatic"
	TakeBack    Action = "take-back"
	Find        Action = "find"
	NextHit     Action = "next-hit"
	PrevHit     Action = "previous-hit"
	Select      Action = "select"
	Pick        Action = "select-one"
	Seen        Action = "seen"
	WhatIf      Action = "what-if"
	Repairs     Action = "repairs"
	Request     Action = "request"

	Earlier Action = "earlier"
	Later   Action = "later"
	Compare Action = "compare"
	Adopt   Action = "adopt-window"

	NextView Action = "next-view"
	PrevView Action = "previous-view"

	Fold    Action = "collapse"
	FoldAll Action = "collapse-all"

	Choose   Action = "choose"
	ListUp   Action = "list-up"
	ListDown Action = "list-down"

	AllText Action = "all-text"
	Shelves Action = "shelves"
	Rename  Action = "rename"
	Tags    Action = "tags"
	PinTop  Action = "pin-on-top"
	Archive Action = "archive"
	Delete  Action = "delete"
	Restore Action = "restore"
	Undo    Action = "undo"
	ForkOff Action = "fork-session"

	Remedy Action = "remedy"

	RemoveQueued Action = "remove-queued"

	Away Action = "fork-away"
	Take Action = "take-over"

	Allow        Action = "allow"
	AllowSession Action = "allow-session"
	AllowAlways  Action = "allow-always"
	Refuse       Action = "refuse"
	RefuseWhy    Action = "refuse-with-reason"
)

// table is every binding in the order of the help screen.
func table() []Binding {
	return []Binding{
		bind(Send, "draft", InDraft, "send, or queue while an answer arrives", "enter"),
		bind(SendCut, "draft", InDraft, "send a message cut that does not fit", "ctrl+y"),
		bind(Newline, "draft", InDraft, "new line", "shift+enter", "alt+enter", "ctrl+j"),
		bind(Older, "draft", InDraft, "up; then last queued message or prompt before", "up"),
		bind(Newer, "draft", InDraft, "down, on the last line the prompt after", "down"),
		bind(Recall, "draft", InDraft, "search the prompts sent", "ctrl+r"),
		bind(Editor, "draft", InDraft, "write the draft in $EDITOR", "ctrl+g"),
		bind(Open, "draft", InDraft, "open a pasted text", "ctrl+o"),
		bind(Slash, "draft", InDraft, "commands, on an empty draft", "/"),
		bind(Quit, "draft", InDraft, "quit, on an empty draft", "ctrl+d"),

		bind(Back, "everywhere", everyScope, "close, leave the selection, stop the answer", "esc"),
		bind(Stop, "everywhere", everyScope, "stop, then clear the draft, twice to quit", "ctrl+c"),
		bind(Context, "everywhere", panes, "context panel", "ctrl+x", "f2"),
		bind(Sessions, "everywhere", panes|InSessions, "sessions", "ctrl+s"),
		bind(Models, "everywhere", panes, "model", "ctrl+l"),
		bind(Palette, "everywhere", panes, "palette", "ctrl+p"),
		bind(New, "everywhere", panes|InSessions, "new session", "ctrl+n"),
		bind(Reason, "everywhere", panes, "show or hide reasoning", "ctrl+t"),
		bind(Reveal, "everywhere", panes, "show or hide secrets", "f3"),
		bind(Focus, "everywhere", panes, "next pane: draft, transcript, panel", "tab"),
		bind(FocusBack, "everywhere", panes, "the pane before", "shift+tab"),
		bind(PageUp, "everywhere", everyScope, "transcript a page up", "pgup"),
		bind(PageDown, "everywhere", everyScope, "transcript a page down", "pgdown"),
		bind(Suspend, "everywhere", everyScope, "suspend", "ctrl+z"),
		bind(Help, "everywhere", everyScope, "help", "f1"),
		bind(Ask, "everywhere", everyScope, "help, where no text is being typed", "?"),

		bind(Down, "transcript", moving, "line down", "j", "down"),
		bind(Up, "transcript", moving, "line up", "k", "up"),
		bind(Next, "transcript", moving, "next message", "J", "shift+down"),
		bind(Prev, "transcript", moving, "previous message", "K", "shift+up"),
		bind(HalfDown, "transcript", moving, "half a page down", "ctrl+d"),
		bind(HalfUp, "transcript", moving, "half a page up", "ctrl+u"),
		bind(Top, "transcript", moving, "first message", "g", "home"),
		bind(Bottom, "transcript", moving, "last message, and follow", "G", "end"),
		bind(Boundary, "transcript", InTranscript, "first message that the model sees", "'").needing(NeedPlan),
		bind(Inspect, "transcript", InTranscript|InPanel|InInspector, "what the model gets of the message", "enter").needing(NeedMessage),
		bind(Expand, "transcript", InTranscript, "expand or collapse", "ctrl+o"),
		bind(Copy, "transcript", InTranscript|InInspector|InRequest, "copy the message", "y"),
		bind(CopyCode, "transcript", InTranscript, "copy its last code block", "Y"),
		bind(Again, "transcript", InTranscript, "answer the turn again, as another version", "r").needing(NeedOwn | NeedIdle | NeedWhole),
		bind(AgainWith, "transcript", InTranscript, "answer the turn again with another model, as another version", "R").needing(NeedOwn | NeedIdle | NeedWhole),
		bind(Edit, "transcript", InTranscript, "edit a message of yours, as another version", "e").needing(NeedOwn | NeedIdle | NeedWhole),
		bind(VersionBack, "transcript", InTranscript, "the version before, with its branch", "[").needing(NeedIdle | NeedMessage),
		bind(VersionOn, "transcript", InTranscript, "the next version, with its branch", "]").needing(NeedIdle | NeedMessage),
		bind(Fork, "transcript", InTranscript, "fork: go on from the message in a session of its own", "f").needing(NeedMessage),
		bind(Trail, "transcript", InTranscript, "go where the session was forked from, or to a fork of it", "b"),
		bind(Pin, "transcript", InTranscript|InPanel|InInspector|InRequest, "pin: always sent whole", "p"),
		bind(Exclude, "transcript", InTranscript|InPanel|InInspector|InRequest, "exclude: never sent", "x"),
		bind(Auto, "transcript", InTranscript|InPanel|InInspector|InRequest, "back to automatic", "o"),
		bind(TakeBack, "transcript", InTranscript|InPanel|InInspector|InRequest, "undo the last pin, exclude or automatic", "u"),
		bind(Find, "transcript", InTranscript, "search, and say what the model still knows", "/"),
		bind(NextHit, "transcript", InTranscript, "next hit", "n"),
		bind(PrevHit, "transcript", InTranscript, "previous hit", "N"),
		bind(Select, "transcript", InTranscript|InPanel, "begin a range, or keep it", "v"),
		bind(Pick, "transcript", InTranscript|InPanel, "select one message, or not", "space"),
		bind(Seen, "transcript", InTranscript, "what the model saw for this answer", "c"),
		bind(WhatIf, "transcript", InTranscript|InPanel, "try other settings out", "w"),
		bind(Repairs, "transcript", InTranscript|InPanel|InRepairs, "what was repaired, and what is sent instead", "m"),
		bind(Request, "transcript", InTranscript|InPanel|InInspector|InRequest, "the whole request, as it is sent", "i"),

		bind(Earlier, "panel", InPanel|InInspector|InRequest, "the request before", "left", "h"),
		bind(Later, "panel", InPanel|InInspector|InRequest, "the request after", "right", "l"),
		bind(Compare, "panel", InPanel|InInspector|InRequest, "compare two requests: mark one, then the other", "d"),
		bind(Adopt, "panel", InPanel, "use the context window that the server really has", "W"),

		bind(NextView, "inspector", InInspector|InRequest, "next view", "tab"),
		bind(PrevView, "inspector", InInspector|InRequest, "the view before", "shift+tab"),

		bind(Fold, "whole request", InRequest, "collapse or expand the message", "enter", "space", "ctrl+o"),
		bind(FoldAll, "whole request", InRequest, "collapse or expand all messages", "O"),

		bind(Choose, "lists", InLists|InSessions|InRepairs|InQuestion|InQueue, "choose", "enter"),
		bind(ListUp, "lists", InLists|InSessions|InQuestion|InQueue, "up", "up", "ctrl+k"),
		bind(ListDown, "lists", InLists|InSessions|InQuestion|InQueue, "down", "down", "ctrl+j"),

		bind(AllText, "sessions", InSessions, "search the text of all messages, or the titles again", "tab"),
		bind(Shelves, "sessions", InSessions, "sessions in use, in the archive, in the trash", "shift+tab"),
		bind(Rename, "sessions", InSessions, "rename the session", "ctrl+e"),
		bind(Tags, "sessions", InSessions, "give the session tags", "ctrl+t"),
		bind(PinTop, "sessions", InSessions, "pin the session on top, or not", "ctrl+p"),
		bind(Archive, "sessions", InSessions, "put the session into the archive, or back in use", "ctrl+a"),
		bind(Delete, "sessions", InSessions, "delete the session to the trash; there, for good", "ctrl+d", "delete"),
		bind(Restore, "sessions", InSessions, "bring the session back from the trash", "ctrl+r"),
		bind(Undo, "sessions", InSessions, "undo the last change of a session, and the one before it", "ctrl+u"),
		bind(ForkOff, "sessions", InSessions, "fork the session at its end", "ctrl+f"),

		bind(Remedy, "repairs", InRepairs, "send a damaged call otherwise: repaired, as text, not at all", "t"),

		bind(RemoveQueued, "queue", InQueue, "remove the message from the queue", "ctrl+d", "delete"),

		bind(Away, "session open in another window", InOtherWindow, "go on in a fork of the session", "ctrl+f"),
		bind(Take, "session open in another window", InOtherWindow, "take the session, once the other window has let go of it", "enter"),

		bind(Allow, "tool question", InQuestion, "run the tool call once", "y"),
		bind(AllowSession, "tool question", InQuestion, "run it, and this tool's later calls in this session", "s"),
		bind(AllowAlways, "tool question", InQuestion, "run it, and always run this tool", "a"),
		bind(Refuse, "tool question", InQuestion, "don't run it", "n"),
		bind(RefuseWhy, "tool question", InQuestion, "don't run it, and tell the model why", "r"),
	}
}
