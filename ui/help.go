package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/theme"
)

// helpOverlay lists the keys and the commands: those of what is on the screen first. It may cover anything.
type helpOverlay struct{ listOverlay }

func (*helpOverlay) place() place           { return listInstead }
func (*helpOverlay) box(m *Model) theme.Box { return m.layout.Full }

func (o *helpOverlay) title(*Model) (string, string) { return o.Title, "" }

// hints name what enter and tab do where they do something.
func (o *helpOverlay) hints(m *Model) []key.Binding {
	hints := o.listOverlay.hints(m)
	if c, ok := o.Cursor(); ok && !strings.HasPrefix(c.Value, "/") {
		hints = []key.Binding{hints[0], hints[len(hints)-1]}
	}
	return hints
}

func (o *helpOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok && o.Filter.Text() == "" && m.keys.Pressed(key, keymap.Help) {
		m.uncover()
		return nil
	}
	return o.listOverlay.update(m, msg)
}

// isHelp says whether an overlay is the help.
func isHelp(o overlay) bool {
	_, ok := o.(*helpOverlay)
	return ok
}

// openHelp lists the keys and the commands.
func (m *Model) openHelp() tea.Cmd {
	l := newList(m, list.Options{
		Title: "Help", Prompt: "Type to filter", Does: "run", Adds: "complete", Also: keymap.Help,
		Wraps: true,
	}, helpChoices(m.keys, keysHere(m)), func(value string) tea.Cmd { return helpChosen(m, value) })
	l.stays = true
	l.added = func(value string) tea.Cmd {
		if name, ok := strings.CutPrefix(value, "/"); ok {
			return writeCommand(m, name)
		}
		return helpChosen(m, value)
	}
	m.overlays.open(&helpOverlay{*l})
	return nil
}

// helpChosen runs a command of the help, or says where a key works.
func helpChosen(m *Model, value string) tea.Cmd {
	name, command := strings.CutPrefix(value, "/")
	if !command {
		return m.notice.Say(value)
	}
	m.bare()
	return m.takeCommand(name)
}

// here is what is on the screen: the scope of its keys, or, where it has no scope of its own, its hints.
type here struct {
	name  string
	scope keymap.Scope
	hints []key.Binding
}

// keysHere says whose keys the help names first.
func keysHere(m *Model) here {
	switch o := m.overlays.top().(type) {
	case nil:
	case sessionsOverlay:
		return here{name: "chats", scope: keymap.InSessions}
	case inspectorOverlay:
		if m.inspector.On.Message == 0 {
			return here{name: "whole request", scope: keymap.InRequest}
		}
		if m.inspector.At == inspector.RepairView {
			return here{name: "repairs", scope: keymap.InRepairs}
		}
		return here{name: "inspector", scope: keymap.InInspector}
	case panelOverlay:
		return here{name: "panel", scope: keymap.InPanel}
	case *listOverlay:
		return here{name: o.Title, scope: keymap.InLists}
	default:
		return here{name: "this screen", hints: m.hints()}
	}
	switch m.focus {
	case transcriptPane:
		return here{name: "transcript", scope: keymap.InTranscript}
	case panelPane:
		return here{name: "panel", scope: keymap.InPanel}
	case questionPane:
		return here{name: "tool question", scope: keymap.InQuestion}
	}
	if m.current.ReadOnly {
		return here{name: "chat open in another window", scope: keymap.InOtherWindow}
	}
	return here{name: "draft", scope: keymap.InDraft}
}

// everywhere is the section of the keys that work on every screen.
const everywhere = "everywhere"

// helpChoices are the lines of the help: the keys of what is on the screen, those that work everywhere, the other keys,
// the commands and the signs. A key's value says where it works.
func helpChoices(keys keymap.Map, at here) []list.Item {
	var choices []list.Item
	closing := "Close the help with " + keys.First(keymap.Back) + ", then press "
	group := func(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
	for _, h := range at.hints {
		choices = append(choices, list.Item{
			Label: h.Help().Key, About: h.Help().Desc, Group: "Here: " + at.name, Value: closing + h.Help().Key + ".",
		})
	}
	key := func(b keymap.Binding, in, value string) {
		choices = append(choices, list.Item{
			Label: strings.Join(b.Keys(), " "), About: b.Help().Desc, Also: string(b.Action), Group: in, Value: value,
		})
	}
	isHere := func(b keymap.Binding) bool { return b.Section != everywhere && b.Where&at.scope != 0 }
	for _, b := range keys.Table() {
		if isHere(b) {
			key(b, "Here: "+at.name, closing+keys.First(b.Action)+".")
		}
	}
	for _, b := range keys.Table() {
		if b.Section == everywhere {
			key(b, group(everywhere), closing+keys.First(b.Action)+".")
		}
	}
	for _, b := range keys.Table() {
		if b.Section != everywhere && !isHere(b) {
			key(b, group(b.Section), keys.First(b.Action)+" belongs to another screen: "+b.Section+".")
		}
	}
	for _, c := range Commands() {
		right := ""
		if c.key != "" {
			right = keys.First(c.key)
		}
		choices = append(choices, list.Item{
			Label: c.Title(), About: c.Help, Right: right, Group: "Commands", Value: "/" + c.value(),
		})
	}
	for _, s := range signs {
		choices = append(choices, list.Item{
			Label: s.glyph + " " + s.word, About: s.means, Group: "Signs", Value: s.glyph + " means: " + s.means + ".",
		})
	}
	return choices
}

// signs are the signs beside messages.
var signs = []struct{ glyph, word, means string }{
	{"●", "whole", "the model sees the whole message"},
	{"◐", "cut", "the model sees a part of it"},
	{"○", "dropped", "the model does not see it"},
	{"◆", "pinned", "always sent whole, because you said so"},
	{"⊘", "excluded", "never sent, because you said so"},
	{"▲", "repaired", "something else is sent in place of what is damaged"},
	{"✚", "added", "text that winnow adds to the request"},
	{"↺", "recalled", "an old message that is sent because the new one is about it"},
}
