// Package plain is the chat as lines of text, one after the other: for screen readers, slow lines and pipes. Nothing is
// drawn again, there are no colours and no cursor movements, and every verdict is in words. It reads lines and shows
// what the session reports; what a model sees it does not decide.
package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/limits"
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

	Secrets theme.Secrets // that lists do not show

	// Chosen is told which model was chosen for a session that is saved.
	Chosen func(ref string) error

	// Export writes a session to a file as the words want it, and says where; nil writes none.
	Export func(ctx context.Context, s *session.Session, words string) (string, error)

	// Sync exchanges the history with other machines, and returns the ids of the sessions that it changed here; nil
	// exchanges nothing. It runs at the start, after each turn and at the end, once at a time.
	Sync func(context.Context) (changed []string, err error)

	// Doctor checks the installation and says what it found; nil checks nothing.
	Doctor func(context.Context) (string, error)
}

// closeTime bounds how long quitting waits for a running answer to be saved.
const closeTime = 5 * time.Second

// chat is a running chat. Its methods are called on one goroutine.
type chat struct {
	Options
	s     *session.Session
	lines *lines
	files []history.Part // go with the next message

	verdicts map[int64]string // what was said last of each message
	open     bool             // the last line has no end yet
	thinks   bool             // reasoning is shown
	quit     bool
	last     string // the message that did not fit, for /cut
	syncing  syncing
}

// errEnd says that there is no more to read.
var errEnd = errors.New("the input has ended")

// Run shows the chat until its input ends or the user quits, and returns the id of the session that was open then, ""
// where nothing was stored.
func Run(ctx context.Context, o Options) (id string, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := &chat{Options: o, s: o.Start, lines: readLines(ctx, o.In), verdicts: map[int64]string{}}
	c.greet()
	c.enter(ctx)
	for _, path := range o.Attach {
		c.attach(path)
	}
	c.syncFirst(ctx)
	for !c.quit {
		c.awaitSync(ctx, 0)
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
	c.syncLast(ctx)
	if ctx.Err() != nil {
		err = context.Canceled
	}
	if c.s.Temporary() {
		return "", err
	}
	return c.s.Info().ID, err
}

// greet says which model answers, and how to go on.
func (c *chat) greet() {
	c.say("winnow, plain mode. The model is %s%s.", c.s.Model().Ref(), because(c.Choice.Reason))
	c.say("Write a message and press enter. /help lists the commands, ctrl+c stops an answer, ctrl+d quits.")
	for _, text := range c.Notices {
		c.say("%s", text)
	}
	if err := c.s.Ready(); err != nil {
		c.say("%s", c.failed(err))
	}
}

// because is a reason in parentheses.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// enter makes the open session this window's, and says what it holds.
func (c *chat) enter(ctx context.Context) {
	clear(c.verdicts)
	if leased, err := c.s.Lease(ctx); err != nil {
		c.say("%s", theme.Sentence(err))
	} else if leased {
		c.say("This chat is open in another window: it is read-only here.")
	}
	if c.s.Info().ID == "" {
		return
	}
	if err := c.s.LoadRest(ctx); err != nil {
		c.say("%s", theme.Sentence(err))
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

// say writes a line of winnow's own.
func (c *chat) say(format string, args ...any) {
	c.endLine()
	fmt.Fprintf(c.Out, format+"\n", args...)
}

// write writes a piece of an answer.
func (c *chat) write(text string) {
	if text == "" {
		return
	}
	io.WriteString(c.Out, text)
	c.open = !strings.HasSuffix(text, "\n")
}

// endLine ends a line that a piece of an answer left open.
func (c *chat) endLine() {
	if c.open {
		io.WriteString(c.Out, "\n")
		c.open = false
	}
}

// prompt asks for a line, where a person types.
func (c *chat) prompt(text string) {
	c.endLine()
	if c.Terminal {
		io.WriteString(c.Out, text)
	}
}

// line waits for a line, of those that are held first.
func (c *chat) line(ctx context.Context) (text string, stopped bool, err error) {
	if text, ok := c.lines.first(); ok {
		return text, false, nil
	}
	return c.typed(ctx)
}

// typed waits for a line that comes from now on. Stopped says that ctrl+c came instead.
func (c *chat) typed(ctx context.Context) (text string, stopped bool, err error) {
	select {
	case text, ok := <-c.lines.typed:
		if !ok {
			return "", false, errEnd
		}
		return text, false, nil
	case <-c.Stop:
		c.write("\n")
		return "", true, nil
	case <-ctx.Done():
		return "", false, ctx.Err()
	}
}

// message reads a message: a line, with a backslash at its end the next one too, or the lines between <<END and END.
func (c *chat) message(ctx context.Context) (string, error) {
	var text strings.Builder
	end, began := "", false
	for {
		if began {
			c.prompt("... ")
		} else {
			c.prompt("you: ")
		}
		line, stopped, err := c.line(ctx)
		if stopped {
			if !began {
				c.say("ctrl+d or /quit quits.")
			}
			return "", nil
		}
		if err != nil {
			if began && errors.Is(err, errEnd) {
				return text.String(), nil
			}
			return "", err
		}
		word, here := strings.CutPrefix(line, "<<")
		switch {
		case end != "" && line == end:
			return strings.TrimSuffix(text.String(), "\n"), nil
		case end != "":
			text.WriteString(line + "\n")
		case !began && here && word != "" && !strings.ContainsAny(word, " \t"):
			end, began = word, true
		case strings.HasSuffix(line, `\`):
			text.WriteString(strings.TrimSuffix(line, `\`) + "\n")
			began = true
		default:
			text.WriteString(line)
			return text.String(), nil
		}
	}
}

// take sends a message, or runs a command.
func (c *chat) take(ctx context.Context, text string) {
	switch {
	case strings.TrimSpace(text) == "" && len(c.files) == 0:
	case c.isCommand(text):
		c.command(ctx, text)
	default:
		if !c.Terminal {
			c.say("you: %s", text)
		}
		c.send(ctx, session.Draft{Text: text})
	}
}

// isCommand says whether a text is a command and not a message, as on the screen: the guide takes commands of its own,
// and several lines are a command only where there is one of that name.
func (c *chat) isCommand(text string) bool {
	if !strings.HasPrefix(text, "/") {
		return false
	}
	name, _ := theme.CutCommand(text)
	if name == "guide" && strings.HasPrefix(c.s.Model().Ref(), llm.Guide+"/") {
		return false
	}
	return !strings.Contains(strings.TrimSpace(text), "\n") ||
		slices.ContainsFunc(commands(), func(cmd command) bool { return cmd.name == name })
}

// send sends a message with the files that wait for one.
func (c *chat) send(ctx context.Context, d session.Draft) {
	d.Files = c.files
	err := c.follow(ctx, func(ctx context.Context) <-chan session.Event { return c.s.Send(ctx, d) })
	if over := (*session.OversizeError)(nil); errors.As(err, &over) {
		c.last = d.Text
		c.say("%s Nothing was sent or saved. /cut sends it cut.",
			theme.UpperFirst(theme.Sentence(errors.New(over.Sentence(wayOut)))))
		return
	}
	if err != nil {
		c.say("%s", c.failed(err))
	}
	limit, other := (*session.LimitError)(nil), (*session.OtherAddressError)(nil)
	if !errors.As(err, &limit) && !errors.As(err, &other) {
		c.files, c.last = nil, ""
	}
}

// failed is why a turn failed, and what can be done about an endpoint that is at another address.
func (c *chat) failed(err error) string {
	text := theme.UpperFirst(theme.Sentence(err))
	if other := (*session.OtherAddressError)(nil); errors.As(err, &other) {
		text += " Nothing was sent; /model " + c.s.Model().Ref() + " agrees to that."
	}
	return text
}

// wayOut is what helps against what makes a message too long.
func wayOut(what string) string {
	switch what {
	case string(history.PartSystem):
		return "/system"
	case string(history.BoundBudget), string(history.BoundMaxContext):
		return "/budget"
	case string(history.BoundWindow):
		return "/window"
	case string(history.PartDraft):
		return "shorten it"
	}
	return ""
}

// follow shows a turn until it is over. ctrl+c stops it.
func (c *chat) follow(ctx context.Context, start func(context.Context) <-chan session.Event) error {
	defer c.sync(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	events := start(ctx)
	stopping := false
	for {
		select {
		case <-c.Stop:
			stopping = true
			stop()
		case e, open := <-events:
			if !open {
				return nil
			}
			if f, over := e.(session.Finished); over {
				c.endLine()
				if stopping && f.Err == nil {
					c.say("Stopped; what arrived is kept.")
				}
				return f.Err
			}
			c.show(ctx, e, stop)
		}
	}
}

// show shows what happened in a turn.
func (c *chat) show(ctx context.Context, e session.Event, stop func()) {
	switch e := e.(type) {
	case session.Planned:
		c.say("%s", planText(e.Plan))
		for _, line := range c.changed(e.Plan) {
			c.say("  %s", line)
		}
		c.say("%s:", theme.OneLine(e.Request.Model))
	case session.Delta:
		if e.Reasoning != "" && c.thinks {
			c.write(e.Reasoning)
		}
		c.write(e.Text)
	case session.Answered:
		c.say("(%s)", Receipt(e.Receipt))
	case session.Running:
		c.say("Running %s.", theme.OneLine(e.Name))
	case session.Ran:
		c.say("%s returned %s.", theme.OneLine(e.Call.Name), theme.Plural(len([]rune(e.Message.Content)), "character"))
	case session.Notice:
		c.say("winnow: %s", theme.OneSentence(e.Text))
	case session.Waiting:
		if e.Changed == "" { // A notice says the rest.
			c.say("winnow: %s Trying again in %s.", theme.Sentence(e.Err), theme.Duration(e.After))
		}
	case session.Asked:
		c.approve(ctx, e, stop)
	case session.OverLimit:
		c.say("%s", theme.UpperFirst(theme.Sentence(errors.New(e.Over.Clause()))))
		answer := limits.No
		switch c.choose(ctx, "Send it? yes, raise (the limit, for this chat) or no", stop, "no", "yes", "raise") {
		case "yes":
			answer = limits.Once
		case "raise":
			answer = limits.Raise
		}
		e.Answer(answer)
	}
}

// choose asks until one of the words is the answer, of which the first is the safe one. What was typed before the
// question was for the draft, and answers nothing. From a pipe a line that is none of the words is the next message,
// and the answer is the safe one.
func (c *chat) choose(ctx context.Context, asks string, stop func(), words ...string) string {
	read := c.line
	if c.Terminal {
		c.lines.hold()
		read = c.typed
	}
	for {
		c.say("%s", asks+".")
		c.prompt("answer: ")
		text, stopped, err := read(ctx)
		if stopped {
			stop()
		}
		if stopped || err != nil {
			return words[0]
		}
		for _, word := range words {
			if typed := strings.ToLower(strings.TrimSpace(text)); typed == word || typed != "" && typed == word[:1] {
				if !c.Terminal {
					c.say("answer: %s", word)
				}
				return word
			}
		}
		if !c.Terminal {
			c.lines.giveBack(text)
			c.say("answer: %s", words[0])
			return words[0]
		}
	}
}
