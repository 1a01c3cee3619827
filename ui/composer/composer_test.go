package composer

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

func written(w int, keys ...string) Model {
	c := New(Deps{Keys: keymap.Default()})
	c.Restyle(theme.New(theme.None, theme.Palette{}, 0))
	c.Resize(w, 6)
	for _, name := range keys {
		c, _ = c.Update(uitest.Key(name))
	}
	return c
}

func TestALongPasteIsAChipThatIsSentInFull(t *testing.T) {
	long := strings.Repeat("a line with a tab\tand more\n", 300)
	c, _ := written(60, "s", "e", "e", "space").Update(tea.PasteMsg{Content: long})
	if got := c.Writing.Shown(); got != "see [paste 1: 301 lines, 8.1 kB, ~2,025 tokens]" {
		t.Errorf("the draft shows %q", got)
	}
	if c.Writing.Text() != "see \n"+long {
		t.Errorf("%d bytes would be sent, want %d", len(c.Writing.Text()), len("see \n"+long))
	}
	if c, _ = c.Update(uitest.Key("backspace")); c.Writing.Shown() != "see " {
		t.Errorf("backspace behind the chip leaves %q", c.Writing.Shown())
	}
}

func TestAPromptIsLookedAtAndTheDraftComesBack(t *testing.T) {
	c := written(60, "n", "e", "w")
	c.Remember(store.Draft{Text: "older"})
	c, _ = c.Update(uitest.Key("up"))
	if c.Writing.Text() != "older" {
		t.Fatalf("the prompt is %q", c.Writing.Text())
	}
	if c, _ = c.Update(uitest.Key("down")); c.Writing.Text() != "new" {
		t.Errorf("the draft came back as %q", c.Writing.Text())
	}
}

// A file of an earlier message is a chip as well: its message can be edited.
func TestADraftIsMadeOfAMessage(t *testing.T) {
	c := written(60)
	files := []history.Part{
		{Kind: history.TextPart, Name: "a.go", Text: "package a"},
		{Kind: history.ImagePart, Name: "b.png", MediaType: "image/png", Data: []byte("PNG")},
	}
	c.SetWith("why?", files)
	if got := c.Drafted(); got.Text != "why?" || len(got.Files) != 2 {
		t.Errorf("the draft is %q with %+v", got.Text, got.Files)
	}
	c, _ = c.Update(tea.KeyPressMsg{Code: tea.KeyHome})
	c, _ = c.Update(tea.KeyPressMsg{Code: tea.KeyDelete})
	if got := c.Drafted(); got.Text != "why?" || len(got.Files) != 1 || got.Files[0].Name != "b.png" {
		t.Errorf("without the first chip the draft is %q with %+v", got.Text, got.Files)
	}
}

func TestTheEditorLeavesTheFiles(t *testing.T) {
	c := written(60)
	c.SetWith("why?", []history.Part{{Kind: history.TextPart, Name: "a.go", Text: "package a"}})
	long := strings.Repeat("a line\tof mine\r\n", 100)
	c.Rewrite(long)
	if got := c.Drafted(); got.Text != strings.ReplaceAll(long, "\r", "") || len(got.Files) != 1 {
		t.Errorf("the draft is %.60q… with %+v", got.Text, got.Files)
	}
	if strings.Contains(c.Shown(), "[paste") {
		t.Error("what was written in the editor is a chip, and cannot be changed here")
	}
}

func TestTextThatSpellsAChipIsText(t *testing.T) {
	c := written(60)
	c.Paste(strings.Repeat("x\n", 30))
	label := c.Shown()
	c.Write(label + label)
	if got, want := c.Text(), strings.Repeat("x\n", 30)+label+label; got != want {
		t.Errorf("the draft is %q, want %q", got, want)
	}
}

func TestScreens(t *testing.T) {
	file := func(w int) Model {
		c := written(w)
		c.SetWith("What is wrong with it?", []history.Part{{Name: "parser.go", Text: "package p\n", Tokens: 4}})
		return c
	}
	pasted, _ := written(60, "s", "e", "e").Update(tea.PasteMsg{Content: strings.Repeat("x\n", 40)})
	var screens uitest.Screens
	for _, s := range []struct {
		name string
		c    Model
	}{
		{"nothing written", written(40)},
		{"a file and a question", file(60)},
		{"the same, narrow", file(24)},
		{"a paste", pasted},
	} {
		screens.Add(s.name, s.c.View())
	}
	screens.Golden(t)
}

func TestAClosedComposerSaysWhyAndHowToGoOn(t *testing.T) {
	c := written(60)
	c.Closed = true
	if got := strings.Join(c.View(), "\n"); !strings.Contains(got, "Open in another window") ||
		len(c.View()) != c.Lines() {
		t.Errorf("it shows %q in %d lines", got, c.Lines())
	}
	for key, want := range map[string]event.Event{
		"x": event.Notice{Text: c.Keys.Lacks(keymap.NeedOwn), Error: true}, "ctrl+f": Wanted{keymap.Away},
		"enter": Wanted{keymap.Take},
		"up":    Wanted{keymap.Older}, "?": Wanted{keymap.Ask},
	} {
		c, _ = c.Update(uitest.Key(key))
		if got := c.Events(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %v, want %v", key, got, want)
		}
	}
}

func TestAnEditThatIsLeftCanBeRecalledWhereItChangedSomething(t *testing.T) {
	c := written(60, "d", "r", "a", "f", "t")
	c.Edit(7, "message 3", "old", nil)
	c.LeaveEdit()
	if got := c.Events(); len(got) == 0 || got[len(got)-1] != (event.Notice{Text: "Message 3 is unchanged."}) ||
		c.Writing.Text() != "draft" {
		t.Errorf("an edit without a change leaves %q and says %v", c.Writing.Text(), got)
	}
	c.Edit(7, "message 3", "old", nil)
	c, _ = c.Update(uitest.Key("x"))
	c.LeaveEdit()
	if got := c.Events(); got[len(got)-1] != (event.Notice{Text: "Message 3 is unchanged. ↑ recalls the edit."}) {
		t.Errorf("an edit with a change says %v", got)
	}
}

func TestACommandWritesTheDraft(t *testing.T) {
	c := withServers(t)
	c.Set("/notes:re")
	if got := uitest.Plain(c.CompletionView(60, 8)); !strings.Contains(got, "/notes:review LANGUAGE [FOCUS] Reviews") {
		t.Fatalf("the completions are\n%s", got)
	}
	cmd, ok := c.WriteDraft("notes:review", `"Go and C"`)
	if !ok {
		t.Fatal("the command is not known")
	}
	c.Set("")
	if c, _ = c.Update(cmd()); c.Writing.Text() != "Review Go and C." {
		t.Errorf("the draft is %q", c.Writing.Text())
	}
	cmd, _ = c.WriteDraft("notes:review", "")
	c.Set("")
	if c, _ = c.Update(cmd()); c.Writing.Text() != "/notes:review " {
		t.Errorf("after an error the draft is %q", c.Writing.Text())
	}
	if _, ok := c.WriteDraft("notes:other", ""); ok {
		t.Error("a command that is not there writes something")
	}
}

func TestAWordWithAtAttaches(t *testing.T) {
	c := withServers(t)
	for _, name := range []string{"s", "e", "e", "space", "@", "n", "o"} {
		c, _ = c.Update(uitest.Key(name))
	}
	if got := uitest.Plain(c.CompletionView(60, 8)); !strings.Contains(got, "@notes:memo") {
		t.Fatalf("the completions are\n%s", got)
	}
	c, cmd := c.Update(uitest.Key("enter"))
	c, _ = c.Update(cmd())
	if got := c.Drafted(); got.Text != "see @notes:memo " || len(got.Files) != 1 ||
		got.Files[0].Name != "@notes:memo" || got.Files[0].Text != "text of @notes:memo" {
		t.Errorf("the draft is %q with %+v", got.Text, got.Files)
	}
	c = withServers(t)
	for _, name := range []string{"@", "d", "a", "y", "tab"} {
		c, _ = c.Update(uitest.Key(name))
	}
	if got := c.Writing.Text(); got != "@notes:day:{date}" {
		t.Errorf("a resource with a placeholder leaves %q in the draft", got)
	}
}

// withServers is a composer with a command that writes drafts and two things to attach.
func withServers(t *testing.T) Model {
	t.Helper()
	c := New(Deps{
		Keys: keymap.Default(),
		Run:  func(run func(context.Context) tea.Msg) tea.Cmd { return func() tea.Msg { return run(t.Context()) } },
		Templates: func() []Command {
			return []Command{{Name: "notes:review", Args: "LANGUAGE [FOCUS]", Help: "Reviews code."}}
		},
		MakeDraft: func(_ context.Context, _ string, words []string) (string, error) {
			if len(words) == 0 {
				return "", errors.New("the prompt needs language")
			}
			return "Review " + words[0] + ".", nil
		},
		Mentions: func(word string) []Command {
			if strings.HasPrefix("@day", word) {
				return []Command{{Name: "@notes:day:{date}", Args: "URI"}}
			}
			return []Command{{Name: "@notes:memo"}}
		},
		ReadMention: func(_ context.Context, word string) (string, error) { return "text of " + word, nil },
	})
	c.Restyle(theme.New(theme.None, theme.Palette{}, 0))
	c.Resize(60, 6)
	c.Completes = true
	c.AttachText = func(name, text string) (history.Part, error) {
		return history.Part{Kind: history.TextPart, Name: name, Text: text}, nil
	}
	return c
}
