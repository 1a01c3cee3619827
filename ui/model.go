package ui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/confirm"
	"winnow/ui/event"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/notice"
	"winnow/ui/panel"
	"winnow/ui/question"
	"winnow/ui/sessions"
	"winnow/ui/settings"
	"winnow/ui/theme"
	"winnow/ui/transcript"
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

// Model is the whole application on the screen.
type Model struct {
	options    Options
	keys       keymap.Map
	themes     theme.Set
	newContext func() (context.Context, context.CancelFunc) // makes the context of a command

	session *session.Session
	info    store.Session
	ref     string // the model in use

	secrets theme.Secrets

	layout   layout.Layout
	focus    pane
	overlays overlayStack

	composer  composer.Model
	repairs   inspector.Repairs
	chat      transcript.Model
	panel     panel.Model
	opener    sessions.Opener
	turn      turn.Model
	question  question.Model
	sessions  sessions.Model
	upkeep    upkeep.Model
	inspector inspector.Model
	settings  settings.Model

	notice  notice.Model
	confirm confirm.Model
}

// New makes the application. Its error is about the options: keys that do not exist or clash.
func New(o Options) (*Model, error) {
	keys, err := keymap.Default().With(o.Keys)
	if err != nil {
		return nil, err
	}
	m := &Model{
		options:    o,
		keys:       keys,
		newContext: func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
		session:    o.Start,
		layout:     layout.Layout{Wants: layout.Wants{WantPanel: o.Panel != "closed"}},
		themes:     theme.Set{Own: o.Themes},
		secrets:    theme.Secrets{Find: o.Secrets},
	}
	m.chat = transcript.New(transcript.Deps{Keys: keys, Run: m.inBackground, Within: func() (context.Context, context.CancelFunc) { return m.newContext() }, Draft: m.planner})
	var commands []composer.Command
	for _, c := range Commands() {
		commands = append(commands, c.Command)
	}
	m.composer = composer.New(composer.Deps{Keys: keys, Run: m.inBackground, Prompts: o.Deps.Store, Commands: commands, Files: o.Attach})
	m.upkeep = upkeep.New(o.Deps.Store, m.inBackground)
	m.themes.Wanted = theme.Name(o.Theme)
	m.restyle()
	m.adopt(o.Start)
	return m, nil
}

// Init asks for what the first frame does without.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{tea.RequestBackgroundColor, m.opener.Start(), m.composer.LoadPrompts(), m.composer.Load(), m.draftChanged(), m.upkeep.Index(), m.upkeep.Start()}
	if db := m.options.Deps.Store; db != nil {
		if _, salvaged := db.Salvaged(); salvaged {
			// What was lost is worth more than a few seconds in the lower line.
			m.notice.Tell(strings.Join(m.options.Notices, " "))
			m.options.Notices = nil
			m.arrange()
		}
	}
	if len(m.options.Notices) > 0 {
		cmds = append(cmds, m.say(strings.Join(m.options.Notices, " ")))
	}
	if m.options.Screen == SessionsScreen {
		cmds = append(cmds, m.openSessions(m.options.Filter))
	}
	return tea.Batch(cmds...)
}

// Update is the table of contents: what arrives, and who answers it.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, m.update(msg)
}

// update answers a message, and then a change of the draft that came with it.
func (m *Model) update(msg tea.Msg) tea.Cmd {
	return tea.Batch(m.answer(msg), m.updateComposer(nil))
}

func (m *Model) answer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resize(msg)
	case tea.EnvMsg:
		return m.environment(msg)
	case tea.BackgroundColorMsg:
		m.themes.Light = !msg.IsDark()
		m.restyle()
	case tea.ColorProfileMsg:
		m.themes.Plain = m.themes.Plain || msg.Profile <= colorprofile.ASCII
		m.restyle()
	case tea.KeyPressMsg:
		return m.keyPress(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case turn.EventsMsg, turn.TickMsg:
		return m.turnEvents(msg)
	case question.DueMsg:
		return m.questionDue(msg)
	case previewDueMsg:
		return m.previewDue(msg)
	case planMsg:
		return m.planned(msg)
	case panel.Msg:
		return m.updatePanel(msg)
	case transcript.Msg:
		return m.updateTranscript(msg)
	case remediedMsg:
		return m.remedied(msg)
	case appliedMsg:
		return m.applied(msg)
	case inspector.Msg:
		return m.updateInspector(msg)
	case inexactMsg:
		return m.complain(theme.Sentence(msg.err))
	case sessions.OpenerMsg:
		return m.updateOpener(msg)
	case settings.Msg:
		return m.inSettings(func(s *settings.Model) tea.Cmd { return s.Take(msg) })
	case settings.DoneMsg:
		return m.settled(msg)
	case composer.Msg:
		return m.updateComposer(msg)
	case sessions.ListedMsg, sessions.SearchDueMsg, sessions.FoundMsg, sessions.ActedMsg:
		return m.updateSessions(msg)
	case versionMsg:
		return m.versionSwitched(msg)
	case editsMsg:
		return m.editsListed(msg)
	case upkeep.Msg:
		return m.lookAfter(msg)
	case copiedMsg:
		return m.copied(msg)
	case notice.OverMsg:
		m.notice.Over(msg)
	case confirm.ExpireMsg:
		m.confirm.Expire(msg)
	case quitDueMsg:
		return tea.Quit
	}
	return nil
}

// adopt shows a session.
func (m *Model) adopt(s *session.Session) {
	m.session = s
	m.opener.Adopt(sessions.OpenerDeps{Session: m.options.Deps, Keys: m.keys, Secrets: m.secrets, Run: m.inBackground}, s)
	m.info, m.ref = s.Info(), s.Ref()
	m.panel.Reset(m.panelDeps())
	m.repairs = inspector.Repairs{Keys: m.keys, Secrets: m.secrets}
	m.inspector.Deps = m.inspectorDeps(s)
	m.inspector.Forget()
	m.confirm.Forget()
	m.notice.Warn(notice.Alert{})
	if err := s.Model().Unready; err != nil {
		m.notice.Warn(notice.Alert{Text: theme.Sentence(err), Cause: notice.Unreachable})
	}
	m.inTranscript(func(c *transcript.Model) tea.Cmd { c.Open(s); return nil })
	m.tellComposer()
	m.arrange()
}

// inBackground makes a command of something that is done behind the screen. Its context ends with it, and with
// the program.
func (m *Model) inBackground(do func(context.Context) tea.Msg) tea.Cmd {
	newContext := m.newContext
	return func() tea.Msg {
		ctx, cancel := newContext()
		defer cancel()
		return do(ctx)
	}
}

// say shows a sentence for a while. "" says nothing.
func (m *Model) say(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return m.notice.Say(text, false)
}

// complain shows for a while why something did not work.
func (m *Model) complain(text string) tea.Cmd { return m.notice.Say(text, true) }

// noKey says that a key does nothing where it was pressed, and which ones do something.
func (m *Model) noKey(msg tea.KeyPressMsg, others string) tea.Cmd {
	return m.say(msg.String() + " does nothing here; " + others)
}

// lookAfter looks after the history, and tells of trouble alone: a backup that succeeds is nothing to read.
func (m *Model) lookAfter(msg upkeep.Msg) tea.Cmd {
	var cmd tea.Cmd
	var err error
	m.upkeep, cmd, err = m.upkeep.Update(msg)
	switch {
	case err == nil:
		return cmd
	case errors.Is(err, store.ErrDamaged):
		m.notice.Tell("The chat history is damaged in one place. What you write goes on being saved. Leave winnow when it suits you: the next start sets the damaged file aside and saves all that can be read.")
		m.arrange()
		return cmd
	}
	return tea.Batch(cmd, m.complain("There is no backup of today: "+theme.Sentence(err)))
}

// handle does what the events of a part ask for, in their order. Cmd is the part's own command.
func (m *Model) handle(cmd tea.Cmd, events []event.Event, do func(event.Event) tea.Cmd) tea.Cmd {
	cmds := []tea.Cmd{cmd}
	for _, e := range events {
		if e, ok := e.(event.Notice); ok {
			cmds = append(cmds, m.notice.Say(e.Text, e.Error))
			continue
		}
		cmds = append(cmds, do(e))
	}
	return tea.Batch(cmds...)
}
