package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/theme"
)

// Help lists the keys of what is on the screen, whose name and scope these are, those that work everywhere, the other
// keys, the commands and the signs. Chosen gets the value of a command behind a slash; of any other line, a sentence
// that says where it holds.
func (s *Stack) Help(
	ctx *app.Context, name string, scope keymap.Scope, commands []list.Item, chosen func(string) tea.Cmd,
) {
	var here, everywhere, elsewhere []list.Item
	for _, b := range s.Keys.Table() {
		key := s.Keys.First(b.Action)
		item := list.Item{
			Label: strings.Join(b.Keys(), " "), About: b.Help().Desc, Also: string(b.Action),
			Group: theme.UpperFirst(b.Section), Value: key + ": close the help first.",
		}
		switch {
		case b.Section == "everywhere":
			everywhere = append(everywhere, item)
		case b.Where&scope != 0:
			item.Group = "Here: " + name
			here = append(here, item)
		default:
			item.Value = key + " belongs to another screen: " + b.Section + "."
			elsewhere = append(elsewhere, item)
		}
	}
	items := slices.Concat(here, everywhere, elsewhere)
	for _, c := range commands {
		c.Group, c.Value = "Commands", "/"+c.Value
		items = append(items, c)
	}
	for _, s := range signs {
		items = append(items, list.Item{
			Label: s.glyph + " " + s.word, About: s.means, Group: "Signs", Value: s.glyph + " means: " + s.means + ".",
		})
	}
	l := list.New(ctx, list.Options{
		Title: "Help", Prompt: "Type to filter", Does: "run", Also: keymap.Help, Wraps: true, Stays: true,
	}, items...)
	s.help = &Picker{Model: l, stack: s, chosen: chosen}
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
