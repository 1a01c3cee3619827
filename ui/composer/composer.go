// Package composer is what is being written: a text with chips in it for long pastes and files, its completions, the
// prompts that were sent before, the editing of an earlier message, the queue, and the unsent draft on disk. It sends
// nothing: what concerns the conversation it has the screen do.
package composer

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm/mcp"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/composer/queue"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// A paste above these becomes a chip.
const (
	chipLines = 20
	chipBytes = 2000
)

// Callbacks is what the composer has the rest of the screen do.
type Callbacks struct {
	Focus      func()                       // gives the draft the keys
	Focused    func() bool                  // the keys go to it, and nothing covers its completions
	Send       func(cut bool) tea.Cmd       // sends the draft, cut as much of it as fits
	RunCommand func(command string) tea.Cmd // runs a slash command
	ShowText   func(title, text string)     // shows a text
	SetNotice  func(text string)            // says what stays until something is sent

	// Open opens a list.
	OpenList func(l *list.Model, chosen func(string) tea.Cmd)
}

// Options are what the composer works with.
type Options struct {
	Files   []string     // to hang on the first draft
	Servers *mcp.Servers // their prompts are commands, and their resources can be attached; nil for none

	// ReadPage reads the page at an address as text. Cut says that only its beginning was read.
	ReadPage func(ctx context.Context, address string) (text string, cut bool, err error)
}

// Model is the draft, with all that belongs to it.
type Model struct {
	*app.Context
	Callbacks Callbacks
	Options
	draft
	Queue   *queue.Model // the messages that are sent when the answers before them are there
	Sending *SentDraft   // the draft that was sent and is not stored yet, nil for none

	pasted          int // texts and images, for their names
	handledRevision int // changes of the text that were told

	prompts []store.Draft // sent before, or cleared in this window, the newest first

	completions   completions
	savedRevision int  // changes of the text when it was last written down
	saveScheduled bool // it is going to be written down
}

// New is an empty composer.
func New(ctx *app.Context, s Callbacks, o Options) *Model {
	o.Servers = cmp.Or(o.Servers, new(mcp.Servers))
	offered := list.New(ctx, list.Options{WideLabels: true})
	offered.HeadLines = 0
	return &Model{
		Context: ctx, Callbacks: s, Options: o, draft: blank(), Queue: queue.New(ctx),
		completions: completions{Model: offered},
	}
}

// View draws the draft.
func (c *Model) View() []string {
	st := c.Themes.Styles
	inset := st.Strong
	if st.HasBackgrounds {
		inset = st.Text.Background(st.Tint.GetBackground())
	}
	return c.Editor.View(st.Text, inset)
}

// AfterUpdate tells of a draft that has changed. It is called behind every message.
func (c *Model) AfterUpdate() tea.Cmd {
	if c.Editor.Revision() == c.handledRevision {
		return nil
	}
	c.handledRevision = c.Editor.Revision()
	return tea.Batch(c.complete(), c.Replan())
}

// Update is a key or a paste. In a session that another window has, the keys are about that.
func (c *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if !c.ReadOnly {
			return c.key(msg)
		}
		if a := c.Keys.Action(msg, keymap.InOtherWindow); a != "" {
			return c.Do(a)
		}
		return c.Fail(c.Keys.ExplainNeed(keymap.NeedLease))
	case tea.PasteMsg:
		if msg.Content == "" { // Some terminals paste nothing where there is only an image.
			return c.readClipboard()
		}
		return c.pasteOrAttach(msg.Content)
	}
	return nil
}

// key is a key for the draft. Text of more than one character is typing, whatever it spells.
func (c *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, ok := c.completionKey(msg); ok {
		return cmd
	}
	k := &c.Keys
	switch {
	case k.Pressed(msg, keymap.Send, keymap.SendCut):
		return c.Callbacks.Send(k.Pressed(msg, keymap.SendCut))
	case k.Pressed(msg, keymap.Newline):
		c.Editor.Insert("\n")
	case k.Pressed(msg, keymap.ListUp) && c.Empty() && c.suspended == nil && c.Queue.Len() > 0:
		return c.takeBack()
	case k.Pressed(msg, keymap.ListUp) && c.editedID == 0 && c.Editor.OnFirstRow():
		return c.stepPrompt(1, "There is no older prompt.")
	case k.Pressed(msg, keymap.ListDown) && c.editedID == 0 && c.Editor.OnLastRow():
		return c.stepPrompt(-1, "This is the newest draft.")
	case k.Pressed(msg, keymap.Recall):
		return c.listPrompts()
	case k.Pressed(msg, keymap.Editor):
		return OpenEditor(c.Text(), func(text string, err error) tea.Msg {
			return app.Then(func() tea.Cmd { return c.edited(text, err) })
		})
	case k.Pressed(msg, keymap.Expand):
		return c.unfold()
	case k.Pressed(msg, keymap.Paste):
		return c.readClipboard()
	case c.Empty() && k.Pressed(msg, keymap.Help, keymap.Quit):
		return c.Do(k.Action(msg, keymap.InDraft))
	case utf8.RuneCountInString(msg.Text) > 1:
		c.InsertText(msg.Text)
	case msg.Text != "":
		c.Editor.Insert(msg.Text) // a joiner is a key of its own: its neighbours are in the draft already
	default:
		c.Editor.HandleKey(msg)
	}
	return nil
}

// unfold shows the draft as it is sent, and its files.
func (c *Model) unfold() tea.Cmd {
	if len(c.chips()) == 0 {
		return c.Say("The draft has no long paste and no file; " + c.Keys.First(keymap.Focus) +
			" goes to the transcript.")
	}
	text := c.Text()
	for _, part := range c.files() {
		text += "\n\n" + theme.FileLabel(part, part.Tokens) + "\n\n" + part.Text
	}
	c.Callbacks.ShowText("Draft", strings.TrimSpace(text))
	return nil
}

// SetDraft replaces the draft. A long text becomes a chip.
func (c *Model) SetDraft(text string) {
	c.Editor.Reset()
	if c.promptNumber != 0 {
		c.promptNumber, c.suspended = 0, nil
	}
	c.Paste(text)
}

// Clear takes the draft away. It can be recalled.
func (c *Model) Clear() {
	c.RememberPrompt(c.stored())
	c.SetDraft("")
}

// edited replaces the draft's text by what the user's editor left. The files stay, in front of it.
func (c *Model) edited(text string, err error) tea.Cmd {
	if err != nil {
		return c.Fail(theme.Sentence(err) + " The draft is unchanged.")
	}
	files := c.chips()
	c.SetDraft("")
	for _, chip := range files {
		if chip.isFile() {
			c.insertChip(chip)
		}
	}
	c.InsertText(unixLines.Replace(text))
	return nil
}

// unixLines has lines end as they do here.
var unixLines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Paste puts a text at the cursor, a long one as a chip. Control characters of a short one are made visible, and so is
// what is sent; a chip keeps its bytes.
func (c *Model) Paste(text string) {
	if text = unixLines.Replace(text); strings.Count(text, "\n") < chipLines && len(text) <= chipBytes {
		c.InsertText(text)
	} else {
		c.insertPaste(text)
	}
}

// InsertText puts a text at the cursor as it would be typed. Tabs stay what they are.
func (c *Model) InsertText(text string) {
	pieces := strings.Split(text, "\t")
	for i, piece := range pieces {
		pieces[i] = markdown.Visible(piece)
	}
	c.Editor.Insert(strings.Join(pieces, "\t"))
}

// maxCounted is the longest pasted text, in bytes, whose tokens are counted: a longer one would be waited for.
const maxCounted = 256 << 10

// insertPaste puts a text at the cursor as a chip.
func (c *Model) insertPaste(text string) {
	c.pasted++
	counted := theme.EstimateTokens(len(text))
	if c.Deps.Count != nil && len(text) <= maxCounted {
		counted = c.Deps.Count(text)
	}
	c.Editor.InsertInset(&draftChip{Text: text, label: fmt.Sprintf("[paste %d: %s, %s, ~%s tokens]", c.pasted,
		theme.Plural(strings.Count(text, "\n")+1, "line"), theme.Size(len(text)),
		theme.Thousands(counted))})
}

// fileChip is the chip of a file that has been read.
func fileChip(part *history.Part, path string) *draftChip {
	return &draftChip{label: theme.FileLabel(*part, part.Tokens), path: path, Part: part}
}

// insertChip puts a chip and a space at the cursor.
func (c *Model) insertChip(chip *draftChip) {
	c.Editor.InsertInset(chip)
	c.Editor.Insert(" ")
}

// attachPart puts a file at the cursor that has no path: one of an earlier message, or an image from the clipboard.
func (c *Model) attachPart(part history.Part) { c.insertChip(fileChip(&part, "")) }

// restore replaces the draft by one that was kept, or by an earlier message. Files with a path are read again. Those of
// a message stand in front of its text, and so do those of a draft that held a secret: their places are not known.
func (c *Model) restore(d store.Draft) tea.Cmd {
	c.SetDraft("")
	if len(d.Folds) == 0 {
		for _, part := range d.Parts {
			c.attachPart(part)
		}
		c.Paste(d.Text)
		return nil
	}
	var cmds []tea.Cmd
	at, parts := 0, d.Parts
	for _, f := range d.Folds {
		c.InsertText(d.Text[at:f.From])
		at = f.To
		switch {
		case f.From < f.To:
			c.insertPaste(d.Text[f.From:f.To])
		case isAddress(f.Path):
			c.InsertText(f.Path)
			cmds = append(cmds, c.Say("The page is not fetched again by itself; /attach with its address fetches it."))
		case f.Path != "":
			cmds = append(cmds, c.read(f.Path))
		case len(parts) > 0:
			c.Editor.InsertInset(fileChip(&parts[0], ""))
			parts = parts[1:]
		}
	}
	c.InsertText(d.Text[at:])
	return tea.Batch(cmds...)
}
