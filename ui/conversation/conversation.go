// Package conversation is a session as the screen shows it: its transcript, the panel of its requests, the turn that
// runs with the question that it asks, and the messages that wait for it. One conversation is on the screen; others go
// on in the background until their answers are complete.
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

// Model is a conversation. It asks its session in commands, whose results are dropped unless it is on the screen then.
type Model struct {
	*app.Context // nothing is planned while it is busy
	Screen       Screen

	Chat     *transcript.Model
	Panel    *panel.Model
	Turn     turn.Model
	Question question.Model
	Waiting  *queue.Model // the messages that are sent when the answers before them are there

	Inspector   *inspector.Model
	RepairsSaid bool // the user knows that there are repairs

	At Arrival // where in the session the cursor goes, as soon as that is read
	planning
	stale bool // it was changed in the store beside this window, and is to be read again
}

// Screen is what a conversation has the rest of the screen do.
type Screen struct {
	Shows    func(*Model) bool                               // says whether it is the one on the screen
	Loaded   func(error) tea.Cmd                             // what opening it left out is shown
	Leased   func(c *Model, byOther bool, err error) tea.Cmd // it is known who may write in it
	Fits     func()                                          // the draft fits, by its plan
	Quiet    func() bool                                     // no sentence is shown that another one would cover
	Switched func(session.Version) tea.Cmd                   // another version of a message has the active branch
	Gone     func() tea.Cmd                                  // it was deleted permanently beside this window
	Touched  func() bool                                     // a key was pressed since the start

	Reached func(err error) // whether its model can be asked is known

	Dialogs *dialog.Stack

	Transcript transcript.Screen // but for what the panel does for it
	Panel      panel.Screen      // but for what the transcript does for it
}

// New is the conversation of a session.
func New(shared *app.Shared, s *session.Session, screen Screen) *Model {
	ctx := &app.Context{Shared: shared, Session: s, ReadOnly: s.State().ReadOnly}
	c := &Model{Context: ctx, Screen: screen, Question: question.Model{Keys: shared.Keys}, Waiting: queue.New(ctx)}
	c.Turn.Context = ctx
	c.Refresh()
	page, request := screen.Transcript, screen.Panel
	page.Moved = c.Lead
	page.Past = func() bool { return c.Panel.Past != nil }
	page.Trial = func() bool { return c.Panel.Whatif != nil }
	c.Chat = &transcript.Model{Context: ctx, Screen: page}
	request.Message, request.Gist, request.OnPage = c.Chat.Message, transcript.Gist, c.Chat.OnPage
	request.Follow, request.Shown, request.Inspect = c.follow, c.requestShown, c.inspectRow
	c.Panel = &panel.Model{Context: ctx, Screen: request}
	c.Inspector = &inspector.Model{
		Context: ctx, Panel: c.Panel, Chat: c.Chat, Close: func() { screen.Dialogs.Close(c.Inspector) },
	}
	c.Chat.Reset(s.Branch())
	return c
}

// Refresh shows the session's row and its model as they are now.
func (c *Model) Refresh() { c.Info, c.Ref = c.Session.Info(), c.Session.Model().Ref() }

// Endpoint is where the model in use is asked, the zero endpoint where the catalog does not know it.
func (c *Model) Endpoint() llm.Endpoint {
	name, _, _ := strings.Cut(c.Ref, "/")
	return c.With.Models.EndpointNamed(name)
}

// ModelName is the name of the model in use at its endpoint.
func (c *Model) ModelName() string {
	_, name, _ := strings.Cut(c.Ref, "/")
	return markdown.OneLine(name, 64)
}

// Guided says that the guide answers, which is a part of winnow.
func (c *Model) Guided() bool {
	return c.Ref == llm.GuideEndpoint || strings.HasPrefix(c.Ref, llm.GuideEndpoint+"/")
}

// Title is what the session is called on the screen.
func (c *Model) Title() string {
	title := cmp.Or(c.Secrets.Line(c.Info.Title), "new chat")
	if c.Session.Temporary() {
		return "temporary, not saved · " + title
	}
	return title
}

// Quoted is the session's title in a sentence.
func (c *Model) Quoted() string {
	return "“" + markdown.OneLine(cmp.Or(c.Secrets.Line(c.Session.Info().Title), "new chat"), 40) + "”"
}

// Lead puts the panel's cursor on the message under the transcript's: they are two views of one list of messages.
func (c *Model) Lead() {
	if message, ok := c.Chat.Selected(); ok {
		c.Panel.GoTo(message.ID)
	}
}

// follow brings the message under the panel's cursor into the transcript's view.
func (c *Model) follow() {
	if e := c.Panel.Chosen().Entry; e != nil {
		c.Chat.GoTo(e.ID)
	}
}

// requestShown has the transcript show the request that the panel shows.
func (c *Model) requestShown() tea.Cmd {
	r := c.Panel.Shown()
	c.Chat.Judge(r.Plan, r.FirstRead)
	if n := len(r.Plan.Entries); n > 0 && r.Past != nil {
		c.Chat.ScrollTo(r.Plan.Entries[n-1].ID)
	}
	if e := c.Panel.Chosen().Entry; e != nil && c.Panel.Whatif != nil {
		c.Chat.ScrollTo(e.ID)
	}
	return c.Inspector.Refresh()
}

// LeaveWhatif goes back to the next request as it is set.
func (c *Model) LeaveWhatif() {
	if c.Panel.Whatif != nil {
		c.Panel.CloseWhatif()
		c.Chat.Judge(c.Panel.Next.Plan, 0)
	}
}

// Start takes the lease of the session and reads what opening it left out.
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
	if c.With.Store == nil {
		return load
	}
	return tea.Batch(load, c.Run(func(ctx context.Context) tea.Msg {
		byOther, err := s.Lease(ctx)
		return app.Then(func() tea.Cmd { return c.Screen.Leased(c, byOther, err) })
	}))
}

// Learn finds out what else there is to know about a session that was loaded.
func (c *Model) Learn() tea.Cmd {
	s := c.Session
	past := c.ask(func(ctx context.Context) (app.Then, error) {
		return c.Replan, errors.Join(s.ReadSpending(ctx), s.LoadPastRequests(ctx))
	})
	return tea.Batch(c.Reach(), past)
}

// Reach finds out whether the model can be asked at all, so that the screen says it before a message is written.
func (c *Model) Reach() tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		err := s.CheckServer(ctx)
		return func() tea.Cmd { c.Screen.Reached(err); return nil }, nil
	})
}

// SwitchVersion goes to the branch of the version of a message that is so many versions after its own.
func (c *Model) SwitchVersion(message int64, by int) tea.Cmd {
	s := c.Session
	return c.ask(func(ctx context.Context) (app.Then, error) {
		v, err := s.SwitchVersion(ctx, message, by)
		return func() tea.Cmd {
			c.Panel.ToNext()
			c.Info = s.Info()
			c.Chat.Follow(s.Branch())
			c.Chat.GoTo(v.Message)
			c.Inspector.Forget()
			return c.Screen.Switched(v)
		}, err
	})
}

// ask makes the command that finds something out about the session, and what is left to do then where that is still
// shown.
func (c *Model) ask(do func(context.Context) (app.Then, error)) tea.Cmd {
	return c.Run(func(ctx context.Context) tea.Msg {
		then, err := do(ctx)
		return app.Then(func() tea.Cmd {
			switch {
			case !c.Screen.Shows(c) || errors.Is(err, context.Canceled):
				return nil
			case err != nil:
				return c.Failed(err)
			}
			return then()
		})
	})
}
