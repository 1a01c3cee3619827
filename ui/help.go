package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

func (m *Model) openHelp() tea.Cmd {
	m.openReader(helpOverlay, "help", m.helpPage())
	return nil
}

// helpPage is the help screen, made from the bindings and the commands.
func (m *Model) helpPage() page {
	var p page
	line := func(keys, help string) {
		p.add(saidTone, "  "+fit(keys, min(30, max(8, m.width/3))))
		p.line(quietTone, " %s", help)
	}
	where := ""
	for _, r := range m.keys.Table() {
		if r.Where != where {
			where = r.Where
			p.title(where)
		}
		line(strings.Join(r.Keys, " "), r.Help)
	}
	p.title("commands")
	for _, c := range Commands() {
		line(c.usage(), c.Help)
	}
	p.title("signs")
	p.line(quietTone, "  ● whole  ◐ cut  ○ dropped  ◆ pinned  ⊘ excluded  ⚠ repaired  ↺ recalled  ✚ added  ┊ not sent")
	return p
}

// helpLine names as many keys as fit.
func (m *Model) helpLine(w int) string {
	k := &m.keys
	hints := []hint{
		{firstKey(k.Send), "send"},
		{firstKey(k.Context), "context"},
		{firstKey(k.Sessions), "sessions"},
		{firstKey(k.Palette), "palette"},
		{firstKey(k.Ask), "help"},
	}
	switch {
	case m.pickerOpen():
		return fit(m.styles.dim.Render(" "+m.picker.hint), w)
	case m.overlay == whatifOverlay:
		hints = []hint{
			{firstKey(k.Down) + " " + firstKey(k.Up), "dial"},
			{firstKey(k.Earlier) + " " + firstKey(k.Later), "turn"},
			{"0–9", "budget"},
			{firstKey(k.Choose), "apply"},
			{firstKey(k.PageUp) + " " + firstKey(k.PageDown), "list"},
			{firstKey(k.Back), "leave"},
		}
	case m.overlay == ledgerOverlay:
		hints = []hint{
			{firstKey(k.Down) + " " + firstKey(k.Up), "move"},
			{firstKey(k.Remedy), "send it otherwise"},
			{firstKey(k.Choose), "go to the message"},
			{firstKey(k.Back), "close"},
		}
	case m.overlay == inspectorOverlay:
		hints = []hint{
			{firstKey(k.NextView), "next view"},
			{firstKey(k.Next) + " " + firstKey(k.Prev), "message"},
			{firstKey(k.Earlier) + " " + firstKey(k.Later), "request"},
			{firstKey(k.Down) + " " + firstKey(k.Up), "scroll"},
			{firstKey(k.Copy), "copy"},
			{firstKey(k.Back), "close"},
		}
	case m.overlay == panelOverlay:
		hints = []hint{
			{firstKey(k.Down) + " " + firstKey(k.Up), "move"},
			{firstKey(k.Inspect), "inspect"},
			{firstKey(k.Request), "request"},
			{firstKey(k.Earlier) + " " + firstKey(k.Later), "turns"},
			{firstKey(k.WhatIf), "what if"},
			{firstKey(k.Pin) + " " + firstKey(k.Exclude) + " " + firstKey(k.Auto), "pin exclude auto"},
			{firstKey(k.Select), "select"},
			{firstKey(k.TakeBack), "undo"},
			{firstKey(k.Repairs), "repairs"},
			{firstKey(k.Back), "close"},
		}
	case m.overlay != noOverlay:
		hints = []hint{
			{firstKey(k.Down) + " " + firstKey(k.Up), "scroll"},
			{firstKey(k.Top) + " " + firstKey(k.Bottom), "ends"},
			{firstKey(k.Back), "close"},
		}
	case m.focus == transcriptPane:
		hints = []hint{
			{firstKey(k.Next) + " " + firstKey(k.Prev), "message"},
			{firstKey(k.Inspect), "inspect"},
			{firstKey(k.Request), "request"},
			{firstKey(k.Pin) + " " + firstKey(k.Exclude) + " " + firstKey(k.Auto), "pin exclude auto"},
			{firstKey(k.Find), "search"},
			{firstKey(k.Select), "select"},
			{firstKey(k.Copy), "copy"},
			{firstKey(k.TakeBack), "undo"},
			{firstKey(k.Again), "ask again"},
			{firstKey(k.Boundary), "boundary"},
			{firstKey(k.WhatIf), "what if"},
			{firstKey(k.Repairs), "repairs"},
			{firstKey(k.Back), "draft"},
			{firstKey(k.Ask), "help"},
		}
	case m.focus == panelPane:
		hints = []hint{
			{firstKey(k.Down) + " " + firstKey(k.Up), "move"},
			{firstKey(k.Inspect), "inspect"},
			{firstKey(k.Request), "request"},
			{firstKey(k.Earlier) + " " + firstKey(k.Later), "turns"},
			{firstKey(k.WhatIf), "what if"},
			{firstKey(k.Pin) + " " + firstKey(k.Exclude) + " " + firstKey(k.Auto), "pin exclude auto"},
			{firstKey(k.Select), "select"},
			{firstKey(k.TakeBack), "undo"},
			{firstKey(k.Repairs), "repairs"},
			{firstKey(k.Back), "draft"},
			{firstKey(k.Ask), "help"},
		}
	}
	if m.selection.on && (m.overlay == noOverlay || m.overlay == panelOverlay) {
		hints = []hint{
			{firstKey(k.Pin), "pin"},
			{firstKey(k.Exclude), "exclude"},
			{firstKey(k.Auto), "auto"},
			{firstKey(k.Pick), "add or remove one"},
			{firstKey(k.Select), "range"},
			{firstKey(k.Back), "leave the selection"},
		}
	}
	return m.hintLine(hints, w)
}

// hint is a key and what it does.
type hint struct{ key, what string }

// hintLine puts as many hints on a line as fit. The last one stays: it says how to leave, or where the
// rest is.
func (m *Model) hintLine(hints []hint, w int) string {
	st, last := m.styles, len(hints)-1
	for n := last; ; n-- {
		line := ""
		for _, h := range slices.Concat(hints[:n], hints[last:]) {
			sep := " · "
			if line == "" {
				sep = " "
			}
			line += st.faint.Render(sep) + st.text.Render(h.key) + st.dim.Render(" "+h.what)
		}
		if n == 0 || fitWidth(line) <= w {
			return fit(line, w)
		}
	}
}
