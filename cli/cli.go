// Package cli is the outermost layer of winnow. It reads flags, the environment, the configuration file and paths,
// connects the other packages, runs the commands that need no screen, and turns the result into an exit code. It does
// not decide what a request contains, and knows neither SQL nor the JSON of a provider.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"charm.land/fang/v2"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/llm"
	"winnow/llm/redact"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Main runs winnow with the arguments after the program's name and returns the exit code. It uses the environment, the
// standard streams and the signals of the process.
//
// example is the content of config.toml.example, which config init writes.
func Main(args []string, example []byte) int {
	return int(newProgram(example).main(context.Background(), args))
}

// newProgram returns winnow with the environment and the standard streams of the process.
func newProgram(example []byte) *program {
	log.SetOutput(io.Discard) // net/http logs oddities of servers there, which would garble the screen
	values := map[string]string{}
	for _, variable := range os.Environ() { // a copy, because keys are removed from the environment later
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	return &program{
		in:           os.Stdin,
		out:          &printer{file: os.Stdout},
		err:          os.Stderr,
		env:          func(name string) string { return values[name] },
		now:          time.Now,
		redactor:     new(redact.Redactor),
		build:        buildVersion(),
		example:      example,
		inputTimeout: 2 * time.Second,
	}
}

// program is one run of winnow.
type program struct {
	in           *os.File
	out          *printer
	err          *os.File
	env          func(string) string
	now          func() time.Time
	redactor     *redact.Redactor                // knows the keys once the configuration is loaded
	network      llm.Doer                        // does the HTTP of all endpoints; nil uses the network
	observe      func(turn any, e session.Event) // see session.Deps.Observe
	build        string                          // the version shown to the user
	example      []byte                          // the file that config init writes
	flags        flags
	inputTimeout time.Duration // how long run waits silently for the first data from a pipe
	started      bool          // a command was found and its arguments are valid
	failed       error         // the error that the command returned
}

// main runs the command that args name. An error before the command has started is a usage error; cobra does not mark
// those by a type.
func (p *program) main(ctx context.Context, args []string) exitCode {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out.file) // the help is winnow's own, with colours
	root.SetErr(p.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		p.failed = err
		return nil
	})
	err := fang.Execute(ctx, root,
		fang.WithVersion(p.build),
		fang.WithErrorHandler(func(_ io.Writer, _ fang.Styles, err error) {
			text := exclusiveFlags.ReplaceAllString(err.Error(), "--$1 and --$2 cannot be used together")
			p.reportError(errors.New(text))
		}),
	)
	if failed := cmp.Or(p.failed, p.out.failed); failed != nil && err == nil {
		p.reportError(failed)
		err = failed
	}
	if err != nil && !p.started {
		fmt.Fprintln(p.err, "winnow --help lists the commands and flags.")
		return exitUsage
	}
	return exitOf(err)
}

// exclusiveFlags matches cobra's error for flags that exclude each other.
var exclusiveFlags = regexp.MustCompile(`^if any flags .*; \[(\S+) (\S+).*\] were all set$`)

// reportError prints an error on one line that starts with "winnow: ".
func (p *program) reportError(err error) {
	if text := report.ErrorText(err); text != "" {
		p.warn("%s", text)
	}
}

// warn prints a line on standard error that starts with "winnow: ".
func (p *program) warn(format string, args ...any) {
	fmt.Fprintf(p.err, "winnow: "+format+"\n", args...)
}

// version is the newest version in CHANGELOG.md. The linker of a release sets it, with -ldflags
// "-X winnow/cli.version=v1.0.0".
var version = "v1.0.0"

// buildVersion returns the version, with the commit that the program was built from if that is known.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return version + " (" + s.Value[:min(len(s.Value), 12)] + ")"
			}
		}
	}
	return version
}

// exitCode is the exit code of the process.
type exitCode int

// Scripts may rely on the exit codes.
const (
	exitOK       exitCode = 0 // success
	exitFailed   exitCode = 1 // any other failure
	exitUsage    exitCode = 2 // a wrong flag, argument or configuration file
	exitNotFound exitCode = 3 // no such session, or no such turn in it
	// The endpoint refused the request, failed or could not be reached, its answer broke off, or a spending limit was
	// reached.
	exitProvider    exitCode = 4
	exitInterrupted exitCode = 130 // SIGINT, or the terminal was closed
	exitTerminated  exitCode = 143 // SIGTERM
)

// failure is an error with its exit code. If its text is empty, the user has been told already.
type failure struct {
	exit exitCode
	error
}

func (f failure) Unwrap() error { return f.error }

// fail returns an error for the user that ends the program with the given exit code.
func fail(exit exitCode, format string, args ...any) error {
	return failure{exit, fmt.Errorf(format, args...)}
}

// exitOf returns the exit code for an error.
func exitOf(err error) exitCode {
	var f failure
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &f):
		return f.exit
	case errors.As(err, new(*llm.Error)), errors.As(err, new(*session.ToolError)),
		errors.As(err, new(*session.LimitError)):
		return exitProvider
	case errors.Is(err, store.ErrNotFound), errors.As(err, new(*record.NoRequestError)):
		return exitNotFound
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}

// untilStopped returns a context that is cancelled by the first SIGINT or SIGTERM, and a function that stops listening.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
}

// stoppedError returns an error with the text left, which says what was kept, if a signal stopped the command;
// otherwise it returns err.
func stoppedError(ctx context.Context, err error, left string) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fail(stoppedBy(ctx), "%s", left)
}

// stoppedBy returns the exit code for the signal that cancelled ctx.
func stoppedBy(ctx context.Context) exitCode {
	if cause := context.Cause(ctx); cause != nil && strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()) {
		return exitTerminated
	}
	return exitInterrupted
}

// printer is standard output. On a terminal it makes control characters visible, because what commands print quotes
// models, tools, servers, files and paths. Pipes and files get the bytes unchanged. It remembers a failed write,
// because a command that continues after one has not succeeded.
type printer struct {
	file   *os.File
	failed error // the first failed write
}

func (p *printer) Fd() uintptr { return p.file.Fd() }

// Write writes whole characters.
func (p *printer) Write(text []byte) (int, error) {
	shown := string(text)
	if term.IsTerminal(p.file.Fd()) {
		shown = markdown.Visible(shown)
	}
	return len(text), p.writeVisible(shown)
}

// writeVisible writes text that needs no conversion. It may contain escape sequences of winnow's own.
func (p *printer) writeVisible(text string) error {
	_, err := p.file.WriteString(text)
	if err != nil {
		err = fail(exitFailed, "cannot write to standard output: %w", fileCause(err))
		p.failed = cmp.Or(p.failed, err)
	}
	return err
}

// show prints the result of a command: as JSON with --json, and otherwise as a table, for which value must be a
// report.TableWriter. It redacts secrets in both and reports that on standard error.
func (p *program) show(value any) error {
	clean := p.cleaner()
	defer p.reportRedacted(clean)
	hits, found := value.(report.SearchHits)
	for _, h := range hits { // their secrets were hidden before the snippets were cut
		if h.Hidden {
			clean.Count += strings.Count(h.Snippet, theme.Redacted)
		}
	}
	width, _, _ := term.GetSize(p.out.Fd()) // 0 if it is not a terminal
	page := &report.Page{Clean: clean.Text, Width: width, BoldMatches: width > 0}
	if p.flags.json {
		text, err := page.JSON(value)
		if err != nil {
			return err
		}
		_, err = io.WriteString(p.out, text)
		return err
	}
	value.(report.TableWriter).Table(page)
	if found {
		return p.out.writeVisible(page.String())
	}
	_, err := io.WriteString(p.out, page.String())
	return err
}

// cleaner returns what redacts known keys and possible secrets, or nothing with --no-redact.
func (p *program) cleaner() *redact.Counter {
	if p.flags.noRedact {
		return &redact.Counter{Redact: func(text string) string { return text }}
	}
	return &redact.Counter{Redact: p.redactor.Redact}
}

// redactedText says how many secrets were redacted, "" for none.
func redactedText(c *redact.Counter) string {
	if c.Count == 0 {
		return ""
	}
	return theme.PluralOf(c.Count, "possible secret was", "possible secrets were") + " redacted."
}

// reportRedacted prints on standard error what was redacted and how to see it.
func (p *program) reportRedacted(c *redact.Counter) {
	if text := redactedText(c); text != "" {
		fmt.Fprintln(p.err, strings.TrimSuffix(text, ".")+"; --no-redact shows what they hide.")
	}
}
