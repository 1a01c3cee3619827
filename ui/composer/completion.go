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

// completions are the completions of the word at the cursor. The value of an item is a command or a path to attach; for
// a folder or a template it is "", and Hidden is the text that replaces the word.
type completions struct {
	*list.Model
	place string   // folder of the paths, "" if the word is not a path
	paths []string // files and folders there; a folder ends with a slash
}

// Maximum numbers of completions, and of those on the screen.
const (
	maxOffered        = 50
	maxCompletionRows = 8
)

// IsCommand reports whether a draft is a slash command. A leading space makes it a message, and an edit is always one.
func (c *Model) IsCommand(draft string) bool {
	return c.editedID == 0 && slash.IsCommand(draft, c.Ref, func(name string) bool {
		return slices.ContainsFunc(c.commands(), func(o slash.Command) bool { return o.Name == name })
	})
}

// commands returns winnow's commands and the prompts of MCP servers.
func (c *Model) commands() []slash.Command {
	all := slash.All()
	for _, p := range c.serverPrompts() {
		all = append(all, p.Command)
	}
	return all
}

// CompletionCount returns the number of completions, 0 if no list is open.
func (c *Model) CompletionCount() int {
	if c.ReadOnly || !c.Hooks.Focused() {
		return 0
	}
	return c.completions.Len()
}

// CloseCompletions closes the list until the draft changes, and reports whether it was open.
func (c *Model) CloseCompletions() bool {
	open := c.CompletionCount() > 0
	c.completions.SetItems(nil)
	return open
}

// everywhere is the place of a path that does not begin with a folder: all files below the working directory.
const everywhere = "."

// mention matches a word that names a file; the group is the folder that it begins with.
var mention = regexp.MustCompile(`^@((?:~|\.\.?)?/(?:.*/)?)?`)

// complete updates the completions, and reads the folder that the word names.
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

// pathsIn returns the files and folders of a place without hidden ones, nil if it cannot be read.
func pathsIn(ctx context.Context, place string) (paths []string) {
	if place == everywhere {
		return tree.List(ctx, ".")
	}
	entries, _ := os.ReadDir(resolved(place)) // The path may be incomplete.
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

// offer lists the completions of a word.
func (c *Model) offer(word string) {
	c.completions.SetItems(c.find(word))
	c.completions.MoveCursor(-keymap.AllLines)
}

// find returns the completions of a word: files and MCP resources after @, commands after /.
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

// completionKey handles a key while completions are open. It reports whether it did.
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
			return c.Hooks.RunCommand(chosen.Value), true
		}
	case chosen.Value == "":
		c.Editor.Insert(chosen.Hidden)
	default:
		return c.attach(chosen.Value), true
	}
	return nil, true
}

// Hints are the keys of the completion list, nil if none is open.
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

// CompletionView draws the completions in at most so many lines of w cells.
func (c *Model) CompletionView(w, most int) []string {
	n := c.CompletionCount()
	if n == 0 || w < 1 || most < 2 {
		return nil
	}
	c.completions.Resize(w, min(n, maxCompletionRows, most))
	return c.completions.ViewRows()
}

// serverPrompt is a prompt of an MCP server as a slash command that writes the draft.
type serverPrompt struct {
	slash.Command
	server string
	of     *mcp.Prompt
}

// serverPrompts returns the prompts of all servers.
func (c *Model) serverPrompts() (all []serverPrompt) {
	for _, server := range c.Servers.Statuses() {
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

// nameEnd matches characters that end the name of a command.
var nameEnd = regexp.MustCompile(`[\s/]`)

// oneWord returns a name as it can be typed in a command.
func oneWord(name string) string { return nameEnd.ReplaceAllString(markdown.OneLine(name, 60), "-") }

// RunServerPrompt runs a command that is a prompt of an MCP server, and writes the result into the draft. It returns
// false if there is no such prompt.
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
				c.Editor.Insert("\n\n") // after what was typed meanwhile
			}
			c.Paste(text)
			c.Hooks.Focus()
			return nil
		})
	}), true
}

// text asks the server for the prompt. Words are its arguments in order; the last argument takes all remaining words.
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
	text, err := s.GetPrompt(ctx, p.server, p.of.Name, values)
	if err == nil && strings.TrimSpace(text) == "" {
		err = fmt.Errorf("the prompt /%s is empty", p.Name)
	}
	return text, err
}

// resources returns the MCP resources that complete a word beginning with @. A template is written into the draft,
// where the user fills in its placeholders.
func (c *Model) resources(word string) (items []list.Item) {
	for _, server := range c.Servers.Statuses() {
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

// readResource reads the resource that @SERVER:URI names.
func (c *Model) readResource(ctx context.Context, word string) (string, error) {
	for _, server := range c.Servers.Statuses() {
		if uri, ok := strings.CutPrefix(word, "@"+server.Name+":"); ok && uri != "" {
			return c.Servers.ReadResource(ctx, server.Name, uri)
		}
	}
	return "", fmt.Errorf("no MCP server is named in %s", word)
}
