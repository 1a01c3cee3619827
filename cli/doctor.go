package cli

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/llm"
	"winnow/session/store"
	foldersync "winnow/session/sync"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

func (p *program) doctorCommand() *cobra.Command {
	c := p.command("doctor", "Check the installation, the files, the terminal and the endpoints", p.doctor)
	c.Long = "With -m, doctor also checks that model and its context window. It never prints an API key."
	return c
}

// The results of a check.
const good, note, wrong = "ok", "note", "WRONG"

// colours maps the results to escape sequences.
var colours = map[string]string{good: "\x1b[32m", note: "\x1b[33m", wrong: "\x1b[1;31m"}

var verdictWord = regexp.MustCompile(`(?m)^(ok|note|WRONG)\b`)

// examination collects the results of all checks.
type examination struct {
	*report.Page
	wrong int // number of results that need attention
}

func (e *examination) add(verdict, what, format string, args ...any) {
	if verdict == wrong {
		e.wrong++
	}
	e.Row(verdict, markdown.OneLine(what, 30), report.SafeLine(fmt.Sprintf(format, args...)))
}

// check adds err as a wrong result, unless it is nil, and reports whether it did.
func (e *examination) check(what string, err error) (failed bool) {
	if err != nil {
		e.add(wrong, what, "%s", report.ErrorText(err))
	}
	return err != nil
}

func (p *program) doctor(ctx context.Context, _ []string) error {
	width, _, _ := term.GetSize(p.out.Fd())
	e := p.examine(ctx, width)
	text := markdown.Visible(e.String())
	if colorprofile.Detect(p.out.file, os.Environ()) >= colorprofile.ANSI {
		text = verdictWord.ReplaceAllStringFunc(text, func(w string) string { return colours[w] + w + "\x1b[m" })
	}
	if err := p.out.writeVisible(text); err != nil || e.wrong == 0 {
		return err
	}
	return fail(exitFailed, "%s your attention", theme.PluralOf(e.wrong, "of these needs", "of these need"))
}

// doctorReport returns the report of doctor as text, for the command /doctor.
func (a *app) doctorReport(ctx context.Context) (string, error) {
	return a.examine(ctx, 0).String(), ctx.Err()
}

// examine runs all checks. It does not start MCP servers; winnow tools does.
func (p *program) examine(ctx context.Context, width int) *examination {
	e := &examination{Page: &report.Page{Width: width, Clean: p.redactor.Text}}
	e.add(good, "winnow", "%s, %s, %s/%s", p.build, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	path, err := p.configPath()
	config, mistakes := p.decodeConfig()
	for _, mistake := range mistakes {
		e.check("configuration", mistake)
	}
	switch {
	case len(mistakes) > 0 || e.check("configuration", err):
	case exists(path):
		e.add(good, "configuration", "%s", path)
	default:
		e.add(note, "configuration", "%s does not exist: using the defaults", path)
	}
	p.checkTerminal(e)
	if len(mistakes) > 0 {
		return e
	}
	for _, v := range config.Environment {
		e.add(note, "environment", "%s sets %s", v.Name, v.Key)
	}
	a, err := p.setup()
	if e.check("endpoints", err) {
		return e
	}
	defer a.close()
	if !e.check("chats", a.openStore(ctx)) {
		a.checkStore(ctx, e)
		a.checkEndpoints(ctx, e)
	}
	a.checkTools(e)
	return e
}

// checkTerminal checks the size and the colours of the terminal.
func (p *program) checkTerminal(e *examination) {
	width, height, err := term.GetSize(p.out.Fd())
	switch {
	case err != nil:
		e.add(note, "terminal", "standard output is not a terminal: winnow run works, the chat needs one")
	case width < 40 || height < 10:
		e.add(wrong, "terminal", "%s, %d×%d: the chat needs at least 40×10", p.env("TERM"), width, height)
	default:
		e.add(good, "terminal", "%s, %d×%d, colours: %s", p.env("TERM"), width, height,
			colorprofile.Detect(p.out.file, os.Environ()))
	}
}

// checkStore checks the database, its backups and the synced folder.
func (a *app) checkStore(ctx context.Context, e *examination) {
	s, path := a.store, a.store.Path()
	if path == store.InMemory {
		path, _ = a.dbPath()
		e.add(note, "chats", "%s does not exist yet: the first message creates it", path)
		return
	}
	e.add(good, "chats", "%s", path)
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		e.add(wrong, "chats", "other users of this machine can read the file: chmod 600 %s", path)
	}
	for _, n := range s.Notices() {
		e.add(note, "chats", "%s", n)
	}
	c, err := s.Check(ctx)
	switch {
	case e.check("check", err):
	case !c.Sound():
		e.add(wrong, "check", "%s and %s: run winnow db check", theme.Plural(len(c.Faults), "fault"),
			theme.Plural(len(c.Damaged), "damaged message"))
	default:
		e.add(good, "check", "%s in %s, all intact", theme.Plural(c.Messages, "message"),
			theme.Plural(c.Sessions, "chat"))
	}
	if b, ok := s.NewestBackup(); ok {
		e.add(good, "backup", "%s, %s", b.Day.Format(time.DateOnly), theme.Size(int(b.Bytes)))
	} else {
		e.add(note, "backup", "none yet: the chat makes one a day")
	}
	if dir, key, err := a.syncFolder(a.config); !e.check("sync", err) && dir != "" {
		checkSync(ctx, e, s, foldersync.Options{Dir: dir, Key: key})
	}
}

// checkSync reports what waits to be synced, and the other machines.
func checkSync(ctx context.Context, e *examination, s *store.Store, o foldersync.Options) {
	r, err := foldersync.Status(ctx, s, o)
	if e.check("sync", err) {
		return
	}
	e.add(good, "sync", "%s: %s", r.Dir, report.SyncStatus(r).WaitingText())
	for _, m := range r.Machines {
		verdict := good
		if m.Why != "" {
			verdict = note
		}
		e.add(verdict, "sync", "%s: %s", report.MachineName(m), report.MachineState(m))
	}
}

// endpointTimeout bounds how long all endpoints together may take to list their models.
const endpointTimeout = 5 * time.Second

// checkEndpoints asks all endpoints for their models, concurrently.
func (a *app) checkEndpoints(ctx context.Context, e *examination) {
	e.check("endpoints", a.fetchKeys(ctx))
	ctx, cancel := context.WithTimeout(ctx, endpointTimeout)
	defer cancel()
	a.checkModel(ctx, e)
	list, errs := a.catalog.Models(ctx)
	models := map[string]int{}
	for _, m := range list {
		models[m.Endpoint]++
	}
	for _, one := range a.catalog.Endpoints() {
		switch err := errs[one.Name]; {
		case one.Name == llm.Guide:
			e.add(good, one.Name, "built in, needs no key and no network")
		case err != nil:
			e.add(wrong, one.Name, "%s, %s: %s", one.BaseURL, keyText(one), report.ErrorText(err))
		default:
			e.add(good, one.Name, "%s, %s, %s", one.BaseURL, keyText(one), theme.Plural(models[one.Name], "model"))
		}
	}
}

// checkModel reports the context window of the model that the user named, and what was learned about it.
func (a *app) checkModel(ctx context.Context, e *examination) {
	from, named := a.namedModel(a.config)
	if named == "" {
		return
	}
	k, err := a.findModel(ctx, named)
	if err != nil {
		e.add(wrong, "model", "%s: %s", from, report.ErrorText(err))
		return
	}
	e.add(good, "model", "%s, named by %s", k.Model, from)
	if k.Window > 0 {
		e.add(good, "model", "its context window is %d tokens: %s", k.Window, k.Source)
	} else {
		e.add(note, "model", "its context window is unknown: set it with /window TOKENS in the chat")
	}
	if lessons := k.learnedText(); lessons != "nothing" {
		e.add(note, "model", "%s; winnow models --forget %s tries again", lessons, k.Model)
	}
}

// checkTools reports the configuration of each MCP server.
func (a *app) checkTools(e *examination) {
	servers, _ := a.mcpServers(a.config)
	for _, s := range servers {
		switch fault := s.Check(); {
		case s.Disabled:
			e.add(note, s.Name, "MCP server, %s; off", s.Address())
		case fault != nil:
			e.add(wrong, s.Name, "MCP server, %s: %s", s.Address(), fault)
		default:
			e.add(good, s.Name, "MCP server, %s; winnow tools starts it", s.Address())
		}
	}
}
