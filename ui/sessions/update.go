package sessions

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Deps are what the list works with.
type Deps struct {
	Store      *store.Store
	Keys       keymap.Map
	Run        func(func(context.Context) tea.Msg) tea.Cmd       // makes a command whose context ends with it
	NewContext func() (context.Context, context.CancelFunc)      // makes the context of a command that may be stopped
	Now        func() time.Time                                  // nil is time.Now
	Rename     func(ctx context.Context, id, title string) error // the open session has to know its own title
}

// Around is what the list depends on beside its own state; the parent sets it before it updates or draws.
type Around struct {
	Shown     bool             // the list is open
	Here      string           // the session that the window shows
	States    map[string]State // of sessions whose answers go on or went on behind the screen, by id
	Unindexed int64            // messages that a search does not find yet
	W, H      int              // in cells
}

// State is what a line says of a session beside the rest.
type State struct {
	Word string
	Busy bool // an answer arrives in it
}

// The events.
type (
	// Closed says that the list is to be closed.
	Closed struct{}
	// Left says that everything that covers the panes is to be closed.
	Left struct{}
	// NewSession says that a new session is wanted.
	NewSession struct{}
	// Chosen is the session to open.
	Chosen struct{ ID string }
	// Found is the message to open, and the text that was found in it.
	Found struct {
		Hit  store.Hit
		Text string
	}
	// Forked is the session to fork at its end, and its name.
	Forked struct{ ID, Name string }
	// Acted says that a session has changed.
	Acted struct{}
)

// Update is a key, a paste, the mouse, whose place is counted from the corner of the list, or what the list
// has read.
func (l Model) Update(msg tea.Msg) (Model, tea.Cmd) {
	cmd := l.update(msg)
	if look := l.look(); look != nil {
		cmd = tea.Batch(cmd, look)
	}
	return l, cmd
}

func (l *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return l.key(msg)
	case tea.PasteMsg:
		return l.paste(msg.Content)
	case tea.MouseClickMsg:
		return l.click(msg.Y)
	case tea.MouseWheelMsg:
		l.wheel(keymap.Wheel(msg, 3))
	case ListedMsg:
		return l.listed(msg)
	case ActedMsg:
		return l.acted(msg)
	case SearchDueMsg:
		return l.searchDue(msg)
	case FoundMsg:
		return l.textsFound(msg)
	case PreviewDueMsg:
		return l.previewDue(msg)
	case PreviewMsg:
		l.previewed(msg)
	}
	return nil
}

// Types says whether a key that is a character would be text: in a filter that holds some, or in a field for a
// name.
func (l *Model) Types() bool { return l.Edit != nil || l.Filter.Text() != "" }

// Mode is what the keys are for: each shelf, the search in it and what the list asks have keys of their own.
type Mode struct {
	shelf shelf
	texts bool
	edit  *lineEdit
	purge *store.Session
}

// Mode is what the keys are for now.
func (l *Model) Mode() Mode { return Mode{l.shelf, l.Texts.On, l.Edit, l.Purge} }

// Reveal shows what looks like a secret, or hides it, as secrets say.
func (l *Model) Reveal(secrets theme.Secrets) {
	l.secrets = secrets
	for i := range l.Lines {
		leased := l.Lines[i].Leased
		l.Lines[i] = LineOf(secrets, l.Lines[i].Session)
		l.Lines[i].Leased = leased
	}
	l.fill(l.Lines)
	l.hidePreview()
}

// IndexNote says what a search does not find yet, "" where it finds everything.
func (l *Model) IndexNote() string {
	switch l.Unindexed {
	case 0:
		return ""
	case 1:
		return "one message is not in the search index yet"
	}
	return fmt.Sprintf("%s messages are not in the search index yet", theme.Thousands(int(l.Unindexed)))
}
