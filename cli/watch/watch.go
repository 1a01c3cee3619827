// Package watch has the commands of winnow watch: they start another program or wait for its requests, and print what
// was recorded. It does not read requests or compare them.
package watch

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"winnow/llm/watch"
	recorded "winnow/session/watch"
	screen "winnow/ui/watch"
)

// Program is what the commands need of the rest of winnow.
type Program struct {
	// Command returns a command, and WithJSON adds --json to it.
	Command  func(use, short string, run func(ctx context.Context, args []string) error) *cobra.Command
	WithJSON func(*cobra.Command) *cobra.Command

	// Show prints a report.TableWriter, or with --json its JSON.
	Show func(report any) error

	Redact   func(text string) string // hides secrets
	Env      func(name string) string
	In       *os.File
	Out, Err io.Writer
	Terminal bool // there is a terminal to draw on and to ask on

	// Fail returns an error that ends winnow with an exit code.
	Fail func(exit int, format string, args ...any) error
	// Open opens the recorded requests. It removes API keys from the environment.
	Open func(ctx context.Context) (*Opened, error)
	// Chat makes a chat of a request and opens it.
	Chat func(ctx context.Context, o *Opened, request int64) error
}

// Opened is the opened file of recorded requests, and what depends on the configuration.
type Opened struct {
	*recorded.Store
	Upstreams []watch.Upstream // the configured endpoints
	Screen    screen.Options
}

// usage is winnow's exit code for wrong arguments.
const usage = 2

// commands are the commands of one run of winnow.
type commands struct {
	Program
	port int  // of serve and setup
	raw  bool // of show
	all  bool // of forget
}

// Command returns winnow watch with its commands.
func Command(p Program) *cobra.Command {
	c := &commands{Program: p}
	root := p.Command("watch [PROGRAM...]", "See what another program sends to a model", c.watch)
	root.Long = "watch starts PROGRAM so that its requests pass through winnow, which records them and changes " +
		"nothing. Without PROGRAM it shows what was recorded, live."
	root.Example = "  winnow watch -- codex   # and winnow watch in another terminal"
	serve := p.Command("serve", "Record programs that are started elsewhere", c.serve)
	setup := p.Command("setup [PROGRAM]", "Print how to point a program at winnow watch serve", c.setup)
	for _, sub := range []*cobra.Command{serve, setup} {
		sub.Flags().IntVar(&c.port, "port", 4141, "the port on 127.0.0.1")
	}
	show := p.WithJSON(p.Command("show REQUEST", "Print a request, block by block", c.show))
	show.Flags().BoolVar(&c.raw, "raw", false, "print the exact bytes that were sent")
	forget := p.Command("forget [REQUEST...]", "Delete recorded requests", c.forget)
	forget.Flags().BoolVar(&c.all, "all", false, "delete all of them")
	root.AddCommand(
		serve, setup,
		p.WithJSON(p.Command("list", "List the recorded requests", c.list)),
		show,
		p.WithJSON(p.Command("diff REQUEST [REQUEST]", "Print what changed since the request before", c.diff)),
		p.WithJSON(p.Command("search TEXT...", "Search in the recorded requests", c.search)),
		p.Command("export REQUEST", "Print a request and its answer, with secrets redacted", c.export),
		forget,
	)
	return root
}

// with opens the recorded requests for the time that do runs.
func (c *commands) with(ctx context.Context, do func(o *Opened) error) error {
	o, err := c.Open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(o), o.Close())
}

// watch starts a program, or shows what was recorded.
func (c *commands) watch(ctx context.Context, args []string) error {
	environ := os.Environ() // with the keys, which the program needs
	return c.with(ctx, func(o *Opened) error {
		switch {
		case len(args) > 0:
			return c.start(ctx, o, environ, args)
		case !c.Terminal:
			return c.Fail(usage, "the screen needs a terminal; winnow watch list prints the requests")
		}
		request, err := screen.Run(ctx, o.Screen)
		if err == nil && request != 0 {
			err = c.Chat(ctx, o, request)
		}
		return err
	})
}

// start runs a program until it ends, and ends with its exit code.
func (c *commands) start(ctx context.Context, o *Opened, environ, args []string) error {
	if err := c.askSubscription(ctx, o, args[0]); err != nil {
		return err
	}
	l, err := watch.Listen(0)
	if err != nil {
		return err
	}
	proxy := c.proxy(ctx, o, strings.ToLower(rand.Text()))
	proxy.Client = filepath.Base(args[0])
	folder, err := os.MkdirTemp("", "winnow-watch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	launch, err := watch.RecipeFor(args[0])(watch.Target{
		Base: fmt.Sprintf("http://%s/r/%s", l.Addr(), proxy.Run), Env: c.Env, Folder: folder,
	})
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- proxy.Serve(serving, l) }()
	err = launch.Run(args, environ)
	stop()
	<-ended
	if launch.Note != "" && c.Terminal {
		fmt.Fprintln(c.Err, launch.Note)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return c.Fail(exit.ExitCode(), "")
	}
	return err
}

// proxy returns a proxy that records into the opened file.
func (c *commands) proxy(ctx context.Context, o *Opened, run string) *watch.Proxy {
	// Garbage is collected when the heap reaches this size, so seldom while requests pass.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(26 << 20)
	return &watch.Proxy{
		Run: run, Upstreams: watch.Upstreams(c.Env, o.Upstreams...), Recorder: o.Store,
		Subscription: func() bool { return o.Agreed(ctx) },
	}
}

// subscription is asked once before Claude Code runs without an API key.
const subscription = `Without ANTHROPIC_API_KEY, Claude Code signs in with your subscription. Anthropic says: “Using
OAuth tokens obtained through Claude Free, Pro, or Max accounts in any other product, tool, or service — including the
Agent SDK — is not permitted” (code.claude.com/docs/en/legal-and-compliance). winnow would pass the token on unchanged,
for Claude Code alone, and would not store it. An API key is the safe way.
Pass it on? [y/N] `

// askSubscription asks the user, once, whether a subscription's token may be passed on.
func (c *commands) askSubscription(ctx context.Context, o *Opened, program string) error {
	key := c.Env("ANTHROPIC_API_KEY") + c.Env("ANTHROPIC_AUTH_TOKEN")
	if filepath.Base(program) != "claude" || key != "" || !c.Terminal || o.Agreed(ctx) {
		return nil
	}
	fmt.Fprint(c.Err, subscription)
	answer, _ := bufio.NewReader(c.In).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("nothing was started; set ANTHROPIC_API_KEY to use an API key")
	}
	return o.Agree(ctx)
}

// serve records until it is stopped.
func (c *commands) serve(ctx context.Context, _ []string) error {
	return c.with(ctx, func(o *Opened) error {
		run, err := o.Run(ctx)
		if err != nil {
			return err
		}
		l, err := watch.Listen(c.port)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "Listening on %s until ctrl+c. winnow watch setup prints how to use it.\n", l.Addr())
		ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		return c.proxy(ctx, o, run).Serve(ctx, l)
	})
}

// setup prints the settings that point a program at winnow watch serve.
func (c *commands) setup(ctx context.Context, args []string) error {
	return c.with(ctx, func(o *Opened) error {
		run, err := o.Run(ctx)
		if err != nil {
			return err
		}
		program := append(args, "# then start the program in this shell")[0]
		launch, err := watch.RecipeFor(program)(watch.Target{
			Base: fmt.Sprintf("http://127.0.0.1:%d/r/%s", c.port, run), Env: c.Env,
		})
		for _, line := range launch.Shell(program) {
			fmt.Fprintln(c.Out, line)
		}
		return err
	})
}
