package composer

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/llm/mcp"
	"winnow/ui/app"
	"winnow/ui/composer/tree"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/slash"
	"winnow/ui/theme"
)

// completions are what the word that is being typed may become: a command, which is the value of its item, a file or a
// resource, whose value is what is attached, or a text, in Also, that takes the place of the word.
type completions struct {
	*list.Model
	place string   // where the files are that may complete a path, "" while none is typed
	paths []string // their paths; that of a folder ends with a slash
}

// The most that is offered at once, and of that on the screen.
const (
	maxOffered        = 50
	maxCompletionRows = 8
)

// IsCommand reports whether a draft is a command and not a message. A space in front of a slash makes any text a
// message, and so does an edit.
func (c *Model) IsCommand(draft string) bool {
	return c.editedID == 0 && slash.IsCommand(draft, c.Ref, func(name string) bool {
		return slices.ContainsFunc(c.commands(), func(o slash.Command) bool { return o.Name == name })
	})
}

// commands are those of the program, and the prompts of the MCP servers.
func (c *Model) commands() []slash.Command {
	all := slash.All()
	for _, p := range c.serverPrompts() {
		all = append(all, p.Command)
	}
	return all
}

// CompletionCount is how many there are, 0 where no list is open.
func (c *Model) CompletionCount() int {
	if c.ReadOnly || !c.Callbacks.Focused() {
		return 0
	}
	return c.completions.Len()
}

// CloseCompletions closes the list until the draft changes, and reports whether there was one.
func (c *Model) CloseCompletions() bool {
	open := c.CompletionCount() > 0
	c.completions.SetItems(nil)
	return open
}

// everywhere is the place of a path that does not begin at a folder: all files below the one that winnow runs in.
const everywhere = "."

// mention is a word that names a file, and the folder that it begins at, if any.
var mention = regexp.MustCompile(`^@((?:~|\.\.?)?/(?:.*/)?)?`)

// complete makes the list anew, and reads the files that a path behind @ may name.
func (c *Model) complete() tea.Cmd {
	have, word, place := &c.completions, c.Editor.WordBeforeCursor(), ""
	if found := mention.FindStringSubmatch(word); found != nil {
		place = cmp.Or(found[1], everywhere)
	}
	known := place == have.place
	if !known {
		have.place, have.paths = place, nil
	}
	c.offer(word)
	if known || place == "" {
		return nil
	}
	return c.Run(func(ctx context.Context) tea.Msg {
		paths := pathsIn(ctx, place)
		return app.Then(func() tea.Cmd {
			if have.place == place {
				have.paths = paths
				c.offer(c.Editor.WordBeforeCursor())
			}
			return nil
		})
	})
}

// pathsIn are the files of a place but for hidden ones, none where it cannot be read.
func pathsIn(ctx context.Context, place string) (paths []string) {
	if place == everywhere {
		return tree.List(ctx, ".")
	}
	entries, _ := os.ReadDir(resolved(place)) // What is typed may be no folder yet.
	for _, e := range entries {
		path := place + e.Name()
		if e.IsDir() {
			path += "/"
		}
		if e.Name()[0] != '.' {
			paths = append(paths, path)
		}
	}
	return paths
}

// offer makes the list of what a word may become.
func (c *Model) offer(word string) {
	c.completions.SetItems(c.find(word))
	c.completions.MoveCursor(-keymap.AllLines)
}

// find is what a word may become: a file or what an MCP server offers, or a command.
func (c *Model) find(word string) (items []list.Item) {
	path, mention := strings.CutPrefix(word, "@")
	switch {
	case mention:
		for _, p := range tree.Find(c.completions.paths, path, maxOffered) {
			item := list.Item{Label: theme.OneLine("@" + p), Value: p}
			if strings.HasSuffix(p, "/") {
				item.Value, item.Hidden = "", "@"+p
			}
			items = append(items, item)
		}
		return append(items, c.resources(word)...)
	case c.editedID != 0 || !strings.HasPrefix(word, "/") || c.DisplayText() != word:
		return nil
	}
	for _, o := range c.commands() {
		if strings.HasPrefix("/"+o.Name, word) {
			item := list.Item{Label: o.Usage(), Description: o.Help, Value: "/" + o.Name}
			if o.NeedsArgs() {
				item.Value += " "
			}
			items = append(items, item)
		}
	}
	return items
}

// completionKey is a key while there are completions. It reports whether it was for them.
func (c *Model) completionKey(msg tea.KeyPressMsg) (cmd tea.Cmd, ok bool) {
	k := &c.Keys
	switch {
	case c.CompletionCount() == 0:
		return nil, false
	case k.Pressed(msg, keymap.ListUp):
		c.completions.MoveCursor(-1)
		return nil, true
	case k.Pressed(msg, keymap.ListDown):
		c.completions.MoveCursor(1)
		return nil, true
	case !k.Pressed(msg, keymap.Send, keymap.Focus):
		return nil, false
	}
	chosen, _ := c.completions.SelectedItem()
	c.Editor.DeleteWordBeforeCursor()
	switch {
	case c.completions.place == "":
		c.Editor.Insert(chosen.Value)
		if k.Pressed(msg, keymap.Send) && !strings.HasSuffix(chosen.Value, " ") {
			return c.Callbacks.RunCommand(chosen.Value), true
		}
	case chosen.Value == "":
		c.Editor.Insert(chosen.Hidden)
	default:
		return c.attach(chosen.Value), true
	}
	return nil, true
}

// Hints are the keys of the list of completions, nil where there is none.
func (c *Model) Hints() []key.Binding {
	if c.CompletionCount() == 0 {
		return nil
	}
	k := &c.Keys
	hints := []key.Binding{k.Hint("choose", keymap.ListUp, keymap.ListDown), k.Hint("close", keymap.Back)}
	switch chosen, _ := c.completions.SelectedItem(); {
	case chosen.Value == "", strings.HasSuffix(chosen.Value, " "):
		return slices.Insert(hints, 1, k.Hint("complete", keymap.Send))
	case c.completions.place != "":
		return slices.Insert(hints, 1, k.Hint("attach", keymap.Send))
	}
	return slices.Insert(hints, 1, k.Hint("complete", keymap.Focus), k.Hint("run", keymap.Send))
}

// CompletionView draws the completions in lines of w cells, at most so many.
func (c *Model) CompletionView(w, most int) []string {
	n := c.CompletionCount()
	if n == 0 || w < 1 || most < 2 {
		return nil
	}
	c.completions.Resize(w, min(n, maxCompletionRows, most))
	return c.completions.ViewRows()
}

// serverPrompt is a prompt of an MCP server, as a slash command that writes it into the draft.
type serverPrompt struct {
	slash.Command
	server string
	of     *mcp.Prompt
}

// serverPrompts are those of all servers.
func (c *Model) serverPrompts() (all []serverPrompt) {
	for _, server := range c.Servers.List() {
		for _, p := range server.Prompts {
			var args []string
			for _, a := range p.Arguments {
				arg := strings.ToUpper(oneWord(a.Name))
				if !a.Required {
					arg = "[" + arg + "]"
				}
				args = append(args, arg)
			}
			all = append(all, serverPrompt{slash.Command{
				Name: oneWord(server.Name) + ":" + oneWord(p.Name), Args: strings.Join(args, " "),
				Help: markdown.OneLine(cmp.Or(p.Title, p.Description, "a prompt of "+server.Name), 200),
			}, server.Name, p})
		}
	}
	return all
}

// apart are the letters that end the name of a command.
var nameEnd = regexp.MustCompile(`[\s/]`)

// oneWord is a name as it can be typed in a command.
func oneWord(name string) string { return nameEnd.ReplaceAllString(markdown.OneLine(name, 60), "-") }

// RunServerPrompt has the prompt of a server written into the draft, with what stands behind the command. It is false where
// there is no such prompt.
func (c *Model) RunServerPrompt(command, args string) (tea.Cmd, bool) {
	all := c.serverPrompts()
	i := slices.IndexFunc(all, func(p serverPrompt) bool { return p.Name == command })
	if i < 0 {
		return nil, false
	}
	return c.Run(func(ctx context.Context) tea.Msg {
		text, err := all[i].text(ctx, c.Servers, splitWords(args))
		return app.Then(func() tea.Cmd {
			if err != nil && c.Empty() {
				c.SetDraft("/" + command + " " + args)
			}
			if err != nil {
				return c.ReportError(err)
			}
			if !c.Empty() {
				c.Editor.Insert("\n\n") // behind what was typed meanwhile
			}
			c.Paste(text)
			c.Callbacks.Focus()
			return nil
		})
	}), true
}

// text has the server make the prompt, as a text for the draft. The words behind the command are its arguments in their
// order; all words from the last argument on belong to it.
func (p serverPrompt) text(ctx context.Context, s *mcp.Servers, words []string) (string, error) {
	values, n := map[string]string{}, len(p.of.Arguments)
	if n > 0 && len(words) > n {
		words = append(words[:n-1], strings.Join(words[n-1:], " "))
	}
	for i, a := range p.of.Arguments {
		if i < len(words) {
			values[a.Name] = words[i]
		} else if a.Required {
			return "", fmt.Errorf("the prompt needs %s: it is %s", a.Name, p.Usage())
		}
	}
	text, err := s.Prompt(ctx, p.server, p.of.Name, values)
	if err == nil && strings.TrimSpace(text) == "" {
		err = fmt.Errorf("the prompt /%s is empty", p.Name)
	}
	return text, err
}

// resources are the resources of the servers that a word beginning with @ may become. One with placeholders is written
// into the draft, where the user replaces them.
func (c *Model) resources(word string) (items []list.Item) {
	for _, server := range c.Servers.List() {
		for _, r := range server.Resources {
			name := "@" + server.Name + ":" + r.URI
			help := markdown.OneLine(cmp.Or(r.Title, r.Name, r.Description), 200)
			item := list.Item{Label: theme.OneLine(name), Description: help, Value: name}
			fixed, _, template := strings.Cut(name, "{")
			switch {
			case template && len(word) > len(fixed) && strings.HasPrefix(word, fixed) && !strings.Contains(word, "{"):
				item.Label, item.Value = theme.OneLine(word), word
			case !strings.Contains(strings.ToLower(name+" "+help), strings.ToLower(word[1:])):
				continue
			case template:
				item.Value, item.Hidden = "", name
			}
			items = append(items, item)
		}
	}
	return items
}

// readResource reads the resource that @SERVER:URI names, as a text.
func (c *Model) readResource(ctx context.Context, word string) (string, error) {
	for _, server := range c.Servers.List() {
		if uri, ok := strings.CutPrefix(word, "@"+server.Name+":"); ok && uri != "" {
			return c.Servers.Read(ctx, server.Name, uri)
		}
	}
	return "", fmt.Errorf("no MCP server is named in %s", word)
}
