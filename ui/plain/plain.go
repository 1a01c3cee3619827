// Package plain is a chat in plain lines of text, for screen readers, slow connections and pipes. Nothing is redrawn,
// there are no colours or cursor movements, and verdicts are in words. It reads messages and commands and prints the
// events of the session; it does not decide what a model sees. It has no commands for what happens outside of a chat,
// such as listing sessions.
package plain

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"winnow/history"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/store"
	"winnow/ui/slash"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// Options is everything the chat needs from its caller.
type Options struct {
	Start   *session.Session
	Reason  string        // why its model was chosen, "" to print no reason
	Notices []string      // sentences to print first
	Attach  []string      // files to attach to the first message
	Secrets theme.Secrets // to be hidden in the title

	In       io.Reader
	Out      io.Writer
	Terminal bool // a person types: there are prompts, and the terminal echoes the input

	// Stoppable returns a context that ctrl+c cancels.
	Stoppable func(context.Context) (context.Context, context.CancelFunc)

	// Remember saves a model for the next start.
	Remember func(ref string) error
}

// closeTime bounds how long quitting waits for a running answer to be saved.
const closeTime = 5 * time.Second

// chat is a running chat. Its methods are called by one goroutine.
type chat struct {
	Options
	Writer
	s        *session.Session
	typed    <-chan string    // messages, commands and answers to questions
	held     []string         // input from before a question: messages, not answers
	files    []history.Part   // attached to the next message
	verdicts map[int64]string // the verdict printed last of each message, by id
	thinking bool             // whether reasoning is printed
	commands map[string]command
}

// Run runs the chat until its input ends or the user quits. A running answer is stopped and saved.
func Run(ctx context.Context, o Options) (err error) {
	c := &chat{
		Options: o, Writer: Writer{Writer: o.Out}, s: o.Start, typed: read(o.In), verdicts: map[int64]string{},
		commands: map[string]command{},
	}
	for _, cmd := range commands() {
		c.commands[cmd.Name] = cmd
	}
	c.greet(ctx)
	for err != errQuit {
		c.report(err)
		err = c.next(ctx)
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	defer c.s.ReleaseLease()
	return c.s.Close(saving)
}

// greet prints the model, how to continue and what the chat holds, takes the lease of the session and loads it.
func (c *chat) greet(ctx context.Context) {
	c.Line("winnow, plain mode. The model is %s.", strings.TrimSuffix(c.s.Model().Ref()+" ("+c.Reason+")", " ()"))
	c.Line("Write a message and press enter. /help lists the commands, ctrl+c stops an answer, ctrl+d quits.")
	for _, text := range c.Notices {
		c.Line("%s", text)
	}
	c.report(c.s.Ready())
	leased, err := c.s.Lease(ctx)
	if leased {
		c.Line("This chat is open in another window: it is read-only here.")
	}
	if row := c.s.Info(); row.ID != "" {
		err = cmp.Or(err, c.s.LoadOlder(ctx))
		title := cmp.Or(c.Secrets.RedactLine(theme.OneLine(row.Title)), "untitled")
		c.Line("This is %q with %s. /history prints it.", title, theme.Plural(c.s.Branch().Len(), "message"))
	}
	c.report(err)
	for _, path := range c.Attach {
		c.report(c.attach(ctx, path))
	}
}

// next waits for input, and sends a message or runs a command. It returns errQuit if the chat ends; other errors are to
// be shown.
func (c *chat) next(program context.Context) error {
	ctx, stop := c.Stoppable(program)
	defer stop()
	text, err := c.message(ctx)
	switch {
	case err == io.EOF || program.Err() != nil:
		return errQuit
	case err != nil:
		c.Line("ctrl+d or /quit quits.")
		return nil
	case slash.IsCommand(text, c.s.Model().Ref(), c.knows):
		return c.run(ctx, text)
	case strings.TrimSpace(text) == "" && len(c.files) == 0:
		return nil
	case !c.Terminal:
		c.Line("you: %s", text)
	}
	return c.send(ctx, session.Draft{Text: text})
}

// send sends a message with the attached files. If the message was not stored, they stay attached for the next one.
func (c *chat) send(ctx context.Context, d session.Draft) error {
	d.Files = c.files
	before := c.s.Info().Leaf
	err := c.follow(ctx, c.s.Send(ctx, d))
	if c.s.Info().Leaf != before {
		c.files = nil
	}
	return err
}

// follow prints the events of a turn until it ends, and asks its questions.
func (c *chat) follow(ctx context.Context, turn <-chan session.Event) (err error) {
	for e := range turn {
		switch e := e.(type) {
		case session.Planned:
			c.Line("Sending %s", sums(e.Plan))
			c.showVerdicts(e.Plan, false)
			c.Line("%s:", theme.OneLine(e.Request.Model))
		case session.Delta:
			if c.thinking {
				c.Piece(e.Reasoning)
			}
			c.Piece(e.Text)
		case session.AnswerStored:
			c.Line("(%s)", transcript.ReceiptText(e.Receipt))
		case session.ToolStarted:
			c.Line("Running %s.", theme.OneLine(e.Name))
		case session.ToolFinished:
			size := theme.Plural(len([]rune(e.Message.Content)), "character")
			c.Line("%s returned %s.", theme.OneLine(e.Call.Name), size)
		case session.Notice:
			c.Line("winnow: %s", theme.OneSentence(e.Text))
		case session.Retrying:
			if e.Change == "" { // else a session.Notice says it
				c.Line("winnow: %s Trying again in %s.", theme.Sentence(e.Err), theme.Duration(e.Delay))
			}
		case session.ApprovalNeeded:
			c.approve(ctx, e)
		case session.LimitExceeded:
			e.Answer(limits.Answer(c.ask(ctx, e.Over.Sentence()+" Send it? raise changes the limit for this chat.",
				string(limits.DoNotSend), string(limits.SendOnce), string(limits.RaiseLimit))))
		case session.Finished:
			if err = e.Err; err == nil && ctx.Err() != nil {
				c.Line("Stopped; what arrived is kept.")
			}
		}
	}
	return err
}

// approve asks whether a tool call may run, and answers the event.
func (c *chat) approve(ctx context.Context, e session.ApprovalNeeded) {
	c.Line("The model wants to call the tool %s with:\n%s", theme.OneLine(e.Call.Name), e.Arguments.Object)
	if len(e.Arguments.Repairs) > 0 {
		c.Line("These arguments were repaired: the model wrote something different.")
	}
	words := []string{string(approval.Deny)}
	for _, choice := range e.Choices {
		words = append(words, string(choice))
	}
	question := strings.TrimSpace(e.Reach + " Run it? session allows the tool in this chat, always in all chats.")
	answer := approval.Answer{Choice: approval.Choice(c.ask(ctx, question, words...))}
	if answer.Choice == approval.Deny && c.Terminal {
		reason, _ := c.line(ctx, "a reason for the model, or enter: ")
		answer.Reason = strings.TrimSpace(reason)
	}
	e.Answer(answer)
}

// sums returns the size of a request, as in "3 of 5 messages, about 1,200 tokens."
func sums(p history.Plan) string {
	return fmt.Sprintf("%s of %s, about %s tokens.", theme.Thousands(store.CountVerdicts(p.Entries).Sent()),
		theme.Plural(len(p.Entries), "message"), theme.Thousands(p.Sum.Tokens(p.Sum.Total)))
}

// showVerdicts prints the verdicts that differ from those printed last, or all of them. Neighbouring messages with the
// same verdict share a line.
func (c *chat) showVerdicts(p history.Plan, all bool) {
	for from := 0; from < len(p.Entries); from++ {
		now, to := theme.VerdictText(p.Entries[from]), from
		for to < len(p.Entries) && theme.VerdictText(p.Entries[to]) == now &&
			(all || c.verdicts[p.Entries[to].ID] != now) {
			c.verdicts[p.Entries[to].ID] = now
			to++
		}
		if to > from {
			c.Line("  %s: %s", messages(p.Entries[from:to]), cmp.Or(now, "whole"))
			from = to - 1
		}
	}
}

// messages names the messages of a line by number.
func messages(list []history.Entry) string {
	first, last := list[0], list[len(list)-1]
	if len(list) == 1 {
		return fmt.Sprintf("message %s, %s", theme.Thousands(first.Index+1), theme.Speaker(first.Role))
	}
	return fmt.Sprintf("messages %s to %s", theme.Thousands(first.Index+1), theme.Thousands(last.Index+1))
}

// report prints an error, with what the user can do in plain mode. It prints nothing for nil.
func (c *chat) report(err error) {
	over, other := (*session.OversizeError)(nil), (*session.AddressChangedError)(nil)
	more := ""
	switch {
	case err == nil:
		return
	case errors.As(err, &over):
		err, more = errors.New(over.Sentence(session.OversizeHints{
			Parts: map[history.RequiredPartKind]string{
				history.RequiredSystem: "/system", history.RequiredDraft: "shorten it",
			},
			Budget: "/budget", Window: "/window", Model: "/model",
		})), " Nothing was sent or saved."
	case errors.As(err, &other):
		more = " Nothing was sent; /model " + c.s.Model().Ref() + " agrees to that."
	}
	c.Line("%s", theme.UpperFirst(theme.Sentence(err))+more)
}

// Writer writes the pieces of an answer, and lines that always begin on a new line.
type Writer struct {
	io.Writer
	open bool // the last line is not ended
}

// Piece writes a piece of an answer.
func (w *Writer) Piece(text string) {
	if text != "" {
		io.WriteString(w, text)
		w.open = !strings.HasSuffix(text, "\n")
	}
}

// EndLine ends the line that a piece has left open.
func (w *Writer) EndLine() {
	if w.open {
		w.Piece("\n")
	}
}

// Line writes a formatted line, on a new line.
func (w *Writer) Line(format string, args ...any) {
	w.EndLine()
	fmt.Fprintf(w, format+"\n", args...)
}

const (
	longestLine = 16 << 20 // bytes; a longer line ends the input
	linesAhead  = 256      // lines that are read ahead of the chat
)

// read sends the lines of the input on a channel, which it closes at the end. The lines between <<WORD and WORD are one
// text. A pending read cannot be cancelled, so the goroutine may live until the program ends.
func read(in io.Reader) <-chan string {
	typed := make(chan string, linesAhead)
	go func() {
		defer close(typed)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, longestLine)
		for scanner.Scan() {
			text := scanner.Text()
			if end, several := strings.CutPrefix(text, "<<"); several && len(strings.Fields(end)) == 1 {
				var lines []string
				for scanner.Scan() && scanner.Text() != strings.TrimSpace(end) {
					lines = append(lines, scanner.Text())
				}
				text = strings.Join(lines, "\n")
			}
			typed <- text
		}
	}()
	return typed
}

// message returns the next message or command: first those that were typed before a question.
func (c *chat) message(ctx context.Context) (text string, err error) {
	if len(c.held) == 0 {
		return c.line(ctx, "you: ")
	}
	text, c.held = c.held[0], c.held[1:]
	return text, nil
}

// line prints a prompt and waits for a line. The error is io.EOF at the end of the input, or that of ctx.
func (c *chat) line(ctx context.Context, prompt string) (string, error) {
	c.EndLine()
	if c.Terminal {
		c.Piece(prompt)
	}
	select {
	case text, ok := <-c.typed:
		if !ok {
			return "", io.EOF
		}
		c.open = false // enter has ended the line of the prompt
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// ask asks until one of the words, or its first letter, is the answer. Input from before the question is kept as
// messages. If the input is no terminal, or ends, the answer is the first word, which must be the safe one.
func (c *chat) ask(ctx context.Context, question string, words ...string) string {
	c.Line("%s Answer %s.", question, theme.JoinOr(words))
	if !c.Terminal {
		c.Line("answer: %s", words[0])
		return words[0]
	}
	for len(c.typed) > 0 {
		c.held = append(c.held, <-c.typed)
	}
	for {
		text, err := c.line(ctx, "answer: ")
		if err != nil {
			return words[0]
		}
		for _, word := range words {
			if typed := strings.ToLower(strings.TrimSpace(text)); typed == word || typed == word[:1] {
				return word
			}
		}
	}
}
