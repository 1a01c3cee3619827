package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"winnow/history"
)

// ToolFunc does what a tool is for. It gets a JSON object and answers with a text for the model.
type ToolFunc func(ctx context.Context, arguments json.RawMessage) (string, error)

// Toolbox holds the tools that a model may call. The zero value and nil are empty boxes; a box is
// safe for concurrent use.
type Toolbox struct {
	mu    sync.Mutex
	tools []Tool
	funcs map[string]ToolFunc
}

// Register puts a tool into the box, in place of one of the same name.
func (t *Toolbox) Register(tool Tool, run ToolFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.funcs == nil {
		t.funcs = make(map[string]ToolFunc)
	}
	t.funcs[tool.Name] = run
	if i := slices.IndexFunc(t.tools, func(old Tool) bool { return old.Name == tool.Name }); i >= 0 {
		t.tools[i] = tool
		return
	}
	t.tools = append(t.tools, tool)
}

// Tools lists the tools in the order in which they were registered.
func (t *Toolbox) Tools() []Tool {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.tools)
}

// Has says that there is a tool of this name.
func (t *Toolbox) Has(name string) bool { return t.find(name) != nil }

// Run does what a call asks for and always answers, with the tool's own text uncut or with a
// sentence that tells the model what went wrong: that is something it can act on. When ctx ends,
// Run answers at once; a tool that does not watch its ctx is left to itself.
func (t *Toolbox) Run(ctx context.Context, call history.ToolCall) string {
	run := t.find(call.Name)
	if run == nil {
		return t.unknown(call.Name)
	}
	arguments := bytes.TrimSpace([]byte(call.Arguments))
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	if arguments[0] != '{' || !json.Valid(arguments) {
		return "error: the arguments are not a JSON object: " + oneLine(call.Arguments, 200)
	}
	if ctx.Err() != nil {
		return "error: stopped before " + call.Name + " began"
	}
	answer := make(chan string, 1)
	go func() {
		text := "error: " + call.Name + " ended without an answer"
		defer func() { answer <- text }()
		text = safely(ctx, call.Name, run, arguments)
	}()
	select {
	case text := <-answer:
		return text
	case <-ctx.Done():
	}
	select {
	case text := <-answer:
		return text
	default:
		return "error: stopped before " + call.Name + " was done"
	}
}

func (t *Toolbox) find(name string) ToolFunc {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.funcs[name]
}

// unknown names the tools there are, so that the model can choose one of them.
func (t *Toolbox) unknown(name string) string {
	var names []string
	for _, tool := range t.Tools() {
		names = append(names, tool.Name)
	}
	there := "there are no tools"
	if names != nil {
		there = "there are: " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("error: no such tool: %s; %s", oneLine(name, 80), there)
}

// safely runs a tool that may panic.
func safely(ctx context.Context, name string, run ToolFunc, arguments json.RawMessage) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("error: %s crashed: %v", name, p)
		}
	}()
	text, err := run(ctx, arguments)
	if err == nil {
		return text
	}
	if text == "" {
		return "error: " + err.Error()
	}
	return text + "\nerror: " + err.Error()
}
