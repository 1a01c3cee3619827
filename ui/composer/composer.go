// Package composer is what is being written: a text with chips in it for long pastes and files, its completions, the
// prompts that were sent before, the editing of an earlier message, and the unsent draft on disk. It sends nothing:
// what concerns the conversation it reports to its parent as events.
package composer

import (
	"context"
	"strings"

	"winnow/ui/event"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/composer/editor"
	"winnow/ui/composer/queue"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// A paste above these becomes a chip, and so does a text of the user's editor above the third.
const (
	chipLines   = 20
	chipBytes   = 2000
	editedBytes = 100_000
)

// Deps are what the composer works with.
type Deps struct {
	Keys     keymap.Map
	Run      func(func(context.Context) tea.Msg) tea.Cmd // makes a command whose context ends with it
	Prompts  *store.Store                                // the history of prompts, nil for none
	Commands []Command                                   // what a draft that begins with a slash may become
	Files    []string                                    // to hang on the first draft

	// Commands that write a draft; nil has none.
	Templates func() []Command
	MakeDraft func(ctx context.Context, command string, words []string) (string, error) // the draft of one
	// What a word that begins with @ may become; nil is nothing.
	Mentions    func(word string) []Command
	ReadMention func(ctx context.Context, word string) (string, error) // the text of one

	// ReadPage reads the page at an address as text. Cut says that only its beginning was read. nil reads none.
	ReadPage func(ctx context.Context, address string) (text string, cut bool, err error)
}

// Around is what the composer depends on beside its own state; the parent sets it before it updates or draws.
type Around struct {
	Session string // the session's id, "" for a chat that has not begun
	// Where its draft and its prompts are kept, nil for nowhere.
	Home      *store.Store
	Temporary bool // nothing of it goes to disk
	Closed    bool // it can only be read: another window has it
	Guide     bool // the guide answers: /guide begins a message
	// The keys go to the draft, and nothing covers its completions.
	Completes  bool
	ReadFile   func(path string) (history.Part, error)       // reads a file as it hangs on a message
	AttachText func(name, text string) (history.Part, error) // makes a text hang on a message
	// The tokens of a text, as plans count them; nil for a guess.
	Count func(text string) int
}

// Model is the draft, with all that belongs to it.
type Model struct {
	Deps
	Around
	Writing
	Ratio    float64 // the server's tokens per counted token, 0 unknown
	External External

	styles theme.Styles
	width  int // of the draft, in cells

	made   int // chips made so far
	pasted int // of them pastes, for their names
	images int // pasted, for their names
	noted  int // changes of the text that were told
	event.Queue

	Prompts []store.Prompt // sent before, or cleared in this window, the newest first
	read    int64          // the highest id among those from the history
	At      int            // the prompt shown, 0 is the draft itself
	own     Writing        // the draft while a prompt is shown

	Waiting queue.Model // the messages that are sent when the answers before them are there

	completion completion
	edit       edit
	sent       *Sent // the draft that was sent, until it is stored
	left       *left // the draft of the session that is being left, nil for none
	disk       disk
}

// New is an empty composer.
func New(d Deps) Model {
	return Model{Deps: d, Writing: blank(), disk: disk{keeper: new(keeper)}}
}

// blank is a draft without a text.
func blank() Writing { return Writing{editor.New(), map[int]Chip{}} }

// Restyle gives it its styles.
func (c *Model) Restyle(st theme.Styles) { c.styles = st }

// Resize gives the area a width in cells and the most lines it may take.
func (c *Model) Resize(width, most int) {
	c.width = width
	c.Area.Resize(width, most)
}

// Lines is how many lines the draft takes.
func (c *Model) Lines() int {
	if c.Closed {
		return len(c.closedView())
	}
	return c.Area.Height()
}

// View draws the draft.
func (c *Model) View() []string {
	if c.Closed {
		return c.closedView()
	}
	styles := editor.Styles{
		Text: c.styles.Text, Inset: c.styles.Strong, Selected: c.styles.Selected, Bare: c.styles.Tinted,
	}
	if c.styles.Tinted {
		styles.Inset = c.styles.Text.Background(c.styles.Tint.GetBackground())
	}
	return c.Area.View(styles)
}

// Empty says that nothing is written.
func (c *Model) Empty() bool { return c.Area.Empty() }

// Set replaces the draft. A long text becomes a chip.
func (c *Model) Set(text string) {
	c.Area.Reset()
	c.Chips, c.At = map[int]Chip{}, 0
	c.Paste(text)
}

// Clear takes the draft away. It can be recalled.
func (c *Model) Clear() {
	c.Remember(c.Kept())
	c.Set("")
}

// Rewrite replaces the draft's text by one that was written elsewhere. The files stay, in front of it.
func (c *Model) Rewrite(text string) {
	var files []int
	for _, number := range c.Area.All() {
		if c.Chips[number].isFile() {
			files = append(files, number)
		}
	}
	c.Area.Reset()
	c.At = 0
	for _, number := range files {
		c.Area.InsertInset(number, c.Chips[number].Label)
		c.Area.Insert(" ")
	}
	text = unixLines(text)
	if len(text) > editedBytes {
		c.fold(text)
		return
	}
	c.Write(text)
}

// unixLines is a text whose lines end as they do here.
func unixLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// Paste puts a text at the cursor, a long one as a chip. Control characters of a short one are
// made visible, and so is what is sent; a chip keeps its bytes.
func (c *Model) Paste(text string) {
	text = unixLines(text)
	lines := strings.Count(text, "\n") + 1
	if lines <= chipLines && len(text) <= chipBytes {
		c.Write(text)
		return
	}
	c.fold(text)
}

// Write puts a text at the cursor as it would be typed. Tabs stay what they are.
func (c *Model) Write(text string) {
	pieces := strings.Split(text, "\t")
	for i, piece := range pieces {
		pieces[i] = markdown.Visible(piece)
	}
	c.Area.Insert(strings.Join(pieces, "\t"))
}

// resume goes on with something that was written.
func (c *Model) resume(w Writing) {
	c.Area.Become(w.Area)
	c.Chips, c.own, c.At = w.Chips, Writing{}, 0
}
