package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"winnow/ui/theme"
)

// hint is a key, or several that belong together, and what they do.
type hint struct{ key, what string }

// hintOf names the first key of each binding.
func hintOf(what string, bindings ...key.Binding) hint {
	keys := make([]string, len(bindings))
	for i, b := range bindings {
		keys[i] = firstKey(b)
	}
	return hint{strings.Join(keys, " "), what}
}

// helpLine names as many keys as fit of those that matter now.
func (m *Model) helpLine(w int) string {
	if m.pickerOpen() {
		return theme.Fit(m.styles.Dim.Render(" "+m.picker.hint), w)
	}
	return m.hintLine(m.hints(), w)
}

// hints are the keys that matter now. The last one says how to leave, or where the rest is.
func (m *Model) hints() []hint {
	k := &m.keys
	selecting := m.selection.on && (m.overlay == noOverlay || m.overlay == panelOverlay)
	switch {
	case selecting:
		return []hint{
			hintOf("pin", k.Pin),
			hintOf("exclude", k.Exclude),
			hintOf("auto", k.Auto),
			hintOf("add or remove one", k.Pick),
			hintOf("range", k.Select),
			hintOf("leave the selection", k.Back),
		}
	case m.overlay == whatifOverlay:
		return []hint{
			hintOf("dial", k.Down, k.Up),
			hintOf("turn", k.Earlier, k.Later),
			{"0–9", "budget"},
			hintOf("apply", k.Choose),
			hintOf("list", k.PageUp, k.PageDown),
			hintOf("help", k.Ask),
			hintOf("leave", k.Back),
		}
	case m.overlay == ledgerOverlay:
		return []hint{
			hintOf("move", k.Down, k.Up),
			hintOf("send it otherwise", k.Remedy),
			hintOf("go to the message", k.Choose),
			hintOf("help", k.Ask),
			hintOf("close", k.Back),
		}
	case m.overlay == sessionsOverlay:
		return m.sessionsHints()
	case m.overlay == inspectorOverlay && m.inspector.on.request && m.inspector.aspect == asText:
		return []hint{
			hintOf("message", k.Next, k.Prev),
			hintOf("collapse", k.Fold),
			hintOf("collapse all", k.FoldAll),
			hintOf("next view", k.NextView),
			hintOf("request", k.Earlier, k.Later),
			hintOf("scroll", k.Down, k.Up),
			hintOf("copy", k.Copy),
			hintOf("help", k.Ask),
			hintOf("close", k.Back),
		}
	case m.overlay == inspectorOverlay:
		return []hint{
			hintOf("next view", k.NextView),
			hintOf("message", k.Next, k.Prev),
			hintOf("request", k.Earlier, k.Later),
			hintOf("scroll", k.Down, k.Up),
			hintOf("copy", k.Copy),
			hintOf("help", k.Ask),
			hintOf("close", k.Back),
		}
	case m.panel.past != nil && (m.overlay == panelOverlay || m.overlay == noOverlay && m.focus == panelPane):
		return append(k.panelHints(), hintOf("back to the next request", k.Back))
	case m.overlay == panelOverlay:
		return append(k.panelHints(), hintOf("close", k.Back))
	case m.pickerOpen():
		return []hint{
			hintOf("move", k.ListUp, k.ListDown),
			hintOf("page", k.PageUp, k.PageDown),
			hintOf("choose", k.Choose),
			hintOf("close", k.Back),
		}
	case m.overlay != noOverlay:
		return []hint{
			hintOf("scroll", k.Down, k.Up),
			hintOf("ends", k.Top, k.Bottom),
			hintOf("close", k.Back),
		}
	case m.focus == transcriptPane:
		return slices.Concat([]hint{
			hintOf("message", k.Next, k.Prev),
		}, m.partingHints(), []hint{
			hintOf("inspect", k.Inspect),
			hintOf("what it saw", k.Seen),
			hintOf("pin exclude auto", k.Pin, k.Exclude, k.Auto),
			hintOf("search", k.Find),
			hintOf("select", k.Select),
			hintOf("copy", k.Copy),
			hintOf("undo", k.TakeBack),
			hintOf("request", k.Request),
			hintOf("edit", k.Edit),
			hintOf("ask again", k.Again),
			hintOf("fork", k.Fork),
			hintOf("boundary", k.Boundary),
			hintOf("what if", k.WhatIf),
			hintOf("repairs", k.Repairs),
			hintOf("draft", k.Back),
			hintOf("help", k.Ask),
		})
	case m.focus == questionPane:
		stop := hintOf("stop", k.Back)
		if m.turn.question.pending != nil {
			stop = hintOf("later", k.Back)
		}
		return []hint{
			hintOf("don't run it", k.Refuse),
			hintOf("run it once", k.Allow),
			hintOf("move", k.ListUp, k.ListDown),
			hintOf("answer", k.Choose),
			hintOf("draft", k.FocusBack),
			stop,
		}
	case m.focus == panelPane:
		return append(k.panelHints(), hintOf("draft", k.Back), hintOf("help", k.Ask))
	case m.elsewhere:
		return []hint{
			hintOf("fork", k.Away),
			hintOf("take it once it is free", k.Take),
			hintOf("read", k.Focus),
			hintOf("context", k.Context),
			hintOf("sessions", k.Sessions),
			hintOf("help", k.Ask),
		}
	}
	if m.turn.question.waits() && m.turn.busy {
		return []hint{
			hintOf("answer the question", k.Focus),
			hintOf("stop", k.Back),
			hintOf("help", k.Ask),
		}
	}
	if m.editing.message != 0 {
		return []hint{
			hintOf("send as another version", k.Send),
			hintOf("context", k.Context),
			hintOf("leave it as it was", k.Back),
		}
	}
	return []hint{
		hintOf("send", k.Send),
		hintOf("context", k.Context),
		hintOf("sessions", k.Sessions),
		hintOf("palette", k.Palette),
		hintOf("help", k.Ask),
	}
}

// panelHints are the keys of the panel, wherever it stands.
func (k *KeyMap) panelHints() []hint {
	return []hint{
		hintOf("move", k.Down, k.Up),
		hintOf("inspect", k.Inspect),
		hintOf("request", k.Request),
		hintOf("turns", k.Earlier, k.Later),
		hintOf("what if", k.WhatIf),
		hintOf("pin exclude auto", k.Pin, k.Exclude, k.Auto),
		hintOf("select", k.Select),
		hintOf("undo", k.TakeBack),
		hintOf("repairs", k.Repairs),
	}
}

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
			line += st.Faint.Render(sep) + st.Text.Render(h.key) + st.Dim.Render(" "+h.what)
		}
		if n == 0 || theme.Width(line) <= w {
			return theme.Fit(line, w)
		}
	}
}
