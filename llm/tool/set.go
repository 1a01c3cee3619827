package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Set combines the tools of several toolboxes. If two have a tool of the same name, the first one counts.
type Set struct {
	Boxes  []*Toolbox
	IsOff  func(Tool) bool // such tools are neither offered nor run; may be nil
	Limits Limits
}

// Limits limit each call.
type Limits struct {
	Timeout     time.Duration // of calls of tools without a Timeout of their own; 0 for no limit
	OutputBytes int           // of a result; the rest is cut off; 0 for no limit
}

// CallEnd is the way a call ended.
type CallEnd string

// The ways a call ends.
const (
	CallDone     CallEnd = "ran"       // the tool returned a result or an error
	CallStopped  CallEnd = "stopped"   // the context ended
	CallTimedOut CallEnd = "timed_out" // the time limit was reached
)

// MaxTools is the maximum number of tools that are offered. OpenAI's servers refuse requests with more.
const MaxTools = 128

// entries returns the tools that are not off, in the order of the boxes.
func (s Set) entries() (all []Entry) {
	names := map[string]bool{}
	for _, box := range s.Boxes {
		for _, e := range box.list() {
			if !names[e.Name] && (s.IsOff == nil || !s.IsOff(e.Tool)) {
				all = append(all, e)
			}
			names[e.Name] = true
		}
	}
	return all
}

// find returns the tool with a name, unless it is off.
func (s Set) find(name string) (Entry, bool) {
	all := s.entries()
	if i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name }); i >= 0 {
		return all[i], true
	}
	return Entry{}, false
}

// Tools lists the tools to offer, in the order of the boxes.
func (s Set) Tools() (offered []Tool) {
	all := s.entries()
	if !slices.ContainsFunc(all, func(e Entry) bool { return !e.Companion }) {
		return nil
	}
	for _, e := range all[:min(len(all), MaxTools)] {
		offered = append(offered, e.Tool)
	}
	return offered
}

// Tool returns the tool with a name, and false if there is none or it is off.
func (s Set) Tool(name string) (Tool, bool) {
	e, ok := s.find(name)
	return e.Tool, ok
}

// Ready returns the reason why calls of a tool cannot run now, nil if they can. It may wait for the tool as long as a
// call may take.
func (s Set) Ready(ctx context.Context, name string) error {
	if e, _ := s.find(name); e.Ready != nil {
		return e.Ready(ctx)
	}
	return nil
}

// Run runs a call within the limits. It always returns a text for the model: the result, or a sentence about what went
// wrong, which the model can act on. When ctx ends, Run returns at once; a tool that ignores its ctx is left running.
func (s Set) Run(ctx context.Context, name, arguments string) (text string, end CallEnd) {
	e, ok := s.find(name)
	object := []byte(cmp.Or(strings.TrimSpace(arguments), "{}"))
	switch {
	case !ok:
		return s.unknown(name), CallDone
	case object[0] != '{' || !json.Valid(object):
		return fmt.Sprintf("error: the arguments are not a JSON object: %.200s", arguments), CallDone
	case ctx.Err() != nil:
		return "error: stopped before " + name + " began", CallDone
	}
	limit := cmp.Or(e.Timeout, s.Limits.Timeout)
	timed, cancel := context.WithCancel(ctx)
	if limit > 0 {
		timed, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	text, err := e.answer(timed, object)
	text = cut(text, s.Limits.OutputBytes)
	if err == nil {
		return text, CallDone
	}
	end = CallDone
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		end = CallStopped
		err = fmt.Errorf("stopped before %s was done; it may have run in part", name)
	case timed.Err() != nil && errors.Is(err, timed.Err()):
		end = CallTimedOut
		err = fmt.Errorf(
			"stopped after %s, before %s was done; it may have run in part", limit, name,
		)
	}
	return joined(text, "error: "+err.Error()), end
}

// answer runs a tool that may panic or ignore its ctx.
func (e Entry) answer(ctx context.Context, arguments json.RawMessage) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		a := answer{err: errors.New(e.Name + " ended without an answer")}
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("%s crashed: %v", e.Name, p)
			}
			answers <- a
		}()
		a.text, a.err = e.Run(ctx, arguments)
	}()
	select {
	case a := <-answers:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// unknown lists the existing tools, so that the model can choose one of them.
func (s Set) unknown(name string) string {
	var names []string
	for _, tool := range s.Tools() {
		names = append(names, tool.Name)
	}
	return fmt.Sprintf(
		"error: no such tool: %.80s; there are: %s", name, cmp.Or(strings.Join(names, ", "), "none"),
	)
}

// cut truncates a result to limit bytes, at a character boundary, and appends a line about what is missing.
func cut(text string, limit int) string {
	if limit <= 0 || len(text) <= limit {
		return text
	}
	keep := limit
	for back := 0; keep > 0 && back < utf8.UTFMax && !utf8.RuneStart(text[keep]); back++ {
		keep--
	}
	mark := fmt.Sprintf("[output cut: %d of %d bytes are kept]", keep, len(text))
	return joined(strings.TrimSuffix(text[:keep], "\n"), mark)
}

// joined appends a sentence to the result of a tool, on a line of its own.
func joined(text, sentence string) string {
	if text == "" {
		return sentence
	}
	return text + "\n" + sentence
}
