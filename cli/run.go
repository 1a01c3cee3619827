package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"winnow/cli/report"
	"winnow/history"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/plain"
)

func (p *program) runCommand() *cobra.Command {
	c := p.withJSON(p.command("run [text]...",
		"Answer one message on standard output; standard input is added to the message", p.run))
	c.Long = "run sends the text, followed by what standard input holds, and prints the answer. Standard input is a " +
		"pipe, which has 2 seconds to begin, or a minute where there is no text, or a file that nobody has read from " +
		"yet. Anything else is read only where - stands in the place of a text. A loop that reads a pipe needs " +
		"</dev/null: run would take the rest of the pipe. More than 10 MB are too much."
	c.Example = "  winnow run \"why is the sky blue?\"\n" +
		"  git diff | winnow run \"review this\"\n" +
		"  winnow run -a shot.png \"what is wrong here?\"\n" +
		"  winnow run -c \"and now in French\"\n" +
		"  winnow run --allow-tool 'github__get_*' \"what is new in issue 12?\""
	p.sessionFlags(c)
	c.Flags().BoolVar(&p.flags.noSave, "no-save", false, "leave nothing on disk")
	c.Flags().BoolVarP(&p.flags.quiet, "quiet", "q", false, "print nothing but the answer and errors")
	c.Flags().StringArrayVar(&p.flags.allowTools, "allow-tool", nil,
		"run this tool without asking; may be repeated, * matches any characters")
	c.MarkFlagsMutuallyExclusive("continue", "session", "no-save")
	return c
}

// run sends one message, made of the arguments and standard input, and streams the answer to standard output. The first
// signal stops the answer and keeps what arrived. A second one, or one while standard input is being read, ends the
// program.
func (p *program) run(ctx context.Context, args []string) error {
	f := p.flags
	for _, pattern := range f.allowTools {
		if approval.CheckPattern(pattern) != nil {
			return fail(exitUsage, "--allow-tool is %q, which is not a valid pattern for tool names; * matches any "+
				"characters", pattern)
		}
	}
	draft, err := p.joinInput(args)
	if err != nil {
		return err
	}
	if strings.TrimSpace(draft) == "" && len(f.attach) == 0 {
		return fail(exitUsage, "the message is empty: pass it as an argument or on standard input")
	}
	ctx, stop := untilStopped(ctx)
	defer stop()
	context.AfterFunc(ctx, stop)
	return p.withApp(ctx, purposeRun, func(a *app) error { return a.answer(ctx, draft) })
}

// answer sends a message and prints the answer.
func (a *app) answer(ctx context.Context, draft string) error {
	a.deps.Approval.Unattended, a.deps.Approval.Allow = true, a.flags.allowTools
	s, err := a.start(ctx)
	if err != nil {
		return err
	}
	if err := s.Ready(); errors.As(err, new(*session.AddressChangedError)) {
		return fail(exitUsage, "nothing was sent: %w; -m %s agrees to that", err, s.Model().Ref())
	} else if err != nil {
		return fail(exitProvider, "%w", err)
	}
	out := answerWriter{program: a.program, answer: plain.Writer{Writer: a.out}}
	out.turn.Saved = !a.flags.noSave
	if err := a.announce(ctx, s, &out); err != nil {
		return err
	}
	var files []history.Part
	for _, path := range a.flags.attach {
		part, err := s.Attach(path)
		if err != nil {
			return fail(exitUsage, "%w", err)
		}
		files = append(files, part)
	}
	err = tooLong(out.follow(s.Send(ctx, session.Draft{Text: draft, Files: files})), s.Info().Endpoint)
	id := s.Info().ID
	if err != nil {
		a.log.Error("the turn ended", "session", id, "error", record.LogCode(err))
	}
	if a.flags.noSave {
		id = ""
	}
	if a.flags.json {
		out.turn.Session, out.turn.Model, out.turn.Stopped = id, s.Model().Ref(), ctx.Err() != nil
		if err != nil {
			out.turn.Error = report.ErrorText(err)
		}
		a.flags.noRedact = true // it is the transcript itself
		err = cmp.Or(err, a.show(&out.turn))
	}
	terminal := term.IsTerminal(a.err.Fd())
	if fault := a.syncBriefly(ctx); fault != "" && terminal {
		out.say([]string{fault})
	}
	if id != "" && (ctx.Err() != nil || err == nil && !a.flags.quiet && terminal) {
		fmt.Fprintf(a.err, "winnow -s %s\n", id)
	}
	if ctx.Err() != nil {
		return fail(stoppedBy(ctx), "") // the user has been told already
	}
	return err
}

// announce prints the notices before the answer. A session that is open in another window is no error: a script must
// not fail because a window was left open, and nothing is lost, because that window will add a branch.
func (a *app) announce(ctx context.Context, s *session.Session, out *answerWriter) error {
	for _, notice := range a.notices {
		out.say(out.turn.AddNotice(notice))
	}
	leased, err := a.store.LeasedByOthers(ctx)
	if id := s.Info().ID; id != "" && slices.Contains(leased, id) {
		out.say(out.turn.AddNotice("this chat is open in another window; that window will show this turn when the " +
			"chat is reopened, and messages sent there until then will start a separate branch"))
	}
	if a.choice.FirstListed {
		out.say(out.turn.AddNotice("asking " + s.Model().Ref() + ", the first model that the endpoint lists"))
	}
	return err
}

// tooLong adds to the error of a message that does not fit what a script can change.
func tooLong(err error, endpoint string) error {
	var over *session.OversizeError
	var later *history.OverBudgetError
	switch {
	case errors.As(err, &over):
		return fail(exitFailed, "nothing was sent or saved: %s", over.Sentence(remedies(over, endpoint)))
	case errors.As(err, &later) && len(later.Parts) > 0 && later.Parts[0].Kind == history.RequiredTools:
		return fmt.Errorf("%w; %s offers fewer", err, toolsOff)
	}
	return err
}

// toolsOff is the setting that disables tools of an MCP server.
const toolsOff = `approve = "off" or tools = { NAME = "off" } under [mcp_servers.NAME]`

// remedies returns the settings that help if a request does not fit.
func remedies(over *session.OversizeError, endpoint string) session.OversizeHints {
	return session.OversizeHints{
		Parts: map[history.RequiredPartKind]string{
			history.RequiredDraft:  "shorten it",
			history.RequiredSystem: "[system] prompt", history.RequiredTools: toolsOff,
		},
		Budget: fmt.Sprintf("[context] budget = %d", over.SufficientWindow()),
		Window: fmt.Sprintf("[endpoints.%s] window = %d", endpoint, over.SufficientWindow()),
		Model:  "-m MODEL",
	}
}

// answerWriter prints the events of a turn on standard output and standard error, or collects them for --json.
type answerWriter struct {
	*program
	answer plain.Writer
	turn   report.TurnReport
}

// follow handles events until the turn is over and returns its error.
func (w *answerWriter) follow(events <-chan session.Event) error {
	var end error
	for event := range events {
		w.say(w.turn.Add(event))
		switch event := event.(type) {
		case session.Delta:
			if !w.flags.json {
				w.answer.Piece(event.Text)
			}
		case session.AnswerStored:
			w.answer.EndLine()
		case session.LimitExceeded:
			event.Answer(limits.DoNotSend) // there is nobody to ask; the turn ends with the reason
		case session.Finished:
			end = event.Err
		}
	}
	w.answer.EndLine()
	if end == nil && w.turn.Unfinished() {
		// A script must not mistake a partial answer for a complete one. People have seen the notice of the turn.
		if end = fail(exitProvider, ""); w.flags.json || w.flags.quiet {
			end = fail(exitProvider,
				"the server ended the stream without a finish reason; the answer may be incomplete")
		}
	}
	return end
}

// say prints lines about the turn, unless --json or --quiet is set.
func (w *answerWriter) say(lines []string) {
	if w.flags.json || w.flags.quiet {
		return
	}
	for _, line := range lines {
		w.answer.EndLine()
		w.warn("%s", markdown.Visible(line))
	}
}

const (
	maxInput    = 10 << 20 // bytes that run reads from standard input
	aloneFactor = 30       // how many times longer run waits for a pipe if there is nothing else to send
)

// joinInput returns the text of the arguments followed by standard input. The argument - forces reading standard input.
func (p *program) joinInput(args []string) (string, error) {
	asked := slices.Contains(args, "-")
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-" })
	text := strings.Join(words, " ")
	empty := strings.TrimSpace(text) == ""
	if !asked && !p.inputBegins(empty && len(p.flags.attach) == 0) {
		return text, nil
	}
	read, err := io.ReadAll(io.LimitReader(p.in, maxInput+1))
	switch {
	case err != nil:
		return "", fail(exitFailed, "cannot read standard input: %w", err)
	case len(read) > maxInput:
		return "", fail(exitFailed, "standard input is longer than %d MB, too much for one message", maxInput>>20)
	case empty:
		return string(read), nil
	case len(read) == 0:
		return text, nil
	}
	return text + "\n\n" + string(read), nil
}

// inputBegins reports whether standard input is meant for run and has data or has ended. A pipe may stay open and
// silent forever, as under cron, ssh and editors, so it waits two seconds, or a minute if alone says that there is
// nothing else to send.
func (p *program) inputBegins(alone bool) bool {
	said := "standard input is silent; use - to wait for it"
	if alone {
		said = "waiting for standard input"
	}
	switch {
	case !ownInput(p.in, alone):
		return false
	case readable(p.in, p.inputTimeout):
		return true
	case !p.flags.quiet:
		p.warn(said)
	}
	return alone && readable(p.in, p.inputTimeout*(aloneFactor-1))
}

// ownInput reports whether standard input is meant for run without -: a pipe or a file. Next to a text, a file that was
// partly read belongs to somebody else: in "while read x; do winnow run "about $x"; done <list" it is the rest of the
// list. A pipe does not reveal what was read from it.
func ownInput(in *os.File, alone bool) bool {
	info, err := in.Stat()
	switch {
	case err != nil || term.IsTerminal(in.Fd()) || info.Mode()&os.ModeCharDevice != 0:
		return false
	case !info.Mode().IsRegular() || alone:
		return true
	}
	at, err := in.Seek(0, io.SeekCurrent)
	return err == nil && at == 0
}

// readable waits until a read from file would not block, because there is data or the end. It reads nothing, so that
// later data is left for others who have the file open.
func readable(file *os.File, wait time.Duration) bool {
	polled := []unix.PollFd{{Fd: int32(file.Fd()), Events: unix.POLLIN}}
	for end := time.Now().Add(wait); ; {
		n, err := unix.Poll(polled, int(max(0, time.Until(end)).Milliseconds()))
		if !errors.Is(err, unix.EINTR) { // signals of the Go scheduler interrupt the wait
			return n > 0 || err != nil // the read reports the error
		}
	}
}
