// Package watch is the screen of the requests that other programs sent: all of them on the left, and on the right one
// of them compared, block by block, with the one before it in its conversation. It follows new requests while they
// arrive.
package watch

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"winnow/session/watch"
	"winnow/ui/app"
	"winnow/ui/frame"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/list"
	"winnow/ui/notice"
	"winnow/ui/screen"
	"winnow/ui/theme"
)

// Options is everything that the screen needs from its caller.
type Options struct {
	Store   *watch.Store
	Themes  *theme.Selection
	Keys    keymap.Map
	Secrets theme.Secrets
}

// Run shows the recorded requests until the user quits, and returns the id of the request to open as a chat, 0 for
// none. The error is context.Canceled if ctx ended or winnow was interrupted.
func Run(ctx context.Context, o Options) (open int64, err error) {
	m := newModel(ctx, o)
	err = screen.Run(ctx, m, os.Stdin, os.Stdout)
	if errors.Is(err, tea.ErrInterrupted) || ctx.Err() != nil {
		err = context.Canceled
	}
	return m.opened, err
}

// model is the root model of the screen.
type model struct {
	*app.Context
	store       *watch.Store
	st          *theme.Styles
	notice      notice.Model
	opened      int64
	w, h        int
	left, right int  // cells of the lists
	body        int  // lines between the header and the hints
	inside      bool // the list of blocks has the focus
	help        bool // the help is shown
	picking     bool // the user chooses the other request of a comparison

	list   *list.Model              // the requests
	rows   map[string]watch.Request // by the value of an item of the list; nil until they are read
	lost   int                      // requests that were not recorded
	lanes  int                      // cells of the widest lane
	breaks int                      // requests whose cache broke
	most   int                      // tokens of the largest request

	reading app.Latest
	wanted  comparison // what is on the right, or is being read for it
	shown   comparison // what is on the right
	view    watch.View
	facts   []fact // what there is to say about the whole request
	blocks  *list.Model
	runs    map[string]int   // number of blocks, by the value of an item of the list
	apart   map[int]bool     // blocks that are not folded with their neighbours
	pager   *inspector.Pager // shows one block; nil for none

	search *theme.Field // the text to search for while it is typed; nil if not
	hits   []watch.Hit
	hit    int // index of the current hit
}

// comparison is two requests by their ids. Against is 0 for the one before in the conversation.
type comparison struct{ id, against int64 }

// newModel returns the root model.
func newModel(ctx context.Context, o Options) *model {
	m := &model{store: o.Store, st: &o.Themes.Styles}
	m.Context = &app.Context{Shared: &app.Shared{
		ProgramContext: func() context.Context { return ctx },
		Keys:           o.Keys, Themes: o.Themes, Secrets: o.Secrets, Say: m.notice.Say, Fail: m.notice.Error,
		Copy: notice.Copy,
	}}
	m.list = list.New(m.Context, list.Options{DrawRow: m.request})
	m.blocks = list.New(m.Context, list.Options{DrawRow: m.block})
	m.Themes.Restyle()
	return m
}

// Init begins to follow the store.
func (m *model) Init() tea.Cmd { return tea.Batch(tea.Raw(ansi.RequestBackgroundColor), m.follow(-1)) }

// follow waits until the store has changed, shows its requests, and goes on. At rest nothing is drawn.
func (m *model) follow(known int64) tea.Cmd {
	return m.Run(func(ctx context.Context) tea.Msg {
		now, err := m.store.Changed(ctx)
		for ; err != nil || now == known; now, err = m.store.Changed(ctx) {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(20 * time.Millisecond):
			}
		}
		all, err := m.store.Requests(ctx)
		lost := m.store.Lost()
		return app.Then(func() tea.Cmd {
			cmd := m.ReportError(err)
			if m.lost = lost; err == nil {
				cmd = m.put(all)
			}
			return tea.Batch(cmd, m.follow(now))
		})
	})
}

// Update handles a message, and fits everything into the screen again.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.answer(msg)
	m.arrange()
	return m, cmd
}

// answer passes a message to the method that handles it.
func (m *model) answer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.Themes.LightBackground = !msg.IsDark()
		m.Themes.Restyle()
	case tea.ColorProfileMsg:
		m.Themes.Profile = msg.Profile
		m.Themes.NoColour = m.Themes.NoColour || msg.Profile <= colorprofile.ASCII
		m.Themes.Restyle()
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		if m.search != nil {
			m.search.Insert(msg.Content)
		}
	case app.Then:
		return msg()
	case notice.Sentence:
		return m.notice.Show(msg)
	}
	return nil
}

// Keys that only this screen has.
const diffKey, openKey, quitKey = "d", "o", "q"

// key handles a key.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	k, r := &m.Keys, m.selected()
	by, moves := k.Stride(msg, max(1, m.body-1))
	switch {
	case k.Pressed(msg, keymap.Stop), m.search == nil && msg.String() == quitKey:
		return tea.Quit
	case m.search != nil:
		return m.typed(msg)
	case k.Pressed(msg, keymap.Back):
		return m.back()
	case k.Pressed(msg, keymap.Help):
		m.help = !m.help
	case m.list.Len() == 0, m.help:
	case m.pager != nil && moves:
		m.pager.Scroll(by)
	case moves && m.inside:
		m.blocks.MoveCursor(by)
	case moves:
		m.list.MoveCursor(by)
		return m.show()
	case k.Pressed(msg, keymap.Inspect):
		return m.enter(r.ID)
	case k.Pressed(msg, keymap.Focus):
		m.inside = !m.inside && !m.picking
	case k.Pressed(msg, keymap.Earlier):
		return m.step(-1)
	case k.Pressed(msg, keymap.Later):
		return m.step(1)
	case k.Pressed(msg, keymap.Find):
		field := theme.NewField("")
		m.search = &field
	case k.Pressed(msg, keymap.NextHit):
		return m.nextHit(1)
	case k.Pressed(msg, keymap.PrevHit):
		return m.nextHit(-1)
	case k.Pressed(msg, keymap.Copy):
		return m.copyRaw(r.ID)
	case k.Pressed(msg, keymap.Pin):
		pin := func(ctx context.Context) error { return m.store.Pin(ctx, r.ID, !r.Pinned) }
		return m.InOrder(pin, m.ReportError)
	case msg.String() == diffKey:
		m.picking, m.inside = true, false
	case msg.String() == openKey && r.Wire == "":
		return m.Say("This request was not read, so it cannot be opened as a chat.")
	case msg.String() == openKey:
		m.opened = r.ID
		return tea.Quit
	}
	return nil
}

// step goes to the previous or next request of the conversation.
func (m *model) step(by int) tea.Cmd {
	thread := m.selected().Thread
	if m.list.MoveCursor(by); m.selected().Thread != thread {
		m.list.MoveCursor(-by)
	}
	return m.show()
}

// enter goes one level deeper: to the blocks of a request, to all blocks of a folded line, or to the text of a block.
func (m *model) enter(id int64) tea.Cmd {
	switch {
	case m.picking:
		m.back()
		m.inside = true
		return m.read(comparison{m.wanted.id, id}, "")
	case m.inside && len(m.view.Blocks) > 0:
		return m.openBlock()
	}
	m.inside = true
	return nil
}

// back goes back one level.
func (m *model) back() tea.Cmd {
	switch {
	case m.help:
		m.help = false
	case m.pager != nil:
		m.pager = nil
	case m.picking:
		m.picking = false
		m.list.Select(value(m.wanted.id))
	case m.inside:
		m.inside = false
	default:
		m.hits = nil
	}
	return nil
}

// copyRaw copies the body of a request as it was sent.
func (m *model) copyRaw(id int64) tea.Cmd {
	return m.Run(func(ctx context.Context) tea.Msg {
		body, err := m.store.Raw(ctx, id)
		return app.Then(func() tea.Cmd {
			if err != nil {
				return m.ReportError(err)
			}
			return m.Copy(theme.Size(len(body)), string(body))
		})
	})
}

// typed handles a key while the text to search for is typed.
func (m *model) typed(msg tea.KeyPressMsg) tea.Cmd {
	k, text := &m.Keys, m.search.Text()
	switch {
	case k.Pressed(msg, keymap.Back), k.Pressed(msg, keymap.Choose) && text == "":
		m.search = nil
	case k.Pressed(msg, keymap.Choose):
		m.search = nil
		return m.Run(func(ctx context.Context) tea.Msg {
			hits, err := m.store.Search(ctx, text)
			return app.Then(func() tea.Cmd {
				if m.hits, m.hit = hits, 0; err != nil {
					return m.ReportError(err)
				}
				return m.nextHit(-1)
			})
		})
	default:
		m.search.HandleKey(msg)
	}
	return nil
}

// nextHit shows the next match or the one before.
func (m *model) nextHit(by int) tea.Cmd {
	n := len(m.hits)
	if n == 0 {
		return m.Say("Nothing is found; " + m.Keys.First(keymap.Find) + " searches all requests.")
	}
	m.hit = (m.hit + by + n) % n
	hit := m.hits[m.hit]
	m.picking, m.inside = false, true
	m.list.Select(value(hit.Request.ID))
	return m.read(comparison{hit.Request.ID, 0}, hit.Place)
}

// From these sizes in cells on, both lists are shown side by side, and there are blank lines and a legend.
const wideScreen, airyHeight = 100, 28

// arrange fits everything into the screen.
func (m *model) arrange() {
	m.left, m.right, m.body = m.w, m.w, m.h-2
	if m.w >= wideScreen {
		m.left = max(50, min(m.w*45/100, 68))
		m.right = m.w - m.left - 1
	}
	if m.h >= airyHeight {
		m.body -= 2
	}
	m.list.Resize(m.left, m.body)
	m.blocks.Resize(m.right, max(1, m.body-len(m.head())-len(m.foot())))
	if m.pager != nil {
		m.pager.Resize(m.w, m.body)
	}
}

// View draws the screen.
func (m *model) View() tea.View {
	st, v := *m.st, tea.NewView("")
	v.AltScreen, v.WindowTitle = true, "winnow watch"
	if m.w < layout.LeastWidth || m.h < layout.LeastHeight {
		v.Content = frame.TooSmall(st, layout.LeastWidth, layout.LeastHeight, m.w)
		return v
	}
	title, gap := "watch", make([]string, (m.h-2-m.body)/2)
	if m.pager != nil {
		title += frame.Crumb + m.blockTitle()
	}
	state := st.Muted.Render(theme.Plural(len(m.rows), "request") + " · " + theme.Plural(m.breaks, "cache break"))
	header := frame.Header(st, st.Text.Render(title), "", state, m.w)
	foot := frame.Hints(st, m.hints(), m.state(), m.w)
	if m.search != nil {
		lead := strings.Repeat(" ", theme.Gutter(m.w)) + "/ "
		text, x := m.search.View(m.w - len(lead) - 1)
		foot = st.Strong.Render(lead) + text
		v.Cursor = tea.NewCursor(len(lead)+x, m.h-1)
	}
	lines := slices.Concat([]string{header}, gap, theme.FitLines(m.draw(), m.w, m.body), gap, []string{foot})
	v.Content = strings.Join(lines, "\n")
	return v
}

// hints returns the most useful keys.
func (m *model) hints() []key.Binding {
	k := &m.Keys
	switch {
	case m.picking:
		return []key.Binding{k.Hint("compare with this", keymap.Inspect), k.Hint("cancel", keymap.Back)}
	case m.help, m.pager != nil:
		return []key.Binding{k.Hint("back", keymap.Back), keymap.TypedHint(quitKey, "quit")}
	}
	return []key.Binding{
		k.Hint("read", keymap.Inspect), k.Hint("search", keymap.Find), keymap.TypedHint(openKey, "open as a chat"),
		k.Hint("help", keymap.Help), keymap.TypedHint(quitKey, "quit"),
	}
}

// state returns what stands beside the hints.
func (m *model) state() string {
	switch toast := m.notice.Toast(*m.st); {
	case toast != "":
		return toast
	case m.lost > 0:
		return m.st.Cut.Render("! " + theme.PluralOf(m.lost, "request was", "requests were") + " not recorded")
	case len(m.hits) > 0:
		return m.st.Muted.Render("match " + theme.Thousands(m.hit+1) + " of " + theme.Thousands(len(m.hits)))
	}
	return ""
}

// draw draws what is between the header and the hints.
func (m *model) draw() []string {
	switch {
	case m.rows == nil:
		return nil
	case m.help:
		return m.helpLines()
	case m.list.Len() == 0:
		return theme.WrapIndented(m.st.Text, empty, 4, m.w-4)
	case m.pager != nil:
		return m.pager.View()
	case m.w < wideScreen && m.inside:
		return m.detail()
	case m.w < wideScreen:
		return m.list.ViewRows()
	}
	edge := m.st.RuleLine
	if m.inside {
		edge = m.st.Seen
	}
	lines := theme.FitLines(m.list.ViewRows(), m.left, m.body)
	for i, line := range theme.FitLines(m.detail(), m.right, m.body) {
		lines[i] += edge.Render("│") + line
	}
	return lines
}

// empty explains how requests get here.
const empty = `No requests yet. Start a client through winnow in another terminal, and what it sends appears here:

    winnow watch -- codex

winnow watch setup prints the settings for any other client.`

// signs explains the signs of both lists.
const signs = "✚ new  ◐ cut  ~ rewritten  ⇄ moved  ○ gone   In the list: ✂ something was cut or is gone  " +
	"❄ the cache broke  ! damaged tool calls, or not all of it was read  ◆ pinned   In a text: ┊ old  ✚ new"

// helpLines lists the keys and the signs.
func (m *model) helpLines() (lines []string) {
	k, st := &m.Keys, m.st
	for _, b := range []key.Binding{
		k.Hint("read a request, then a block of it", keymap.Inspect),
		k.Hint("go to the other side", keymap.Focus),
		k.Hint("previous or next request of the conversation", keymap.Earlier, keymap.Later),
		keymap.TypedHint(diffKey, "compare with another request"),
		k.Hint("search all requests", keymap.Find),
		k.Hint("next or previous match", keymap.NextHit, keymap.PrevHit),
		k.Hint("copy the request as it was sent", keymap.Copy),
		k.Hint("pin: keep it longer than 30 days", keymap.Pin),
		keymap.TypedHint(openKey, "open as a chat"),
		keymap.TypedHint(quitKey, "quit"),
	} {
		h := b.Help()
		lines = append(lines, st.Text.Render(theme.Fit(h.Key, 8))+st.Muted.Render(h.Desc))
	}
	return indented(append(append(lines, ""), theme.WrapStyled(st.Muted, signs, m.w-8)...), 4)
}

// indented puts a margin in front of lines.
func indented(lines []string, margin int) []string {
	for i := range lines {
		lines[i] = strings.Repeat(" ", margin) + lines[i]
	}
	return lines
}
