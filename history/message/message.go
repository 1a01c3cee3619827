// Package message has the words that all of winnow shares about a conversation: the message with its role,
// status, parts and tool calls, what was repaired of it and what the user chose instead. It decides nothing
// about a request, and it stores, sends and draws nothing.
package message

// Role is the author of a message. Only these four roles are ever sent; an import maps developer to system,
// orchestrator to assistant and function to tool. Messages with any other role are quarantined.
type Role string

// The roles of the Chat Completions format.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Status says whether a stored message arrived completely.
type Status string

// The states of a stored message.
const (
	Complete    Status = "complete"    // all of it arrived
	Streaming   Status = "streaming"   // still arriving, or the program died while it was
	Interrupted Status = "interrupted" // the user, the server or a crash ended it early
	Failed      Status = "failed"      // the request failed before anything arrived
	Quarantined Status = "quarantined" // the row cannot be read or its role is unknown: kept, shown, never sent
	Imported    Status = "imported"    // read from a file; otherwise like Complete
)

// Message is one message of a conversation as it was received. Package history reads messages and never changes them.
type Message struct {
	ID              int64  // the store's key; 0 for a message that is not stored, such as a draft
	Label           string // the id that the message had in the file it was imported from, or ""
	Role            Role
	Name            string     // the file's name, if known
	Content         string     // the text, byte for byte as received; may contain invalid UTF-8
	Parts           []Part     // attached images and files, in order
	Reasoning       string     // the model's reasoning, if the server sent it
	ToolCalls       []ToolCall // the tool calls of an assistant message, as received
	ToolCallID      string     // of a tool message: the id of the call that it answers, as received
	Status          Status
	Origin          Origin // the model that answered; zero if unknown
	Replay          string // server-specific keys as a JSON object, "" for none
	RecallPositions []int  // of a recall result: positions in the conversation of the messages in it
	CreatedMS       int64  // Unix milliseconds UTC, 0 if unknown; for display, not for ordering
	Tokens          int    // tokens of Content; 0 if not counted yet
}

// Origin names a model of an endpoint.
type Origin struct {
	Endpoint string // the endpoint's name
	Model    string // the model's name at the endpoint
}

// Part is an image or a file attached to a message.
type Part struct {
	Kind      PartKind
	Name      string // the file's name, where it came from one
	MediaType string // such as image/png
	Text      string // the text of a text part
	Data      []byte // the bytes of an image part
	Tokens    int    // estimated cost of the part; 0 if unknown
}

// PartKind is the kind of a Part.
type PartKind string

// The kinds of a Part.
const (
	TextPart  PartKind = "text"
	ImagePart PartKind = "image"
)

// ToolCall is one tool call of an assistant message, as received.
type ToolCall struct {
	ID        string // the server's id; may be empty, duplicated or malformed
	Name      string // the function's name
	Arguments string // as received: should be a JSON object, but often is not
	Replay    string // server-specific keys as a JSON object, "" for none
}
