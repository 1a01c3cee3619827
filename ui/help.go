package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/inspector"
	"winnow/ui/theme"
)

func (m *Model) openHelp() tea.Cmd {
	m.cover(&readerOverlay{name: "help", help: true, Pager: inspector.NewPager(m.helpPage())})
	m.fitReaders()
	return nil
}

// helpPage is the help screen, made from the bindings and the commands.
func (m *Model) helpPage() inspector.Page {
	var p inspector.Page
	line := func(keys, help string) {
		p.Add(inspector.Said, "  "+theme.Fit(keys, min(30, max(8, m.width/3))))
		p.Line(inspector.Quiet, " %s", help)
	}
	if m.covered() {
		p.Title("here")
		for _, h := range m.hints() {
			line(h.Key, h.What)
		}
	}
	where := ""
	for _, r := range m.keys.Table() {
		if r.Section != where {
			where = r.Section
			p.Title(where)
		}
		line(strings.Join(r.Keys(), " "), r.Help().Desc)
	}
	p.Title("commands")
	for _, c := range Commands() {
		line(c.usage(), c.Help)
	}
	p.Title("signs")
	p.Line(inspector.Quiet, "  ● whole  ◐ cut  ○ dropped  ◆ pinned  ⊘ excluded  ⚠ repaired  ↺ recalled  ✚ added  ┊ not sent")
	return p
}
