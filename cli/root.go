//go:build cgo

package cli

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"winnow/llm"
	"winnow/ui/theme"
)

// flags is what the command line said.
type flags struct {
	config, db, model string
	debug             bool

	last      bool   // -c
	lastToo   bool   // -C, as in other clients
	pick      bool   // -r
	session   string // -s
	persona   string // -P
	prompt    string // -p
	attach    []string
	json      bool
	noSave    bool
	quiet     bool
	temporary bool
	plain     bool

	allowTools []string
}

// root is the command tree.
func (p *program) root() *cobra.Command {
	f := &p.flags
	root := &cobra.Command{
		Use:   "winnow",
		Short: "A terminal chat that shows, message by message, what the model sees",
		Long: "winnow is a terminal chat client that shows, message by message, what the model sees:\n" +
			"what is kept, cut and dropped of the conversation, and why.",
		Example: "  # start a chat, continue the last session, choose from the sessions about parsers\n" +
			"  winnow\n" +
			"  winnow -c\n" +
			"  winnow -r parser\n\n" +
			"  # one answer, on standard output\n" +
			"  git diff | winnow run \"review\"",
		Args: func(_ *cobra.Command, args []string) error { return p.rootArgs(args) },
		RunE: p.do(func(ctx context.Context, args []string) error {
			if f.prompt != "" {
				return p.runOnce(ctx, []string{f.prompt})
			}
			return p.chat(ctx, strings.Join(args, " "))
		}),
	}
	all := root.PersistentFlags()
	all.StringVar(&f.config, "config", "", "the configuration file")
	all.StringVar(&f.db, "db", "", "the database of conversations")
	all.StringVarP(&f.model, "model", "m", "", "the model, as endpoint/model")
	root.RegisterFlagCompletionFunc("model", p.completeModel)
	all.BoolVar(&f.debug, "debug", false, "write a log, with secrets redacted")
	own := root.Flags()
	p.sessionFlags(root)
	own.BoolVarP(&f.lastToo, "last", "C", false, "the same as -c")
	own.BoolVarP(&f.pick, "resume", "r", false, "choose a session; words that follow narrow the list")
	own.BoolVar(&f.plain, "plain", false, "chat in lines of text, for screen readers and pipes")
	own.BoolVar(&f.temporary, "temporary", false, "start a chat that leaves nothing on disk")
	own.StringVarP(&f.prompt, "prompt", "p", "", "answer this text and exit, as winnow run does")
	p.outputFlags(root)
	root.AddCommand(p.runCommand(), p.sessionsCommand(), p.contextCommand(), p.repairCommand(), p.configCommand(),
		p.doctorCommand(), p.keysCommand(), p.modelsCommand(), p.toolsCommand(), p.usageCommand(), p.dbCommand(),
		p.syncCommand(), p.importAlias())
	return root
}

// sessionFlags are the flags that name an existing session.
func (p *program) sessionFlags(c *cobra.Command) {
	c.Flags().BoolVarP(&p.flags.last, "continue", "c", false, "continue the last session")
	c.Flags().StringVarP(&p.flags.session, "session", "s", "",
		"open the session with this id, or the beginning of its id")
	c.RegisterFlagCompletionFunc("session", p.completeSession)
	c.Flags().StringVarP(&p.flags.persona, "persona", "P", "", "use the system prompt of this persona; winnow config "+
		"personas lists them")
	c.RegisterFlagCompletionFunc("persona", p.completePersona)
	c.Flags().StringArrayVarP(&p.flags.attach, "attach", "a", nil, "attach this text file or image; may be repeated")
}

// outputFlags are the flags of a single answer.
func (p *program) outputFlags(c *cobra.Command) {
	c.Flags().BoolVar(&p.flags.json, "json", false, "print the answer as one JSON object")
	c.Flags().BoolVar(&p.flags.noSave, "no-save", false, "leave nothing on disk")
	c.Flags().BoolVarP(&p.flags.quiet, "quiet", "q", false, "print nothing but the answer and errors")
	c.Flags().StringArrayVar(&p.flags.allowTools, "allow-tool", nil, "run this tool without asking; may be repeated, "+
		"* matches any characters")
}

// rootArgs says what is wrong with words that are no command.
func (p *program) rootArgs(args []string) error {
	f := p.flags
	if err := p.oneSession(); err != nil {
		return err
	}
	if f.prompt != "" && f.pick {
		return fail(Usage, "-p and -r cannot be used together")
	}
	if f.temporary && (f.prompt != "" || f.pick || f.last || f.lastToo || f.session != "") {
		return fail(Usage, "--temporary starts a new chat, so it cannot be used with -p or with a session")
	}
	if (f.json || f.noSave || f.quiet || f.allowTools != nil) && f.prompt == "" {
		return fail(Usage, "--json, --no-save, --quiet and --allow-tool need winnow run or -p")
	}
	if len(args) == 0 || f.pick {
		return nil
	}
	return fail(Usage, "there is no command %q%s", args[0], llm.DidYouMean(args[0], commandNames))
}

// oneSession says whether the flags name more than one session.
func (p *program) oneSession() error {
	named := 0
	for _, is := range []bool{p.flags.last || p.flags.lastToo, p.flags.pick, p.flags.session != ""} {
		if is {
			named++
		}
	}
	if named > 1 {
		return fail(Usage, "-c, -r and -s cannot be used together")
	}
	return nil
}

// takes says what a command's arguments are where there are fewer or more of them; most is -1 for
// any number.
func takes(what string, least, limit int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || (limit >= 0 && len(args) > limit) {
			return fail(Usage, "%s takes %s", c.CommandPath(), what)
		}
		return nil
	}
}

// plainCommand is a command without arguments.
func (p *program) plainCommand(use, short string, run func(context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  takes("no arguments", 0, 0),
		RunE:  p.do(func(ctx context.Context, _ []string) error { return run(ctx) }),
	}
}

// commandNames are the words a mistyped command is compared with.
var commandNames = []string{
	"run", "sessions", "import", "context", "repair", "config", "doctor", "keys", "models", "tools", "usage", "db",
	"sync", "man", "completion", "help",
}

// do makes a command's function from what it does. The error goes past cobra, which would take it
// for one of usage.
func (p *program) do(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if p.failed != nil {
			return nil // the arguments were wrong
		}
		p.started = true
		if p.failed = emptyFlag(c); p.failed == nil {
			p.failed = f(c.Context(), args)
		}
		return nil
	}
}

// group makes a command that only holds others. Alone it does what its first one does.
func group(c *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	names := make([]string, len(subs))
	for i, s := range subs {
		names[i] = s.Name()
	}
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return fail(Usage, "there is no command %q in %s; use %s%s", args[0], c.CommandPath(), theme.Choices(names),
			llm.DidYouMean(args[0], names))
	}
	c.RunE = subs[0].RunE
	c.AddCommand(subs...)
	return c
}

// kinds are the values of flags that are not any text, in words.
var kinds = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number",
	"int64":    "a whole number",
	"intSlice": "whole numbers",
}

// explainFlag says what a flag takes where it was given something else: the flag package would quote
// the function that could not read it.
func explainFlag(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag := invalid.GetFlag()
	takes, known := kinds[flag.Value.Type()]
	if !known {
		return err
	}
	if errors.Is(err, strconv.ErrRange) {
		return fail(Usage, "--%s is %s, which is too large", flag.Name, invalid.GetValue())
	}
	return fail(Usage, "--%s is %q; must be %s", flag.Name, invalid.GetValue(), takes)
}

// emptyFlag refuses a flag that says where or which and then names nothing: behind it mostly stands a
// variable of a script that is not set, and the default would be the user's own history.
func emptyFlag(c *cobra.Command) error {
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Value.String() == "" &&
			slices.Contains([]string{"config", "db", "model", "new-key", "persona", "prompt", "session"}, f.Name) {
			err = fail(Usage, "--%s is empty; it needs a value", f.Name)
		}
	})
	return err
}
