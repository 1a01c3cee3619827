// Package plain is the chat as lines of text, one after the other: for screen readers, slow lines and pipes. Nothing is
// drawn again, there are no colours and no cursor movements, and every verdict is in words. It reads lines and shows
// what the session reports; it does not decide what a model sees.
package plain

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/settings"
	"winnow/ui/slash"
	"winnow/ui/theme"
)

// Options is everything the chat needs from outside.
type Options struct {
	Deps    session.Deps
	Start   *session.Session
	Choice  llm.Choice // which model was chosen, and why
	Notices []string   // sentences to begin with
	Attach  []string   // files that go with the first message

	In       io.Reader
	Out      io.Writer
	Terminal bool             // a person types: there are prompts, and what is typed is on the terminal already
	Stop     <-chan os.Signal // ctrl+c

	Secrets  theme.Secrets    // that lists do not show
	Settings settings.Options // what commands like /model and /export need

	// Sync exchanges the history with other machines; nil exchanges nothing. It runs at the start, after each turn and
	// at the end, once at a time.
	Sync func(context.Context) (changed []string, err error)
}

// syncTime bounds how long the first prompt and quitting wait for the exchange with other machines, and closeTime how
// long quitting waits for a running answer to be saved.
const (
	syncTime  = 1500 * time.Millisecond
	closeTime = 5 * time.Second
)

// chat is a running chat. Its methods are called on one goroutine.
type chat struct {
	Options
	s     *session.Session
	typed <-chan string  // lines, as they come
	held  []string       // lines that came before a question: they are messages
	files []history.Part // go with the next message

	verdicts map[int64]string // what was said last of each message
	openLine bool             // the last line has no end yet
	thinking bool             // reasoning is shown
	quit     bool

	syncing   chan error // what came of the exchange that runs, nil where none does
	syncFault string     // why the last one failed, as the user was told it
}

// Run shows the chat until its input ends or the user quits, and returns the id of the session that was open then, ""
// where nothing was stored.
func Run(ctx context.Context, o Options) (id string, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &chat{Options: o, s: o.Start, typed: readLines(ctx, o.In), verdicts: map[int64]string{}}
	c.greet(ctx)
	for !c.quit {
		if c.next(ctx) != nil {
			break
		}
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	err = c.s.Close(saving)
	c.s.Leave()
	if c.syncing != nil {
		c.sync(saving, syncTime)
	}
	if c.syncing == nil { // The one that ran began before the last message.
		c.sync(saving, syncTime)
	}
	if ctx.Err() != nil {
		err = context.Canceled
	}
	if c.s.Temporary() {
		return "", err
	}
	return c.s.Info().ID, err
}

// greet says which model answers, how to go on, and what the open chat holds.
func (c *chat) greet(ctx context.Context) {
	reason := ""
	if c.Choice.Reason != "" {
		reason = " (" + c.Choice.Reason + ")"
	}
	c.say("winnow, plain mode. The model is %s%s.", c.s.Model().Ref(), reason)
	c.say("Write a message and press enter. /help lists the commands, ctrl+c stops an answer, ctrl+d quits.")
	for _, text := range c.Notices {
		c.say("%s", text)
	}
	c.report(c.s.Ready())
	c.enter(ctx)
	for _, path := range c.Attach {
		c.report(c.attach(ctx, path))
	}
	c.sync(ctx, syncTime)
}

// enter makes the chat this window's, and says what it holds.
func (c *chat) enter(ctx context.Context) {
	clear(c.verdicts)
	leased, err := c.s.Lease(ctx)
	c.report(err)
	if leased {
		c.say("This chat is open in another window: it is read-only here.")
	}
	if c.s.Info().ID == "" {
		c.say("This is a new chat.")
		return
	}
	if err := c.s.LoadRest(ctx); err != nil {
		c.report(err)
		return
	}
	c.say("This is %q with %s. /history prints it.", c.title(), theme.Plural(c.s.Branch().Len(), "message"))
}

func (c *chat) title() string {
	if title := c.s.Info().Title; title != "" {
		return c.Secrets.Line(theme.OneLine(title))
	}
	return "untitled"
}

// next takes what is typed next: it sends a message, or runs a command. Its error ends the chat.
func (c *chat) next(program context.Context) error {
	ctx, stop := c.stoppable(program)
	defer stop()
	text, err := c.message(ctx)
	switch {
	case err != nil && ctx.Err() != nil && program.Err() == nil:
		c.say("ctrl+d or /quit quits.")
		return nil
	case err != nil:
		return err
	case strings.TrimSpace(text) == "" && len(c.files) == 0:
		return nil
	}
	c.refresh(ctx)
	if slash.IsCommand(text, c.s.Model().Ref(), known) {
		c.run(ctx, text)
	} else {
		if !c.Terminal {
			c.say("you: %s", text)
		}
		c.send(ctx, session.Draft{Text: text})
	}
	c.sync(program, 0)
	return nil
}

// stoppable is a context that ends with ctrl+c, too.
func (c *chat) stoppable(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-c.Stop:
			stop()
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// send sends a message with the files that wait for one. They wait on where it was not saved.
func (c *chat) send(ctx context.Context, d session.Draft) {
	d.Files = c.files
	before := c.s.Info().Leaf
	err := c.follow(ctx, c.s.Send(ctx, d))
	if c.s.Info().Leaf != before {
		c.files = nil
	}
	c.report(err)
}

// follow shows a turn until it is over.
func (c *chat) follow(ctx context.Context, turn <-chan session.Event) error {
	for e := range turn {
		f, over := e.(session.Finished)
		if !over {
			c.show(ctx, e)
			continue
		}
		if ctx.Err() != nil && f.Err == nil {
			c.say("Stopped; what arrived is kept.")
		}
		return f.Err
	}
	return nil
}

// sync exchanges the history with other machines, and waits for that a while: the folder may be on a network that is
// gone. Why it failed is said where that was not said of the one before.
func (c *chat) sync(ctx context.Context, patience time.Duration) {
	if c.Sync == nil {
		return
	}
	if c.syncing == nil {
		done := make(chan error, 1)
		c.syncing = done
		go func() {
			_, err := c.Sync(ctx)
			done <- err
		}()
	}
	select {
	case err := <-c.syncing:
		c.syncing = nil
		fault := ""
		if err != nil && ctx.Err() == nil {
			fault = err.Error()
		}
		if fault != "" && fault != c.syncFault {
			c.report(err)
		}
		c.syncFault = fault
	case <-time.After(patience):
	}
}

// refresh takes over what was changed in the open chat by a sync or in another window. One that was deleted permanently
// makes room for a new one. What is wrong with the database is said when something is stored.
func (c *chat) refresh(ctx context.Context) {
	changed, err := c.s.Refresh(ctx)
	if !changed && !c.s.Now().Behind && !errors.Is(err, store.ErrNotFound) {
		return
	}
	switch found, err := c.s.Reread(ctx); {
	case errors.Is(err, store.ErrNotFound):
		c.say("The chat that was open here was deleted permanently on another machine.")
		c.report(c.begin(ctx, ""))
	case err != nil:
		c.report(err)
	case found.Parts:
		c.say("Another machine went on from an earlier message; /version goes to other versions.")
	case found.Added > 0:
		c.say("Continued on another machine: %s. /history prints the chat.", theme.Plural(found.Added, "new message"))
	}
}
