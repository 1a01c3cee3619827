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
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/llm"
	"winnow/llm/keys"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// reachPatience is how long an endpoint may take to list its models.
const reachPatience = 5 * time.Second

func (p *program) doctorCommand() *cobra.Command {
	var tools bool
	c := p.plainCommand("doctor", "Check the installation, the files, the terminal and the endpoints",
		func(ctx context.Context) error { return p.doctor(ctx, tools) })
	c.Flags().BoolVar(&tools, "tools", false, "also start the MCP servers")
	c.Long = "doctor checks everything that winnow depends on and reports what is wrong. With -m, it also checks " +
		"whether that model is available and how large its context window is. It never prints an API key."
	return c
}

// findings writes the lines of the doctor and remembers whether one of them was bad.
type findings struct {
	out io.Writer
	bad int
}

func (f *findings) good(what, format string, args ...any) { f.line("ok", what, format, args...) }
func (f *findings) note(what, format string, args ...any) { f.line("note", what, format, args...) }

func (f *findings) wrong(what, format string, args ...any) {
	f.bad++
	f.line("WRONG", what, format, args...)
}

func (f *findings) line(verdict, what, format string, args ...any) {
	fmt.Fprintf(f.out, "%-5s  %-14s  %s\n", verdict, what, fmt.Sprintf(format, args...))
}

func (p *program) doctor(ctx context.Context, tools bool) error {
	f := &findings{out: p.out}
	p.examine(ctx, f, tools)
	if f.bad > 0 {
		verb := "need"
		if f.bad == 1 {
			verb = "needs"
		}
		return fail(Failed, "%d of these %s your attention", f.bad, verb)
	}
	return nil
}

// doctorReport is what the doctor says, for the command /doctor. It starts no MCP server: those of the chat run.
func (k *conversation) doctorReport(ctx context.Context) (string, error) {
	var report strings.Builder
	k.p.examine(ctx, &findings{out: &report}, false)
	return k.redactor.Text(report.String()), ctx.Err()
}

// examine checks everything.
func (p *program) examine(ctx context.Context, f *findings, tools bool) {
	p.checkBuild(f)
	config, configErr := p.readConfig()
	p.checkFiles(ctx, f, config, configErr)
	p.checkTerminal(f)
	if configErr == nil {
		p.checkEndpoints(ctx, f, config)
		p.checkTools(ctx, f, config, tools)
	}
}

func (p *program) checkBuild(f *findings) {
	f.good("winnow", "%s, %s, %s/%s", p.build, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	f.good("sqlite", "github.com/mattn/go-sqlite3%s, by cgo", sqliteVersion())
}

// sqliteVersion is the version of the driver with a blank in front, "" where the build does not
// record it.
func sqliteVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/mattn/go-sqlite3" {
			return " " + d.Version
		}
	}
	return ""
}

func (p *program) checkFiles(ctx context.Context, f *findings, c config.Config, configErr error) {
	path, _, err := p.configPath()
	switch {
	case err != nil:
		f.wrong("configuration", "%s", report.ErrorText(err))
	case configErr != nil:
		f.wrong("configuration", "%s", report.ErrorText(configErr))
	case !exists(path):
		f.note("configuration", "%s does not exist: using the defaults", path)
	default:
		f.good("configuration", "%s%s", path, modeOf(path))
		if warning := exposedKey(path, c); warning != "" {
			f.wrong("configuration", "%s", warning)
		}
	}
	if configErr == nil {
		if warning, err := p.tooSmall(c); err != nil {
			f.wrong("configuration", "%s", report.ErrorText(err))
		} else if warning != "" {
			f.wrong("configuration", "%s", warning)
		}
		for _, g := range p.environment().Settings(c) {
			f.note("environment", "%s sets %s", g.Name, g.Key)
		}
		p.checkStore(ctx, f, c)
	}
	if path, err := p.logPath(); err == nil {
		f.note("log", "%s, only written with --debug", path)
	}
}

func (p *program) checkStore(ctx context.Context, f *findings, c config.Config) {
	path, err := p.dbPath(c)
	if err != nil {
		f.wrong("conversations", "%s", report.ErrorText(err))
		return
	}
	if !exists(path) {
		p.checkFolder(f, path)
		return
	}
	s, err := store.Open(ctx, path, store.Options{Now: p.now})
	if err != nil {
		f.wrong("conversations", "%s", report.ErrorText(err))
		return
	}
	defer s.Close()
	list, err := s.Sessions(ctx, store.Filter{})
	if err != nil {
		f.wrong("conversations", "%s", report.ErrorText(err))
		return
	}
	f.good("conversations", "%s%s, %s", path, modeOf(path), theme.Plural(len(list), "session"))
	for _, n := range s.Notices() {
		f.note("conversations", "%s", n)
	}
	p.checkSafety(ctx, f, s)
	checkRepairs(ctx, f, s)
	p.checkSync(ctx, f, s, c)
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		f.wrong("conversations", "other users of this machine can read the file: chmod 600 %s", path)
	}
}

// checkSafety says whether the conversations are sound and how old their backup is.
func (p *program) checkSafety(ctx context.Context, f *findings, s *store.Store) {
	switch c, err := s.Check(ctx); {
	case err != nil:
		f.wrong("check", "%s", report.ErrorText(err))
	case !c.Sound():
		f.wrong("check", "%s and %s: run winnow db check", theme.Plural(len(c.Faults), "fault"),
			theme.Plural(len(c.Damaged), "damaged message"))
	case len(c.Lost) > 0:
		f.good("check", "%s intact, %d lost to earlier damage: run winnow db check",
			theme.Plural(c.Messages, "message"), len(c.Lost))
	default:
		f.good("check", "%s, all intact", theme.Plural(c.Messages, "message"))
	}
	if b, ok := s.NewestBackup(ctx); ok {
		f.good("backup", "%s, %s, %s", b.Day.Format("2006-01-02"), theme.Plural(b.Sessions, "session"),
			theme.Plural(b.Messages, "message"))
		return
	}
	f.note("backup", "none yet: the chat makes one a day")
}

// checkRepairs says which models sent what had to be repaired.
func checkRepairs(ctx context.Context, f *findings, s *store.Store) {
	counts, err := s.RepairCounts(ctx)
	switch {
	case err != nil:
		f.wrong("repairs", "%s", report.ErrorText(err))
	case len(counts) == 0:
		f.good("repairs", "no request has needed repairs")
	}
	for len(counts) > 0 {
		first, n, faults := counts[0], 0, 0
		var kinds []string
		for n < len(counts) && counts[n].Endpoint == first.Endpoint && counts[n].Model == first.Model {
			kinds = append(kinds, fmt.Sprintf("%d %s", counts[n].Faults, counts[n].Kind))
			faults += counts[n].Faults
			n++
		}
		who := "messages without a model"
		if first.Model != "" {
			who = markdown.Visible(first.Endpoint + "/" + first.Model)
		}
		f.note("repairs", "%s: %s (%s)", who, theme.Plural(faults, "repair"), strings.Join(kinds, ", "))
		counts = counts[n:]
	}
}

// checkFolder says whether the database could be made where it would be. The nearest folder that
// exists decides.
func (p *program) checkFolder(f *findings, path string) {
	folder := filepath.Dir(path)
	for !exists(folder) && filepath.Dir(folder) != folder {
		folder = filepath.Dir(folder)
	}
	probe, err := os.CreateTemp(folder, ".winnow-doctor-*")
	if errors.Is(err, fs.ErrPermission) || err != nil {
		f.wrong("conversations", "cannot create %s: no permission to write in %s", path, folder)
		return
	}
	probe.Close()
	os.Remove(probe.Name())
	f.note("conversations", "%s does not exist yet: the first message creates it", path)
}

func modeOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (%04o)", info.Mode().Perm())
}

func (p *program) checkTerminal(f *findings) {
	if !term.IsTerminal(p.out.Fd()) {
		f.note("terminal", "standard output is not a terminal: winnow run works, the chat needs one")
		return
	}
	width, height, err := term.GetSize(p.out.Fd())
	if err != nil {
		f.wrong("terminal", "cannot read the size of the terminal: %s", report.ErrorText(err))
		return
	}
	colours := colorprofile.Detect(p.out.file, os.Environ())
	if width < 40 || height < 10 {
		f.wrong("terminal", "%s, %d×%d: the chat needs at least 40×10", p.env("TERM"), width, height)
		return
	}
	f.good("terminal", "%s, %d×%d, colours: %s", p.env("TERM"), width, height, colours)
}

// checkEndpoints asks every endpoint for its models, all at once. A configured endpoint that does
// not answer is something to see to; a key in the environment that is not used is not.
func (p *program) checkEndpoints(ctx context.Context, f *findings, c config.Config) {
	w, err := p.setup(ctx)
	if err != nil {
		f.wrong("endpoints", "%s", report.ErrorText(err))
		return
	}
	defer w.close()
	if err := w.fetchKeys(ctx); err != nil {
		f.wrong("endpoints", "%s", report.ErrorText(err))
	}
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	from, named := p.namedModel(c)
	if named != "" {
		if named, err = w.catalog.Find(ctx, named, ""); err == nil {
			_, _, err = w.catalog.Use(named) // A server of this machine need not be configured to be checked.
		}
		if err != nil {
			f.wrong("model", "%s: %s", from, w.redactor.Text(report.ErrorText(err)))
		} else {
			f.good("model", "%s, named by %s", markdown.OneLine(named, 80), from)
			p.noteTables(f, c, named)
		}
	}
	endpoints := w.catalog.Endpoints()
	errs := make([]error, len(endpoints))
	lists := make([][]llm.Model, len(endpoints))
	var wait sync.WaitGroup
	for i, e := range endpoints {
		wait.Go(func() { lists[i], errs[i] = llm.NewClient(e).Models(ctx) })
	}
	wait.Wait()
	for i, e := range endpoints {
		text := w.redactor.Text(fmt.Sprintf("%s, %s", e.BaseURL, keyText(e)))
		if e.Name == llm.Guide {
			text = "built in, needs no key and no network"
		}
		if errs[i] != nil {
			f.wrong(e.Name, "%s: %s", text, w.redactor.Text(report.ErrorText(errs[i])))
			continue
		}
		f.good(e.Name, "%s, %s", text, theme.Plural(len(lists[i]), "model"))
		p.checkWindow(ctx, f, w, e, lists[i], named)
		if e.KeyFrom.Kind == keys.Config {
			f.note(e.Name, "its key is in the configuration file; winnow keys set %s, or key_env, keeps it out of "+
				"backups and screenshots", e.Name)
		}
	}
}

// noteTables names the tables of the configuration that say something of a model.
func (p *program) noteTables(f *findings, c config.Config, ref string) {
	endpoint, model, _ := strings.Cut(ref, "/")
	var names []string
	for _, t := range c.Tables(endpoint, model) {
		names = append(names, t.Name)
	}
	if len(names) > 0 {
		f.note("model", "%s has settings in %s", markdown.OneLine(ref, 80),
			markdown.OneLine(strings.Join(names, ", "), 300))
	}
}

// checkWindow says how large the context window of a model of an endpoint is, and who says so: of the model that the
// user named, else of the endpoint's default one or the first that it lists.
func (p *program) checkWindow(
	ctx context.Context, f *findings, w *setup, e llm.Endpoint, list []llm.Model, named string,
) {
	id, here := strings.CutPrefix(named, e.Name+"/")
	if !here {
		id = e.Default
	}
	at := slices.IndexFunc(list, func(m llm.Model) bool { return llm.SameModel(m.ID, id) })
	switch {
	case at < 0 && here:
		f.note("model", "%s does not list %s", e.Name, markdown.OneLine(id, 80))
		list, at = []llm.Model{{Endpoint: e.Name, ID: id}}, 0
	case len(list) == 0:
		return
	}
	m := list[max(0, at)]
	if client, model, err := w.catalog.Resolve(m.Ref()); err == nil {
		if stated, err := client.StatedWindow(ctx, model); err == nil && stated.Tokens > 0 {
			m.Window = stated
		}
		if wire := client.Wire(model); wire != llm.ChatWire {
			f.good(e.Name, "%s uses the %s format (wire)", markdown.OneLine(m.Ref(), 80), wire)
		}
	}
	p.checkLearned(ctx, f, w, e, m)
	window := p.windows(ctx, w, []llm.Model{m})[0]
	if window.Tokens == 0 {
		f.note(e.Name, "the context window of %s is unknown: set it with /window TOKENS in the chat, or with window "+
			"under [endpoints.%s]", markdown.OneLine(m.Ref(), 80), e.Name)
		return
	}
	f.good(e.Name, "the context window of %s is %d tokens: %s", markdown.OneLine(m.Ref(), 80), window.Tokens,
		markdown.OneLine(window.Origin(), 80))
}
