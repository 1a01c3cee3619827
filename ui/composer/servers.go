package composer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/llm/mcp"
	"winnow/ui/app"
	"winnow/ui/markdown"
	"winnow/ui/slash"
	"winnow/ui/theme"
)

// servers is what the MCP servers offer to the draft: their prompts as slash commands, and their resources as things to
// attach.
type servers struct{ *mcp.Servers }

func (c *Model) servers() servers { return servers{c.Servers} }

// isMention reports whether a path is that of a resource, @SERVER:URI, and not of a file.
func isMention(path string) bool { return strings.HasPrefix(path, "@") && strings.Contains(path, ":") }

// WriteDraft has the prompt of a server written into the draft, with what stands behind the command. It is false where
// there is no such prompt.
func (c *Model) WriteDraft(command, args string) (tea.Cmd, bool) {
	list := c.servers()
	if !slices.ContainsFunc(list.commands(), func(o slash.Command) bool { return o.Name == command }) {
		return nil, false
	}
	return c.Run(func(ctx context.Context) tea.Msg {
		text, err := list.make(ctx, command, Words(args))
		return app.Then(func() tea.Cmd {
			if err != nil && c.Empty() {
				c.Set("/" + command + " " + args)
			}
			if err != nil {
				return c.Fail(theme.Sentence(err))
			}
			if !c.Empty() {
				c.Area.Insert("\n\n") // behind what was typed meanwhile
			}
			c.Paste(text)
			c.Screen.Focus()
			return nil
		})
	}), true
}

// offer is a prompt with its server's name.
type offer struct {
	server string
	*mcp.Prompt
}

// prompts are those of all servers.
func (s servers) prompts() (all []offer) {
	if s.Servers == nil {
		return nil
	}
	for _, server := range s.List() {
		for _, p := range server.Prompts {
			all = append(all, offer{server.Name, p})
		}
	}
	return all
}

// commands are the prompts of the servers as slash commands.
func (s servers) commands() (list []slash.Command) {
	for _, p := range s.prompts() {
		help := describe(p.Title, p.Description, "a prompt of "+p.server)
		list = append(list, slash.Command{Name: p.command(), Args: usageOf(p.Arguments), Help: help})
	}
	return list
}

// command is the prompt's name as a command, without the slash.
func (p offer) command() string {
	clean := func(name string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\n\r/", r) {
				return '-'
			}
			return r
		}, markdown.OneLine(name, nameMax))
	}
	return clean(p.server) + ":" + clean(p.Name)
}

// nameMax is how much of a name is shown, in cells, and helpMax how much of a description.
const (
	nameMax = 60
	helpMax = 200
)

// usageOf is what follows a command: the names of its arguments, those that may be left out in brackets.
func usageOf(arguments []*mcp.Argument) string {
	var words []string
	for _, a := range arguments {
		word := strings.ToUpper(markdown.OneLine(a.Name, nameMax))
		if !a.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// describe is the first of some texts that is not blank, on one line.
func describe(texts ...string) string {
	for _, text := range texts {
		if line := markdown.OneLine(text, helpMax); line != "" {
			return line
		}
	}
	return ""
}

// make has a server make the prompt that a command stands for, as a text for the draft. The words behind the command
// are the prompt's arguments in their order, or NAME=VALUE.
func (s servers) make(ctx context.Context, command string, words []string) (string, error) {
	list := s.prompts()
	i := slices.IndexFunc(list, func(p offer) bool { return p.command() == command })
	if i < 0 {
		return "", fmt.Errorf("no MCP server offers the prompt /%s any longer", command)
	}
	p := list[i]
	arguments, err := fill(p.Arguments, words)
	if err != nil {
		return "", fmt.Errorf("%w: it is /%s", err, strings.TrimSpace(command+" "+usageOf(p.Arguments)))
	}
	text, err := s.Prompt(ctx, p.server, p.Name, arguments)
	if err == nil && strings.TrimSpace(text) == "" {
		err = fmt.Errorf("the prompt /%s is empty", command)
	}
	return text, err
}

// fill gives the arguments of a prompt their values. All words from the last argument on belong to it.
func fill(arguments []*mcp.Argument, words []string) (map[string]string, error) {
	values := map[string]string{}
	var rest []string
	for _, word := range words {
		name, value, named := strings.Cut(word, "=")
		if named && slices.ContainsFunc(arguments, func(a *mcp.Argument) bool { return a.Name == name }) {
			values[name] = value
			continue
		}
		rest = append(rest, word)
	}
	var open []string
	for _, a := range arguments {
		if _, given := values[a.Name]; !given {
			open = append(open, a.Name)
		}
	}
	if len(rest) > 0 && len(open) == 0 {
		return nil, fmt.Errorf("the prompt has no argument %q", rest[0])
	}
	for i, name := range open {
		switch {
		case i >= len(rest):
		case i == len(open)-1:
			values[name] = strings.Join(rest[i:], " ")
		default:
			values[name] = rest[i]
		}
	}
	for _, a := range arguments {
		if a.Required && values[a.Name] == "" {
			return nil, fmt.Errorf("the prompt needs %s", a.Name)
		}
	}
	return values, nil
}

// mentions are the resources that a word beginning with @ may become. One with placeholders is written into the draft,
// where the user replaces them.
func (s servers) mentions(word string) (list []completion) {
	if s.Servers == nil {
		return nil
	}
	for _, server := range s.List() {
		for _, r := range server.Resources {
			name := "@" + server.Name + ":" + r.URI
			help := describe(r.Title, r.Name, r.Description)
			if r.Size > 0 {
				help += " · " + theme.Size(int(r.Size))
			}
			o := completion{label: theme.OneLine(name), help: help, attach: name}
			fixed, _, template := strings.Cut(name, "{")
			switch {
			case template && len(word) > len(fixed) && strings.HasPrefix(word, fixed) && !strings.Contains(word, "{"):
				o.label, o.attach = theme.OneLine(word), word
			case !matches(name, help, word):
				continue
			case template:
				o.text, o.attach = name, ""
			}
			list = append(list, o)
		}
	}
	return list
}

// matches reports whether a word is the beginning of a resource's name, or that what stands behind its @ is in the name or
// the description.
func matches(name, help, word string) bool {
	name, help, word = strings.ToLower(name), strings.ToLower(help), strings.ToLower(word)
	return strings.HasPrefix(name, word) || strings.Contains(name, word[1:]) || strings.Contains(help, word[1:])
}

// read reads the resource that @SERVER:URI names, as a text.
func (s servers) read(ctx context.Context, word string) (string, error) {
	rest, _ := strings.CutPrefix(word, "@")
	if s.Servers != nil {
		for _, server := range s.List() {
			if uri, ok := strings.CutPrefix(rest, server.Name+":"); ok && uri != "" {
				return s.Read(ctx, server.Name, uri)
			}
		}
	}
	return "", fmt.Errorf("no MCP server is named in %s", word)
}
