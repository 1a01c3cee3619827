// Package message has the words that all of winnow shares about a conversation: the message with its role,
// status, parts and tool calls, what was repaired of it and what the user chose instead. It decides nothing
// about a request, and it stores, sends and draws nothing.
package message

// Role says who speaks. These four are the only roles that are ever sent; an import maps
// developer to system, orchestrator to assistant and function to tool, and a message with any
// other role is quarantined.
type Role string

// The roles of the Chat Completions format.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Status says how whole a stored message is.
type Status string

// The states a stored message can be in.
const (
	Complete    Status = "complete"    // all of it arrived
	Streaming   Status = "streaming"   // still arriving, or the program died while it did
	Interrupted Status = "interrupted" // the user, the server or a crash ended it early
	Failed      Status = "failed"      // the request failed before anything arrived
	Quarantined Status = "quarantined" // the row cannot be read or its role is unknown: kept, shown, never sent
	Imported    Status = "imported"    // came from a file, otherwise complete
)

// Message is one message of a conversation as it was said: history reads it and never changes it.
type Message struct {
	ID              int64      // the store's key; 0 for a message that is not stored yet, such as a draft
	Label           string     // the id the message had in the file it was imported from, else ""
	Role            Role       // who speaks
	Name            string     // the speaker's name, where one was given
	Content         string     // the text, byte for byte as received; it may hold invalid UTF-8
	Parts           []Part     // what the message holds beside Content, in order: images and attached files
	Reasoning       string     // the model's reasoning, where the server showed it
	ToolCalls       []ToolCall // what an assistant message asked for, as received
	ToolCallID      string     // the call that a tool message answers, as received
	Status          Status     // how whole the message is
	Origin          Origin     // who answered, zero where that is not known
	Replay          string     // a JSON object of keys that only the server knows that sent them, "" for none
	RecallPositions []int      // of the result of a recall: the positions in the conversation of the messages that it holds
	CreatedMS       int64      // when it was said, Unix milliseconds UTC, 0 unknown; shown, never used to order
	Tokens          int        // Content's tokens by the store's cached count; 0 where not counted yet
}

// Origin is one model of one endpoint.
type Origin struct {
	Endpoint string // the endpoint's name
	Model    string // the model as the endpoint knows it
}

// Part is one piece of a message beside its text.
type Part struct {
	Kind      PartKind // what it is
	Name      string   // the file's name, where it came from one
	MediaType string   // such as image/png
	Text      string   // the text of a text part
	Data      []byte   // the bytes of an image part
	Tokens    int      // what the part costs, estimated
}

// PartKind is the kind of a Part.
type PartKind string

// The kinds of a Part.
const (
	TextPart  PartKind = "text"
	ImagePart PartKind = "image"
)

// ToolCall is one call that an assistant message made, as received.
type ToolCall struct {
	ID        string // the server's id; may be blank, doubled or malformed
	Name      string // the function's name
	Arguments string // the arguments' bytes as received: meant to be a JSON object, often are not
	Replay    string // a JSON object of keys that only the server knows that sent them, "" for none
}
