package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/adrg/xdg"
	"github.com/charmbracelet/x/term"

	"winnow/llm/tool"
	"winnow/session"
	"winnow/ui"
	"winnow/ui/plain"
	"winnow/ui/remembered"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// chat runs the chat on the screen or in plain mode. At the end it prints how to continue the chat.
func (p *program) chat(ctx context.Context, search string) error {
	a, err := p.setup()
	if err != nil {
		return err
	}
	defer a.close()
	inPlain := p.flags.plain || a.config.UI.Plain
	terminal := term.IsTerminal(p.in.Fd()) && term.IsTerminal(p.out.Fd())
	switch a.purpose = purposeChat; {
	case !inPlain && !terminal:
		return fail(exitUsage, "the chat needs a terminal; use winnow run \"...\" for one answer, or winnow --plain "+
			"to chat in lines of text")
	case inPlain && p.flags.pick:
		return fail(exitUsage, "--plain has no list of chats; list them with winnow sessions list, and open one with "+
			"winnow --plain -s ID")
	case !terminal:
		a.purpose = purposeRun // nobody sees the chosen model before something is sent
	}
	ctx, forget := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer forget()
	// The screen handles SIGTERM itself. Its context must not end at the same time, or it would wait forever.
	terminated, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	noted := make(chan os.Signal, 1)
	signal.Notify(noted, syscall.SIGTERM)
	context.AfterFunc(terminated, func() { // a second signal ends the program
		signal.Stop(noted)
		stop()
	})
	defer stop()
	if err := a.prepare(terminated); err != nil {
		return err
	}
	if inPlain {
		if fault := a.syncBriefly(terminated); fault != "" {
			a.notices = append(a.notices, fault)
		}
	}
	s, err := a.start(terminated)
	if err != nil {
		return err
	}
	if p.flags.model != "" && terminal && !s.Temporary() {
		if err := a.rememberModel(s.Model().Ref()); err != nil {
			a.notices = append(a.notices, theme.UpperFirst(theme.Sentence(err)))
		}
	}
	a.notices = append(a.notices, a.store.Notices()...)
	var id string
	if inPlain {
		if err = a.runPlain(terminated, s, terminal); !s.Temporary() {
			id = s.Info().ID
		}
	} else {
		id, err = ui.Run(ctx, a.screenOptions(s, search))
	}
	if id != "" {
		fmt.Fprint(p.out, a.goodbye(id))
	}
	signal.Stop(noted) // waits for a signal that is being delivered
	switch {           // What there was to say has been said.
	case len(noted) > 0:
		return fail(exitTerminated, "")
	case errors.Is(err, context.Canceled):
		return fail(exitInterrupted, "")
	}
	return err
}

// goodbye returns the title of a chat and the command that continues it.
func (a *app) goodbye(id string) string {
	ctx, way := context.Background(), "-s "+id
	if last, _ := findSession(ctx, a.store, ""); last.ID == id {
		way = "-c"
	}
	row, _ := a.store.Session(ctx, id)
	title := theme.Secrets{Find: a.redactor.FindSecrets}.RedactLine(row.Title)
	return strings.TrimPrefix(title+"\n", "\n") + "Continue: winnow " + way + "\n"
}

// runPlain runs the chat in plain lines of text, and syncs before it returns.
func (a *app) runPlain(ctx context.Context, s *session.Session, terminal bool) error {
	unheard := make(chan os.Signal, 1) // between two turns ctrl+c does nothing
	signal.Notify(unheard, syscall.SIGINT)
	defer signal.Stop(unheard)
	a.servers.Start()
	err := plain.Run(ctx, plain.Options{
		Start:    s,
		Reason:   a.choice.Reason,
		Notices:  a.notices,
		Attach:   a.flags.attach,
		Secrets:  theme.Secrets{Find: a.redactor.FindSecrets},
		In:       a.in,
		Out:      a.out,
		Terminal: terminal,
		Stoppable: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return signal.NotifyContext(ctx, syscall.SIGINT)
		},
		Remember: a.rememberModel,
	})
	if fault := a.syncBriefly(context.WithoutCancel(ctx)); fault != "" && !slices.Contains(a.notices, fault) {
		fmt.Fprintln(a.err, fault)
	}
	return cmp.Or(ctx.Err(), err)
}

// rememberModel makes a model the default of the next start.
func (a *app) rememberModel(ref string) error {
	return a.memory.RememberModel(a.catalog.LastModel(ref))()
}

// settings returns the options that the screen and plain mode need for their settings. Without a home folder the path
// of the configuration is empty.
func (a *app) settings() settings.Options {
	configFile, _ := a.configPath()
	personasIn, _ := a.besideConfig("personas")
	return settings.Options{
		Personas:      func() ([]settings.Persona, error) { return ui.ReadPersonas(personasIn) },
		PersonaFolder: personasIn,
		ConfigPath:    configFile,
		KeyStore:      a.keyStore(),
		Servers:       a.servers,
		Memory:        a.memory,
		Doctor:        a.doctorReport,
		Export:        a.exportCommand,
	}
}

// loadRemembered applies the last choices on the screen where neither flags, environment nor configuration say
// otherwise. Without a home folder nothing is remembered.
func (a *app) loadRemembered() {
	file, err := a.inFolder("XDG_STATE_HOME", xdg.StateHome, "chosen.json", "XDG_STATE_HOME")
	if err != nil {
		return
	}
	a.memory = &remembered.Memory{File: file}
	a.memory.Configured.Model, a.memory.Configured.Theme = a.config.Model != "", a.config.UI.Theme != "auto"
	if a.chosen, err = a.memory.Read(); err != nil {
		a.notices = append(a.notices, theme.UpperFirst(theme.Sentence(err)))
	}
	name := string(a.chosen.Theme)
	switch {
	case name == "" || a.memory.Configured.Theme:
	case slices.Contains(theme.Names(a.config.Themes), name):
		a.config.UI.Theme = name
	default:
		a.notices = append(a.notices, "The theme "+name+", which you used last, is no longer configured.")
	}
}

// screenOptions returns the options of the screen.
func (a *app) screenOptions(s *session.Session, search string) ui.Options {
	config := a.config
	options := ui.Options{
		Deps:       a.deps,
		Start:      s,
		Choice:     a.choice,
		Notices:    a.notices,
		Keys:       config.Keys,
		Theme:      config.UI.Theme,
		Themes:     config.Themes,
		Panel:      string(a.chosen.Panel),
		Notify:     config.UI.Notify,
		Mouse:      config.UI.Mouse,
		Version:    a.build,
		Attach:     a.flags.attach,
		Reasoning:  a.chosen.Reasoning != nil && *a.chosen.Reasoning,
		Secrets:    a.redactor.FindSecrets,
		ReadPage:   a.readPage,
		Background: a.servers.Start,
		Sync:       a.syncFunc(),
		Settings:   a.settings(),
	}
	if a.flags.pick {
		options.Screen, options.Filter = ui.SessionsScreen, search // it searches titles and messages
	}
	return options
}

// readPage reads a web page that the user attaches. Hosts on this machine or its network are allowed only if the
// configuration lists them.
func (a *app) readPage(ctx context.Context, address string) (text string, cut bool, err error) {
	page, err := tool.ReadPage(ctx, nil, address)
	if hosts := a.config.Tools.FetchHosts; errors.As(err, new(*tool.URLRefusedError)) && len(hosts) > 0 {
		page, err = tool.ReadPage(ctx, hosts, address)
	}
	return page.Text, page.Truncated, err
}
