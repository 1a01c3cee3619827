// Package tool holds the functions that a model may call: what is offered to it, and what runs a call. It decides
// nothing about whether a call may run.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Tool is a function that a model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of an object

	Companion bool `json:"-"` // a Set offers it only beside other tools
}

// Func does what a tool is for. It gets a JSON object and answers with a text for the model.
type Func func(ctx context.Context, arguments json.RawMessage) (string, error)

// Toolbox holds the tools that a model may call. The zero value and nil are empty boxes; a box is
// safe for concurrent use.
type Toolbox struct {
	mu    sync.Mutex
	tools []Tool
	funcs map[string]Func
}

// Register puts a tool into the box, in place of one of the same name.
func (t *Toolbox) Register(tool Tool, run Func) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.funcs == nil {
		t.funcs = make(map[string]Func)
	}
	t.funcs[tool.Name] = run
	if i := slices.IndexFunc(t.tools, func(old Tool) bool { return old.Name == tool.Name }); i >= 0 {
		t.tools[i] = tool
		return
	}
	t.tools = append(t.tools, tool)
}

// Replace puts tools into the box in place of all that it held. One function runs them all.
func (t *Toolbox) Replace(tools []Tool, run func(ctx context.Context, name string, arguments json.RawMessage) (string, error)) {
	funcs := make(map[string]Func, len(tools))
	for _, tool := range tools {
		funcs[tool.Name] = func(ctx context.Context, arguments json.RawMessage) (string, error) {
			return run(ctx, tool.Name, arguments)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tools, t.funcs = slices.Clone(tools), funcs
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
func (t *Toolbox) Run(ctx context.Context, name, arguments string) string {
	run := t.find(name)
	if run == nil {
		return unknown(name, t.Tools())
	}
	object := bytes.TrimSpace([]byte(arguments))
	if len(object) == 0 {
		object = []byte("{}")
	}
	if object[0] != '{' || !json.Valid(object) {
		return "error: the arguments are not a JSON object: " + oneLine(arguments, 200)
	}
	if ctx.Err() != nil {
		return "error: stopped before " + name + " began"
	}
	answer := make(chan string, 1)
	go func() {
		text := "error: " + name + " ended without an answer"
		defer func() { answer <- text }()
		text = safely(ctx, name, run, object)
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
		return "error: stopped before " + name + " was done"
	}
}

func (t *Toolbox) find(name string) Func {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.funcs[name]
}

// unknown names the tools there are, so that the model can choose one of them.
func unknown(name string, tools []Tool) string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	there := "there are no tools"
	if names != nil {
		there = "there are: " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("error: no such tool: %s; %s", oneLine(name, 80), there)
}

// safely runs a tool that may panic.
func safely(ctx context.Context, name string, run Func, arguments json.RawMessage) (text string) {
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

// oneLine is the beginning of a text for a sentence, without line ends and control characters; limit is in bytes.
func oneLine(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.Is(unicode.C, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
