package cli

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
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
	c.Long = "doctor checks everything that winnow depends on and reports what is wrong. With -m, it also checks " +
		"whether that model is available and how large its context window is. It never prints an API key."
	return c
}

// The verdicts of the doctor.
const (
	good  = "ok"
	note  = "note"
	wrong = "WRONG"
)

// colours are those of the verdicts on a terminal.
var colours = map[string]string{good: "\x1b[32m", note: "\x1b[33m", wrong: "\x1b[1;31m"}

var verdictWord = regexp.MustCompile(`(?m)^(ok|note|WRONG)\b`)

// finding is one thing that the doctor looked at.
type finding struct{ verdict, what, text string }

// findings are what the doctor found.
type findings []finding

func (f *findings) add(verdict, what, format string, args ...any) {
	*f = append(*f, finding{verdict, markdown.OneLine(what, 30), report.Sentence(fmt.Sprintf(format, args...))})
}

// check adds an error as what is wrong, and says whether there is one.
func (f *findings) check(what string, err error) (failed bool) {
	if err != nil {
		f.add(wrong, what, "%s", report.ErrorText(err))
	}
	return err != nil
}

// Table writes a line for each finding.
func (f findings) Table(page *report.Page) {
	for _, one := range f {
		page.Row(one.verdict, one.what, one.text)
	}
}

func (p *program) doctor(ctx context.Context, _ []string) error {
	f := p.examine(ctx)
	page := &report.Page{Width: p.columns(), Clean: p.redactor.Text}
	f.Table(page)
	text := markdown.Visible(page.String())
	if colorprofile.Detect(p.out.file, os.Environ()) >= colorprofile.ANSI {
		text = verdictWord.ReplaceAllStringFunc(text, func(w string) string { return colours[w] + w + "\x1b[m" })
	}
	err := p.out.visible(text)
	bad := len(slices.DeleteFunc(f, func(one finding) bool { return one.verdict != wrong }))
	if err != nil || bad == 0 {
		return err
	}
	return fail(Failed, "%s your attention", theme.PluralOf(bad, "of these needs", "of these need"))
}

// doctorReport is what the doctor says, for the command /doctor.
func (a *app) doctorReport(ctx context.Context) (string, error) {
	page := &report.Page{Clean: a.redactor.Text}
	a.examine(ctx).Table(page)
	return page.String(), ctx.Err()
}

// examine checks everything. It starts no MCP server; winnow tools does.
func (p *program) examine(ctx context.Context) (f findings) {
	f.add(good, "winnow", "%s, %s, %s/%s", p.build, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	path, _, err := p.configPath()
	config, mistakes := p.decodeConfig()
	for _, mistake := range mistakes {
		f.check("configuration", mistake)
	}
	switch {
	case len(mistakes) > 0 || f.check("configuration", err):
	case exists(path):
		f.add(good, "configuration", "%s", path)
	default:
		f.add(note, "configuration", "%s does not exist: using the defaults", path)
	}
	p.checkTerminal(&f)
	if len(mistakes) > 0 {
		return f
	}
	for _, v := range config.Environment {
		f.add(note, "environment", "%s sets %s", v.Name, v.Key)
	}
	a, err := p.setup()
	if f.check("endpoints", err) {
		return f
	}
	defer a.close()
	if !f.check("conversations", a.openStore(ctx)) {
		a.checkStore(ctx, &f)
		a.checkEndpoints(ctx, &f)
	}
	a.checkTools(&f)
	return f
}

// checkTerminal says whether the screen has room.
func (p *program) checkTerminal(f *findings) {
	width, height, err := term.GetSize(p.out.Fd())
	switch {
	case err != nil:
		f.add(note, "terminal", "standard output is not a terminal: winnow run works, the chat needs one")
	case width < 40 || height < 10:
		f.add(wrong, "terminal", "%s, %d×%d: the chat needs at least 40×10", p.env("TERM"), width, height)
	default:
		f.add(good, "terminal", "%s, %d×%d, colours: %s", p.env("TERM"), width, height,
			colorprofile.Detect(p.out.file, os.Environ()))
	}
}

// checkStore looks at the conversations: the file, its backup, what had to be repaired, and the synced folder.
func (a *app) checkStore(ctx context.Context, f *findings) {
	s, path := a.store, a.store.Path()
	if path == store.Memory {
		path, _ = a.dbPath()
		f.add(note, "conversations", "%s does not exist yet: the first message creates it", path)
		return
	}
	f.add(good, "conversations", "%s", path)
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		f.add(wrong, "conversations", "other users of this machine can read the file: chmod 600 %s", path)
	}
	for _, n := range s.Notices() {
		f.add(note, "conversations", "%s", n)
	}
	c, err := s.Check(ctx)
	switch {
	case f.check("check", err):
	case !c.Sound():
		f.add(wrong, "check", "%s and %s: run winnow db check", theme.Plural(len(c.Faults), "fault"),
			theme.Plural(len(c.Damaged), "damaged message"))
	default:
		f.add(good, "check", "%s in %s, all intact", theme.Plural(c.Messages, "message"),
			theme.Plural(c.Sessions, "session"))
	}
	if b, ok := s.NewestBackup(); ok {
		f.add(good, "backup", "%s, %s", b.Day.Format(time.DateOnly), theme.Size(int(b.Bytes)))
	} else {
		f.add(note, "backup", "none yet: the chat makes one a day")
	}
	counts, err := s.RepairCounts(ctx)
	f.check("repairs", err)
	for _, one := range counts {
		f.add(note, "repairs", "%s/%s: %d × %s", one.Endpoint, one.Model, one.Faults, one.Kind)
	}
	if o, err := a.syncOptions(a.config); !f.check("sync", err) && o.Dir != "" {
		checkSync(ctx, f, s, o)
	}
}

// checkSync says how the history and the synced folder stand to each other.
func checkSync(ctx context.Context, f *findings, s *store.Store, o foldersync.Options) {
	r, err := foldersync.Status(ctx, s, o)
	if f.check("sync", explainSync(err)) {
		return
	}
	f.add(good, "sync", "%s: %s", r.Dir, report.SyncState(r).Waits())
	for _, m := range r.Machines {
		verdict := good
		if m.Why != "" {
			verdict = note
		}
		f.add(verdict, "sync", "%s: %s", report.MachineName(m), report.MachineState(m))
	}
}

// reachPatience is how long an endpoint may take to list its models.
const reachPatience = 5 * time.Second

// checkEndpoints asks every endpoint for its models, all at once.
func (a *app) checkEndpoints(ctx context.Context, f *findings) {
	f.check("endpoints", a.fetchKeys(ctx))
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	if from, named := a.namedModel(a.config); named != "" {
		a.checkModel(ctx, f, from, named)
	}
	list, errs := a.catalog.Models(ctx)
	models := map[string]int{}
	for _, m := range list {
		models[m.Endpoint]++
	}
	for _, e := range a.catalog.Endpoints() {
		switch err := errs[e.Name]; {
		case e.Name == llm.Guide:
			f.add(good, e.Name, "built in, needs no key and no network")
		case err != nil:
			f.add(wrong, e.Name, "%s, %s: %s", e.BaseURL, keyText(e), report.ErrorText(err))
		default:
			f.add(good, e.Name, "%s, %s, %s", e.BaseURL, keyText(e), theme.Plural(models[e.Name], "model"))
		}
	}
}

// checkModel says of the model that the user named how large its context window is, and what was learned of it.
func (a *app) checkModel(ctx context.Context, f *findings, from, ref string) {
	k, err := a.findModel(ctx, ref)
	if err != nil {
		f.add(wrong, "model", "%s: %s", from, report.ErrorText(err))
		return
	}
	f.add(good, "model", "%s, named by %s", k.Model, from)
	if k.Window > 0 {
		f.add(good, "model", "its context window is %d tokens: %s", k.Window, k.Source)
	} else {
		f.add(note, "model", "its context window is unknown: set it with /window TOKENS in the chat")
	}
	if lessons := k.lessons(); lessons != "nothing" {
		f.add(note, "model", "%s; winnow models --forget %s tries again", lessons, k.Model)
	}
}

// checkTools says of each MCP server how it is reached.
func (a *app) checkTools(f *findings) {
	servers, _ := a.mcpServers(a.config)
	for _, s := range servers {
		switch fault := s.Check(); {
		case s.Disabled:
			f.add(note, s.Name, "MCP server, %s; off", s.Address())
		case fault != nil:
			f.add(wrong, s.Name, "MCP server, %s: %s", s.Address(), fault)
		default:
			f.add(good, s.Name, "MCP server, %s; winnow tools starts it", s.Address())
		}
	}
}
