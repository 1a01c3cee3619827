package keymap

// Action is what a key does. Its text is its name in the configuration, so it must not change.
type Action string

// The actions, in the order of the help.
const (
	Send     Action = "send"
	SendCut  Action = "send-cut"
	Newline  Action = "newline"
	ListUp   Action = "list-up"
	ListDown Action = "list-down"
	Recall   Action = "recall"
	Editor   Action = "editor"
	Paste    Action = "paste"
	Quit     Action = "quit"

	Back      Action = "back"
	Stop      Action = "stop"
	Context   Action = "context"
	Sessions  Action = "sessions"
	Models    Action = "models"
	Palette   Action = "palette"
	New       Action = "new"
	Expand    Action = "expand"
	Reasoning Action = "reasoning"
	Reveal    Action = "reveal"
	Focus     Action = "focus"
	FocusBack Action = "focus-back"
	PageUp    Action = "page-up"
	PageDown  Action = "page-down"
	Help      Action = "help"

	Down      Action = "down"
	Up        Action = "up"
	Next      Action = "next"
	Prev      Action = "previous"
	Top       Action = "top"
	Bottom    Action = "bottom"
	Boundary  Action = "boundary"
	Inspect   Action = "inspect"
	Copy      Action = "copy"
	CopyCode  Action = "copy-code"
	Again     Action = "again"
	AgainWith Action = "again-with"
	Edit      Action = "edit"
	Earlier   Action = "earlier"
	Later     Action = "later"
	Fork      Action = "fork"
	Pin       Action = "pin"
	Exclude   Action = "exclude"
	TakeBack  Action = "take-back"
	Find      Action = "find"
	NextHit   Action = "next-hit"
	PrevHit   Action = "previous-hit"
	Select    Action = "select"
	Seen      Action = "seen"
	WhatIf    Action = "what-if"
	Repairs   Action = "repairs"
	Request   Action = "request"

	Choose   Action = "choose"
	ForkChat Action = "fork-chat"

	Rename   Action = "rename"
	Tags     Action = "tags"
	PinOnTop Action = "pin-on-top"
	Archive  Action = "archive"
	Delete   Action = "delete"
	Undo     Action = "undo"

	Allow  Action = "allow"
	Refuse Action = "refuse"
)

// table returns the default bindings in the order of the help.
func table() []Binding {
	const (
		flagged   = InTranscript | InPanel | InInspector
		requested = InPanel | InInspector | InRequest
		viewed    = InInspector | InRequest | InRepairs
		changing  = NeedLease | NeedIdle | NeedLoaded
	)
	return []Binding{
		bind(Send, "draft", InDraft, "send, or queue while an answer arrives", "enter"),
		bind(SendCut, "draft", InDraft, "send a message that is too long, cut", "ctrl+y"),
		bind(Newline, "draft", InDraft, "new line", "shift+enter", "alt+enter", "ctrl+j"),
		bind(ListUp, "draft", InDraft|InLists|InSessions|InQuestion,
			"up; on the first line, the last queued message or previous prompt", "up"),
		bind(ListDown, "draft", InDraft|InLists|InSessions|InQuestion, "down; on the last line, the next prompt",
			"down"),
		bind(Recall, "draft", InDraft, "search earlier prompts", "ctrl+r"),
		bind(Editor, "draft", InDraft, "edit the draft in $EDITOR", "ctrl+g"),
		bind(Paste, "draft", InDraft, "paste from the clipboard: text, or an image", "ctrl+v"),
		bind(Quit, "draft", InDraft, "quit, on an empty draft", "ctrl+d"),

		bind(Back, "everywhere", everyScope, "close, cancel the selection, or stop the answer", "esc"),
		bind(Stop, "everywhere", everyScope, "stop, then clear the draft; twice to quit", "ctrl+c"),
		bind(Context, "everywhere", panes, "context panel", "ctrl+x", "f2"),
		bind(Sessions, "everywhere", panes|InSessions, "chats", "ctrl+s"),
		bind(Models, "everywhere", panes, "models", "ctrl+l"),
		bind(Palette, "everywhere", panes, "commands", "ctrl+p"),
		bind(New, "everywhere", panes|InSessions, "new chat", "ctrl+n"),
		bind(Expand, "everywhere", InDraft|InTranscript, "expand or collapse; in the draft, open a pasted text",
			"ctrl+o"),
		bind(Reasoning, "everywhere", panes, "show or hide reasoning", "ctrl+t"),
		bind(Reveal, "everywhere", panes, "show or hide secrets", "f3"),
		bind(Focus, "everywhere", panes|viewed, "next pane: draft, transcript, panel; or the next view", "tab"),
		bind(FocusBack, "everywhere", panes|viewed|InSessions,
			"previous pane or view; active, archived or deleted chats", "shift+tab"),
		bind(PageUp, "everywhere", everyScope, "page up", "pgup"),
		bind(PageDown, "everywhere", everyScope, "page down", "pgdown"),
		bind(Help, "everywhere", everyScope, "help; ? unless you are typing", "?", "f1"),

		bind(Down, "transcript", moving, "line down", "j", "down"),
		bind(Up, "transcript", moving, "line up", "k", "up"),
		bind(Next, "transcript", moving, "next message", "J", "shift+down"),
		bind(Prev, "transcript", moving, "previous message", "K", "shift+up"),
		bind(Top, "transcript", moving, "first message", "g", "home"),
		bind(Bottom, "transcript", moving, "last message, and follow", "G", "end"),
		bind(Boundary, "transcript", InTranscript, "first message the model sees", "'").needing(NeedPlan),
		bind(Inspect, "transcript", flagged, "what the model gets of this message", "enter").needing(NeedMessage),
		bind(Copy, "transcript", InTranscript|InInspector|InRequest, "copy the message", "y"),
		bind(CopyCode, "transcript", InTranscript, "copy its last code block; again: the one before", "Y"),
		bind(Again, "transcript", InTranscript, "ask again; both answers are kept", "r").needing(changing),
		bind(AgainWith, "transcript", InTranscript, "ask another model; both answers are kept",
			"R").needing(changing),
		bind(Edit, "transcript", InTranscript, "edit your message as a new version", "e").needing(changing),
		bind(Earlier, "transcript", InTranscript|requested, "previous version, or previous request",
			"[", "left", "h").needing(NeedIdle | NeedMessage),
		bind(Later, "transcript", InTranscript|requested, "next version, or next request",
			"]", "right", "l").needing(NeedIdle | NeedMessage),
		bind(Fork, "transcript", InTranscript, "fork: continue from here in a new chat", "f").needing(NeedMessage),
		bind(Pin, "transcript", flagged, "pin: always send whole; again: automatic", "p"),
		bind(Exclude, "transcript", flagged, "exclude: never send; again: automatic", "x"),
		bind(TakeBack, "transcript", flagged|InRepairs, "undo the last pin or exclude, or the choice of a repair",
			"u"),
		bind(Find, "transcript", InTranscript, "search this chat, sent or not", "/"),
		bind(NextHit, "transcript", InTranscript|InRepairs, "next match, or next repair", "n"),
		bind(PrevHit, "transcript", InTranscript|InRepairs, "previous match, or previous repair", "N"),
		bind(Select, "transcript", InTranscript, "select or deselect a message, and go to the next", "space"),
		bind(Seen, "transcript", InTranscript, "what the model saw for this answer", "c"),
		bind(WhatIf, "transcript", InTranscript|InPanel, "try other settings", "w"),
		bind(Repairs, "transcript", InTranscript|InPanel, "what was repaired, and what is sent instead", "m"),
		bind(Request, "transcript", InTranscript|requested, "the whole request, as sent", "i"),

		bind(Choose, "lists", InLists|InSessions|InRepairs|InQuestion|InOtherWindow,
			"choose; take over a chat once the other window has closed it", "enter"),

		bind(Rename, "chats", InSessions, "rename the chat", "ctrl+e"),
		bind(Tags, "chats", InSessions, "edit the tags", "ctrl+t"),
		bind(PinOnTop, "chats", InSessions, "pin to the top, or unpin", "ctrl+p"),
		bind(Archive, "chats", InSessions, "archive, or unarchive; in the trash, restore", "ctrl+a"),
		bind(Delete, "chats", InSessions, "move to the trash; there, delete permanently", "ctrl+d", "delete"),
		bind(Undo, "chats", InSessions, "clear the filter; without one, undo the last change in this list",
			"ctrl+u"),
		bind(ForkChat, "chats", InOtherWindow, "fork a chat that is open in another window", "ctrl+f"),

		bind(Allow, "tool question", InQuestion, "run the call once", "y"),
		bind(Refuse, "tool question", InQuestion, "don't run it", "n"),
	}
}
