package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// readerOverlay is a text to scroll through.
type readerOverlay struct {
	replaces
	name string
	help bool // the help, which may cover anything
	*inspector.Pager
}

// isHelp says whether an overlay is the help.
func isHelp(o overlay) bool {
	r, ok := o.(*readerOverlay)
	return ok && r.help
}

func (r *readerOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	if by := scrolledBy(msg); by != 0 {
		r.Scroll(by)
	}
	key, ok := msg.(tea.KeyPressMsg)
	k := &m.keys
	switch {
	case !ok:
	case k.Pressed(key, keymap.Back), r.help && k.Pressed(key, keymap.Help, keymap.Ask):
		m.uncover()
	case !k.Scrolled(key, r, r.H):
		return m.notice.Say(k.First(keymap.Back) + " closes this.")
	}
	return nil
}

func (r *readerOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	r.Resize(in.W, in.H)
	return r.Pager.View(m.themes.Styles), nil
}

func (r *readerOverlay) title(m *Model) (string, string) {
	return r.name, ""
}

func (r *readerOverlay) hints(m *Model) []keymap.Hint {
	k := &m.keys
	return []keymap.Hint{
		k.Hint("scroll", keymap.Down, keymap.Up),
		k.Hint("ends", keymap.Top, keymap.Bottom),
		k.Hint("close", keymap.Back),
	}
}

// openHelp shows the help, with the keys that matter now.
func (m *Model) openHelp() tea.Cmd {
	var here []keymap.Hint
	if m.overlays.any() {
		here = m.hints()
	}
	m.overlays.open(&readerOverlay{name: "help", help: true, Pager: inspector.NewPager(helpPage(m.keys, here, m.layout.Width))})
	return nil
}

// helpPage is the help screen, made from the bindings and the commands; here are the keys of what covers the panes.
func helpPage(keys keymap.Map, here []keymap.Hint, width int) inspector.Page {
	var p inspector.Page
	line := func(keys, help string) {
		p.Add(inspector.Sent, "  "+theme.Fit(keys, min(30, max(8, width/3))))
		p.Line(inspector.Quiet, " %s", help)
	}
	if len(here) > 0 {
		p.Title("here")
		for _, h := range here {
			line(h.Key, h.What)
		}
	}
	where := ""
	for _, r := range keys.Table() {
		if r.Section != where {
			where = r.Section
			p.Title(where)
		}
		line(strings.Join(r.Keys(), " "), r.Help().Desc)
	}
	p.Title("commands")
	for _, c := range Commands() {
		line(c.Usage(), c.Help)
	}
	p.Title("signs")
	p.Line(inspector.Quiet, "  ● whole  ◐ cut  ○ dropped  ◆ pinned  ⊘ excluded  ⚠ repaired  ↺ recalled  ✚ added  ┊ not sent")
	return p
}
