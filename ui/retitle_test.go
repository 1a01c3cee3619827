package ui

import (
	"strings"
	"testing"

	"winnow/session"
)

func TestAModelThatWritesATitleIsAnnounced(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 24)
	deps := l.With
	deps.TitleRef = "there/large"
	l.With = deps
	s, err := session.New(deps, session.Start{Ref: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	l.begins(s)
	l.types("our grammar is left-recursive")
	l.press("enter")
	l.shows("Asking there/large for a title.")
	l.until("the title", func() bool { return strings.HasPrefix(l.Info.Title, "Answer 2.") })
}
