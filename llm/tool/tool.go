// Package tool holds the functions that a model may call: what is offered to it, what runs a call, and winnow's own
// tools but recall. It also reads files as parts of messages. It decides nothing about whether a call may run.
package tool

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Tool is a function that a model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of an object

	// What winnow knows of it. The model is not given these.

	Server     string        // the MCP server that has it, "" for winnow's own tools
	Reach      string        `json:"-"` // a sentence about what a call can reach, "" for winnow itself
	Configured Permission    // what the configuration says of this very tool, "" for nothing
	Default    Permission    // what holds where the user has set nothing for the tool, "" for what holds for all
	EachTime   bool          // the user is asked before each call, even where others run without asking
	Timeout    time.Duration // how long a call may take; 0 is what holds for all
	Companion  bool          `json:"-"` // a Set offers it only beside other tools
}

// Permission says what becomes of the calls of a tool.
type Permission string

// The permissions of a tool.
const (
	Off   Permission = "off"   // the tool is not offered to the model
	Ask   Permission = "ask"   // the user is asked before each call
	Allow Permission = "allow" // calls run without asking
)

// Func does what a tool is for. It gets a JSON object and answers with a text for the model.
type Func func(ctx context.Context, arguments json.RawMessage) (string, error)

// Entry is a tool with what runs its calls.
type Entry struct {
	Tool
	Run   Func
	Ready func(context.Context) error // says why calls cannot run now; nil for a tool that is always there
}

// Toolbox holds tools that a model may call. The zero value and nil are empty boxes; a box is safe for concurrent use.
type Toolbox struct {
	mu      sync.Mutex
	entries []Entry // replaced and not changed
}

// Register puts a tool into the box, in place of one of the same name.
func (t *Toolbox) Register(tool Tool, run Func) {
	t.mu.Lock()
	defer t.mu.Unlock()
	others := slices.DeleteFunc(slices.Clone(t.entries), func(e Entry) bool { return e.Name == tool.Name })
	t.entries = append(others, Entry{Tool: tool, Run: run})
}

// Replace puts tools into the box in place of all that it held.
func (t *Toolbox) Replace(entries []Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = entries
}

// list is what the box holds, in the order in which it was registered.
func (t *Toolbox) list() []Entry {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries
}

// Tools lists the tools in the order in which they were registered.
func (t *Toolbox) Tools() (tools []Tool) {
	for _, e := range t.list() {
		tools = append(tools, e.Tool)
	}
	return tools
}

// progressKey is the key of a context's function for WithProgress.
type progressKey struct{}

// WithProgress returns a context for calls that is told how far they are, in a few words for the user. say may be
// called by another goroutine, as long as the call runs.
func WithProgress(ctx context.Context, say func(text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, say)
}

// Progress says how far a call is, where somebody wants to know.
func ReportProgress(ctx context.Context, text string) {
	if say, ok := ctx.Value(progressKey{}).(func(string)); ok && ctx.Err() == nil {
		say(text)
	}
}

// Now is a tool that says what time it is.
func NewNow(now func() time.Time) (Tool, Func) {
	clock := Tool{
		Name:        "now",
		Description: "The current local date and time, with the weekday and the time zone.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{}}`),
		Companion:   true,
		Default:     Allow,
	}
	return clock, func(context.Context, json.RawMessage) (string, error) {
		return now().Format("Monday, 2006-01-02T15:04:05-07:00 (MST)"), nil
	}
}
