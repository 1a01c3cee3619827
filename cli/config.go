//go:build cgo

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/approval"
)

// environment is where the configuration's variables are looked up.
func (p *program) environment() config.Environment {
	return config.Environment{Lookup: p.env, All: p.environ}
}

// readConfig reads the configuration: the file, and the environment over it. A file that is not there is the
// defaults, unless the user named it.
func (p *program) readConfig() (config.Config, error) {
	path, named, err := p.configPath()
	if err != nil {
		// Without a home folder there can be no file; the database says so where it matters.
		return p.overridden(config.Defaults())
	}
	doc, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return p.overridden(config.Defaults())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return config.Config{}, fail(Usage, "there is no configuration file at %s; create one with winnow config init",
			path)
	}
	if err != nil {
		return config.Config{}, fail(Usage, "cannot read the configuration file %s: %w", path, fileCause(err))
	}
	c, mistakes := config.Decode(path, doc)
	switch len(mistakes) {
	case 0:
		return p.overridden(c)
	case 1:
		return config.Config{}, fail(Usage, "%w", mistakes[0])
	}
	return config.Config{}, fail(Usage, "%w (and %d more: winnow config check)", mistakes[0], len(mistakes)-1)
}

// overridden is a configuration with what the environment sets in place of its keys.
func (p *program) overridden(c config.Config) (config.Config, error) {
	c, mistakes := p.environment().Override(c)
	if len(mistakes) > 0 {
		return config.Config{}, fail(Usage, "%w", mistakes[0])
	}
	return c, nil
}

func (p *program) configCommand() *cobra.Command {
	return group(&cobra.Command{Use: "config", Short: "Show, check or create the configuration file"},
		p.plainCommand("path", "Print the path of the configuration file", func(context.Context) error {
			path, _, err := p.configPath()
			if err == nil {
				fmt.Fprintln(p.out, path)
			}
			return err
		}),
		p.plainCommand("check", "Check the configuration file and report every mistake", p.checkFile),
		p.plainCommand("init", "Create a configuration file with every key and its default", p.initFile),
		p.plainCommand("personas", "List the personas: system prompts that you keep in files", p.listPersonas))
}

// checkFile lists every mistake of the file, one a line.
func (p *program) checkFile(ctx context.Context) error {
	path, named, err := p.configPath()
	if err != nil {
		return err
	}
	doc, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		c, err := p.overridden(config.Defaults())
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "There is no configuration file at %s: using the defaults. winnow config init creates "+
			"one.\n", path)
		return p.reportConfig(c, "")
	}
	if err != nil {
		return fail(Usage, "cannot read the configuration file %s: %w", path, fileCause(err))
	}
	c, mistakes := config.Decode(path, doc)
	if len(mistakes) == 0 {
		if mistakes, err = p.checkModels(ctx, path, doc, c); err != nil {
			return err
		}
		mistakes = append(mistakes, p.checkServers(path, doc, c)...)
	}
	if len(mistakes) == 0 {
		if c, err = p.overridden(c); err != nil {
			return err
		}
		return p.reportConfig(c, path+" is valid.")
	}
	last := len(mistakes) - 1
	for _, m := range mistakes[:last] {
		p.reportError(p.err, m)
	}
	return fail(Usage, "%w", mistakes[last])
}

// reportConfig prints what is to be said of a configuration without mistakes: a warning where no message fits
// its budget, in place of right.
func (p *program) reportConfig(c config.Config, right string) error {
	warning, err := p.tooSmall(c)
	if err != nil {
		return err
	}
	switch {
	case warning != "":
		fmt.Fprintf(p.err, "winnow: %s\n", warning)
	case right != "":
		fmt.Fprintln(p.out, right)
	}
	rules := approval.Rules{Permissions: c.Tools.Permissions}
	if of, _ := rules.Permission(tool.Tool{Name: tool.FetchName}); of == tool.Allow && c.Tools.Fetch {
		fmt.Fprintln(p.err, "winnow: tools.permissions allows fetch, but the chat still asks before each page; "+
			"winnow run --allow-tool fetch runs it without asking")
	}
	p.listEnvironment(c)
	p.listKeys(c)
	return nil
}

// listEnvironment names the keys that the environment gives. Their values may be keys and are not shown.
func (p *program) listEnvironment(c config.Config) {
	for _, g := range p.environment().Settings(c) {
		fmt.Fprintf(p.out, "%s comes from %s.\n", g.Key, g.Name)
	}
}

// listKeys says where the key of each endpoint comes from, and on standard error what is wrong there. It asks no
// keyring and runs no command.
func (p *program) listKeys(c config.Config) {
	if path, _, err := p.configPath(); err == nil {
		if warning := exposedKey(path, c); warning != "" {
			fmt.Fprintf(p.err, "winnow: %s\n", warning)
		}
	}
	for _, e := range p.endpoints(c) {
		fmt.Fprintf(p.out, "%s: %s.\n", e.Name, keyText(e))
		if problem := keyProblem(e); problem != "" {
			fmt.Fprintf(p.err, "winnow: %s: %s\n", e.Name, problem)
		}
	}
}

// checkModels finds the models of a file that nothing stands for, as a chat would. Only a name without a
// known endpoint makes it ask a server, for its list of models.
func (p *program) checkModels(
	ctx context.Context, file string, doc []byte, c config.Config,
) ([]*config.Mistake, error) {
	w, err := p.setup(ctx)
	if err != nil {
		return nil, err
	}
	defer w.close()
	var out []*config.Mistake
	for _, named := range []struct{ key, ref string }{
		{"model", c.Model},
		{"titles.model", c.Titles.Model},
		{"summary.model", c.Summary.Model},
	} {
		if named.ref == "" {
			continue
		}
		_, _, err := w.catalog.Resolve(named.ref)
		var unknown llm.UnknownError
		if errors.As(err, &unknown) {
			if err := w.fetchKeys(ctx); err != nil {
				return nil, err
			}
			_, err = w.catalog.Find(ctx, named.ref, "")
		}
		if errors.As(err, &unknown) {
			out = append(out, config.MistakeAt(file, doc, named.key, named.key+" is "+strconv.Quote(named.ref)+": "+
				report.ErrorText(err)))
		}
	}
	return out, nil
}

// initFile writes the example, and never over another file.
func (p *program) initFile(context.Context) error {
	path, _, err := p.configPath()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fail(Failed, "cannot create the folder of the configuration file: %w", err)
	}
	err = writeFile(path, false, func(f io.Writer) error {
		_, err := f.Write(p.example)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return fail(Failed, "the configuration file %s already exists; it was not changed", path)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "Wrote %s.\n", path)
	return nil
}

// tooSmall says that under a configuration's budget not even the shortest message can be sent, and what the
// budget takes at least; "" where one can be sent. Tools and what a window leaves come on top: they are known
// only in a session.
func (p *program) tooSmall(c config.Config) (string, error) {
	system, err := p.systemPrompt(c.System)
	if err != nil {
		return "", err
	}
	_, err = history.Build(nil, history.Options{
		Policy: c.Context, System: system,
		Turn: []history.Message{{Role: history.User, Content: "?", Status: history.Complete}},
	})
	var over *history.OverBudgetError
	if !errors.As(err, &over) {
		return "", nil
	}
	key, have := "budget", c.Context.Budget
	if have == 0 {
		key, have = "max_context_tokens", c.Context.MaxContextTokens
	}
	return fmt.Sprintf("context.%s is %d, which is too small for any message: with this system prompt the shortest "+
		"request has about %d tokens", key, have, over.Need), nil
}
