// Package cli is the rim of winnow: it reads flags, the environment, the configuration file and paths, puts the rooms
// together, runs the commands that need no screen, and turns the outcome into an exit code. It decides nothing about a
// context, knows no SQL and no provider's JSON, and draws no screen.
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

// Main runs winnow with the arguments after the program's name and returns the exit code: see Exit. It reads the
// process's environment, standard input and output, and handles its signals.
//
// example is config.toml.example, which config init writes.
func Main(args []string, example []byte) int {
	return int(newProgram(example).main(context.Background(), args))
}

// newProgram is winnow in the process's surroundings.
func newProgram(example []byte) *program {
	log.SetOutput(io.Discard) // net/http writes to it what it thinks of a strange server, in the middle of the screen.
	values := map[string]string{}
	for _, variable := range os.Environ() { // Keys are taken out of it later.
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	return &program{
		in:       os.Stdin,
		out:      &printer{file: os.Stdout},
		err:      os.Stderr,
		env:      func(name string) string { return values[name] },
		now:      time.Now,
		redactor: new(redact.Redactor),
		build:    buildVersion(),
		example:  example,
		patience: 2 * time.Second,
	}
}

// program is one run of winnow: where it reads and writes, and what its flags said.
type program struct {
	in       *os.File
	out      *printer
	err      *os.File
	env      func(string) string
	now      func() time.Time
	redactor *redact.Redactor                // knows the keys, once the configuration was read
	network  llm.Doer                        // does the HTTP of all endpoints; nil is the network
	observe  func(turn any, e session.Event) // session.Deps.Observe
	build    string                          // the version shown to people
	example  []byte                          // the configuration file that config init writes
	flags    flags
	patience time.Duration // how long run waits for a pipe to begin before it says so
	started  bool          // a command was found and its arguments were right
	failed   error         // what the command came back with
}

// main runs the command that args name. An error that comes before the command has started is one of usage: cobra gives
// those no type of their own.
func (p *program) main(ctx context.Context, args []string) Exit {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out.file) // The help is winnow's own, with colours.
	root.SetErr(p.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		p.failed = err
		return nil
	})
	err := fang.Execute(ctx, root,
		fang.WithVersion(p.build),
		fang.WithErrorHandler(func(_ io.Writer, _ fang.Styles, err error) {
			p.reportError(errors.New(together.ReplaceAllString(err.Error(), "--$1 and --$2 cannot be used together")))
		}),
	)
	if failed := cmp.Or(p.failed, p.out.failed); failed != nil && err == nil {
		p.reportError(failed)
		err = failed
	}
	if err != nil && !p.started {
		fmt.Fprintln(p.err, "winnow --help lists the commands and flags.")
		return Usage
	}
	return exitOf(err)
}

// together is what cobra says of two flags that exclude each other.
var together = regexp.MustCompile(`^if any flags .*; \[(\S+) (\S+).*\] were all set$`)

// reportError writes an error as one line that starts with the program's name.
func (p *program) reportError(err error) {
	if text := report.ErrorText(err); text != "" {
		p.warn("%s", text)
	}
}

// warn writes a line on standard error that starts with the program's name.
func (p *program) warn(format string, args ...any) {
	fmt.Fprintf(p.err, "winnow: "+format+"\n", args...)
}

// version is the newest version in CHANGELOG.md.
const version = "v1.0.0"

// release is the version of a prebuilt binary. The linker sets it, with -ldflags "-X winnow/cli.release=v1.0.0".
var release string

// buildVersion is the version of this program, with the commit where it was built from a clone.
func buildVersion() string {
	built := version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				built += " (" + s.Value[:min(len(s.Value), 12)] + ")"
			}
		}
	}
	return cmp.Or(release, built)
}

// Exit is what the process ends with.
type Exit int

// The exit codes. Scripts may count on them.
const (
	OK       Exit = 0 // it worked
	Failed   Exit = 1 // it did not
	Usage    Exit = 2 // a flag, an argument or the configuration file is wrong
	NotFound Exit = 3 // no such session, or no such turn in it
	// The endpoint refused, failed, could not be reached or stopped in the middle, or a limit kept the request back.
	Provider    Exit = 4
	Interrupted Exit = 130 // stopped by SIGINT, or by a terminal that went away
	Terminated  Exit = 143 // stopped by SIGTERM
)

// failure is an error with the exit code it leads to. One without a text has been told already.
type failure struct {
	exit Exit
	error
}

func (f failure) Unwrap() error { return f.error }

// fail makes an error for the user that ends the program with the given code.
func fail(exit Exit, format string, args ...any) error {
	return failure{exit, fmt.Errorf(format, args...)}
}

// exitOf is the exit code an error leads to.
func exitOf(err error) Exit {
	var f failure
	switch {
	case err == nil:
		return OK
	case errors.As(err, &f):
		return f.exit
	case errors.As(err, new(*llm.Error)), errors.As(err, new(*session.ToolError)),
		errors.As(err, new(*session.LimitError)):
		return Provider
	case errors.Is(err, store.ErrNotFound), errors.As(err, new(*record.NoRequestError)):
		return NotFound
	case errors.Is(err, context.Canceled):
		return Interrupted
	}
	return Failed
}

// untilStopped returns a context that ends with the first SIGINT or SIGTERM, and a function that stops listening.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
}

// stopped is the error of a command that a signal ended, with what it left behind in words; it is err where none did.
func stopped(ctx context.Context, err error, left string) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fail(stoppedBy(ctx), "%s", left)
}

// stoppedBy is the exit code of a program that a signal has stopped, by the context that the signal ended.
func stoppedBy(ctx context.Context) Exit {
	if cause := context.Cause(ctx); cause != nil && strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()) {
		return Terminated
	}
	return Interrupted
}

// printer is standard output. What a command writes quotes models, tools, servers, files and paths, so on a terminal
// everything that a terminal would act on is made visible, at this one place. A pipe and a file get the bytes as they
// are. What could not be written is remembered: a command that goes on after it has not succeeded.
type printer struct {
	file   *os.File
	failed error // the first write that did not reach the file
}

func (p *printer) Fd() uintptr { return p.file.Fd() }

// Write writes whole characters.
func (p *printer) Write(text []byte) (int, error) {
	shown := string(text)
	if term.IsTerminal(p.file.Fd()) {
		shown = markdown.Visible(shown)
	}
	return len(text), p.visible(shown)
}

// visible writes what is visible already, and may hold attributes of winnow's own.
func (p *printer) visible(text string) error {
	_, err := p.file.WriteString(text)
	if err != nil {
		err = fail(Failed, "cannot write to standard output: %w", fileCause(err))
		p.failed = cmp.Or(p.failed, err)
	}
	return err
}

// show prints what a command found: as JSON where that was asked for, else as a table, which value has to be a
// report.View for. Secrets stay out of both, and that is said on standard error.
func (p *program) show(value any) error {
	clean := p.cleaner()
	defer p.reportRedacted(clean)
	hits, found := value.(report.Hits)
	for _, h := range hits { // their secrets were hidden before the snippets were cut
		if h.Hidden {
			clean.count += strings.Count(h.Snippet, redactedSign)
		}
	}
	width, _, _ := term.GetSize(p.out.Fd()) // 0 where a program reads
	page := &report.Page{Clean: clean.text, Width: width, Bold: width > 0}
	if p.flags.json {
		text, err := page.JSON(value)
		if err != nil {
			return err
		}
		_, err = io.WriteString(p.out, text)
		return err
	}
	value.(report.View).Table(page)
	if found {
		return p.out.visible(page.String())
	}
	_, err := io.WriteString(p.out, page.String())
	return err
}

// cleaner takes secrets out of texts and counts them.
type cleaner struct {
	redact func(string) string
	count  int
}

// redactedSign is what stands where a secret was.
const redactedSign = "[redacted]"

func (c *cleaner) text(text string) string {
	clean := c.redact(text)
	c.count += strings.Count(clean, redactedSign) - strings.Count(text, redactedSign)
	return clean
}

// cleaner takes out known keys and what looks like a secret, nothing with --no-redact.
func (p *program) cleaner() *cleaner {
	if p.flags.noRedact {
		return &cleaner{redact: func(text string) string { return text }}
	}
	return &cleaner{redact: p.redactor.Text}
}

// sentence says that what is written is not all that was said, "" where it is.
func (c *cleaner) sentence() string {
	if c.count == 0 {
		return ""
	}
	return theme.PluralOf(c.count, "possible secret was", "possible secrets were") + " redacted."
}

// reportRedacted says on standard error what was redacted, and how to see it.
func (p *program) reportRedacted(c *cleaner) {
	if text := c.sentence(); text != "" {
		fmt.Fprintln(p.err, strings.TrimSuffix(text, ".")+"; --no-redact shows what they hide.")
	}
}
