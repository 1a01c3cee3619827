package cli

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/config"
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

// finding is one thing that the doctor looked at.
type finding struct {
	Verdict string // ok, note or WRONG
	What    string
	Text    string
}

// findings are what the doctor found.
type findings []finding

func (f *findings) good(what, format string, args ...any)  { f.add("ok", what, format, args...) }
func (f *findings) note(what, format string, args ...any)  { f.add("note", what, format, args...) }
func (f *findings) wrong(what, format string, args ...any) { f.add("WRONG", what, format, args...) }

// failed adds an error.
func (f *findings) failed(what string, err error) { f.wrong(what, "%s", report.ErrorText(err)) }

func (f *findings) add(verdict, what, format string, args ...any) {
	*f = append(*f, finding{verdict, markdown.OneLine(what, 30), report.Sentence(fmt.Sprintf(format, args...))})
}

// Table writes a line for each finding.
func (f findings) Table(page *report.Page) {
	for _, one := range f {
		page.Row(one.Verdict, one.What, one.Text)
	}
}

// colours are those of the verdicts on a terminal.
var colours = map[string]string{"ok": "\x1b[32m", "note": "\x1b[33m", "WRONG": "\x1b[1;31m"}

var verdictWord = regexp.MustCompile(`(?m)^(ok|note|WRONG)\b`)

func (p *program) doctor(ctx context.Context, _ []string) error {
	f := p.examine(ctx)
	page := &report.Page{Width: p.columns(), Clean: func(text string) string { return text }}
	f.Table(page)
	text := markdown.Visible(page.String())
	if colorprofile.Detect(p.out.file, os.Environ()) >= colorprofile.ANSI {
		text = verdictWord.ReplaceAllStringFunc(text, func(w string) string { return colours[w] + w + "\x1b[m" })
	}
	err := p.out.visible(text)
	bad := len(slices.DeleteFunc(f, func(one finding) bool { return one.Verdict != "WRONG" }))
	if err != nil || bad == 0 {
		return err
	}
	return fail(Failed, "%s your attention", theme.PluralOf(bad, "of these needs", "of these need"))
}

// doctorReport is what the doctor says, for the command /doctor.
func (k *conversation) doctorReport(ctx context.Context) (string, error) {
	page := &report.Page{Clean: k.redactor.Text}
	k.p.examine(ctx).Table(page)
	return page.String(), ctx.Err()
}

// examine checks everything. It starts no MCP server; winnow tools does.
func (p *program) examine(ctx context.Context) findings {
	var f findings
	f.good("winnow", "%s, %s, %s/%s", p.build, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	path, _, err := p.configPath()
	config, mistakes := p.decodeConfig()
	switch {
	case err != nil:
		f.failed("configuration", err)
	case len(mistakes) > 0:
		for _, m := range mistakes {
			f.failed("configuration", m)
		}
	case exists(path):
		f.good("configuration", "%s", path)
	default:
		f.note("configuration", "%s does not exist: using the defaults", path)
	}
	p.checkTerminal(&f)
	if len(mistakes) > 0 {
		return f
	}
	for _, v := range config.Environment {
		f.note("environment", "%s sets %s", v.Name, v.Key)
	}
	w, err := p.setup()
	if err != nil {
		f.failed("endpoints", err)
		return f
	}
	defer w.close()
	p.checkStore(ctx, &f, w)
	if w.store != nil {
		p.checkEndpoints(ctx, &f, w)
	}
	p.checkTools(&f, w)
	return f
}

// checkTerminal says whether the screen has room.
func (p *program) checkTerminal(f *findings) {
	width, height, err := term.GetSize(p.out.Fd())
	switch {
	case err != nil:
		f.note("terminal", "standard output is not a terminal: winnow run works, the chat needs one")
	case width < 40 || height < 10:
		f.wrong("terminal", "%s, %d×%d: the chat needs at least 40×10", p.env("TERM"), width, height)
	default:
		f.good("terminal", "%s, %d×%d, colours: %s", p.env("TERM"), width, height,
			colorprofile.Detect(p.out.file, os.Environ()))
	}
}

// checkStore looks at the conversations: the file, its backup, what had to be repaired, and the synced folder.
func (p *program) checkStore(ctx context.Context, f *findings, w *setup) {
	path, err := p.dbPath(w.config)
	if err == nil {
		err = w.openStore(ctx, true)
	}
	s := w.store
	switch {
	case err != nil:
		f.failed("conversations", err)
		return
	case s.Path() == store.Memory:
		f.note("conversations", "%s does not exist yet: the first message creates it", path)
		return
	}
	f.good("conversations", "%s", path)
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		f.wrong("conversations", "other users of this machine can read the file: chmod 600 %s", path)
	}
	for _, n := range s.Notices() {
		f.note("conversations", "%s", n)
	}
	switch c, err := s.Check(ctx); {
	case err != nil:
		f.failed("check", err)
	case !c.Sound():
		f.wrong("check", "%s and %s: run winnow db check", theme.Plural(len(c.Faults), "fault"),
			theme.Plural(len(c.Damaged), "damaged message"))
	default:
		f.good("check", "%s in %s, all intact", theme.Plural(c.Messages, "message"),
			theme.Plural(c.Sessions, "session"))
	}
	if b, ok := s.NewestBackup(); ok {
		f.good("backup", "%s, %s", b.Day.Format(time.DateOnly), theme.Size(int(b.Bytes)))
	} else {
		f.note("backup", "none yet: the chat makes one a day")
	}
	counts, err := s.RepairCounts(ctx)
	if err != nil {
		f.failed("repairs", err)
	}
	for _, one := range counts {
		f.note("repairs", "%s/%s: %d × %s", one.Endpoint, one.Model, one.Faults, one.Kind)
	}
	p.checkSync(ctx, f, s, w.config)
}

// checkSync says how the history and the synced folder stand to each other.
func (p *program) checkSync(ctx context.Context, f *findings, s *store.Store, c config.Config) {
	o, err := p.syncOptions(c)
	if err == nil && o.Dir == "" {
		return
	}
	var r foldersync.StatusReport
	if err == nil {
		r, err = foldersync.Status(ctx, s, o)
	}
	if err != nil {
		f.failed("sync", explainSync(err))
		return
	}
	f.good("sync", "%s: %s", r.Dir, syncState(r).waiting())
	for _, m := range r.Machines {
		verdict := "ok"
		if m.Why != "" {
			verdict = "note"
		}
		f.add(verdict, "sync", "%s: %s", nameOf(m), machineSentence(m))
	}
}

// reachPatience is how long an endpoint may take to list its models.
const reachPatience = 5 * time.Second

// checkEndpoints asks every endpoint for its models, all at once.
func (p *program) checkEndpoints(ctx context.Context, f *findings, w *setup) {
	if err := w.fetchKeys(ctx); err != nil {
		f.failed("endpoints", err)
	}
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	if from, named := p.namedModel(w.config); named != "" {
		p.checkModel(ctx, f, w, from, named)
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
		switch text := w.redactor.Text(fmt.Sprintf("%s, %s", e.BaseURL, keyText(e))); {
		case e.Name == llm.Guide:
			f.good(e.Name, "built in, needs no key and no network")
		case errs[i] != nil:
			f.wrong(e.Name, "%s: %s", text, w.redactor.Text(report.ErrorText(errs[i])))
		default:
			f.good(e.Name, "%s, %s", text, theme.Plural(len(lists[i]), "model"))
		}
	}
}

// checkModel says of the model that the user named how large its context window is, and what was learned of it.
func (p *program) checkModel(ctx context.Context, f *findings, w *setup, from, ref string) {
	k, err := p.findModel(ctx, w, ref)
	if err != nil {
		f.wrong("model", "%s: %s", from, w.redactor.Text(report.ErrorText(err)))
		return
	}
	f.good("model", "%s, named by %s", k.Model, from)
	if k.Window > 0 {
		f.good("model", "its context window is %d tokens: %s", k.Window, k.Source)
	} else {
		f.note("model", "its context window is unknown: set it with /window TOKENS in the chat, or with window under "+
			"[endpoints.%s]", k.client.Endpoint().Name)
	}
	if lessons := k.lessons(); lessons != "nothing" {
		f.note("model", "%s; winnow models forget %s tries again", lessons, k.Model)
	}
}

// checkTools says of each MCP server how it is reached.
func (p *program) checkTools(f *findings, w *setup) {
	servers, _, faults := p.mcpServers(w.config)
	for _, fault := range faults {
		f.failed("tools", fault)
	}
	for _, s := range servers {
		address := "MCP server, " + w.redactor.Text(s.Address())
		switch fault := s.Check(); {
		case s.Disabled:
			f.note(s.Name, "%s; off", address)
		case fault != nil:
			f.wrong(s.Name, "%s: %s", address, w.redactor.Text(fault.Error()))
		default:
			f.good(s.Name, "%s; winnow tools starts it", address)
		}
	}
}
