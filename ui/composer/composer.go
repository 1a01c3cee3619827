// Package composer holds the message being written: its text with chips for long pastes and files, completions, earlier
// prompts, the editing of an earlier message, the queue, and the unsent draft on disk. Sending is up to its parent.
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

// A paste that exceeds either of these becomes a chip.
const (
	chipLines = 20
	chipBytes = 2000
)

// Hooks are what the composer asks of its parent.
type Hooks struct {
	Focus      func()                       // focuses the draft
	Focused    func() bool                  // the draft has the focus and nothing covers its completions
	Send       func(cut bool) tea.Cmd       // sends the draft, with cut only as much of it as fits
	RunCommand func(command string) tea.Cmd // runs a slash command
	ShowText   func(title, text string)     // shows a text in a dialog
	SetNotice  func(text string)            // shows a notice that stays until a message is sent

	// OpenList opens a list; chosen gets the value of the chosen item.
	OpenList func(l *list.Model, chosen func(string) tea.Cmd)
}

// Options are the dependencies of the composer.
type Options struct {
	Files   []string     // paths to attach to the first draft
	Servers *mcp.Servers // their prompts become commands and their resources can be attached; nil for none

	// ReadPage returns the web page at an address as text. Cut reports whether only its beginning was read.
	ReadPage func(ctx context.Context, address string) (text string, cut bool, err error)
}

// Model is the composer of one chat.
type Model struct {
	*app.Context
	Hooks Hooks
	Options
	draft
	Queue   *queue.Model // messages that wait for the running turn
	Sending *SentDraft   // a draft that was sent and is not stored yet, nil for none

	pasted          int // number of pasted texts and images, for their names
	handledRevision int // revision that AfterUpdate has seen

	prompts []store.Draft // sent or cleared drafts, newest first

	completions   completions
	savedRevision int  // revision of the draft on disk
	saveScheduled bool // SaveSoon has started its timer
}

// New returns an empty composer.
func New(ctx *app.Context, s Hooks, o Options) *Model {
	o.Servers = cmp.Or(o.Servers, new(mcp.Servers))
	offered := list.New(ctx, list.Options{WideLabels: true})
	offered.HeadLines = 0
	return &Model{
		Context: ctx, Hooks: s, Options: o, draft: blank(), Queue: queue.New(ctx),
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

// AfterUpdate updates completions and plan if the draft has changed. The parent calls it after every message.
func (c *Model) AfterUpdate() tea.Cmd {
	if c.Editor.Revision() == c.handledRevision {
		return nil
	}
	c.handledRevision = c.Editor.Revision()
	return tea.Batch(c.complete(), c.Replan())
}

// Update handles a key or a paste. In a chat that another window has open, only the keys of that state work.
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
		if msg.Content == "" { // Some terminals paste nothing if the clipboard holds an image.
			return c.readClipboard()
		}
		return c.pasteOrAttach(msg.Content)
	}
	return nil
}

// key handles a key for the draft.
func (c *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if cmd, ok := c.completionKey(msg); ok {
		return cmd
	}
	k := &c.Keys
	switch {
	case k.Pressed(msg, keymap.Send, keymap.SendCut):
		return c.Hooks.Send(k.Pressed(msg, keymap.SendCut))
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
		c.Editor.Insert(msg.Text) // unescaped: a zero-width joiner arrives as a key of its own
	default:
		c.Editor.HandleKey(msg)
	}
	return nil
}

// unfold shows the draft as it would be sent, with its files.
func (c *Model) unfold() tea.Cmd {
	if len(c.chips()) == 0 {
		return c.Say("The draft has no long paste and no file; " + c.Keys.First(keymap.Focus) +
			" goes to the transcript.")
	}
	text := c.Text()
	for _, part := range c.files() {
		text += "\n\n" + theme.FileLabel(part, part.Tokens) + "\n\n" + part.Text
	}
	c.Hooks.ShowText("Draft", strings.TrimSpace(text))
	return nil
}

// SetDraft replaces the draft by a text, a long one as a chip.
func (c *Model) SetDraft(text string) {
	c.Editor.Reset()
	if c.promptNumber != 0 {
		c.promptNumber, c.suspended = 0, nil
	}
	c.Paste(text)
}

// Clear empties the draft and remembers it as a prompt.
func (c *Model) Clear() {
	c.RememberPrompt(c.stored())
	c.SetDraft("")
}

// edited replaces the draft's text by the result of the user's editor. Files stay, before the text.
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

// unixLines converts line ends to LF.
var unixLines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Paste inserts a text at the cursor, a long one as a chip. Control characters of a short text become visible; a chip
// keeps its bytes.
func (c *Model) Paste(text string) {
	if text = unixLines.Replace(text); strings.Count(text, "\n") < chipLines && len(text) <= chipBytes {
		c.InsertText(text)
	} else {
		c.insertPaste(text)
	}
}

// InsertText inserts a text at the cursor with control characters made visible, except tabs.
func (c *Model) InsertText(text string) {
	pieces := strings.Split(text, "\t")
	for i, piece := range pieces {
		pieces[i] = markdown.Visible(piece)
	}
	c.Editor.Insert(strings.Join(pieces, "\t"))
}

// maxCounted is the size in bytes up to which the tokens of a paste are counted; larger ones are estimated, because
// counting would be noticed.
const maxCounted = 256 << 10

// insertPaste inserts a text at the cursor as a chip.
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

// fileChip returns the chip of a file that has been read.
func fileChip(part *history.Part, path string) *draftChip {
	return &draftChip{label: theme.FileLabel(*part, part.Tokens), path: path, Part: part}
}

// insertChip inserts a chip and a space at the cursor.
func (c *Model) insertChip(chip *draftChip) {
	c.Editor.InsertInset(chip)
	c.Editor.Insert(" ")
}

// attachPart inserts a file that has no path: from an earlier message or the clipboard.
func (c *Model) attachPart(part history.Part) { c.insertChip(fileChip(&part, "")) }

// restore replaces the draft by a stored draft or an earlier message. Files with a path are read again. If the places
// of the files are unknown, as in a message, they come before the text.
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
			cmds = append(cmds, c.Say("The page was not fetched again; /attach with its address fetches it."))
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
