package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"winnow/llm"
	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/composer"
	"winnow/ui/conversation"
	"winnow/ui/dialog"
	"winnow/ui/frame"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/notice"
	"winnow/ui/notice/bell"
	"winnow/ui/question"
	"winnow/ui/remembered"
	"winnow/ui/sessions"
	"winnow/ui/settings"
	"winnow/ui/theme"
	"winnow/ui/turn"
	"winnow/ui/upkeep"
)

// pane is a part of the screen that can have the focus.
type pane int

// The panes in the order of tab.
const (
	draftPane    pane = iota
	questionPane      // while a question waits
	transcriptPane
	panelPane
	paneCount
)

// shown is the conversation on the screen.
type shown = conversation.Model

// Model is the root model: the whole screen.
type Model struct {
	choice llm.ModelChoice // which model was chosen at the start, and why
	frame  frame.Model
	first  func() tea.Cmd // shows what Options ask for at the start

	layout  layout.Layout
	focus   pane
	dialogs dialog.Stack // what covers the panes

	*shown
	background conversation.Background
	opening    int       // number of the newest request to open a session
	entering   bool      // that session is not on the screen yet
	held       []tea.Msg // keys and pastes to be handled once it is
	turns      int       // turns started so far, in all conversations

	composer *composer.Model
	sessions *sessions.Model
	upkeep   *upkeep.Model
	settings *settings.Model

	notice  notice.Model
	confirm confirm
}

// New returns the root model. It fails if Options.Keys names unknown actions or binds a key twice.
func New(o Options) (*Model, error) {
	keys, err := keymap.Default().With(o.Keys)
	if err != nil {
		return nil, err
	}
	m := &Model{
		choice: o.Choice,
		frame:  frame.Model{Mouse: o.Mouse},
		layout: layout.Layout{
			Wants: layout.Wants{
				Context: contextOf(remembered.Panel(o.Panel)),
			},
		},
	}
	shared := &app.Shared{
		ProgramContext: context.Background, Keys: keys, Say: m.notice.Say, Fail: m.notice.Error, Copy: notice.Copy,
		Replan: m.draftChanged, Do: m.do, SettingsChanged: m.settingsChanged, Deps: o.Deps,
		Themes: &theme.Selection{
			Custom: o.Themes, Wanted: theme.Name(o.Theme),
		},
		Draft:   func() session.Draft { return m.composer.DraftToPlan() },
		Secrets: theme.Secrets{Find: o.Secrets},
	}
	m.background = conversation.Background{
		Notice: &m.notice, Next: m.sendNext, Sync: func() tea.Cmd { return m.upkeep.Sync() },
	}
	m.dialogs = dialog.Stack{Shared: shared, Closed: m.closed}
	m.shown = conversation.New(shared, o.Start, conversationScreen(m))
	m.composer = composer.New(m.Context, composerScreen(m), composer.Options{
		Files: o.Attach, Servers: o.Settings.Servers, ReadPage: o.ReadPage,
	})
	m.sessions = &sessions.Model{
		Context: m.Context, Hooks: sessionsScreen(m),
	}
	m.settings = &settings.Model{
		Context: m.Context, Hooks: settingsScreen(m), Options: o.Settings,
	}
	m.first = func() tea.Cmd { return tea.Batch(m.welcome(o), afterFirstFrame(o.Background)) }
	m.upkeep = &upkeep.Model{
		Shared: shared, Screen: upkeep.Screen{News: m.notice.ShowNews, Synced: m.synced}, Exchange: o.Sync,
		BackupDelay: upkeep.BackupDelay,
	}
	m.notice.Bell.Mode = bell.Mode(o.Notify)
	m.Themes.Restyle()
	m.Chat.ShowsReasoning = o.Reasoning
	m.show(m.shown)
	return m, nil
}

// firstFrame is longer than the first frame takes to draw.
const firstFrame = 50 * time.Millisecond

// afterFirstFrame calls start in a command once the first frame has been drawn.
func afterFirstFrame(start func()) tea.Cmd {
	if start == nil {
		return nil
	}
	return tea.Tick(firstFrame, func(time.Time) tea.Msg {
		start()
		return nil
	})
}

// Init starts what the first frame does not wait for.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(tea.Raw(ansi.RequestBackgroundColor), m.Start(), m.composer.LoadPrompts(),
		m.composer.LoadDraft(), m.openQueue(), m.draftChanged(),
		m.upkeep.UpdateIndex(), m.upkeep.Start(), m.settings.AwaitServers(), m.first())
}

// welcome shows the list of sessions and the notices, if the options ask for them.
func (m *Model) welcome(o Options) tea.Cmd {
	var list, sentence tea.Cmd
	if o.Screen == SessionsScreen {
		list = m.openSessions(o.Filter)
	}
	if notices := strings.Join(o.Notices, " "); m.Deps.Store != nil && m.Deps.Store.Salvaged() {
		m.notice.ShowNews(notices) // a report of lost data must stay until it is read
	} else {
		sentence = m.notice.Say(notices)
	}
	return tea.Batch(list, sentence)
}

// Update handles a message, then changes of the draft, and lays out the screen again.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := tea.Batch(m.answer(msg), m.composer.AfterUpdate())
	m.arrange()
	return m, cmd
}

// answer passes each message to the method that handles it.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	if m.holdKey(msg) {
		return nil
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.layout.Width, m.layout.Height = msg.Width, msg.Height
		m.arrange()
		if m.dialogs.Top() != nil {
			return m.dialogs.Update(msg, m.layout)
		}
	case tea.EnvMsg:
		return m.environment(msg)
	case tea.BackgroundColorMsg:
		m.Themes.LightBackground = !msg.IsDark()
		m.restyle()
	case tea.ColorProfileMsg:
		m.Themes.NoColour, m.Themes.Profile = m.Themes.NoColour || msg.Profile <= colorprofile.ASCII, msg.Profile
		m.restyle()
	case tea.FocusMsg:
		m.notice.Bell.SetFocus(true)
		return m.Turn.Tick()
	case tea.BlurMsg:
		m.notice.Bell.SetFocus(false)
	case tea.KeyPressMsg:
		return m.keyPress(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseMotionMsg:
		drag(m, msg)
	case tea.MouseReleaseMsg:
		return release(m)
	case turn.EventsMsg:
		return m.turnEvents(msg)
	case turn.TickMsg:
		return m.Turn.Ticked(msg, m.notice.Bell.Away())
	case question.QuietMsg:
		return m.questionDue(msg)
	case app.Then:
		return msg()
	case notice.Sentence:
		return m.notice.Show(msg)
	}
	return nil
}

// show puts a conversation on the screen.
func (m *Model) show(c *conversation.Model) {
	reasoning := m.Chat.ShowsReasoning
	m.shown = c
	for _, part := range []**app.Context{
		&m.composer.Context, &m.sessions.Context, &m.settings.Context,
	} {
		*part = c.Context
	}
	m.composer.Queue = c.Waiting
	m.Chat.Restyle()
	m.Chat.ShowReasoning(reasoning)
	m.Inspector.Clear()
	m.confirm.asked = nothing
	m.notice.ShowAlert(m.NotReady())
}
