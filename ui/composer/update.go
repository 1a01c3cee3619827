package composer

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// The events.
type (
	// Changed says that the draft has changed: the next request is another one.
	Changed struct{}
	// Focused says that files were hung on the draft: it is to have the focus.
	Focused struct{}
	// Wanted is what a key is for that concerns more than the draft.
	Wanted struct{ Action keymap.Action }
	// Entered says that the draft is to be sent; with Cut as much of it as fits.
	Entered struct{ Cut bool }
	// TakenBack says that the newest queued message is wanted in the draft.
	TakenBack struct{}
	// AskedFor is the address of a page to attach. It is asked of nobody before the user has agreed: see FetchPage.
	AskedFor struct{ URL, Host string }
	// Ran is a command that was chosen among the completions, as it would be typed.
	Ran struct{ Command string }
	// ChipOpened is the text of a chip, to be shown.
	ChipOpened struct{ Title, Text string }
	// ListPrompts says that the prompts sent before are to be listed.
	ListPrompts struct{}
)

// Msg is what a command of the composer brings back: it goes to Update.
type Msg interface{ composerMsg() }

// Update is a key, a paste, or what a command has brought. With nil it tells what happened since.
func (c Model) Update(msg tea.Msg) (Model, tea.Cmd) {
	cmd := c.update(msg)
	if c.Area.Changes() != c.noted {
		c.noted, c.completion.at, c.completion.closed = c.Area.Changes(), 0, false
		cmd = tea.Batch(cmd, c.readFolder(), c.findFiles())
		c.Emit(Changed{})
	}
	return c, cmd
}

func (c *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if c.Closed {
			return c.closedKey(msg)
		}
		return c.key(msg)
	case tea.PasteMsg:
		if msg.Content == "" { // Some terminals paste nothing where there is only an image.
			return c.readClipboard()
		}
		return c.drop(msg.Content)
	case readMsg:
		return c.wasRead(msg)
	case folderMsg:
		c.folderRead(msg)
	case treeMsg:
		c.completion.files.read(msg)
	case clipboardMsg:
		return c.clipboardRead(msg)
	case draftMsg:
		return c.draftRead(msg)
	case keepDueMsg:
		return c.keepDue()
	case keptMsg:
		c.disk.kept = max(c.disk.kept, msg.number)
	case promptsMsg:
		return c.promptsRead(msg)
	case writtenMsg:
		return c.written(msg)
	case editedMsg:
		return c.edited(msg)
	case failedMsg:
		return c.SayError(theme.Sentence(msg.err))
	}
	return nil
}

// failedMsg says why something was not written down.
type failedMsg struct{ err error }

func (failedMsg) composerMsg() {}

// key is a key for the draft. Text of more than one character is typing, whatever it spells.
func (c *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := &c.Keys
	if list := c.Completions(); len(list) > 0 {
		if cmd, ok := c.completionKey(msg, list); ok {
			return cmd
		}
	}
	switch {
	case k.Pressed(msg, keymap.Send):
		return c.Emit(Entered{})
	case k.Pressed(msg, keymap.SendCut):
		return c.Emit(Entered{Cut: true})
	case k.Pressed(msg, keymap.Newline):
		c.Area.Insert("\n")
	case k.Pressed(msg, keymap.Older) && c.Empty() && c.At == 0 && c.Waiting.Len() > 0:
		return c.Emit(TakenBack{})
	case k.Pressed(msg, keymap.Older) && c.Area.OnFirst():
		return c.walk(1, "There is no older prompt.")
	case k.Pressed(msg, keymap.Newer) && c.Area.OnLast():
		return c.walk(-1, "This is the newest draft.")
	case k.Pressed(msg, keymap.Recall):
		return c.Emit(ListPrompts{})
	case k.Pressed(msg, keymap.Editor):
		return c.External.Edit(c.Text(), func(text string, err error) tea.Msg { return editedMsg{text, err} })
	case k.Pressed(msg, keymap.Open):
		return c.openChip()
	case k.Pressed(msg, keymap.Paste):
		return c.readClipboard()
	case c.Empty() && k.Pressed(msg, keymap.Ask):
		return c.Emit(Wanted{keymap.Ask})
	case c.Empty() && k.Pressed(msg, keymap.Quit):
		return c.Emit(Wanted{keymap.Quit})
	case utf8.RuneCountInString(msg.Text) > 1:
		c.Write(msg.Text)
	default:
		n := c.Area.Before()
		if msg.Keystroke() == "backspace" && c.Chips[n].isFile() && c.Chips[n].Text != "" {
			c.replace(&c.Writing, n, nil) // a dragged file is its path again
			return nil
		}
		c.Area.Press(msg)
	}
	return nil
}

// openChip shows what the chip nearest to the cursor stands for.
func (c *Model) openChip() tea.Cmd {
	chip, ok := c.Open()
	switch {
	case !ok:
		key := c.Keys.First(keymap.Focus)
		return c.Say("The draft has no long paste and no file; " + key + " goes to the transcript.")
	case chip.Reading():
		return c.Say("It is still being read.")
	case chip.Part == nil:
		return c.Emit(ChipOpened{strings.Trim(chip.Label, "[]"), chip.Text})
	}
	title := strings.Trim(theme.FileLabel(*chip.Part, c.Tokens(chip.Part.Tokens)), "[]")
	if chip.Part.Kind == history.ImagePart {
		return c.Say("It is an image (" + chip.Part.MediaType + "), which the terminal cannot show: " + title + ".")
	}
	return c.Emit(ChipOpened{title, chip.Part.Text})
}
