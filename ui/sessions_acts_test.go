package ui

import (
	"slices"
	"testing"
)

func TestARenameKeepsFilterAndCursor(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept := l.keep("partner", "parser", "bread")
	l.press("ctrl+s")
	l.lists("bread", "parser", "partner")
	l.types("par")
	l.press("down")
	item, _ := l.sessions.List.Cursor()
	was := l.stored(item.Value)
	l.press("ctrl+e", "home")
	l.types("My ")
	l.press("enter")
	l.until("the title", func() bool {
		return l.stored(was.ID).Title == "My "+was.Title && l.sessions.Pending == 0
	})
	name := func() string { item, _ := l.sessions.List.Cursor(); return nameIn(item) }
	l.until("the list", func() bool { return name() == "My "+was.Title })
	if got := l.sessions.List.Filter.Text(); got != "par" {
		t.Errorf("after the rename the filter is %q, want par", got)
	}
	l.press("ctrl+u") // clears the filter, as in every field
	if got := l.sessions.List.Filter.Text(); got != "" {
		t.Errorf("ctrl+u leaves the filter %q", got)
	}
	l.press("ctrl+u")
	l.until("the old title", func() bool { return slices.Contains(titles(l.Model), was.Title) })
	if got := l.stored(kept[was.Title].ID); got.Title != was.Title {
		t.Errorf("the file has the title %q, want %q", got.Title, was.Title)
	}
}
