package tool

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Set is the tools of several boxes together. Where two boxes have a tool of the same name, the first one counts.
type Set struct {
	Boxes  []*Toolbox
	Off    func(Tool) bool // the tools that are neither offered nor run; nil is none
	Limits Limits
}

// Limits bound each call.
type Limits struct {
	Timeout time.Duration // how long a call may take, where its tool has no time of its own; 0 is no limit
	Output  int           // the most bytes of a result that are kept; 0 is no limit
}

// End says how a call ended.
type End string

// The ways a call ends.
const (
	Done     End = "ran"       // the tool answered, be it with an error
	Stopped  End = "stopped"   // the context ended first
	TimedOut End = "timed_out" // the time for the call ended first
)

// Tools lists the tools that are offered, in the order of the boxes.
func (s Set) Tools() []Tool {
	var all []Tool
	names := map[string]bool{}
	for _, box := range s.Boxes {
		for _, tool := range box.Tools() {
			if !names[tool.Name] && !s.off(tool) {
				all = append(all, tool)
			}
			names[tool.Name] = true
		}
	}
	if !slices.ContainsFunc(all, func(t Tool) bool { return !t.Companion }) {
		return nil
	}
	return all
}

// Tool is the tool of this name, where there is one that is not off.
func (s Set) Tool(name string) (Tool, bool) {
	_, tool, ok := s.find(name)
	return tool, ok
}

// Run does what a call asks for, as Toolbox.Run does, within the limits.
func (s Set) Run(ctx context.Context, name, arguments string) (text string, end End) {
	box, tool, ok := s.find(name)
	if !ok {
		return unknown(name, s.Tools()), Done
	}
	limit := cmp.Or(tool.Timeout, s.Limits.Timeout)
	timed, cancel := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		timed, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	text, whole := box.run(timed, name, arguments)
	text = s.Limits.cut(text)
	switch {
	case whole:
		return text, Done
	case ctx.Err() != nil:
		return joined(text, "error: stopped before "+name+" was done; it may have run in part"), Stopped
	}
	return joined(text, fmt.Sprintf("error: stopped after %s, before %s was done; it may have run in part", seconds(limit), name)), TimedOut
}

// cut is the beginning of a result that is longer than the limit, with a line that says what is missing. No character
// is cut in two.
func (l Limits) cut(text string) string {
	if l.Output <= 0 || len(text) <= l.Output {
		return text
	}
	keep := l.Output
	for back := 0; keep > 0 && back < utf8.UTFMax && !utf8.RuneStart(text[keep]); back++ {
		keep--
	}
	return joined(strings.TrimSuffix(text[:keep], "\n"), fmt.Sprintf("[output cut: %d of %d bytes are kept]", keep, len(text)))
}

// seconds writes a duration for a sentence.
func seconds(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	if d < time.Second {
		return d.String()
	}
	return fmt.Sprintf("%d seconds", int(math.Round(d.Seconds())))
}

// find is the tool of a name with the box that has it, unless it is off.
func (s Set) find(name string) (*Toolbox, Tool, bool) {
	for _, box := range s.Boxes {
		if tool, ok := box.Tool(name); ok {
			return box, tool, !s.off(tool)
		}
	}
	return nil, Tool{}, false
}

func (s Set) off(tool Tool) bool { return s.Off != nil && s.Off(tool) }
