package composer

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/uitest"
)

func TestALongPasteIsAChipThatIsSentInFull(t *testing.T) {
	d := newDesk(t, Options{})
	long := strings.Repeat("a line with a tab\tand more\n", 300)
	d.types("see ")
	d.takes(tea.PasteMsg{Content: long})
	if got := d.Shown(); got != "see [paste 1: 301 lines, 8.1 kB, ~2,025 tokens]" {
		t.Errorf("the draft shows %q", got)
	}
	d.wantDraft("see \n" + long)
	d.press("backspace")
	d.wantDraft("see ")
}

func TestAPromptIsLookedAtAndTheDraftComesBack(t *testing.T) {
	d := newDesk(t, Options{})
	d.types("new")
	d.Remember(store.Draft{Text: "older"})
	d.press("up")
	d.wantDraft("older")
	d.press("down")
	d.wantDraft("new")
	d.press("ctrl+r")
	if d.open.Len() != 1 {
		t.Fatalf("%d prompts are listed, want one", d.open.Len())
	}
	d.does(d.take("0"))
	d.wantDraft("older")
}

// A file of an earlier message is a chip as well: its message can be edited.
func TestADraftIsMadeOfAMessage(t *testing.T) {
	d := newDesk(t, Options{})
	d.SetWith("why?", []history.Part{
		{Kind: history.TextPart, Name: "a.go", Text: "package a"},
		{Kind: history.ImagePart, Name: "b.png", MediaType: "image/png", Data: []byte("PNG")},
	})
	d.wantDraft("why?", "a.go", "b.png")
	d.press("home", "delete")
	d.wantDraft("why?", "b.png")
}

func TestTheEditorLeavesTheFiles(t *testing.T) {
	d := newDesk(t, Options{})
	d.SetWith("why?", []history.Part{{Kind: history.TextPart, Name: "a.go", Text: "package a"}})
	long := strings.Repeat("a line\tof mine\r\n", 100)
	d.edited(long, nil)
	d.wantDraft(strings.ReplaceAll(long, "\r", ""), "a.go")
	if strings.Contains(d.Shown(), "[paste") {
		t.Error("what was written in the editor is a chip, and cannot be changed here")
	}
}

func TestTextThatSpellsAChipIsText(t *testing.T) {
	d := newDesk(t, Options{})
	d.Paste(strings.Repeat("x\n", 30))
	label := d.Shown()
	d.Write(label + label)
	d.wantDraft(strings.Repeat("x\n", 30) + label + label)
}

func TestScreens(t *testing.T) {
	var screens uitest.Screens
	d := newDesk(t, Options{})
	screens.Add("nothing written", d.View())
	d.SetWith("What is wrong with it?", []history.Part{{Name: "parser.go", Text: "package p\n", Tokens: 4}})
	screens.Add("a file and a question", d.View())
	d.Resize(24, 6)
	screens.Add("the same, narrow", d.View())
	d.Set("see")
	d.Resize(60, 6)
	d.Paste(strings.Repeat("x\n", 40))
	screens.Add("a paste", d.View())
	screens.Golden(t)
}

func TestAClosedComposerHasKeysOfItsOwn(t *testing.T) {
	d := newDesk(t, Options{})
	d.ReadOnly = true
	d.press("ctrl+f", "enter")
	if want := []string{string(keymap.ForkOff), string(keymap.Choose)}; !slices.Equal(d.did, want) {
		t.Errorf("the keys do %q, want %q", d.did, want)
	}
	d.press("x")
	d.wantSaid(d.Keys.Lacks(keymap.NeedOwn))
	d.wantDraft("")
}

func TestACommandWritesTheDraft(t *testing.T) {
	t.Parallel()
	d := newDesk(t, Options{Servers: offered(t)})
	d.types("/notes:code")
	d.wantOffered("/notes:code-review LANGUAGE [FOCUS]")
	write := func(args string) {
		t.Helper()
		cmd, ok := d.WriteDraft("notes:code-review", args)
		if !ok {
			t.Fatal("the command is not known")
		}
		d.Set("")
		d.does(cmd)
	}
	write(`"Go and C" tests`)
	if !strings.HasPrefix(d.Text(), "Review Go and C for tests") {
		t.Errorf("the draft is %q", d.Text())
	}
	write("")
	d.wantDraft("/notes:code-review ")
	if _, ok := d.WriteDraft("notes:other", ""); ok {
		t.Error("a command that is not there writes something")
	}
}

func TestAWordWithAtAttachesAResource(t *testing.T) {
	t.Parallel()
	d := newDesk(t, Options{Servers: offered(t)})
	d.types("see @notes:m")
	d.wantOffered("@notes:memo:one")
	d.press("enter")
	d.wantDraft("see @notes:memo:one ", "@notes:memo:one")
	d.Set("")
	d.types("@notes:day")
	d.press("tab")
	d.wantDraft("@notes:day:{date}")
	d.Set("")
	d.types("@notes:day:today")
	d.press("tab")
	d.wantDraft("", "@notes:day:today")
	d.does(d.attach("@other:memo:one"))
	d.wantSaid("no MCP server is named in @other:memo:one.")
}
