package cli

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/watch"
	"winnow/llm/tokenizer"
	proxy "winnow/llm/watch"
	recorded "winnow/session/watch"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	screen "winnow/ui/watch"
)

// watchCommand returns the commands that show what other programs send.
func (p *program) watchCommand() *cobra.Command {
	return watch.Command(watch.Program{
		Command: p.command, WithJSON: p.withJSON, Show: p.show, Redact: p.redactor.Redact,
		In: p.in, Out: p.out, Err: p.err, Env: p.env,
		Terminal: term.IsTerminal(p.in.Fd()) && term.IsTerminal(p.out.Fd()),
		Fail:     func(exit int, format string, args ...any) error { return fail(exitCode(exit), format, args...) },
		Open:     p.openWatch, Chat: p.chatOf,
	})
}

// openWatch opens the requests of other programs, which are in a file beside the chats.
func (p *program) openWatch(ctx context.Context) (*watch.Opened, error) {
	path, noPath := p.dbPath()
	a, err := p.setup()
	if err = cmp.Or(noPath, err); err != nil {
		return nil, err
	}
	defer a.close()
	a.loadRemembered()
	o := new(watch.Opened)
	for _, e := range a.catalog.Endpoints() {
		o.Upstreams = append(o.Upstreams, proxy.Upstream{Name: e.Name, BaseURL: e.BaseURL})
	}
	o.Store, err = recorded.Open(ctx, filepath.Join(filepath.Dir(path), "watch.db"), recorded.Options{
		Count: tokenizer.New().Estimate, Prices: a.catalog.Prices,
	})
	if err != nil {
		p.reportError(err) // the program is started all the same
	}
	o.Screen = screen.Options{Store: o.Store, Secrets: theme.Secrets{Find: p.redactor.FindSecrets}}
	o.Screen.Themes = &theme.Selection{Custom: a.config.Themes, Wanted: theme.Name(a.config.UI.Theme)}
	o.Screen.Keys, err = keymap.Default().With(a.config.Keys)
	return o, err
}

// chatOf makes a chat of a recorded request and opens it.
func (p *program) chatOf(ctx context.Context, o *watch.Opened, request int64) error {
	err := p.withApp(ctx, purposeChange, func(a *app) (err error) {
		p.flags.session, err = o.Chat(ctx, request, a.store)
		return err
	})
	if err != nil {
		return err
	}
	return p.chat(ctx, "")
}
