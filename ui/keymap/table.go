package keymap

// Action is what a key does. Its text is the name that remaps it in the configuration, so it is a contract.
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
	Paste   Action = "paste"
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
	Seen        Action = "seen"
	WhatIf      Action = "what-if"
	Repairs     Action = "repairs"
	Request     Action = "request"

	Earlier Action = "earlier"
	Later   Action = "later"
	Adopt   Action = "adopt-window"

	ReadOn   Action = "read-on"
	NextView Action = "next-view"
	PrevView Action = "previous-view"

	Choose   Action = "choose"
	ListUp   Action = "list-up"
	ListDown Action = "list-down"

	Shelves Action = "shelves"
	Rename  Action = "rename"
	Tags    Action = "tags"
	PinTop  Action = "pin-on-top"
	Archive Action = "archive"
	Delete  Action = "delete"
	Restore Action = "restore"
	Undo    Action = "undo"
	ForkOff Action = "fork-session"

	UndoRemedy Action = "undo-remedy"
	NextRepair Action = "next-repair"
	PrevRepair Action = "previous-repair"

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
		bind(SendCut, "draft", InDraft, "send a message that is too long, cut", "ctrl+y"),
		bind(Newline, "draft", InDraft, "new line", "shift+enter", "alt+enter", "ctrl+j"),
		bind(Older, "draft", InDraft, "up; on the first line, the last queued message or previous prompt", "up"),
		bind(Newer, "draft", InDraft, "down; on the last line, the next prompt", "down"),
		bind(Recall, "draft", InDraft, "search earlier prompts", "ctrl+r"),
		bind(Editor, "draft", InDraft, "edit the draft in $EDITOR", "ctrl+g"),
		bind(Open, "draft", InDraft, "open a pasted text", "ctrl+o"),
		bind(Paste, "draft", InDraft, "paste from the clipboard: text, or an image", "ctrl+v"),
		bind(Slash, "draft", InDraft, "commands, on an empty draft", "/"),
		bind(Quit, "draft", InDraft, "quit, on an empty draft", "ctrl+d"),

		bind(Back, "everywhere", everyScope, "close, cancel the selection, or stop the answer", "esc"),
		bind(Stop, "everywhere", everyScope, "stop, then clear the draft; twice to quit", "ctrl+c"),
		bind(Context, "everywhere", panes, "context panel", "ctrl+x", "f2"),
		bind(Sessions, "everywhere", panes|InSessions, "sessions", "ctrl+s"),
		bind(Models, "everywhere", panes, "model", "ctrl+l"),
		bind(Palette, "everywhere", panes, "commands", "ctrl+p"),
		bind(New, "everywhere", panes|InSessions, "new chat", "ctrl+n"),
		bind(Reason, "everywhere", panes, "show or hide reasoning", "ctrl+t"),
		bind(Reveal, "everywhere", panes, "show or hide secrets", "f3"),
		bind(Focus, "everywhere", panes, "next pane: draft, transcript, panel", "tab"),
		bind(FocusBack, "everywhere", panes, "previous pane", "shift+tab"),
		bind(PageUp, "everywhere", everyScope, "page up", "pgup"),
		bind(PageDown, "everywhere", everyScope, "page down", "pgdown"),
		bind(Suspend, "everywhere", everyScope, "suspend", "ctrl+z"),
		bind(Help, "everywhere", everyScope, "help", "f1"),
		bind(Ask, "everywhere", everyScope, "help, unless you are typing", "?"),

		bind(Down, "transcript", moving, "line down", "j", "down"),
		bind(Up, "transcript", moving, "line up", "k", "up"),
		bind(Next, "transcript", moving, "next message", "J", "shift+down"),
		bind(Prev, "transcript", moving, "previous message", "K", "shift+up"),
		bind(HalfDown, "transcript", moving, "half a page down", "ctrl+d"),
		bind(HalfUp, "transcript", moving, "half a page up", "ctrl+u"),
		bind(Top, "transcript", moving, "first message", "g", "home"),
		bind(Bottom, "transcript", moving, "last message, and follow", "G", "end"),
		bind(Boundary, "transcript", InTranscript, "first message the model sees", "'").needing(NeedPlan),
		bind(Inspect, "transcript", InTranscript|InPanel|InInspector, "what the model gets of this message",
			"enter").needing(NeedMessage),
		bind(Expand, "transcript", InTranscript, "expand or collapse", "ctrl+o"),
		bind(Copy, "transcript", InTranscript|InInspector|InRequest, "copy the message", "y"),
		bind(CopyCode, "transcript", InTranscript, "copy its last code block; again: the one before", "Y"),
		bind(Again, "transcript", InTranscript, "ask again; both answers are kept",
			"r").needing(NeedOwn | NeedIdle | NeedWhole),
		bind(AgainWith, "transcript", InTranscript, "ask another model; both answers are kept",
			"R").needing(NeedOwn | NeedIdle | NeedWhole),
		bind(Edit, "transcript", InTranscript, "edit your message as a new branch",
			"e").needing(NeedOwn | NeedIdle | NeedWhole),
		bind(VersionBack, "transcript", InTranscript, "previous version", "[").needing(NeedIdle | NeedMessage),
		bind(VersionOn, "transcript", InTranscript, "next version", "]").needing(NeedIdle | NeedMessage),
		bind(Fork, "transcript", InTranscript, "fork: continue from here in a new chat", "f").needing(NeedMessage),
		bind(Trail, "transcript", InTranscript, "go to the parent or a fork of this chat", "b"),
		bind(Pin, "transcript", InTranscript|InPanel|InInspector, "pin: always send whole", "p"),
		bind(Exclude, "transcript", InTranscript|InPanel|InInspector, "exclude: never send", "x"),
		bind(Auto, "transcript", InTranscript|InPanel|InInspector, "neither pin nor exclude", "o"),
		bind(TakeBack, "transcript", InTranscript|InPanel|InInspector, "undo the last pin or exclude", "u"),
		bind(Find, "transcript", InTranscript, "search this chat, sent or not", "/"),
		bind(NextHit, "transcript", InTranscript, "next match", "n"),
		bind(PrevHit, "transcript", InTranscript, "previous match", "N"),
		bind(Select, "transcript", InTranscript|InPanel, "select or deselect a message, and go to the next", "space"),
		bind(Seen, "transcript", InTranscript, "what the model saw for this answer", "c"),
		bind(WhatIf, "transcript", InTranscript|InPanel, "try other settings", "w"),
		bind(Repairs, "transcript", InTranscript|InPanel, "what was repaired, and what is sent instead", "m"),
		bind(Request, "transcript", InTranscript|InPanel|InInspector|InRequest, "the whole request, as sent", "i"),

		bind(Earlier, "panel", InPanel|InInspector|InRequest, "previous request", "left", "h"),
		bind(Later, "panel", InPanel|InInspector|InRequest, "next request", "right", "l"),
		bind(Adopt, "panel", InPanel, "use the context window the server really has", "W"),

		bind(ReadOn, "inspector", InInspector|InRequest, "read on: page down", "space"),
		bind(NextView, "inspector", InInspector|InRequest|InRepairs, "next view", "tab"),
		bind(PrevView, "inspector", InInspector|InRequest|InRepairs, "previous view", "shift+tab"),

		bind(Choose, "lists", InLists|InSessions|InRepairs|InQuestion, "choose", "enter"),
		bind(ListUp, "lists", InLists|InSessions|InQuestion, "up", "up", "ctrl+k"),
		bind(ListDown, "lists", InLists|InSessions|InQuestion, "down", "down", "ctrl+j"),

		bind(Shelves, "chats", InSessions, "active, archived or deleted chats", "shift+tab"),
		bind(Rename, "chats", InSessions, "rename the chat", "ctrl+e"),
		bind(Tags, "chats", InSessions, "edit the tags", "ctrl+t"),
		bind(PinTop, "chats", InSessions, "pin to the top, or unpin", "ctrl+p"),
		bind(Archive, "chats", InSessions, "archive, or unarchive", "ctrl+a"),
		bind(Delete, "chats", InSessions, "move to the trash; there, delete permanently", "ctrl+d", "delete"),
		bind(Restore, "chats", InSessions, "restore from the trash", "ctrl+r"),
		bind(Undo, "chats", InSessions, "clear the filter; without one, undo the last change in this list",
			"ctrl+u"),
		bind(ForkOff, "chats", InSessions, "fork the chat at its end", "ctrl+f"),

		bind(NextRepair, "repairs", InRepairs, "next repair", "n"),
		bind(PrevRepair, "repairs", InRepairs, "previous repair", "N"),
		bind(UndoRemedy, "repairs", InRepairs, "send again what was sent before", "u"),

		bind(Away, "chat open in another window", InOtherWindow, "continue in a fork", "ctrl+f"),
		bind(Take, "chat open in another window", InOtherWindow, "take over, once the other window has closed it",
			"enter"),

		bind(Allow, "tool question", InQuestion, "run the call once", "y"),
		bind(AllowSession, "tool question", InQuestion, "run it, and allow the tool in this chat", "s"),
		bind(AllowAlways, "tool question", InQuestion, "run it, and always allow the tool", "a"),
		bind(Refuse, "tool question", InQuestion, "don't run it", "n"),
		bind(RefuseWhy, "tool question", InQuestion, "don't run it, and tell the model why", "r"),
	}
}
