//go:build cgo

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/history"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/store"
	"winnow/ui/theme"
)

func (p *program) runCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "run [text]",
		Short: "Answer one message on standard output; standard input is added to the message",
		Long: "run sends the text, followed by what standard input holds, and prints the answer. Standard input is a " +
			"file\n" +
			"that nobody has read from yet, or a pipe, which has 2 seconds to begin; without a text it has a " +
			"minute.\n" +
			"A terminal, a device and the rest of a file that somebody else reads, such as a while read loop, are " +
			"left\n" +
			"alone: - in the place of a text reads them, to the end and for as long as it takes. A loop that " +
			"reads a\n" +
			"pipe needs </dev/null: run would take the rest of the pipe. More than 10 MB are too much.",
		Example: "  winnow run \"why is the sky blue?\"\n" +
			"  git diff | winnow run \"review this\"\n" +
			"  make 2>&1 | winnow run \"explain the errors\" -\n" +
			"  winnow run -a shot.png \"what is wrong here?\"\n" +
			"  winnow run -c \"and now in French\"\n" +
			"  winnow run --allow-tool 'github__get_*' \"what is new in issue 12?\"",
		Args: func(*cobra.Command, []string) error { return p.oneSession() },
		RunE: p.do(func(ctx context.Context, args []string) error {
			return p.runOnce(ctx, args)
		}),
	}
	p.sessionFlags(c)
	p.outputFlags(c)
	return c
}

// runOnce sends one message, of the arguments and standard input, and writes the answer as it arrives. The first signal
// ends the answer in order, and what arrived is kept; a second one ends the program, and so does the first one while
// standard input is read.
func (p *program) runOnce(ctx context.Context, args []string) error {
	f := p.flags
	if f.noSave && (f.last || f.lastToo || f.session != "") {
		return fail(Usage, "--no-save cannot be used with -c or -s: a session is saved")
	}
	for _, pattern := range f.allowTools {
		if approval.CheckPattern(pattern) != nil {
			return fail(Usage, "--allow-tool is %q, which is not a valid pattern for tool names; * matches any "+
				"characters", pattern)
		}
	}
	draft, err := p.joinInput(args)
	if err != nil {
		return err
	}
	if strings.TrimSpace(draft) == "" && len(f.attach) == 0 {
		return fail(Usage, "the message is empty: pass it as an argument or on standard input")
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	k, err := p.open(ctx, toRun)
	if err != nil {
		return err
	}
	defer k.close()
	p.reportSalvage(k.store)
	k.deps.Approval.Unattended, k.deps.Approval.Allow = true, f.allowTools
	if k.choice.Closed != nil {
		return fail(Provider, "%w", k.choice.Closed)
	}
	s, err := k.start(ctx)
	if err != nil {
		return err
	}
	if err := unready(s); err != nil {
		return err
	}
	out := answerWriter{out: p.out, err: p.err, json: f.json, quiet: f.quiet, named: k.stored}
	if term.IsTerminal(p.err.Fd()) && !f.quiet {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		out.wait = waitLine{out: p.err, ticks: ticker.C}
	}
	for _, notice := range k.notices {
		out.notice(notice)
	}
	if err := k.warnLeased(ctx, s, &out); err != nil {
		return err
	}
	if k.choice.Listed {
		out.notice("asking " + s.Model().Ref() + ", the first model that the endpoint lists")
	}
	files, err := p.attached(s)
	if err != nil {
		return err
	}
	err = tooLong(out.follow(s.Send(ctx, session.Draft{Text: draft, Files: files})), s.Info().Endpoint)
	if err != nil {
		k.log.Error("the turn ended", "session", s.Info().ID, "error", session.ErrorCode(err))
	}
	if f.json {
		id := s.Info().ID
		if k.temporary {
			id = ""
		}
		err = firstError(report.WriteJSON(p.out, out.turn.JSON(id, s.Model().Ref(), err, ctx.Err() != nil)), err)
	}
	if s.Info().ID != "" {
		if fault := k.exchangeOnce(ctx); fault != nil && term.IsTerminal(p.err.Fd()) {
			out.say(theme.UpperFirst(theme.Sentence(fault)))
		}
	}
	if ctx.Err() != nil {
		p.suggestResume(k, s.Info())
		return &failure{exit: stoppedBy(ctx)} // What there was to say has been said.
	}
	if err == nil && !f.quiet && term.IsTerminal(p.err.Fd()) {
		p.suggestResume(k, s.Info())
	}
	return err
}

// unready is the failure of a session that cannot be continued as it is, nil for any other.
func unready(s *session.Session) error {
	err := s.Ready()
	var other *session.OtherAddressError
	switch {
	case errors.As(err, &other):
		return fail(Usage, "nothing was sent: %w; -m %s agrees to that", err, s.Model().Ref())
	case err != nil:
		return fail(Provider, "%w", err)
	}
	return nil
}

// tooLong names what a script can change where a message does not fit.
func tooLong(err error, endpoint string) error {
	var over *session.OversizeError
	if later := (*history.OverBudgetError)(nil); !errors.As(err, &over) {
		if errors.As(err, &later) && len(later.Parts) > 0 && later.Parts[0].Kind == history.PartTools {
			return fmt.Errorf("%w; %s offers fewer", err, toolsOff)
		}
		return err
	}
	return fail(Failed, "nothing was sent or saved: %s", waysOut(over, endpoint))
}

// toolsOff is the setting that leaves out the tools of an MCP server.
const toolsOff = `approve = "off" or tools = { NAME = "off" } under [mcp_servers.NAME]`

// waysOut says by how much a request does not fit, and what in the configuration helps.
func waysOut(over *session.OversizeError, endpoint string) string {
	return over.Sentence(func(what string) string {
		switch what {
		case string(history.PartSystem):
			return "[system] prompt"
		case string(history.PartTools):
			return toolsOff
		case string(history.BoundBudget), string(history.BoundMaxContext):
			return fmt.Sprintf("[context] budget = %d", over.Enough())
		case string(history.BoundWindow):
			server, settable := over.LargerWindow()
			if settable {
				return fmt.Sprintf("[endpoints.%s] window = %d", endpoint, over.Enough())
			}
			return cmp.Or(server, "-m MODEL")
		case string(history.PartDraft):
			return "shorten it"
		}
		return ""
	})
}

// stored is what the command line calls a session, "" where it is not kept.
func (k *conversation) stored(id string) string {
	if k.temporary || id == "" {
		return ""
	}
	return k.shortID(id)
}

// attached are the files that hang on the message.
func (p *program) attached(s *session.Session) ([]history.Part, error) {
	var files []history.Part
	for _, path := range p.flags.attach {
		part, err := s.Attach(path)
		if err != nil {
			return nil, fail(Usage, "%w", err)
		}
		files = append(files, part)
	}
	return files, nil
}

// warnLeased says that a window has the session open. The turn goes on: a script is not to fail
// for a window that somebody left open, and nothing is lost, because what the window adds is a branch.
func (k *conversation) warnLeased(ctx context.Context, s *session.Session, out *answerWriter) error {
	id := s.Info().ID
	if id == "" {
		return nil
	}
	leased, err := k.store.Leased(ctx)
	if slices.Contains(leased, id) {
		out.notice("this session is open in a chat; it will show this turn when the session is opened again, and " +
			"what is written there until then goes on a separate branch")
	}
	return err
}

func firstError(a, b error) error {
	if b != nil {
		return b
	}
	return a
}

// suggestResume says how to go on with a session, if anything of it was saved.
func (p *program) suggestResume(k *conversation, info store.Session) {
	if info.ID == "" || k.temporary {
		return
	}
	fmt.Fprintf(p.err, "winnow -s %s\n", k.shortID(info.ID))
}
