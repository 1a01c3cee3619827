//go:build cgo

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/llm"
	"winnow/llm/keys"
	"winnow/ui/markdown"
)

func (p *program) keysCommand() *cobra.Command {
	return group(&cobra.Command{Use: "keys", Short: "List, store and delete the API keys of endpoints"},
		p.keysList(), p.keysSet(), p.keysDelete())
}

func (p *program) keysList() *cobra.Command {
	var asJSON bool
	c := p.plainCommand("list", "List where the key of each endpoint comes from", func(context.Context) error {
		return p.listKeySources(asJSON)
	})
	c.Long = "list shows where the key of each endpoint comes from, but never the key or a part of it. It does not " +
		"query the keyring and runs no command."
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

func (p *program) keysSet() *cobra.Command {
	var toFile bool
	c := &cobra.Command{
		Use:   "set endpoint",
		Short: "Store the key of an endpoint in the system keyring",
		Long: "set asks for the key on the terminal without showing it, or reads it from standard input, and stores " +
			"it in the\n" +
			"system keyring, or with --file in a file that only you can read. The key is never an argument: those " +
			"are\n" +
			"visible to other programs and kept in the history of the shell.",
		Example: "  winnow keys set openai\n" +
			"  pass show openai | winnow keys set openai --file",
		Args:              takes("the name of an endpoint; it then asks for the key", 1, 1),
		ValidArgsFunction: p.completeKeyName,
		RunE: p.do(func(ctx context.Context, args []string) error {
			return p.setKey(ctx, args[0], toFile)
		}),
	}
	c.Flags().BoolVar(&toFile, "file", false, "store it in a file that only you can read")
	return c
}

func (p *program) keysDelete() *cobra.Command {
	return &cobra.Command{
		Use:               "delete endpoint",
		Short:             "Delete the stored key of an endpoint",
		Args:              takes("the name of an endpoint", 1, 1),
		ValidArgsFunction: p.completeKeyName,
		RunE:              p.do(func(ctx context.Context, args []string) error { return p.deleteKey(ctx, args[0]) }),
	}
}

// keyJSON is an endpoint in keys list --json. It is a contract: fields are added, never renamed or removed.
type keyJSON struct {
	Endpoint string    `json:"endpoint"`
	Source   keys.Kind `json:"source"`         // config, environment, command, keyring, file; "" for no key
	Name     string    `json:"name,omitempty"` // the variable, the program or the file
	// The key is there, as far as that is known without asking a keyring or running a command.
	Found   bool   `json:"found"`
	Problem string `json:"problem,omitempty"` // why it cannot be used
}

// listKeySources lists the endpoints and where their keys come from.
func (p *program) listKeySources(asJSON bool) error {
	c, err := p.readConfig()
	if err != nil {
		return err
	}
	list := p.endpoints(c)
	if asJSON {
		out := make([]keyJSON, 0, len(list))
		for _, e := range list {
			problem := keyProblem(e)
			found := e.KeyFrom.Kind != keys.Nowhere && problem == "" && (e.KeyFrom.Kind != keys.Variable || e.Key != "")
			out = append(out, keyJSON{e.Name, e.KeyFrom.Kind, e.KeyFrom.Name, found, problem})
		}
		return report.WriteJSON(p.out, out)
	}
	if len(list) == 0 {
		fmt.Fprintln(p.err, "No endpoint is configured and no key is set. Store one with, for example, winnow keys "+
			"set openai.")
		return nil
	}
	t := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	for _, e := range list {
		text := keyText(e)
		if problem := keyProblem(e); problem != "" {
			text += ": " + problem
		} else if stored := p.keyStore().Find(e.Name); stored.Kind != keys.Nowhere && !e.KeyFrom.Stored() {
			text += "; the stored key is not used"
		}
		fmt.Fprintf(t, "%s\t%s\n", markdown.Visible(e.Name), markdown.Visible(text))
	}
	return t.Flush()
}

// keyEndpoint is the endpoint that a key is stored for: a configured one, one of the environment, a hosted service
// or a server of this machine.
func (p *program) keyEndpoint(c config.Config, name string) (llm.Endpoint, error) {
	var names []string
	for _, e := range p.endpoints(c) {
		if strings.EqualFold(e.Name, name) {
			return e, nil
		}
		names = append(names, e.Name)
	}
	names = append(names, llm.KnownNames()...)
	if i := slices.IndexFunc(names, func(known string) bool { return strings.EqualFold(known, name) }); i >= 0 {
		return llm.Endpoint{Name: names[i]}, nil
	}
	hint := llm.DidYouMean(name, names)
	if hint == "" {
		hint = "; to add an endpoint, write a table [endpoints.NAME] in the configuration file"
	}
	return llm.Endpoint{}, fail(NotFound, "there is no endpoint %q%s", name, hint)
}

// setKey reads the key of an endpoint and stores it.
func (p *program) setKey(ctx context.Context, name string, toFile bool) error {
	c, err := p.readConfig()
	if err != nil {
		return err
	}
	e, err := p.keyEndpoint(c, name)
	if err != nil {
		return err
	}
	table := c.Endpoints[e.Name]
	switch {
	case e.KeyFrom.Kind == keys.Config:
		return fail(Usage, "the configuration file sets the key of %s, which overrides a stored one: remove key from "+
			"[endpoints.%s] first", e.Name, e.Name)
	case e.KeyFrom.Kind == keys.Command:
		return fail(Usage, "%s provides the key of %s, which overrides a stored one: remove key_command from "+
			"[endpoints.%s] first", e.KeyFrom, e.Name, e.Name)
	case table.KeyKeyring && toFile:
		return fail(Usage, "key_keyring in [endpoints.%s] reads the key from the keyring: set key_file instead to "+
			"use a file", e.Name)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	store, place := p.keyStore(), keys.Origin{Kind: keys.Keyring}
	switch {
	case table.KeyFile != "":
		place = e.KeyFrom
	case toFile:
		place = keys.Origin{Kind: keys.File, Name: store.Path(e.Name)}
	default:
		// Asked before the key is typed.
		if _, err := keys.FromKeyring(ctx, e.Name); err != nil && !errors.Is(err, keys.ErrNoKey) {
			return p.keyFault(ctx,
				fail(Failed, "%w. winnow keys set %s --file stores the key in %s, which only you can read", err, e.Name,
					store.Path(e.Name)))
		}
	}
	key, err := p.readKey(ctx, e.Name)
	if err != nil {
		return p.keyFault(ctx, err)
	}
	if table.KeyFile != "" {
		err = keys.ToFile(place.Name, key)
	} else {
		err = store.Set(ctx, e.Name, key, place.Kind)
	}
	if err != nil {
		return p.keyFault(ctx, err)
	}
	fmt.Fprintf(p.out, "Stored the key of %s in %s.\n", e.Name, place)
	switch {
	case e.KeyFrom.Kind == keys.Variable && e.Key != "":
		fmt.Fprintf(p.err, "winnow: %s is set and overrides it\n", e.KeyFrom.Name)
	case e.BaseURL != "" && !table.KeyKeyring && table.KeyFile == "" && !e.TakesStoredKey():
		fmt.Fprintf(p.err, "winnow: the base URL of %s was changed, so the stored key is not sent to it; set "+
			"key_keyring or key_file under [endpoints.%s] to send it\n", e.Name, e.Name)
	}
	return nil
}

// keyFault is an error of setting or deleting a key, or that a signal ended it.
func (p *program) keyFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &failure{exit: stoppedBy(ctx)}
	}
	return err
}

// readKey reads a key: from the terminal without showing it, else all of standard input.
func (p *program) readKey(ctx context.Context, name string) (keys.Secret, error) {
	text, err := "", error(nil)
	if term.IsTerminal(p.in.Fd()) {
		fmt.Fprintf(p.err, "Key of %s (not shown): ", name)
		text, err = p.readHidden(ctx)
		fmt.Fprintln(p.err)
	} else {
		var all []byte
		all, err = io.ReadAll(io.LimitReader(p.in, 1<<20))
		text = string(all)
	}
	if err != nil {
		return "", fail(Failed, "cannot read the key: %w", err)
	}
	key, err := keys.Parse(text)
	if err != nil {
		return "", fail(Usage, "%w; nothing was stored", err)
	}
	return key, nil
}

// readHidden reads a line from the terminal without showing it. A signal ends it, and leaves the terminal as
// it was.
func (p *program) readHidden(ctx context.Context) (string, error) {
	before, err := term.GetState(p.in.Fd())
	if err != nil {
		return "", err
	}
	type line struct {
		text []byte
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(p.in.Fd())
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
		return string(l.text), l.err
	case <-ctx.Done(): // The goroutine ends with the program.
		return "", errors.Join(ctx.Err(), term.Restore(p.in.Fd(), before))
	}
}

// deleteKey deletes the stored key of an endpoint, also of one that is not configured any more.
func (p *program) deleteKey(ctx context.Context, name string) error {
	c, err := p.readConfig()
	if err != nil {
		return err
	}
	store := p.keyStore()
	e, err := p.keyEndpoint(c, name)
	if err != nil && !slices.Contains(store.Names(), name) {
		return err
	}
	if err != nil {
		e.Name = name
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var from keys.Origin
	switch table := c.Endpoints[e.Name]; {
	case table.KeyFile != "":
		from = e.KeyFrom
		if err = os.Remove(from.Name); errors.Is(err, os.ErrNotExist) {
			err = keys.ErrNoKey
		}
	case table.KeyKeyring && store.Find(e.Name).Kind == keys.Nowhere:
		from.Kind = keys.Keyring
		err = keys.DeleteFromKeyring(ctx, e.Name)
	default:
		from, err = store.Delete(ctx, e.Name)
	}
	if errors.Is(err, keys.ErrNoKey) {
		return fail(NotFound, "there is no stored key of %s (%s)", e.Name, keyText(e))
	}
	if err != nil {
		return p.keyFault(ctx, fail(Failed, "the key of %s is still in %s: %w", e.Name, from, err))
	}
	fmt.Fprintf(p.out, "Deleted the key of %s from %s.\n", e.Name, from)
	return nil
}

// completeKeyName offers the names of endpoints.
func (p *program) completeKeyName(
	_ *cobra.Command, args []string, _ string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	c, err := p.readConfig()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := llm.KnownNames()
	for _, e := range p.endpoints(c) {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}
