package ui

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// A draft is written down this long after it changed: what a crash costs at most. A large one costs a
// write of all its text, and waits longer.
const (
	keepTime      = 500 * time.Millisecond
	keepLargeTime = 5 * time.Second
	largeDraft    = 256 << 10 // bytes
)

// mostPrompts is how many of the prompts sent before are in reach.
const mostPrompts = 10_000

// keeper writes drafts down. Commands run at the same time: of two drafts the newer one stays.
type keeper struct {
	mu     sync.Mutex
	newest int
}

// save writes the draft number n down, unless a newer one is written already.
func (k *keeper) save(ctx context.Context, db *store.Store, n int, session string, d store.Draft) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n < k.newest {
		return nil
	}
	k.newest = n
	return db.SaveDraft(ctx, session, d.Text, d.Folds...)
}

// keeping is what the screen knows of the draft on disk.
type keeping struct {
	*keeper
	made    int  // drafts that were given to the keeper
	changes int  // of the composer, when the last one was
	kept    int  // the newest that is on disk
	due     bool // the next one is on its way

	restored int // changes of the composer when a session's draft was brought back
}

// keptMsg says that the draft with this number is on disk.
type keptMsg struct{ number int }

// keepDueMsg says that the draft has rested.
type keepDueMsg struct{}

// keepSoon has the draft written down in a moment, where it has changed.
func (m *Model) keepSoon() tea.Cmd {
	if m.keeping.due || m.keeping.changes == m.composer.Area.Changes() {
		return nil
	}
	m.keeping.due = true
	rest := keepTime
	if m.composer.Bytes() > largeDraft {
		rest = keepLargeTime
	}
	return tea.Tick(rest, func(time.Time) tea.Msg { return keepDueMsg{} })
}

func (m *Model) keepDue() tea.Cmd {
	m.keeping.due = false
	if m.composer.At != 0 || m.keeping.changes == m.composer.Area.Changes() {
		return nil // a prompt that is looked at is no draft yet
	}
	return m.keepDraft()
}

// keepDraft writes the unsent draft down. A chat that has not begun has a draft as well. Until a message
// that was sent is stored, the draft on disk is the message; while another session is opened, what is typed
// is not this one's.
func (m *Model) keepDraft() tea.Cmd {
	db, id := m.home(), m.info.ID
	if db == nil || db.ReadOnly() || m.session.Temporary() || m.elsewhere || m.sent != nil || m.opening.waits {
		return nil
	}
	m.keeping.made++
	m.keeping.changes = m.composer.Area.Changes()
	k, n, d := m.keeping.keeper, m.keeping.made, m.unsent()
	return m.inBackground(func(ctx context.Context) tea.Msg {
		if err := k.save(ctx, db, n, id, d); err != nil {
			return settledMsg{err: err}
		}
		return keptMsg{n}
	})
}

func (m *Model) draftKept(msg keptMsg) tea.Cmd {
	m.keeping.kept = max(m.keeping.kept, msg.number)
	return nil
}

// draftMsg is a session's draft that was never sent.
type draftMsg struct {
	session *session.Session
	draft   store.Draft
}

// loadDraft reads the draft that a session was left with.
func (m *Model) loadDraft(s *session.Session) tea.Cmd {
	db, id := s.Store(), s.Info().ID
	if db == nil {
		return nil
	}
	return m.inBackground(func(ctx context.Context) tea.Msg {
		draft, err := db.Draft(ctx, id)
		if err != nil {
			return settledMsg{err: fmt.Errorf("read the draft: %w", err)}
		}
		return draftMsg{s, draft}
	})
}

// draftRead brings a session's unsent draft back and says so. It goes into the composer of the session that
// it was written in. Nothing goes into a new chat, or in front of what was typed since: the arrow keys recall
// it there.
func (m *Model) draftRead(msg draftMsg) tea.Cmd {
	if msg.session != m.session || m.elsewhere {
		return nil
	}
	var kept tea.Cmd
	switch {
	case msg.draft.Hash() == store.Draft{}.Hash(), msg.draft.Hash() == m.composer.Kept().Hash():
	case m.info.ID != "" && m.composer.Empty():
		files := m.composer.Restore(msg.draft)
		m.keeping.changes, m.keeping.restored = m.composer.Area.Changes(), m.composer.Area.Changes()
		kept = tea.Batch(m.readFiles(files), m.say("This is the draft that you left unsent in this session; "+m.keys.First(keymap.Stop)+" clears it."))
	default:
		from := "in this session"
		if m.info.ID == "" {
			from = "in a chat without a message"
		}
		m.composer.Remember(msg.draft)
		m.notice.Tell("You left a draft unsent " + from + "; " + m.keys.First(keymap.Older) + " recalls it: " + ansi.Truncate(composer.PromptLabel(msg.draft), 60, "…"))
		kept = tea.Sequence(m.keepPrompt(msg.draft), m.keepDraft())
	}
	asked := m.hangAsked()
	m.arrange()
	return tea.Batch(kept, asked, m.draftChanged())
}

// hangAsked hangs the files on the draft that the program was started with, once.
func (m *Model) hangAsked() tea.Cmd {
	asked := m.options.Attach
	m.options.Attach = nil
	if len(asked) > 0 && !m.composer.Empty() {
		m.composer.Area.Insert(" ")
	}
	return m.attachAll(asked)
}

func (m *Model) loadPrompts() tea.Cmd {
	db := m.options.Deps.Store
	if db == nil {
		return nil
	}
	after := m.composer.Read
	return m.inBackground(func(ctx context.Context) tea.Msg {
		prompts, err := db.Prompts(ctx, after, mostPrompts)
		return promptsMsg{prompts, err}
	})
}

// promptsRead puts the prompts of the history, those of other windows among them, behind those that
// were only ever written here. While one of them is looked at, they stay where they are.
func (m *Model) promptsRead(msg promptsMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	case m.composer.At == 0:
		m.composer.Recall(msg.prompts)
	}
	return nil
}

// keepPrompt writes a sent prompt down for the arrow keys, and reads what other windows sent meanwhile.
func (m *Model) keepPrompt(d store.Draft) tea.Cmd {
	db, temporary := m.home(), m.session.Temporary()
	if db == nil || db.ReadOnly() || strings.TrimSpace(d.Text) == "" && len(d.Folds) == 0 {
		return nil
	}
	id, after := m.info.ID, m.composer.Read
	return m.inBackground(func(ctx context.Context) tea.Msg {
		if err := db.AddPrompt(ctx, id, d); err != nil {
			return settledMsg{err: fmt.Errorf("keep the prompt: %w", err)}
		}
		if temporary {
			return nil // its memory knows nothing of other windows
		}
		prompts, err := db.Prompts(ctx, after, mostPrompts)
		return promptsMsg{prompts, err}
	})
}

// walkPrompts goes a step to an older prompt or a newer one, or says that there is none.
func (m *Model) walkPrompts(step int, none string) tea.Cmd {
	to := m.composer.At + step
	if to < 0 || to > len(m.composer.Prompts) {
		return m.say(none)
	}
	m.notice.Tell("")
	return m.showPrompt(to)
}

// showPrompt shows a prompt by its place in the list, 0 for the draft.
func (m *Model) showPrompt(at int) tea.Cmd {
	if at == 0 {
		return m.readFiles(m.composer.Show(0, store.Draft{}))
	}
	return m.withPrompt(at, func(d store.Draft) []int { return m.composer.Show(at, d) })
}

// takePrompt takes a prompt of the list into the draft, by its number.
func (m *Model) takePrompt(value string) tea.Cmd {
	i, err := strconv.Atoi(value)
	if err != nil || i >= len(m.composer.Prompts) {
		return nil
	}
	return m.withPrompt(i+1, m.composer.Restore)
}

// withPrompt calls use with a prompt by its place in the list. The text of a long one is read first.
func (m *Model) withPrompt(at int, use func(store.Draft) (files []int)) tea.Cmd {
	p := m.composer.Prompts[at-1]
	if p.Whole() {
		return m.usePrompt(promptMsg{draft: p.Head, use: use})
	}
	db, changes := m.options.Deps.Store, m.composer.Area.Changes()
	return m.inBackground(func(ctx context.Context) tea.Msg {
		draft, err := db.Prompt(ctx, p.ID)
		return promptMsg{changes: changes, draft: draft, use: use, err: err}
	})
}

// promptMsg is the text of a long prompt.
type promptMsg struct {
	changes int // of the composer, when it was asked for
	draft   store.Draft
	use     func(store.Draft) (files []int)
	err     error
}

// promptRead uses a prompt that was read, unless the user went on typing meanwhile.
func (m *Model) promptRead(msg promptMsg) tea.Cmd {
	switch {
	case errors.Is(msg.err, store.ErrNotFound):
		return m.complain("This prompt is no longer in the history.")
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	case msg.changes != m.composer.Area.Changes():
		return nil
	}
	return m.usePrompt(msg)
}

func (m *Model) usePrompt(msg promptMsg) tea.Cmd {
	files := msg.use(msg.draft)
	m.arrange()
	return tea.Batch(m.readFiles(files), m.draftChanged())
}
