// Package tool defines the tools that a model may call, collects them in toolboxes and runs calls. It includes winnow's
// own tools except recall, and reads attached files as parts of messages. It does not decide whether a call may run.
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

	// The fields below are not sent to the model.

	Server     string        // the MCP server of the tool, "" for a built-in tool
	Reach      string        `json:"-"` // a sentence about what a call can access, "" for a built-in tool
	Configured Permission    // configured for this tool, "" if unset
	Default    Permission    // used if the user has set nothing for the tool; "" is the default of all tools
	EachTime   bool          // ask before each call, even if other tools run without asking
	Timeout    time.Duration // of a call; 0 is the limit of the Set
	Companion  bool          `json:"-"` // a Set offers it only together with other tools
}

// Permission controls whether the calls of a tool run.
type Permission string

// The permissions of a tool.
const (
	Off   Permission = "off"   // the tool is not offered to the model
	Ask   Permission = "ask"   // the user is asked before each call
	Allow Permission = "allow" // calls run without asking
)

// Func runs a call. The arguments are a JSON object; the result is text for the model.
type Func func(ctx context.Context, arguments json.RawMessage) (string, error)

// Entry is a tool with the function that runs its calls.
type Entry struct {
	Tool
	Run   Func
	Ready func(context.Context) error // the reason why calls cannot run now; nil for a tool that is always ready
}

// Toolbox holds tools that a model may call. A nil Toolbox and the zero value are empty. It is safe for concurrent use.
type Toolbox struct {
	mu      sync.Mutex
	entries []Entry // replaced, never modified
}

// Register adds a tool, replacing one with the same name.
func (t *Toolbox) Register(tool Tool, run Func) {
	t.mu.Lock()
	defer t.mu.Unlock()
	others := slices.DeleteFunc(slices.Clone(t.entries), func(e Entry) bool { return e.Name == tool.Name })
	t.entries = append(others, Entry{Tool: tool, Run: run})
}

// Replace replaces all tools.
func (t *Toolbox) Replace(entries []Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = entries
}

// list returns the entries in the order of registration.
func (t *Toolbox) list() []Entry {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries
}

// Tools lists the tools in the order of registration.
func (t *Toolbox) Tools() (tools []Tool) {
	for _, e := range t.list() {
		tools = append(tools, e.Tool)
	}
	return tools
}

// progressKey is the context key of WithProgress.
type progressKey struct{}

// WithProgress returns a context in which ReportProgress calls say with a few words for the user. say may be called
// from another goroutine while the call runs.
func WithProgress(ctx context.Context, say func(text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, say)
}

// ReportProgress reports the progress of a running call to the function of WithProgress, if there is one.
func ReportProgress(ctx context.Context, text string) {
	if say, ok := ctx.Value(progressKey{}).(func(string)); ok && ctx.Err() == nil {
		say(text)
	}
}

// NewNow returns the tool "now", which tells the current time.
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
