package composer

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
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

// all are the servers, none where there are none.
func (s servers) all() []mcp.Status {
	if s.Servers == nil {
		return nil
	}
	return s.List()
}

// isMention reports whether a path is that of a resource, @SERVER:URI, and not of a file.
func isMention(path string) bool { return strings.HasPrefix(path, "@") && strings.Contains(path, ":") }

// WriteDraft has the prompt of a server written into the draft, with what stands behind the command. It is false where
// there is no such prompt.
func (c *Model) WriteDraft(command, args string) (tea.Cmd, bool) {
	s := c.servers()
	all := s.prompts()
	i := slices.IndexFunc(all, func(p prompt) bool { return p.Name == command })
	if i < 0 {
		return nil, false
	}
	return c.Run(func(ctx context.Context) tea.Msg {
		text, err := s.make(ctx, all[i], Words(args))
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

// prompt is one of a server, as a slash command.
type prompt struct {
	slash.Command
	server string
	of     *mcp.Prompt
}

// prompts are those of all servers.
func (s servers) prompts() (all []prompt) {
	for _, server := range s.all() {
		for _, p := range server.Prompts {
			var args []string
			for _, a := range p.Arguments {
				arg := strings.ToUpper(oneWord(a.Name))
				if !a.Required {
					arg = "[" + arg + "]"
				}
				args = append(args, arg)
			}
			all = append(all, prompt{slash.Command{
				Name: oneWord(server.Name) + ":" + oneWord(p.Name), Args: strings.Join(args, " "),
				Help: markdown.OneLine(cmp.Or(p.Title, p.Description, "a prompt of "+server.Name), 200),
			}, server.Name, p})
		}
	}
	return all
}

// oneWord is a name as it can be typed in a command.
func oneWord(name string) string { return apart.ReplaceAllString(markdown.OneLine(name, 60), "-") }

// apart are the letters that end the name of a command.
var apart = regexp.MustCompile(`[\s/]`)

// make has a server make a prompt, as a text for the draft. The words behind the command are the prompt's arguments in
// their order; all words from the last argument on belong to it.
func (s servers) make(ctx context.Context, p prompt, words []string) (string, error) {
	values := map[string]string{}
	for n, a := range p.of.Arguments {
		switch {
		case n < len(words) && n == len(p.of.Arguments)-1:
			values[a.Name] = strings.Join(words[n:], " ")
		case n < len(words):
			values[a.Name] = words[n]
		case a.Required:
			return "", fmt.Errorf("the prompt needs %s: it is %s", a.Name, p.Usage())
		}
	}
	text, err := s.Prompt(ctx, p.server, p.of.Name, values)
	if err == nil && strings.TrimSpace(text) == "" {
		err = fmt.Errorf("the prompt /%s is empty", p.Name)
	}
	return text, err
}

// mentions are the resources that a word beginning with @ may become. One with placeholders is written into the draft,
// where the user replaces them.
func (s servers) mentions(word string) (list []completion) {
	for _, server := range s.all() {
		for _, r := range server.Resources {
			name := "@" + server.Name + ":" + r.URI
			help := markdown.OneLine(cmp.Or(r.Title, r.Name, r.Description), 200)
			if r.Size > 0 {
				help += " · " + theme.Size(int(r.Size))
			}
			o := completion{label: theme.OneLine(name), help: help, attach: name}
			fixed, _, template := strings.Cut(name, "{")
			switch {
			case template && len(word) > len(fixed) && strings.HasPrefix(word, fixed) && !strings.Contains(word, "{"):
				o.label, o.attach = theme.OneLine(word), word
			case !strings.Contains(strings.ToLower(name+" "+help), strings.ToLower(word[1:])):
				continue
			case template:
				o.text, o.attach = name, ""
			}
			list = append(list, o)
		}
	}
	return list
}

// read reads the resource that @SERVER:URI names, as a text.
func (s servers) read(ctx context.Context, word string) (string, error) {
	rest, _ := strings.CutPrefix(word, "@")
	for _, server := range s.all() {
		if uri, ok := strings.CutPrefix(rest, server.Name+":"); ok && uri != "" {
			return s.Read(ctx, server.Name, uri)
		}
	}
	return "", fmt.Errorf("no MCP server is named in %s", word)
}
