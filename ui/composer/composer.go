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

// Screen is what the composer has the rest of the screen do.
type Screen struct {
	Focus   func()                       // gives the draft the keys
	Focused func() bool                  // the keys go to it, and nothing covers its completions
	Send    func(cut bool) tea.Cmd       // sends the draft, cut as much of it as fits
	Run     func(command string) tea.Cmd // runs a slash command
	Read    func(title, text string)     // shows a text
	News    func(text string)            // says what stays until something is sent

	// Open opens a list.
	Open func(l *list.Model, chosen func(string) tea.Cmd)
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
	Screen Screen
	Options
	draft
	Waiting *queue.Model // the messages that are sent when the answers before them are there
	Sending *Sent        // the draft that was sent and is not stored yet, nil for none

	pasted int // texts and images, for their names
	known  int // changes of the text that were told

	prompts []store.Draft // sent before, or cleared in this window, the newest first

	completions completions
	kept        int  // changes of the text when it was last written down
	keeping     bool // it is going to be written down
}

// New is an empty composer.
func New(ctx *app.Context, s Screen, o Options) *Model {
	o.Servers = cmp.Or(o.Servers, new(mcp.Servers))
	offered := list.New(ctx, list.Options{Wide: true})
	offered.Head = 0
	return &Model{
		Context: ctx, Screen: s, Options: o, draft: blank(), Waiting: queue.New(ctx),
		completions: completions{Model: offered},
	}
}

// View draws the draft.
func (c *Model) View() []string {
	st := c.Themes.Styles
	inset := st.Strong
	if st.Tinted {
		inset = st.Text.Background(st.Tint.GetBackground())
	}
	return c.Area.View(st.Text, inset)
}

// Settle tells of a draft that has changed. It is called behind every message.
func (c *Model) Settle() tea.Cmd {
	if c.Area.Changes() == c.known {
		return nil
	}
	c.known = c.Area.Changes()
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
		return c.drop(msg.Content)
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
		return c.Screen.Send(k.Pressed(msg, keymap.SendCut))
	case k.Pressed(msg, keymap.Newline):
		c.Area.Insert("\n")
	case k.Pressed(msg, keymap.ListUp) && c.Empty() && c.behind == nil && c.Waiting.Len() > 0:
		return c.takeBack()
	case k.Pressed(msg, keymap.ListUp) && c.edit == 0 && c.Area.OnFirst():
		return c.walk(1, "There is no older prompt.")
	case k.Pressed(msg, keymap.ListDown) && c.edit == 0 && c.Area.OnLast():
		return c.walk(-1, "This is the newest draft.")
	case k.Pressed(msg, keymap.Recall):
		return c.listPrompts()
	case k.Pressed(msg, keymap.Editor):
		return Edit(c.Text(), func(text string, err error) tea.Msg {
			return app.Then(func() tea.Cmd { return c.edited(text, err) })
		})
	case k.Pressed(msg, keymap.Expand):
		return c.unfold()
	case k.Pressed(msg, keymap.Paste):
		return c.readClipboard()
	case c.Empty() && k.Pressed(msg, keymap.Help, keymap.Quit):
		return c.Do(k.Action(msg, keymap.InDraft))
	case utf8.RuneCountInString(msg.Text) > 1:
		c.Write(msg.Text)
	case msg.Text != "":
		c.Area.Insert(msg.Text) // a joiner is a key of its own: its neighbours are in the draft already
	default:
		c.Area.Press(msg)
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
	c.Screen.Read("Draft", strings.TrimSpace(text))
	return nil
}

// SetDraft replaces the draft. A long text becomes a chip.
func (c *Model) SetDraft(text string) {
	c.Area.Reset()
	if c.prompt != 0 {
		c.prompt, c.behind = 0, nil
	}
	c.Paste(text)
}

// Clear takes the draft away. It can be recalled.
func (c *Model) Clear() {
	c.Remember(c.packed())
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
			c.put(chip)
		}
	}
	c.Write(unixLines.Replace(text))
	return nil
}

// unixLines has lines end as they do here.
var unixLines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Paste puts a text at the cursor, a long one as a chip. Control characters of a short one are made visible, and so is
// what is sent; a chip keeps its bytes.
func (c *Model) Paste(text string) {
	if text = unixLines.Replace(text); strings.Count(text, "\n") < chipLines && len(text) <= chipBytes {
		c.Write(text)
	} else {
		c.fold(text)
	}
}

// Write puts a text at the cursor as it would be typed. Tabs stay what they are.
func (c *Model) Write(text string) {
	pieces := strings.Split(text, "\t")
	for i, piece := range pieces {
		pieces[i] = markdown.Visible(piece)
	}
	c.Area.Insert(strings.Join(pieces, "\t"))
}

// countedWhole is the longest pasted text, in bytes, whose tokens are counted: a longer one would be waited for.
const countedWhole = 256 << 10

// fold puts a text at the cursor as a chip.
func (c *Model) fold(text string) {
	c.pasted++
	counted := theme.TokensOf(len(text))
	if c.Deps.Count != nil && len(text) <= countedWhole {
		counted = c.Deps.Count(text)
	}
	c.Area.InsertInset(&Chip{Text: text, label: fmt.Sprintf("[paste %d: %s, %s, ~%s tokens]", c.pasted,
		theme.Plural(strings.Count(text, "\n")+1, "line"), theme.Size(len(text)),
		theme.Thousands(counted))})
}

// fileChip is the chip of a file that has been read.
func fileChip(part *history.Part, path string) *Chip {
	return &Chip{label: theme.FileLabel(*part, part.Tokens), path: path, Part: part}
}

// put puts a chip and a space at the cursor.
func (c *Model) put(chip *Chip) {
	c.Area.InsertInset(chip)
	c.Area.Insert(" ")
}

// hang puts a file at the cursor that has no path: one of an earlier message, or an image from the clipboard.
func (c *Model) hang(part history.Part) { c.put(fileChip(&part, "")) }

// restore replaces the draft by one that was kept, or by an earlier message. Files with a path are read again. Those of
// a message stand in front of its text, and so do those of a draft that held a secret: their places are not known.
func (c *Model) restore(d store.Draft) tea.Cmd {
	c.SetDraft("")
	if len(d.Folds) == 0 {
		for _, part := range d.Parts {
			c.hang(part)
		}
		c.Paste(d.Text)
		return nil
	}
	var cmds []tea.Cmd
	at, parts := 0, d.Parts
	for _, f := range d.Folds {
		c.Write(d.Text[at:f.From])
		at = f.To
		switch {
		case f.From < f.To:
			c.fold(d.Text[f.From:f.To])
		case isAddress(f.Path):
			c.Write(f.Path)
			cmds = append(cmds, c.Say("The page is not fetched again by itself; /attach with its address fetches it."))
		case f.Path != "":
			cmds = append(cmds, c.read(f.Path))
		case len(parts) > 0:
			c.Area.InsertInset(fileChip(&parts[0], ""))
			parts = parts[1:]
		}
	}
	c.Write(d.Text[at:])
	return tea.Batch(cmds...)
}
