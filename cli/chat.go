package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"

	"winnow/llm/tool"
	"winnow/session"
	"winnow/ui"
	"winnow/ui/plain"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// chat runs the screen. Whatever ends it, the last line says how to go on.
func (p *program) chat(ctx context.Context, search string) error {
	config, err := p.readConfig()
	if err != nil {
		return err
	}
	inPlain := p.flags.plain || config.UI.Plain
	terminal := term.IsTerminal(p.in.Fd()) && term.IsTerminal(p.out.Fd())
	if !inPlain && !terminal {
		return fail(Usage, "the chat needs a terminal; use winnow run \"...\" for one answer, or winnow --plain to "+
			"chat in lines of text")
	}
	to := toChat
	if !terminal {
		to = toRun // Nobody reads which model was chosen before something is sent.
	}
	ctx, forget := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer forget()
	// The screen answers SIGTERM itself and would wait for ever for a program that its context has ended at the same
	// time; here it is only noted.
	terminated, stop := untilTerminated(ctx)
	defer stop()
	k, err := p.open(terminated, to)
	if err != nil {
		return err
	}
	defer k.close()
	screen := ui.ChatScreen
	if p.flags.pick {
		screen = ui.SessionsScreen // It searches titles and messages.
	}
	if inPlain {
		k.exchangeInPlain(terminated)
	}
	s, err := k.start(terminated)
	if err != nil {
		return err
	}
	if p.flags.model != "" && terminal && !s.Temporary() {
		if err := k.rememberModel(s.Model().Ref()); err != nil {
			k.notices = append(k.notices, theme.UpperFirst(theme.Sentence(err)))
		}
	}
	k.notices = append(k.notices, k.store.Notices()...)
	var id string
	switch {
	case !inPlain:
		options := k.screenOptions(s)
		options.Screen, options.Filter = screen, search
		id, err = ui.Run(ctx, options)
	case screen == ui.SessionsScreen:
		return fail(Usage, "--plain has no list of sessions; list them with winnow sessions list, and open one with "+
			"winnow --plain -s ID")
	default:
		if err = k.plainly(terminated, s, terminal); !s.Temporary() {
			id = s.Info().ID
		}
	}
	if id != "" {
		fmt.Fprint(p.out, k.goodbye(id))
	}
	stop()
	if terminated.Err() != nil || errors.Is(err, context.Canceled) {
		return &failure{exit: stoppedBy(terminated)} // What there was to say has been said.
	}
	return err
}

// goodbye is the title of a chat that was left, and how to go on with it.
func (k *conversation) goodbye(id string) string {
	way, title := "-s "+id, ""
	ctx := context.Background()
	if last, err := findSession(ctx, k.store, ""); err == nil && last.ID == id {
		way = "-c"
	}
	if row, err := k.store.Session(ctx, id); err == nil && row.Title != "" {
		title = theme.Secrets{Find: k.redactor.FindIn}.Line(row.Title) + "\n"
	}
	return title + "Continue: winnow " + way + "\n"
}

// plainly chats in lines of text, and exchanges what was said with other machines.
func (k *conversation) plainly(ctx context.Context, s *session.Session, terminal bool) error {
	unheard := make(chan os.Signal, 1) // Between two turns ctrl+c ends nothing.
	signal.Notify(unheard, syscall.SIGINT)
	defer signal.Stop(unheard)
	k.servers.Start()
	err := plain.Run(ctx, plain.Options{
		Start:    s,
		Reason:   k.choice.Reason,
		Notices:  k.notices,
		Attach:   k.p.flags.attach,
		Secrets:  theme.Secrets{Find: k.redactor.FindIn},
		In:       k.p.in,
		Out:      k.p.out,
		Terminal: terminal,
		Stoppable: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return signal.NotifyContext(ctx, syscall.SIGINT)
		},
		Remember: k.rememberModel,
	})
	said := len(k.notices)
	k.exchangeInPlain(context.WithoutCancel(ctx))
	for _, fault := range k.notices[said:] {
		fmt.Fprintln(k.p.err, fault)
	}
	return err
}

// exchangeInPlain exchanges the history with other machines before and after a chat in lines of text. Why that failed
// becomes a notice, once.
func (k *conversation) exchangeInPlain(ctx context.Context) {
	if err := k.exchangeOnce(ctx); err != nil {
		if fault := theme.UpperFirst(theme.Sentence(err)); !slices.Contains(k.notices, fault) {
			k.notices = append(k.notices, fault)
		}
	}
}

// rememberModel keeps a model for the next start.
func (k *conversation) rememberModel(ref string) error { return k.memory.Model(k.catalog.Last(ref))() }

// settings is what the settings of both chats need. Without a home folder there is no path of the configuration.
func (k *conversation) settings() settings.Options {
	configFile, _, _ := k.p.configPath()
	personasIn, _ := k.p.besideConfig("personas")
	return settings.Options{
		Personas:   k.p.personas,
		PersonasIn: personasIn,
		Config:     configFile,
		KeyStore:   k.p.keyStore(),
		Servers:    k.servers,
		Memory:     k.memory,
		Doctor:     k.doctorReport,
		Export:     k.exportCommand,
	}
}

// remember takes over what was chosen on the screen before, where nothing else says otherwise.
func (k *conversation) remember() {
	k.memory = k.p.memory(k.config)
	var err error
	if k.chosen, err = k.memory.Read(); err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			k.notices = append(k.notices, theme.UpperFirst(line)+".")
		}
	}
	ui := &k.config.UI
	if name := k.chosen.Theme; name != "" && !k.memory.Set.Theme {
		if slices.Contains((theme.Set{Own: k.config.Themes}).Names(), string(name)) {
			ui.Theme = string(name)
		} else {
			k.notices = append(k.notices, fmt.Sprintf("The theme %s, which you used last, is no longer configured.",
				name))
		}
	}
}

// screenOptions is what the screen is given.
func (k *conversation) screenOptions(s *session.Session) ui.Options {
	config := k.config
	return ui.Options{
		Deps:       k.deps,
		Start:      s,
		Choice:     k.choice,
		Notices:    k.notices,
		Keys:       config.Keys,
		Theme:      config.UI.Theme,
		Themes:     config.Themes,
		Panel:      string(k.chosen.Panel),
		Notify:     config.UI.Notify,
		Mouse:      config.UI.Mouse,
		Version:    k.p.build,
		Attach:     k.p.flags.attach,
		Reasoning:  k.chosen.Reasoning != nil && *k.chosen.Reasoning,
		Secrets:    k.redactor.FindIn,
		ReadPage:   k.readPage,
		Background: k.servers.Start,
		Sync:       k.exchange(),
		Settings:   k.settings(),
	}
}

// readPage reads a page that the user wants to attach. An address of this machine or its network is read only where the
// configuration lists its host.
func (k *conversation) readPage(ctx context.Context, address string) (text string, cut bool, err error) {
	page, err := tool.ReadPage(ctx, nil, address)
	var refused *tool.RefusedError
	if hosts := k.config.Tools.FetchHosts; errors.As(err, &refused) && len(hosts) > 0 {
		page, err = tool.ReadPage(ctx, hosts, address)
	}
	return page.Text, page.Cut, err
}
