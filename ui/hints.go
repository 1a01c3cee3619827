package ui

import (
	"charm.land/bubbles/v2/key"

	"winnow/ui/keymap"
)

// hints are the keys that matter now. The last one says how to leave, or where the rest is.
func (m *Model) hints() []key.Binding {
	k := &m.Keys
	switch {
	case m.dialog() != nil:
		return m.dialog().Hints()
	case m.panel.Whatif != nil:
		return []key.Binding{
			k.Hint("setting", keymap.Down, keymap.Up),
			k.Hint("change", keymap.Earlier, keymap.Later),
			keymap.Typed("0–9", "budget"),
			k.Hint("apply", keymap.Choose),
			k.Hint("list", keymap.PageUp, keymap.PageDown),
			k.Hint("help", keymap.Help),
			k.Hint("cancel", keymap.Back),
		}
	case m.focus == transcriptPane, m.chat.Selecting():
		return m.chat.Hints()
	case m.panel.Past != nil && m.focus == panelPane:
		return append(panelHints(k), k.Hint("back to the next request", keymap.Back))
	case m.focus == questionPane:
		return m.question.Hints()
	case !m.layout.Cover.Empty():
		return append(panelHints(k), k.Hint("close", keymap.Back))
	case m.focus == panelPane:
		return append(panelHints(k), k.Hint("draft", keymap.Back), k.Hint("help", keymap.Help))
	case m.ReadOnly:
		return []key.Binding{
			k.Hint("fork", keymap.ForkOff),
			k.Hint("take over once it is closed there", keymap.Choose),
			k.Hint("read", keymap.Focus),
			k.Hint("context", keymap.Context),
			k.Hint("chats", keymap.Sessions),
			k.Hint("help", keymap.Help),
		}
	}
	if m.question.Waits() && m.turn.Busy {
		return []key.Binding{
			k.Hint("answer the question", keymap.Focus),
			k.Hint("queue the draft", keymap.Send),
			k.Hint("stop", keymap.Back),
			k.Hint("help", keymap.Help),
		}
	}
	if misfit(m) != nil {
		return []key.Binding{
			k.Hint("ways out", keymap.Send), k.Hint("send cut", keymap.SendCut), k.Hint("model", keymap.Models),
			k.Hint("help", keymap.Help),
		}
	}
	if hints := m.composer.Hints(); hints != nil {
		return hints
	}
	if m.editing() {
		return []key.Binding{
			k.Hint("send as another version", keymap.Send),
			k.Hint("context", keymap.Context),
			k.Hint("cancel", keymap.Back),
		}
	}
	if m.turn.Busy {
		if m.composer.Waiting.Len() > 0 {
			return []key.Binding{
				k.Hint("queue another", keymap.Send), k.Hint("take the last back", keymap.ListUp),
				k.Hint("stop", keymap.Back), k.Hint("help", keymap.Help),
			}
		}
		return []key.Binding{
			k.Hint("queue a message", keymap.Send),
			k.Hint("stop", keymap.Back),
			k.Hint("new chat, this one continues", keymap.New),
			k.Hint("chats", keymap.Sessions),
			k.Hint("help", keymap.Help),
		}
	}
	if m.composer.Waiting.Held() && m.composer.Empty() {
		return []key.Binding{
			k.Hint("send the next", keymap.Send),
			k.Hint("take the last back", keymap.ListUp),
			k.Hint("help", keymap.Help),
		}
	}
	return []key.Binding{
		k.Hint("send", keymap.Send),
		k.Hint("context", keymap.Context),
		k.Hint("chats", keymap.Sessions),
		k.Hint("commands", keymap.Palette),
		k.Hint("help", keymap.Help),
	}
}

// panelHints are the keys of the panel, wherever it stands.
func panelHints(k *keymap.Map) []key.Binding {
	return []key.Binding{
		k.Hint("pin", keymap.Pin),
		k.Hint("exclude", keymap.Exclude),
		k.Hint("inspect", keymap.Inspect),
		k.Hint("turns", keymap.Earlier, keymap.Later),
		k.Hint("what if", keymap.WhatIf),
		k.Hint("move", keymap.Down, keymap.Up),
		k.Hint("request", keymap.Request),
		k.Hint("select", keymap.Select),
		k.Hint("undo", keymap.TakeBack),
		k.Hint("repairs", keymap.Repairs),
	}
}
