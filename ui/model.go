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

// pane is a part of the screen that takes keys.
type pane int

// The panes in the order of tab.
const (
	draftPane    pane = iota
	questionPane      // only while a question waits
	transcriptPane
	panelPane
	paneCount
)

// shown is the conversation on the screen.
type shown = conversation.Model

// Model is the whole application on the screen.
type Model struct {
	choice llm.ModelChoice // which model was chosen at the start, and why
	frame  frame.Model
	first  func() tea.Cmd // shows what the options want to be shown first

	layout  layout.Layout
	focus   pane
	dialogs dialog.Stack // what covers the panes: one, or the help over it

	*shown
	background conversation.Background
	opening    int       // the number of the newest session that was asked for
	entering   bool      // it is not on the screen yet
	held       []tea.Msg // keys and pastes for it
	turns      int       // of all conversations so far

	composer *composer.Model
	sessions *sessions.Model
	upkeep   *upkeep.Model
	settings *settings.Model

	notice  notice.Model
	confirm confirm
}

// New makes the application. Its error is about the options: keys that do not exist or clash.
func New(o Options) (*Model, error) {
	keys, err := keymap.Default().With(o.Keys)
	if err != nil {
		return nil, err
	}
	m := &Model{
		choice: o.Choice,
		frame:  frame.Model{Mouse: o.Mouse},
		layout: layout.Layout{Wants: layout.Wants{Context: contextOf(remembered.Panel(o.Panel))}},
	}
	shared := &app.Shared{
		Program: context.Background, Keys: keys, Say: m.notice.Say, Fail: m.notice.Error, Copy: notice.Copy,
		Replan: m.draftChanged, Do: m.do, Settled: m.settled, With: o.Deps,
		Themes:  &theme.Set{Own: o.Themes, Wanted: theme.Name(o.Theme)},
		Draft:   func() session.Draft { return m.composer.Next() },
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
	m.sessions = &sessions.Model{Context: m.Context, Screen: sessionsScreen(m)}
	m.settings = &settings.Model{Context: m.Context, Screen: settingsScreen(m), Options: o.Settings}
	m.first = func() tea.Cmd { return tea.Batch(m.welcome(o), afterFirstFrame(o.Background)) }
	m.upkeep = &upkeep.Model{
		Shared: shared, Screen: upkeep.Screen{News: m.notice.News, Synced: m.synced}, Exchange: o.Sync,
		Quiet: upkeep.QuietTime,
	}
	m.notice.Bell.Mode = bell.Mode(o.Notify)
	m.Themes.Restyle()
	m.Chat.Thinking = o.Reasoning
	m.show(m.shown)
	return m, nil
}

// firstFrame is more time than the first frame takes.
const firstFrame = 50 * time.Millisecond

// afterFirstFrame starts what the first frame does not wait for.
func afterFirstFrame(start func()) tea.Cmd {
	if start == nil {
		return nil
	}
	return tea.Tick(firstFrame, func(time.Time) tea.Msg {
		start()
		return nil
	})
}

// Init asks for what the first frame does without.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(tea.Raw(ansi.RequestBackgroundColor), m.Start(), m.composer.LoadPrompts(),
		m.composer.Load(), m.openQueue(), m.draftChanged(),
		m.upkeep.Index(), m.upkeep.Start(), m.settings.AwaitServers(), m.first())
}

// welcome shows what the options want to be shown first.
func (m *Model) welcome(o Options) tea.Cmd {
	var list, sentence tea.Cmd
	if o.Screen == SessionsScreen {
		list = m.openSessions(o.Filter)
	}
	if notices := strings.Join(o.Notices, " "); m.With.Store != nil && m.With.Store.Salvaged() {
		m.notice.News(notices) // what was lost is worth more than a few seconds in the lower line
	} else {
		sentence = m.notice.Say(notices)
	}
	return tea.Batch(list, sentence)
}

// Update answers a message, and then what it changed in the draft and in the sizes of the parts.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := tea.Batch(m.answer(msg), m.composer.Settle())
	m.arrange()
	return m, cmd
}

// answer is the table of contents: what arrives, and who answers it.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	if m.holds(msg) {
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
		m.Themes.Light = !msg.IsDark()
		m.restyle()
	case tea.ColorProfileMsg:
		m.Themes.Plain, m.Themes.Profile = m.Themes.Plain || msg.Profile <= colorprofile.ASCII, msg.Profile
		m.restyle()
	case tea.FocusMsg:
		m.notice.Bell.Focus(true)
		return m.Turn.Tick()
	case tea.BlurMsg:
		m.notice.Bell.Focus(false)
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
	case question.DueMsg:
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
	reasoning := m.Chat.Thinking
	m.shown = c
	for _, part := range []**app.Context{
		&m.composer.Context, &m.sessions.Context, &m.settings.Context,
	} {
		*part = c.Context
	}
	m.composer.Waiting = c.Waiting
	m.Chat.Restyle()
	m.Chat.ShowReasoning(reasoning)
	m.Inspector.Forget()
	m.confirm.asked = nothing
	m.notice.Warn(m.NotReady())
}
