//go:build cgo

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"

	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/store"
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
	collect := keepGarbage()
	ctx, forget := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer forget()
	// The screen answers SIGTERM itself and would wait for ever for a program that its context has
	// ended at the same time; here it is only noted.
	terminated, stop := untilTerminated(ctx)
	defer stop()
	k, err := p.open(terminated, to)
	if err != nil {
		return err
	}
	defer k.close()
	screen := ui.ChatScreen
	if p.flags.pick {
		if screen, err = k.pick(terminated, search); err != nil {
			return err
		}
	}
	s, err := k.start(terminated)
	if err != nil {
		return err
	}
	if p.flags.model != "" && terminal && !s.Temporary() {
		if err := k.memory.Model(k.catalog.Last(s.Model().Ref()))(); err != nil {
			k.notices = append(k.notices, theme.UpperFirst(theme.Sentence(err)))
		}
	}
	var id string
	switch {
	case !inPlain:
		options, fault := k.screenOptions(s, screen, search)
		if fault != nil {
			return fault
		}
		options.Background = func() {
			collect()
			k.servers.Start()
		}
		id, err = ui.Run(ctx, options)
	case screen == ui.SessionsScreen:
		return fail(Usage, "there are several sessions; list them with winnow sessions list, and open one with "+
			"winnow --plain -s ID")
	default:
		collect()
		id, err = k.plainly(terminated, s, terminal)
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
	way := "-s " + k.shortID(id)
	ctx := context.Background()
	if last, err := k.store.Sessions(ctx, store.Filter{LastUsed: true, Limit: 1}); err == nil && len(last) > 0 &&
		last[0].ID == id {
		way = "-c"
	}
	title := ""
	if row, err := k.store.Session(ctx, id); err == nil && row.Title != "" {
		title = theme.Secrets{Find: k.redactor.FindIn}.Line(row.Title) + "\n"
	}
	return title + "Continue: winnow " + way + "\n"
}

// keepGarbage lets the heap grow to five times what is in use, where twice is the rule, until collect is called:
// collecting takes a tenth of the time until the first frame.
func keepGarbage() (collect func()) {
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}

// plainly chats in lines of text.
func (k *conversation) plainly(ctx context.Context, s *session.Session, terminal bool) (id string, err error) {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT)
	defer signal.Stop(stop)
	k.servers.Start()
	personasIn, err := k.p.personasFolder()
	if err != nil {
		return "", err
	}
	return plain.Run(ctx, plain.Options{
		Deps:     k.deps,
		Start:    s,
		Choice:   k.choice,
		Notices:  slices.Concat(k.notices, k.store.Notices(), otherModel(s, k.choice)),
		Attach:   k.p.flags.attach,
		In:       k.p.in,
		Out:      k.p.out,
		Terminal: terminal,
		Stop:     stop,
		Secrets:  theme.Secrets{Find: k.redactor.FindIn},
		Sync:     k.exchange(),
		Settings: settings.Options{
			Personas: k.p.personas, PersonasIn: personasIn, Servers: k.servers, Memory: k.memory,
			Doctor: k.doctorReport, Export: k.exportCommand,
		},
	})
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
	if k.chosen.Panel != "" && !k.memory.Set.Panel {
		ui.Panel = string(k.chosen.Panel)
	}
}

// screenOptions is what the screen is given.
func (k *conversation) screenOptions(s *session.Session, screen ui.Screen, search string) (ui.Options, error) {
	p, config := k.p, k.config
	personasIn, err := p.personasFolder()
	if err != nil {
		return ui.Options{}, err
	}
	configFile, _, err := p.configPath()
	if err != nil {
		return ui.Options{}, err
	}
	return ui.Options{
		Deps:    k.deps,
		Start:   s,
		Screen:  screen,
		Filter:  search,
		Choice:  k.choice,
		Notices: slices.Concat(k.notices, k.store.Notices(), otherModel(s, k.choice)),
		Keys:    config.Keys,
		Theme:   config.UI.Theme,
		Themes:  config.Themes,
		Panel:   config.UI.Panel,
		Notify:  config.UI.Notify,
		Memory:  k.memory,
		Mouse:   config.UI.Mouse,
		Version: p.build,
		Attach:  p.flags.attach,

		Reasoning:  k.chosen.Reasoning != nil && *k.chosen.Reasoning,
		Personas:   p.personas,
		PersonasIn: personasIn,
		Config:     configFile,
		Secrets:    k.redactor.FindIn,
		Doctor:     k.doctorReport,
		Export:     k.exportCommand,
		ReadPage:   k.readPage,
		Sync:       k.exchange(),
		Servers:    k.servers,
		KeyStore:   p.keyStore(),
	}, nil
}

// readPage reads a page that the user wants to attach. An address of this machine or its network is read only where
// the configuration lists its host.
func (k *conversation) readPage(ctx context.Context, address string) (text string, cut bool, err error) {
	page, err := tool.ReadPage(ctx, nil, address)
	var refused *tool.RefusedError
	if hosts := k.config.Tools.FetchHosts; errors.As(err, &refused) && len(hosts) > 0 {
		page, err = tool.ReadPage(ctx, hosts, address)
	}
	return page.Text, page.Cut, err
}

// pick decides what -r opens: the one session whose title or messages have the words, or the list.
func (k *conversation) pick(ctx context.Context, search string) (ui.Screen, error) {
	if search == "" {
		return ui.SessionsScreen, nil
	}
	found, err := k.store.Sessions(ctx, store.Filter{Text: search, Limit: 2})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		if found, err = k.sessionsWith(ctx, search); err != nil {
			return "", err
		}
	}
	switch len(found) {
	case 0:
		return "", fail(NotFound, "no session matches %q; winnow sessions list lists all sessions", search)
	case 1:
		k.p.flags.session = found[0].ID
		return ui.ChatScreen, nil
	}
	return ui.SessionsScreen, nil
}

// sessionsWith returns the sessions in use with a message that has the words, the newest message first.
func (k *conversation) sessionsWith(ctx context.Context, search string) ([]store.Session, error) {
	hits, err := k.store.Search(ctx, store.Search{Text: search})
	var all []store.Session
	for _, h := range hits {
		known := slices.ContainsFunc(all, func(s store.Session) bool { return s.ID == h.Session.ID })
		if !known && !h.Session.Archived {
			all = append(all, h.Session)
		}
	}
	return all, err
}

// otherModel says that a session goes on with another model than it was left with.
func otherModel(s *session.Session, c llm.Choice) []string {
	info := s.Info()
	messages := s.Branch()
	if info.ID == "" || s.Model().Ref() != c.Ref || messages.Len() == 0 {
		return nil
	}
	last := ""
	for i := messages.Len() - 1; i >= 0 && last == ""; i-- {
		if m, err := messages.Message(i); err == nil && m.Endpoint != "" && m.Model != "" {
			last = m.Endpoint + "/" + m.Model
		}
	}
	if last == "" || last == s.Model().Ref() {
		return nil
	}
	return []string{fmt.Sprintf("This session last used %s; it now uses %s.", last, s.Model().Ref())}
}
