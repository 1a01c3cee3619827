// Package conversation is a session as the screen shows it: its transcript, the panel of its requests, its running turn
// with the question that the turn asks, and its queue. One conversation is on the screen; others continue in the
// background until their answers are complete.
package conversation

import (
	"cmp"
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/composer/queue"
	"winnow/ui/dialog"
	"winnow/ui/inspector"
	"winnow/ui/markdown"
	"winnow/ui/panel"
	"winnow/ui/question"
	"winnow/ui/transcript"
	"winnow/ui/turn"
)

// Model is a conversation. Results of the commands that query its session are dropped if it has left the screen.
type Model struct {
	*app.Context // while Busy, nothing is planned
	Screen       Screen

	Chat     *transcript.Model
	Panel    *panel.Model
	Turn     turn.Model
	Question question.Model
	Waiting  *queue.Model // messages to be sent after the running turn

	Inspector        *inspector.Model
	RepairsAnnounced bool // the notice about repairs was shown

	Destination Destination // where the cursor goes once that message is loaded
	planning
	stale bool // another program changed the stored session, and it must be read again
}

// Screen is what a conversation needs from the rest of the screen.
type Screen struct {
	IsShown     func(*Model) bool                               // reports whether it is the conversation on the screen
	Loaded      func(error) tea.Cmd                             // the older messages are loaded, or why not
	Leased      func(c *Model, byOther bool, err error) tea.Cmd // byOther: another window has the lease
	DraftFits   func()                                          // the draft was planned and fits the window
	CanAnnounce func() bool                                     // reports whether no other sentence is shown
	Switched    func(session.Version) tea.Cmd                   // another version of a message is active
	Purged      func() tea.Cmd                                  // another program deleted the session permanently
	KeyPressed  func() bool                                     // reports whether a key was pressed since the start

	Reached func(err error) // the model was checked; err says why it cannot be asked

	Dialogs *dialog.Stack

	Transcript transcript.Hooks // without the functions that the panel provides
	Panel      panel.Hooks      // without the functions that the transcript provides
}

// New returns the conversation of a session.
func New(shared *app.Shared, s *session.Session, screen Screen) *Model {
	ctx := &app.Context{Shared: shared, Session: s, ReadOnly: s.State().ReadOnly}
	c := &Model{
		Context: ctx, Screen: screen, Question: question.Model{Keys: shared.Keys}, Waiting: queue.New(ctx),
	}
	c.Turn.Context = ctx
	c.Refresh()
	page, request := screen.Transcript, screen.Panel
	page.CursorMoved = c.SyncPanelCursor
	page.ShowsPast = func() bool { return c.Panel.Past != nil }
	page.ShowsTrial = func() bool { return c.Panel.Whatif != nil }
	c.Chat = &transcript.Model{Context: ctx, Hooks: page}
	request.Message, request.Gist, request.VisibleMessages = c.Chat.Message, transcript.Gist, c.Chat.VisibleMessages
	request.CursorMoved, request.RequestShown, request.Inspect = c.showPanelCursor, c.requestShown, c.inspectRow
	c.Panel = &panel.Model{Context: ctx, Hooks: request}
	c.Inspector = &inspector.Model{
		Context: ctx, Panel: c.Panel, Transcript: c.Chat, Close: func() { screen.Dialogs.Close(c.Inspector) },
	}
	c.Chat.Reset(s.Branch())
	return c
}

// Refresh copies the session's row and model reference into the shared context.
func (c *Model) Refresh() { c.Info, c.Ref = c.Session.Info(), c.Session.Model().Ref() }

// Endpoint returns the endpoint of the model in use, the zero value if the catalog does not know it.
func (c *Model) Endpoint() llm.Endpoint {
	name, _, _ := strings.Cut(c.Ref, "/")
	return c.Deps.Models.EndpointNamed(name)
}

// ModelName returns the model in use without its endpoint.
func (c *Model) ModelName() string {
	_, name, _ := strings.Cut(c.Ref, "/")
	return markdown.OneLine(name, 64)
}

// UsesGuide reports whether the model in use is the built-in guide.
func (c *Model) UsesGuide() bool {
	return c.Ref == llm.GuideEndpoint || strings.HasPrefix(c.Ref, llm.GuideEndpoint+"/")
}

// Title returns the session's title for the header.
func (c *Model) Title() string {
	title := cmp.Or(c.Secrets.RedactLine(c.Info.Title), "new chat")
	if c.Session.Temporary() {
		return "temporary, not saved · " + title
	}
	return title
}

// quotedTitle returns the session's title in quotation marks, for a sentence.
func (c *Model) quotedTitle() string {
	return "“" + markdown.OneLine(cmp.Or(c.Secrets.RedactLine(c.Session.Info().Title), "new chat"), 40) + "”"
}

// SyncPanelCursor puts the panel's cursor on the message under the transcript's cursor.
func (c *Model) SyncPanelCursor() {
	if message, ok := c.Chat.MessageAtCursor(); ok {
		c.Panel.GoTo(message.ID)
	}
}

// showPanelCursor scrolls the transcript to the message under the panel's cursor.
func (c *Model) showPanelCursor() {
	if e := c.Panel.SelectedRow().Entry; e != nil {
		c.Chat.GoTo(e.ID)
	}
}

// requestShown marks the transcript's messages by the request that the panel shows.
func (c *Model) requestShown() tea.Cmd {
	r := c.Panel.ShownRequest()
	c.Chat.SetPlan(r.Plan, r.FirstRead)
	if n := len(r.Plan.Entries); n > 0 && r.Past != nil {
		c.Chat.ScrollTo(r.Plan.Entries[n-1].ID)
	}
	if e := c.Panel.SelectedRow().Entry; e != nil && c.Panel.Whatif != nil {
		c.Chat.ScrollTo(e.ID)
	}
	return c.Inspector.Refresh()
}

// LeaveWhatif closes the What-if trial and shows the next request again.
func (c *Model) LeaveWhatif() {
	if c.Panel.Whatif != nil {
		c.Panel.CloseWhatif()
		c.Chat.SetPlan(c.Panel.Next.Plan, 0)
	}
}

// Start takes the lease of the session and loads the older messages, which opening it skipped.
func (c *Model) Start() tea.Cmd {
	s := c.Session
	load := c.ask(func(ctx context.Context) (app.Then, error) {
		err := s.LoadOlder(ctx)
		receipts, more := s.Records().Receipts(ctx)
		return func() tea.Cmd {
			c.Chat.Prepend(s.Branch(), receipts)
			return c.Screen.Loaded(errors.Join(err, more))
		}, nil
	})
	if c.Deps.Store == nil {
		return load
	}
	return tea.Batch(load, c.Run(func(ctx context.Context) tea.Msg {
		byOther, err := s.Lease(ctx)
		return app.Then(func() tea.Cmd { return c.Screen.Leased(c, byOther, err) })
	}))
}

// LoadDetails checks the model of a loaded session, and reads what its requests have cost and taught.
func (c *Model) LoadDetails() tea.Cmd {
	s := c.Session
	past := c.ask(func(ctx context.Context) (app.Then, error) {
		return c.Replan, errors.Join(s.ReadSpending(ctx), s.LoadPastRequests(ctx))
	})
	return tea.Batch(c.Reach(), past)
}

// Reach checks whether the model can be asked at all, so that the screen can say so before a message is written.
func (c *Model) Reach() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		err := s.CheckServer(ctx)
		return func() tea.Cmd { c.Screen.Reached(err); return nil }, nil
	})
}

// SwitchVersion switches to the branch with another version of a message: by versions later, or earlier if negative.
func (c *Model) SwitchVersion(message int64, by int) tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		v, err := s.SwitchVersion(ctx, message, by)
		return func() tea.Cmd {
			c.Panel.ShowNext()
			c.Info = s.Info()
			c.Chat.SetBranch(s.Branch())
			c.Chat.GoTo(v.Message)
			c.Inspector.Clear()
			return c.Screen.Switched(v)
		}, err
	})
}

// ask returns a command that calls do, and then its result or an error sentence if the conversation is still on the
// screen.
func (c *Model) ask(do func(context.Context) (app.Then, error)) tea.Cmd {
	return c.Run(func(ctx context.Context) tea.Msg {
		then, err := do(ctx)
		return app.Then(func() tea.Cmd {
			switch {
			case !c.Screen.IsShown(c) || errors.Is(err, context.Canceled):
				return nil
			case err != nil:
				return c.ReportError(err)
			}
			return then()
		})
	})
}
