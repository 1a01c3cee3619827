package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

func (m *Model) openHelp() tea.Cmd {
	m.cover(&readerOverlay{name: "help", help: true, sheet: newSheet(m.helpPage())})
	m.fitReaders()
	return nil
}

// helpPage is the help screen, made from the bindings and the commands.
func (m *Model) helpPage() page {
	var p page
	line := func(keys, help string) {
		p.add(saidTone, "  "+theme.Fit(keys, min(30, max(8, m.width/3))))
		p.line(quietTone, " %s", help)
	}
	if m.covered() {
		p.title("here")
		for _, h := range m.hints() {
			line(h.Key, h.What)
		}
	}
	where := ""
	for _, r := range m.keys.Table() {
		if r.Section != where {
			where = r.Section
			p.title(where)
		}
		line(strings.Join(r.Keys(), " "), r.Help().Desc)
	}
	p.title("commands")
	for _, c := range Commands() {
		line(c.usage(), c.Help)
	}
	p.title("signs")
	p.line(quietTone, "  ● whole  ◐ cut  ○ dropped  ◆ pinned  ⊘ excluded  ⚠ repaired  ↺ recalled  ✚ added  ┊ not sent")
	return p
}
