package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/theme"
)

// OpenHelp shows the help: first the keys of a scope, under its name, then the other keys, the commands and the signs.
// Chosen is called with the value of a command, or "" for any other line.
func (s *Stack) OpenHelp(
	ctx *app.Context, name string, scope keymap.Scope, commands []list.Item, chosen func(string) tea.Cmd,
) {
	var here, elsewhere []list.Item
	for _, b := range s.Keys.Table() {
		item := list.Item{
			Label: strings.Join(b.Keys(), " "), Description: b.Help().Desc, Hidden: string(b.Action),
			Group: theme.UpperFirst(b.Section),
		}
		if b.Where&scope == 0 || b.Section == "everywhere" {
			elsewhere = append(elsewhere, item)
			continue
		}
		item.Group = "Here: " + name
		here = append(here, item)
	}
	items := append(here, elsewhere...)
	for _, c := range commands {
		c.Group = "Commands"
		items = append(items, c)
	}
	for _, s := range signs {
		items = append(items, list.Item{
			Label: s.glyph + " " + s.word, Description: s.means, Group: "Signs",
		})
	}
	l := list.New(ctx, list.Options{
		Title: "Help", Placeholder: "Type to filter", ChooseHint: "run", CloseAction: keymap.Help,
		WrapDescriptions: true, StaysOpen: true,
	}, items...)
	s.help = &Picker{Model: l, stack: s, chosen: chosen}
}

// signs explains the signs beside messages.
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
