package current

import (
	"fmt"
	"slices"
	"strings"

	"winnow/session"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Forks are the sessions that belong to the open one by a fork: the one that it was forked from, and those that
// were forked from it.
type Forks struct {
	kin   session.Kin
	point int64 // the newest message of the branch that is a copy, 0 for none
	ctx   *app.Context
}

// NewForks are the forks of a session whose branch has these messages.
func NewForks(kin session.Kin, messages branch.Branch, ctx *app.Context) Forks {
	f := Forks{kin: kin, ctx: ctx}
	for i := 0; kin.Fork && i < messages.Len() && int(messages.Row(i).Seq) <= kin.Copied; i++ {
		f.point = messages.ID(i)
	}
	return f
}

// Trails are the lines at the messages where sessions part.
func (f Forks) Trails() map[int64]string {
	trails, origin := map[int64]string{}, f.originLine()
	if f.point != 0 {
		trails[f.point] = origin
	}
	for _, fork := range f.kin.Forks {
		n := len(f.forkedAt(fork.ForkedAt))
		line := theme.ForkMark + " " + theme.Plural(n, "fork") + f.way()
		if fork.ForkedAt == f.point && origin != "" {
			line = origin + "\n" + line
		}
		trails[fork.ForkedAt] = line
	}
	return trails
}

// originLine says where the session was forked from, "" where it is no fork.
func (f Forks) originLine() string {
	from := fmt.Sprintf("%s forked from “%s” at message %s", theme.ForkMark, f.Title(f.kin.Parent),
		theme.Thousands(f.kin.Copied))
	switch {
	case !f.kin.Fork:
		return ""
	case f.kin.Parent.ID == "":
		return theme.ForkMark + " forked from a deleted chat"
	case !f.kin.Parent.Deleted.IsZero():
		return from + ", which is in the trash"
	}
	return from + f.way()
}

// way says how the other chat is opened.
func (f Forks) way() string { return " · " + f.ctx.Keys.First(keymap.Palette) + ", then Forks…" }

func (f Forks) forkedAt(message int64) []store.Session {
	return slices.DeleteFunc(slices.Clone(f.kin.Forks), func(s store.Session) bool { return s.ForkedAt != message })
}

// At are the forks that part at a message, and whether the session was itself forked there; all there are where
// none does.
func (f Forks) At(message int64) (origin bool, forks []store.Session) {
	forks = f.forkedAt(message)
	if origin = f.kin.Fork && message == f.point; origin || len(forks) > 0 {
		return origin, forks
	}
	return f.kin.Fork, f.kin.Forks
}

// Parent is the session that this one was forked from, or a sentence that says why it cannot be opened.
func (f Forks) Parent() (parent store.Session, fault string) {
	parent = f.kin.Parent
	switch {
	case parent.ID == "":
		return parent, "The chat that this one was forked from was deleted permanently. This copy is not affected."
	case !parent.Deleted.IsZero():
		return parent, "“" + f.Title(parent) + "” is in the trash. This copy is not affected."
	}
	return parent, ""
}

// From says in the header what a fork comes from, "" where the session is none. A title that its own
// begins with is not said again.
func (f Forks) From(title string) string {
	switch {
	case !f.kin.Fork:
		return ""
	case f.kin.Parent.ID == "":
		return theme.ForkMark + " a deleted chat"
	case f.kin.Parent.Title != "" && strings.HasPrefix(title, f.kin.Parent.Title):
		return ""
	}
	return theme.ForkMark + " " + f.Title(f.kin.Parent)
}

// Title is what a session is called in a line.
func (f Forks) Title(s store.Session) string {
	if s.Title == "" {
		return "untitled"
	}
	return markdown.OneLine(f.ctx.Secrets.Line(s.Title), 60)
}
