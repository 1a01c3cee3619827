package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adrg/xdg"
	"github.com/charmbracelet/x/term"

	"winnow/cli/config"
	"winnow/docs"
	"winnow/llm"
	"winnow/llm/guide"
	"winnow/llm/keys"
	"winnow/llm/redact"
	"winnow/session/store"
)

// setup is what a command needs of the configuration: the endpoints, the log.
type setup struct {
	config   config.Config
	catalog  *llm.Catalog
	redactor *redact.Redactor
	log      *slog.Logger
	logFile  io.Closer
	store    *store.Store // the conversations, nil until they are opened
	p        *program
}

// setup reads the configuration and names the endpoints: the configured ones, those of the environment, and the guide.
// It asks no server.
func (p *program) setup() (*setup, error) {
	c, err := p.readConfig()
	if err != nil {
		return nil, err
	}
	endpoints := p.endpoints(c)
	w := &setup{config: c, redactor: p.redactor(c, endpoints), p: p}
	p.known = w.redactor
	p.unsetKeys(endpoints...)
	if w.log, w.logFile, err = p.openLog(w.redactor); err != nil {
		return nil, err
	}
	w.catalog = &llm.Catalog{
		Patterns: c.Patterns(), Network: p.network, Redactor: w.redactor, Stored: p.withStored, Probes: true,
	}
	pace := time.Duration(0)
	if term.IsTerminal(p.out.Fd()) {
		pace = 12 * time.Millisecond // The guide's answers arrive as a model's do where a person looks on.
	}
	w.catalog.With(append(endpoints, guide.Endpoint(docs.Pages, pace))...)
	return w, nil
}

func (w *setup) close() {
	if w.store != nil {
		w.store.Close()
	}
	w.logFile.Close()
}

// openStore opens the conversations, an empty history in memory where nothing is to be saved. To look at what was never
// begun makes no file.
func (w *setup) openStore(ctx context.Context, look bool) error {
	path, err := w.p.dbPath()
	if err != nil {
		return err
	}
	missing := look && !exists(path)
	if missing && (w.p.flags.db != "" || w.p.env("WINNOW_DB") != "") {
		return fail(NotFound, "there is no database at %s", path)
	}
	if missing || w.p.flags.noSave {
		path = store.Memory
	}
	w.store, err = store.Open(ctx, path, store.Options{Now: w.p.now, Redact: w.redactor.Known})
	return err
}

// withSetup opens the conversations for a command, to look at or to change them.
func (p *program) withSetup(ctx context.Context, look bool, use func(*setup) error) error {
	w, err := p.setup()
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.openStore(ctx, look); err != nil {
		return err
	}
	p.reportSalvage(w.store)
	return use(w)
}

// redactor knows every key that the configuration, the environment, key files and the files of other clients hold.
func (p *program) redactor(c config.Config, endpoints []llm.Endpoint) *redact.Redactor {
	r := &redact.Redactor{}
	_, secrets := p.mcpServers(c)
	r.Know(secrets...)
	for _, name := range llm.KeyVariables() {
		r.Know(llm.Endpoint{Key: keys.Secret(strings.TrimSpace(p.env(name)))}.Secrets()...)
	}
	for _, e := range endpoints {
		r.Know(e.Secrets()...)
	}
	return r
}

// fetchKeys runs the key_command of every endpoint that has one, all at once.
func (w *setup) fetchKeys(ctx context.Context) error {
	var wait sync.WaitGroup
	endpoints := w.catalog.Endpoints()
	errs := make([]error, len(endpoints))
	for i, e := range endpoints {
		command := w.config.Endpoints[e.Name].KeyCommand
		if len(command) == 0 || e.Key != "" {
			continue
		}
		wait.Go(func() {
			if endpoints[i].Key, errs[i] = keys.FromCommand(ctx, command); errs[i] != nil {
				errs[i] = fail(Failed, "cannot read the API key of %s: %w", e.Name, errs[i])
			}
		})
	}
	wait.Wait()
	for i, e := range endpoints {
		if len(w.config.Endpoints[e.Name].KeyCommand) > 0 && errs[i] == nil {
			w.catalog.Add(e)
		}
	}
	w.p.unsetKeys(w.catalog.Endpoints()...) // not before the last command has ended: it may read one of them
	return errors.Join(errs...)
}

// unsetKeys takes the keys of endpoints out of the environment that the programs which winnow starts inherit: an
// editor, a clipboard helper, a key_command. winnow itself read them before.
func (p *program) unsetKeys(endpoints ...llm.Endpoint) {
	if p.unset == nil {
		return
	}
	names, secrets := llm.KeyVariables(), []string{}
	for _, e := range endpoints {
		secrets = append(append(secrets, e.Key.Reveal()), e.Secrets()...)
		if e.KeyFrom.Kind == keys.Variable {
			names = append(names, e.KeyFrom.Name)
		}
	}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if slices.Contains(names, name) || value != "" && slices.Contains(secrets, value) {
			p.unset(name)
		}
	}
}

// openLog starts the log of --debug: JSON lines without secrets, appended, readable by the user alone. Without the flag
// nothing is written anywhere.
func (p *program) openLog(r *redact.Redactor) (*slog.Logger, io.Closer, error) {
	if !p.flags.debug {
		return slog.New(slog.DiscardHandler), io.NopCloser(nil), nil
	}
	path, err := p.inFolder("XDG_STATE_HOME", xdg.StateHome, "log.jsonl", "XDG_STATE_HOME")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return nil, nil, fail(Failed, "cannot write the log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fail(Failed, "cannot write the log: %w", err)
	}
	return newLog(f, r).With("process", os.Getpid()), f, nil
}

// newLog is a log whose messages and values hold no secret. What is no number is logged as the text it prints as.
func newLog(to io.Writer, r *redact.Redactor) *slog.Logger {
	clean := func(_ []string, a slog.Attr) slog.Attr {
		if kind := a.Value.Kind(); kind != slog.KindString && kind != slog.KindAny {
			return a
		}
		return slog.String(a.Key, r.Text(a.Value.String()))
	}
	return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: clean}))
}
