package ui

import (
	"slices"
	"testing"
)

func TestTheOpenSessionIsDeletedForANewOne(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("A question.")
	open := l.Info.ID
	l.press("ctrl+s")
	l.lists("A question")
	l.press("ctrl+d")
	l.shows("Moved to the trash: “A question”.")
	l.until("a new chat", func() bool { return l.Info.ID == "" && !l.covered() })
	if l.stored(open).Deleted.IsZero() {
		t.Error("the session is not in the trash")
	}
}

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

func TestTheOpenSessionIsRenamedInItsHeader(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("A question.")
	l.press("ctrl+s")
	l.lists("A question")
	l.press("ctrl+e", "ctrl+u")
	l.types("About winter")
	l.press("enter")
	l.press("esc")
	l.shows("winnow  About winter")
}

func TestTagsAreTypedWithBlanksOrCommas(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept := l.keep("bread")
	l.press("ctrl+s")
	l.lists("bread")
	l.press("ctrl+t")
	l.types("rye, #oven rye  oven")
	l.press("enter")
	l.shows("bread #oven #rye")
	l.press("ctrl+t", "ctrl+w")
	l.press("enter")
	l.until("one tag", func() bool { return slices.Equal(l.stored(kept["bread"].ID).Tags, []string{"oven"}) })
	l.until("the act", func() bool { return l.sessions.Pending == 0 })
	l.press("ctrl+u", "ctrl+u")
	l.until("no tag", func() bool { return len(l.stored(kept["bread"].ID).Tags) == 0 && l.sessions.Pending == 0 })
}

func TestAPurgeAsksAndAHeldKeyIsNoAnswer(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept := l.keep("bread", "parser")
	l.press("ctrl+s")
	l.lists("parser", "bread")
	l.press("ctrl+d", "ctrl+d")
	l.lists()
	l.press("shift+tab", "shift+tab")
	l.lists("parser", "bread")
	l.press("enter")
	l.shows("It is in the trash")

	l.press("ctrl+d")
	l.shows("Delete “parser” permanently?")
	l.press("ctrl+d", "ctrl+d", "enter", "down", "x")
	l.shows("y deletes the chat permanently, n keeps it")
	l.on("parser")
	l.press("n")
	l.shows("It stays in the trash.")
	l.press("ctrl+d", "esc", "y") // the question is gone, so the letter is for the filter
	if l.sessions.List.Filter.Text() != "y" || l.dialog() != l.sessions {
		t.Fatalf("behind a question that was left, y went elsewhere:\n%s", plain(l.Model))
	}
	l.press("backspace", "ctrl+d", "y")
	l.lists("bread")
	if _, err := l.With.Store.Session(t.Context(), kept["parser"].ID); err == nil {
		t.Error("the purged session is still there")
	}
	l.press("ctrl+u") // what is gone for good is not among what comes back
	l.lists()
	l.press("shift+tab")
	l.lists("bread")
}

func TestASessionIsForkedFromTheList(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("A question.")
	first := l.Info.ID
	l.press("ctrl+n")
	l.until("a new chat", func() bool { return l.Info.ID == "" })
	l.press("ctrl+s")
	l.lists("A question")
	l.press("ctrl+f")
	l.until("the fork", func() bool { return l.Info.Parent == first })
	if l.covered() || l.chat.Messages.Len() != 2 || l.stored(l.Info.ID).Parent != first {
		t.Errorf("the fork is not on the screen:\n%s", plain(l.Model))
	}
	l.shows("Forked from “A question” at its end")
}
