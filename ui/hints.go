package ui

import (
	"charm.land/bubbles/v2/key"

	"winnow/ui/keymap"
)

// hints returns the keys that matter now, the most important first. The last one says how to leave, or where to find
// more; frame.Hints never drops it.
func (s screen) hints() []key.Binding {
	m := s.m
	switch {
	case m.dialogs.Top() != nil:
		return m.dialogs.Top().Hints()
	case m.Panel.Whatif == nil && (m.focus == transcriptPane || m.Chat.HasSelection()):
		return m.Chat.Hints()
	case m.Panel.Whatif == nil && m.focus == questionPane:
		return m.Question.Hints()
	case m.Panel.Whatif == nil && m.focus == draftPane && !m.ReadOnly && draftOversize(m) == nil:
		if hints := m.composer.Hints(); hints != nil {
			return hints
		}
	}
	return s.paneHints()
}

// paneHints returns the hints of the panel, the What-if trial and the draft.
func (s screen) paneHints() []key.Binding {
	m, k := s.m, &s.m.Keys
	help, stop := k.Hint("help", keymap.Help), k.Hint("stop", keymap.Back)
	panel := []key.Binding{
		k.Hint("pin", keymap.Pin), k.Hint("exclude", keymap.Exclude), k.Hint("inspect", keymap.Inspect),
		k.Hint("turns", keymap.Earlier, keymap.Later),
	}
	switch {
	case m.Panel.Whatif != nil:
		return []key.Binding{
			k.Hint("setting", keymap.Down, keymap.Up), k.Hint("change", keymap.Earlier, keymap.Later),
			k.Hint("apply", keymap.Choose), k.Hint("cancel", keymap.Back),
		}
	case m.focus == panelPane && m.Panel.Past != nil:
		return append(panel, k.Hint("back to the next request", keymap.Back))
	case !m.layout.Cover.Empty():
		return append(panel, k.Hint("close", keymap.Back))
	case m.focus == panelPane:
		return append(panel, help)
	case m.ReadOnly:
		return []key.Binding{
			k.Hint("fork", keymap.ForkChat), k.Hint("take over once it is closed there", keymap.Choose),
			k.Hint("read", keymap.Focus), k.Hint("context", keymap.Context), help,
		}
	case m.Question.HasQuestion():
		return []key.Binding{
			k.Hint("answer the question", keymap.Focus), k.Hint("queue the draft", keymap.Send), stop, help,
		}
	case draftOversize(m) != nil:
		return []key.Binding{
			k.Hint("ways out", keymap.Send), k.Hint("send cut", keymap.SendCut), k.Hint("model", keymap.Models), help,
		}
	case m.editing():
		return []key.Binding{
			k.Hint("send as another version", keymap.Send), k.Hint("context", keymap.Context),
			k.Hint("cancel", keymap.Back),
		}
	case m.Turn.Busy && m.composer.Queue.Len() > 0:
		return []key.Binding{
			k.Hint("queue another", keymap.Send), k.Hint("take the last back", keymap.ListUp), stop, help,
		}
	case m.Turn.Busy:
		return []key.Binding{
			k.Hint("queue a message", keymap.Send), stop, k.Hint("new chat, this one continues", keymap.New),
			k.Hint("chats", keymap.Sessions), help,
		}
	case m.composer.Queue.Paused() && m.composer.Empty():
		return []key.Binding{
			k.Hint("send the next", keymap.Send), k.Hint("take the last back", keymap.ListUp), help,
		}
	}
	return []key.Binding{
		k.Hint("send", keymap.Send), k.Hint("context", keymap.Context), k.Hint("chats", keymap.Sessions),
		k.Hint("commands", keymap.Palette), help,
	}
}
