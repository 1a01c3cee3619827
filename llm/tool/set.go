package tool

import (
	"context"
	"slices"
)

// Set is the tools of several boxes together. Where two boxes have a tool of the same name, the first one counts.
type Set struct {
	Boxes []*Toolbox
	Off   func(name string) bool // the tools that are neither offered nor run; nil is none
}

// Tools lists the tools that are offered, in the order of the boxes.
func (s Set) Tools() []Tool {
	var all []Tool
	names := map[string]bool{}
	for _, box := range s.Boxes {
		for _, tool := range box.Tools() {
			if !names[tool.Name] && !s.off(tool.Name) {
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

// Has says that there is a tool of this name.
func (s Set) Has(name string) bool { return s.box(name) != nil }

// Run does what a call asks for, as Toolbox.Run does.
func (s Set) Run(ctx context.Context, name, arguments string) string {
	box := s.box(name)
	if box == nil {
		return unknown(name, s.Tools())
	}
	return box.Run(ctx, name, arguments)
}

// box is the box that has a tool, nil where none has or the tool is off.
func (s Set) box(name string) *Toolbox {
	i := slices.IndexFunc(s.Boxes, func(b *Toolbox) bool { return b.Has(name) })
	if i < 0 || s.off(name) {
		return nil
	}
	return s.Boxes[i]
}

func (s Set) off(name string) bool { return s.Off != nil && s.Off(name) }
