package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/llm"
	"winnow/llm/keys"
)

func (p *program) keysCommand() *cobra.Command {
	list := p.withJSON(p.command("list", "List where the key of each endpoint comes from", p.listKeys))
	set := p.command("set ENDPOINT", "Store the key of an endpoint in the system keyring, or else in a file", p.setKey)
	set.Long = "set asks for the key on the terminal without showing it, or reads it from standard input. The key is " +
		"never an argument: those are visible to other programs and kept in the history of the shell."
	set.Example = "  pass show openai | winnow keys set openai"
	return group("keys", "List, store and delete the API keys of endpoints", list, set,
		p.command("delete ENDPOINT", "Delete the stored key of an endpoint", p.deleteKey))
}

// keySource says where the key of an endpoint comes from.
type keySource struct {
	Endpoint string
	Source   keys.OriginKind // config, environment, command, keyring or file; "" for no key
	Name     string          // of the variable, the program or the file
	Key      string          // the same as a sentence, with the reason if the key cannot be used
}

type keySources []keySource

// Table implements report.TableWriter.
func (s keySources) Table(page *report.Page) {
	for _, one := range s {
		page.Row(report.ShortLine(one.Endpoint), report.SafeLine(one.Key))
	}
}

// listKeys lists the endpoints with the sources of their keys.
func (p *program) listKeys(context.Context, []string) error {
	c, err := p.readConfig()
	if err != nil {
		return err
	}
	list := keySources{}
	for _, e := range p.endpoints(c) {
		text := keyText(e)
		if stored := p.keyStore().Origin(e.Name); stored.Kind != keys.Nowhere && !e.KeyOrigin.Stored() {
			text += "; the stored key is not used"
		}
		list = append(list, keySource{e.Name, e.KeyOrigin.Kind, e.KeyOrigin.Name, text})
	}
	if len(list) == 0 {
		p.warn("no endpoint is configured and no key is set; store one with, for example, winnow keys set openai")
	}
	return p.show(list)
}

// keyEndpoint finds the endpoint to store a key for: one from the configuration or the environment, a hosted service,
// or a well-known local server.
func (p *program) keyEndpoint(name string) (llm.Endpoint, error) {
	c, err := p.readConfig()
	if err != nil {
		return llm.Endpoint{}, err
	}
	all := p.endpoints(c)
	for _, known := range llm.ServiceNames() {
		all = append(all, llm.Endpoint{Name: known})
	}
	for _, e := range all {
		if strings.EqualFold(e.Name, name) {
			return e, nil
		}
	}
	return llm.Endpoint{}, fail(exitNotFound, "there is no endpoint %q%s; a table [endpoints.NAME] in the "+
		"configuration file adds one", name, strings.TrimSuffix(llm.DidYouMean(name, llm.ServiceNames()), "?"))
}

// setKey reads the key of an endpoint and stores it in the keyring, or in a file if this machine has no keyring.
func (p *program) setKey(ctx context.Context, args []string) error {
	e, err := p.keyEndpoint(args[0])
	if err != nil {
		return err
	}
	ctx, stop := untilStopped(ctx)
	defer stop()
	store, place := p.keyStore(), keys.Origin{Kind: keys.Keyring}
	if keys.CheckKeyring() != nil {
		place = keys.Origin{Kind: keys.File, Name: store.Path(e.Name)}
		p.warn("there is no system keyring here: the key goes into %s, which only you can read", place.Name)
	} else if _, err := keys.FromKeyring(ctx, e.Name); err != nil && !errors.Is(err, keys.ErrNoKey) {
		return stoppedError(ctx, fail(exitFailed, "%w", err), "") // It is asked before the key is typed.
	}
	key, err := p.readKey(ctx, e.Name)
	if err == nil {
		err = store.Set(ctx, e.Name, key, place.Kind)
	}
	if err != nil {
		return stoppedError(ctx, err, "")
	}
	fmt.Fprintf(p.out, "Stored the key of %s in %s.\n", e.Name, place)
	origin, text := e.KeyOrigin, keyText(e)
	if origin.Kind != keys.Nowhere && !origin.Stored() && !strings.HasPrefix(text, "no key") {
		p.warn("it is not used: %s has its %s", e.Name, text)
	} else if e.BaseURL != "" && !e.TakesStoredKey() {
		p.warn("the base URL of %s was changed, so the stored key is not sent to it; give that server a name of "+
			"its own", e.Name)
	}
	return nil
}

// readKey reads a key from the terminal without echo, or else from standard input to its end.
func (p *program) readKey(ctx context.Context, name string) (keys.Secret, error) {
	var text []byte
	var err error
	if term.IsTerminal(p.in.Fd()) {
		fmt.Fprintf(p.err, "Key of %s (not shown): ", name)
		text, err = p.readHidden(ctx)
		fmt.Fprintln(p.err)
	} else {
		text, err = io.ReadAll(io.LimitReader(p.in, 1<<20))
	}
	if err != nil {
		return "", fail(exitFailed, "cannot read the key: %w", err)
	}
	key, err := keys.Parse(string(text))
	if err != nil {
		return "", fail(exitUsage, "%w; nothing was stored", err)
	}
	return key, nil
}

// readHidden reads a line from the terminal without echo. A signal restores the terminal and ends the program.
func (p *program) readHidden(ctx context.Context) ([]byte, error) {
	before, err := term.GetState(p.in.Fd())
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() {
		term.Restore(p.in.Fd(), before)
		fmt.Fprintln(p.err)
		os.Exit(int(stoppedBy(ctx)))
	})()
	return term.ReadPassword(p.in.Fd())
}

// deleteKey deletes the stored key of an endpoint, which need not be configured any more.
func (p *program) deleteKey(ctx context.Context, args []string) error {
	name := args[0]
	from, err := p.keyStore().Delete(ctx, name)
	switch {
	case errors.Is(err, keys.ErrNoKey):
		return fail(exitNotFound, "there is no stored key of %s", name)
	case err != nil:
		return fail(exitFailed, "the key of %s is still in %s: %w", name, from, err)
	}
	fmt.Fprintf(p.out, "Deleted the key of %s from %s.\n", name, from)
	return nil
}

// keyStore returns the store of winnow keys set: the system keyring, or a folder beside the configuration file.
func (p *program) keyStore() keys.Store {
	folder, err := p.besideConfig("keys")
	if err != nil {
		return keys.Store{} // without a home folder nothing is stored
	}
	return keys.Store{Folder: folder}
}

// endpoints returns the endpoints of the configuration and the environment, and the hosted services with stored keys.
// Keys in files are read now, and those in the keyring when a request needs them.
func (p *program) endpoints(c config.Config) []llm.Endpoint {
	list := c.ResolveEndpoints(p.env, p.keyStore().Names()...)
	for i, e := range list {
		list[i] = p.withStored(e)
	}
	return list
}

// withStored adds the key that winnow keys set stored for an endpoint that has no other key. It is looked up again
// before each request until one is found, so that a key can be stored while a chat is open.
func (p *program) withStored(e llm.Endpoint) llm.Endpoint {
	if e.Key != "" || e.KeyOrigin.Kind == keys.Command || !e.TakesStoredKey() {
		return e
	}
	store := p.keyStore()
	if stored := store.Origin(e.Name); stored.Kind != keys.Nowhere {
		e.KeyOrigin = stored
	}
	e.StoredKey = keys.NewLazySecret(func(ctx context.Context) (keys.Secret, error) { return store.Get(ctx, e.Name) })
	if e.KeyOrigin.Kind == keys.File {
		// An error is reported when the key is needed.
		_, _ = e.StoredKey.Get(context.Background())
	}
	return e
}

// keyText says where the key of an endpoint comes from and, if known, why it cannot be used. It does not query the
// keyring.
func keyText(e llm.Endpoint) string {
	var err error
	switch e.KeyOrigin.Kind {
	case keys.Nowhere:
		return "no key"
	case keys.Variable:
		if e.Key == "" {
			return "no key: " + e.KeyOrigin.Name + " is not set"
		}
	case keys.Keyring:
		err = keys.CheckKeyring()
	case keys.File:
		_, err = keys.FromFile(e.KeyOrigin.Name)
	}
	text := "key from " + e.KeyOrigin.String()
	if err != nil {
		text += ": " + report.ErrorText(err)
	}
	return text
}

// learnKeys makes the redactor know all keys in the configuration, the environment and key files.
func (p *program) learnKeys(endpoints []llm.Endpoint) {
	for _, name := range llm.KeyVariables() {
		endpoints = append(endpoints, llm.Endpoint{Key: keys.Secret(strings.TrimSpace(p.env(name)))})
	}
	for _, e := range endpoints {
		p.redactor.AddSecrets(e.Secrets()...)
	}
}

// fetchKeys runs the key_command of every endpoint that has one, concurrently.
func (a *app) fetchKeys(ctx context.Context) error {
	var wait sync.WaitGroup
	endpoints := a.catalog.Endpoints()
	errs := make([]error, len(endpoints))
	for i, e := range endpoints {
		command := a.config.Endpoints[e.Name].KeyCommand
		if len(command) == 0 || e.Key != "" {
			continue
		}
		wait.Go(func() {
			var err error
			if e.Key, err = keys.FromCommand(ctx, command); err != nil {
				errs[i] = fail(exitFailed, "cannot read the API key of %s: %w", e.Name, err)
				return
			}
			a.catalog.Add(e)
		})
	}
	wait.Wait()
	a.unsetKeys(a.catalog.Endpoints()...) // after the last command, because a command may read one of the variables
	return errors.Join(errs...)
}

// unsetKeys removes the keys of endpoints from the environment, so that programs that winnow starts do not inherit
// them: editors, clipboard helpers, key commands. winnow has read them before.
func (p *program) unsetKeys(endpoints ...llm.Endpoint) {
	names, secrets := llm.KeyVariables(), []string{}
	for _, e := range endpoints {
		secrets = append(append(secrets, e.Key.Reveal()), e.Secrets()...)
		if e.KeyOrigin.Kind == keys.Variable {
			names = append(names, e.KeyOrigin.Name)
		}
	}
	keys.Unset(names, secrets)
}
