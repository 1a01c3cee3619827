// Package tool holds the functions that a model may call: what is offered to it, and what runs a call. It decides
// nothing about whether a call may run.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
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

// Tool is the tool of this name.
func (t *Toolbox) Tool(name string) (tool Tool, ok bool) {
	tools := t.Tools()
	if i := slices.IndexFunc(tools, func(other Tool) bool { return other.Name == name }); i >= 0 {
		return tools[i], true
	}
	return Tool{}, false
}

// Run does what a call asks for and always answers, with the tool's own text uncut or with a
// sentence that tells the model what went wrong: that is something it can act on. When ctx ends,
// Run answers at once; a tool that does not watch its ctx is left to itself.
func (t *Toolbox) Run(ctx context.Context, name, arguments string) string {
	text, whole := t.run(ctx, name, arguments)
	if !whole {
		return joined(text, "error: stopped before "+name+" was done")
	}
	return text
}

// run is Run without the sentence about a tool that was stopped: whole is false for what that returned until then.
func (t *Toolbox) run(ctx context.Context, name, arguments string) (text string, whole bool) {
	run := t.find(name)
	if run == nil {
		return unknown(name, t.Tools()), true
	}
	object := bytes.TrimSpace([]byte(arguments))
	if len(object) == 0 {
		object = []byte("{}")
	}
	if object[0] != '{' || !json.Valid(object) {
		return "error: the arguments are not a JSON object: " + oneLine(arguments, 200), true
	}
	if ctx.Err() != nil {
		return "error: stopped before " + name + " began", true
	}
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		a := answer{err: errors.New(name + " ended without an answer")}
		defer func() { answers <- a }()
		a.text, a.err = safely(ctx, name, run, object)
	}()
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		select {
		case a = <-answers:
		default:
			return "", false
		}
	}
	switch {
	case a.err == nil:
		return a.text, true
	case ctx.Err() != nil && errors.Is(a.err, ctx.Err()):
		return a.text, false
	}
	return joined(a.text, "error: "+a.err.Error()), true
}

// joined is what a tool said with a sentence below it.
func joined(text, sentence string) string {
	if text == "" {
		return sentence
	}
	return text + "\n" + sentence
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
func safely(ctx context.Context, name string, run Func, arguments json.RawMessage) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = "", fmt.Errorf("%s crashed: %v", name, p)
		}
	}()
	return run(ctx, arguments)
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
