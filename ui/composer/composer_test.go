package composer

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

func written(w int, keys ...string) Model {
	c := New()
	c.Restyle(theme.New(theme.None, theme.Palette{}))
	c.Resize(w, 6)
	for _, name := range keys {
		c = c.Update(uitest.Key(name))
	}
	return c
}

func TestALongPasteIsAChipThatIsSentInFull(t *testing.T) {
	long := strings.Repeat("a line with a tab\tand more\n", 300)
	c := written(60, "s", "e", "e", "space").Update(tea.PasteMsg{Content: long})
	if got := c.Writing.Shown(); got != "see [paste 1: 301 lines, 8.1 kB, ~2,025 tokens]" {
		t.Errorf("the draft shows %q", got)
	}
	if c.Writing.Text() != "see "+long {
		t.Errorf("%d bytes would be sent, want %d", len(c.Writing.Text()), len("see "+long))
	}
	if c = c.Update(uitest.Key("backspace")); c.Writing.Shown() != "see " {
		t.Errorf("backspace behind the chip leaves %q", c.Writing.Shown())
	}
}

func TestAPromptIsLookedAtAndTheDraftComesBack(t *testing.T) {
	c := written(60, "n", "e", "w")
	c.Remember(store.Draft{Text: "older"})
	c.Show(1, c.Prompts[0].Head)
	if c.Writing.Text() != "older" {
		t.Fatalf("the prompt is %q", c.Writing.Text())
	}
	if c.Show(0, store.Draft{}); c.Writing.Text() != "new" {
		t.Errorf("the draft came back as %q", c.Writing.Text())
	}
}

func TestScreens(t *testing.T) {
	file := func(w int) Model {
		c := written(w)
		c.SetWith("What is wrong with it?", []history.Part{{Name: "parser.go", Text: "package p\n", Tokens: 4}})
		return c
	}
	var screens uitest.Screens
	for _, s := range []struct {
		name string
		c    Model
	}{
		{"nothing written", written(40)},
		{"a file and a question", file(60)},
		{"the same, narrow", file(24)},
		{"a paste", written(60, "s", "e", "e").Update(tea.PasteMsg{Content: strings.Repeat("x\n", 40)})},
	} {
		screens.Add(s.name, s.c.Area.View(s.c.Looks))
	}
	screens.Golden(t)
}
