package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"winnow/llm"
	"winnow/ui/theme"
)

// flags holds the flags that more than one function needs.
type flags struct {
	config, db, model, session string
	attach, allowTools         []string
	last, pick                 bool // -c, -r
	plain, temporary, noSave   bool
	json, quiet                bool
	debug, noRedact            bool

	draft, budget, preset, turn, diff string // of the command context
	wire, prompt                      bool
	format, out, copies               string // of export and purge
	all, list, yes                    bool
}

// root returns the command tree.
func (p *program) root() *cobra.Command {
	f := &p.flags
	root := p.command("winnow", "A terminal chat that shows, message by message, what the model sees",
		func(ctx context.Context, args []string) error { return p.chat(ctx, strings.Join(args, " ")) })
	root.Example = "  winnow -c           # continue the last chat\n" +
		"  winnow -r parser    # choose from the chats about parsers\n" +
		"  git diff | winnow run \"review\""
	all := root.PersistentFlags()
	all.StringVar(&f.config, "config", "", "the configuration file")
	all.StringVar(&f.db, "db", "", "the database of chats")
	all.StringVarP(&f.model, "model", "m", "", "the model, as endpoint/model")
	all.BoolVar(&f.debug, "debug", false, "write a log, with secrets redacted")
	all.BoolVar(&f.noRedact, "no-redact", false, "show possible secrets")
	p.sessionFlags(root)
	root.Flags().BoolVarP(&f.pick, "resume", "r", false, "choose a chat; words that follow narrow the list")
	root.Flags().BoolVar(&f.plain, "plain", false, "chat in lines of text, for screen readers and pipes")
	root.Flags().BoolVar(&f.temporary, "temporary", false, "start a chat that leaves nothing on disk")
	root.MarkFlagsMutuallyExclusive("continue", "session", "resume", "temporary")
	root.AddCommand(p.runCommand(), p.sessionsCommand(), p.contextCommand(), p.repairCommand(), p.configCommand(),
		p.doctorCommand(), p.keysCommand(), p.modelsCommand(), p.toolsCommand(), p.usageCommand(), p.dbCommand(),
		p.syncCommand(), p.watchCommand())
	return root
}

// sessionFlags adds the flags of the commands that send messages.
func (p *program) sessionFlags(c *cobra.Command) {
	c.Flags().BoolVarP(&p.flags.last, "continue", "c", false, "continue the last chat")
	c.Flags().StringVarP(&p.flags.session, "session", "s", "", "open the chat with this id, or its beginning")
	c.Flags().StringArrayVarP(&p.flags.attach, "attach", "a", nil, "attach this text file or image; may be repeated")
}

// withJSON adds the flag --json.
func (p *program) withJSON(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&p.flags.json, "json", false, "print JSON")
	return c
}

// pathCommand returns a command that prints a path.
func (p *program) pathCommand(short string, find func() (string, error)) *cobra.Command {
	return p.command("path", short, func(context.Context, []string) error {
		path, err := find()
		if err == nil {
			fmt.Fprintln(p.out, path)
		}
		return err
	})
}

// command returns a command. Its use line defines its arguments: NAME is required, [NAME] is optional, and NAME... may
// be repeated; ID is the id of a session. An error is kept in p.failed instead of being returned to fang, which queries
// the terminal for its colours before it prints an error, and waits for seconds if the terminal does not answer.
func (p *program) command(
	use, short string, run func(ctx context.Context, args []string) error,
) *cobra.Command {
	words := strings.Fields(use)[1:]
	least, most := len(words)-strings.Count(use, "["), len(words)
	if strings.Contains(use, "...") {
		most = math.MaxInt
	}
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case p.failed != nil, p.flags.pick: // an unknown flag, or words that narrow the list
		case c.HasSubCommands() && len(args) > 0 && c.ArgsLenAtDash() != 0:
			c.SuggestionsMinimumDistance = 2 // in letters
			p.failed = fail(exitUsage, "%s has no command %q%s", c.CommandPath(), args[0],
				llm.DidYouMean(args[0], c.SuggestionsFor(args[0])))
		case len(args) < least || len(args) > most:
			p.failed = fail(exitUsage, "usage: %s", strings.TrimSuffix(c.UseLine(), " [flags]"))
		}
		if p.failed = cmp.Or(p.failed, wrongFlags(c)); p.failed == nil {
			p.started = true
			p.failed = run(c.Context(), args)
		}
		return nil
	}
	if len(words) == 0 || strings.Contains(use, "ID") {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	return c
}

// restrictFlag restricts the values of a flag to choices.
func restrictFlag(c *cobra.Command, flag string, choices ...string) {
	c.Flags().SetAnnotation(flag, "choices", choices)
	c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

// wrongFlags returns an error for an invalid value of a flag. An empty value is refused: it usually comes from an unset
// variable of a script, and the default would be the user's own history.
func wrongFlags(c *cobra.Command) error {
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		value, choices := f.Value.String(), f.Annotations["choices"]
		switch {
		case err != nil:
		case value == "" && f.Name != "draft":
			err = fail(exitUsage, "--%s is empty; it needs a value", f.Name)
		case f.Value.Type() == "int" && (value == "0" || value[0] == '-'):
			err = fail(exitUsage, "--%s is %s; must be 1 or more", f.Name, value)
		case choices != nil && !slices.Contains(choices, value):
			err = fail(exitUsage, "--%s is %q; must be %s%s", f.Name, value, theme.JoinOr(choices),
				llm.DidYouMean(value, choices))
		}
	})
	return err
}

// group returns a command with subcommands. Without a subcommand it runs the first one.
func group(name, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Args: cobra.ArbitraryArgs, RunE: subs[0].RunE}
	c.AddCommand(subs...)
	return c
}
