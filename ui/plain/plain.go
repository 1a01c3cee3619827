// Package plain is the chat as lines of text, one after the other: for screen readers, slow lines and pipes. Nothing is
// drawn again, there are no colours and no cursor movements, and every verdict is in words. It reads lines and shows
// what the session reports; it does not decide what a model sees.
package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
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

// closeTime bounds how long quitting waits for a running answer to be saved.
const closeTime = 5 * time.Second

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
	tooLong  string // the message that did not fit, for /cut

	syncFault string // why the last one failed, as the user was told it
}

// Run shows the chat until its input ends or the user quits, and returns the id of the session that was open then, ""
// where nothing was stored.
func Run(ctx context.Context, o Options) (id string, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &chat{Options: o, s: o.Start, typed: readLines(ctx, o.In), verdicts: map[int64]string{}}
	c.greet(ctx)
	for !c.quit {
		text, err := c.message(ctx)
		if err != nil {
			break
		}
		c.take(ctx, text)
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	err = c.s.Close(saving)
	c.s.Leave()
	c.sync(ctx)
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
	c.sync(ctx)
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

// message reads a message: a line, with a backslash at its end the next one too, or the lines between <<END and END.
func (c *chat) message(ctx context.Context) (string, error) {
	var text strings.Builder
	end, prompt := "", "you: "
	for {
		c.prompt(prompt)
		line, err := c.line(ctx)
		switch {
		case errors.Is(err, errStopped):
			if prompt == "you: " {
				c.say("ctrl+d or /quit quits.")
			}
			return "", nil
		case errors.Is(err, io.EOF) && text.Len() > 0:
			return text.String(), nil
		case err != nil:
			return "", err
		case end != "" && line == end:
			return strings.TrimSuffix(text.String(), "\n"), nil
		case end != "":
			text.WriteString(line + "\n")
		case text.Len() == 0 && strings.HasPrefix(line, "<<") && len(strings.Fields(line[2:])) == 1:
			end = strings.TrimSpace(line[2:])
		case strings.HasSuffix(line, `\`):
			text.WriteString(strings.TrimSuffix(line, `\`) + "\n")
		default:
			return text.String() + line, nil
		}
		prompt = "... "
	}
}

// take sends a message, or runs a command.
func (c *chat) take(ctx context.Context, text string) {
	switch {
	case strings.TrimSpace(text) == "" && len(c.files) == 0:
	case slash.IsCommand(text, c.s.Model().Ref(), known):
		c.run(ctx, text)
	default:
		if !c.Terminal {
			c.say("you: %s", text)
		}
		c.send(ctx, session.Draft{Text: text})
	}
}

// send sends a message with the files that wait for one. They wait on where it was not saved.
func (c *chat) send(ctx context.Context, d session.Draft) {
	d.Files = c.files
	before := c.s.Info().Leaf
	err := c.follow(ctx, func(ctx context.Context) <-chan session.Event { return c.s.Send(ctx, d) })
	if c.s.Info().Leaf != before {
		c.files, c.tooLong = nil, ""
	}
	if over := (*session.OversizeError)(nil); errors.As(err, &over) {
		c.tooLong = d.Text
	}
	c.report(err)
}

// failure is why something failed, and what can be done about it here.
func (c *chat) failure(err error) string {
	over, other := (*session.OversizeError)(nil), (*session.OtherAddressError)(nil)
	more := ""
	switch {
	case errors.As(err, &over):
		err, more = errors.New(over.Sentence(wayOut)), " Nothing was sent or saved. /cut sends it cut."
	case errors.As(err, &other):
		more = " Nothing was sent; /model " + c.s.Model().Ref() + " agrees to that."
	}
	return theme.UpperFirst(theme.Sentence(err)) + more
}

// wayOut is what helps against what makes a message too long.
func wayOut(what string) string {
	return map[string]string{
		string(history.PartSystem): "/system", string(history.PartDraft): "shorten it",
		string(history.BoundBudget): "/budget", string(history.BoundMaxContext): "/budget",
		string(history.BoundWindow): "/window",
	}[what]
}

// follow shows a turn until it is over. ctrl+c stops it.
func (c *chat) follow(ctx context.Context, start func(context.Context) <-chan session.Event) error {
	defer c.sync(ctx)
	ctx, stop := c.stoppable(ctx)
	defer stop()
	for e := range start(ctx) {
		f, over := e.(session.Finished)
		if !over {
			c.show(ctx, e, stop)
			continue
		}
		if c.endLine(); ctx.Err() != nil && f.Err == nil {
			c.say("Stopped; what arrived is kept.")
		}
		return f.Err
	}
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

// say writes a line of winnow's own.
func (c *chat) say(format string, args ...any) {
	c.endLine()
	fmt.Fprintf(c.Out, format+"\n", args...)
}

// report says why something did not work, where it did not.
func (c *chat) report(err error) {
	if err != nil {
		c.say("%s", c.failure(err))
	}
}

// write writes a piece of an answer.
func (c *chat) write(text string) {
	if text == "" {
		return
	}
	io.WriteString(c.Out, text)
	c.openLine = !strings.HasSuffix(text, "\n")
}

// endLine ends a line that a piece of an answer left open.
func (c *chat) endLine() {
	if c.openLine {
		io.WriteString(c.Out, "\n")
		c.openLine = false
	}
}

// prompt asks for a line, where a person types.
func (c *chat) prompt(text string) {
	c.endLine()
	if c.Terminal {
		io.WriteString(c.Out, text)
	}
}
