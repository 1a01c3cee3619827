package mcp

import (
	"cmp"
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Prompt is a text that a server makes for the user to send.
type Prompt struct {
	Server      string
	Name        string
	Title       string
	Description string
	Arguments   []Argument
}

// Argument is what a prompt is made with.
type Argument struct {
	Name        string
	Description string
	Required    bool
}

// Message is a message of a prompt, or a resource that was read.
type Message struct {
	Role string // user or assistant; "" for a resource
	Text string // what is no text is a note in brackets
}

// Resource is something that a server can be asked to show.
type Resource struct {
	Server      string
	URI         string // of a template: with {placeholders}
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        int64 // bytes; 0 where it is not known
	Template    bool
}

// Prompts lists the prompts of the servers that are ready, by server.
func (m *Servers) Prompts() (all []Prompt) {
	for _, s := range m.List() {
		all = append(all, s.Prompts...)
	}
	return all
}

// Resources lists the resources and templates of the servers that are ready, by server.
func (m *Servers) Resources() (all []Resource) {
	for _, s := range m.List() {
		all = append(all, s.Resources...)
	}
	return all
}

// Prompt has a server make a prompt.
func (m *Servers) Prompt(ctx context.Context, server, name string, arguments map[string]string) ([]Message, error) {
	s, err := m.find(server)
	if err != nil {
		return nil, err
	}
	made, err := ask(ctx, s, func(ctx context.Context, session *sdk.ClientSession) (*sdk.GetPromptResult, error) {
		return session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
	})
	if err != nil {
		return nil, fmt.Errorf("get the prompt %s of %s: %w", name, server, err)
	}
	var out []Message
	for _, message := range made.Messages {
		if message != nil && message.Content != nil {
			text := bounded(contentText(message.Content), s.limit())
			out = append(out, Message{Role: string(message.Role), Text: text})
		}
	}
	return out, nil
}

// Read reads a resource, as one text.
func (m *Servers) Read(ctx context.Context, server, uri string) (string, error) {
	s, err := m.find(server)
	if err != nil {
		return "", err
	}
	read, err := ask(ctx, s, func(ctx context.Context, session *sdk.ClientSession) (*sdk.ReadResourceResult, error) {
		return session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return "", fmt.Errorf("read %s of %s: %w", uri, server, err)
	}
	var text string
	for _, c := range read.Contents {
		switch {
		case c == nil:
		case c.Blob != nil:
			text += dataNote("resource "+c.URI, c.MIMEType, c.Blob)
		default:
			text += c.Text
		}
	}
	return bounded(text, s.limit()), nil
}

// startup bounds what is asked of the server beside calls.
func (s *server) startup(l *link) (context.Context, context.CancelFunc) {
	return context.WithTimeout(l.ctx, cmp.Or(s.config.StartupTimeout, DefaultStartup))
}

// capabilities are what the server has lists of.
func (l *link) capabilities() sdk.ServerCapabilities {
	if c := l.session.InitializeResult().Capabilities; c != nil {
		return *c
	}
	return sdk.ServerCapabilities{}
}

// pages reads a list page by page, until its end or until it is too long. A server that names the same page
// twice has no more. The list holds no nil.
func pages[T any](page func(cursor string) ([]*T, string, error)) ([]*T, error) {
	var all []*T
	cursors := map[string]bool{"": true}
	for cursor := ""; ; {
		some, next, err := page(cursor)
		if err != nil {
			return nil, err
		}
		for _, one := range some {
			if one != nil && len(all) < mostListed {
				all = append(all, one)
			}
		}
		if len(all) == mostListed || cursors[next] {
			return all, nil
		}
		cursors[next] = true
		cursor = next
	}
}

// readTools reads the server's tools, or none where it has no tools.
func (s *server) readTools(l *link) ([]Tool, error) {
	if l.capabilities().Tools == nil {
		return nil, nil
	}
	ctx, cancel := s.startup(l)
	defer cancel()
	listed, err := pages(func(cursor string) ([]*sdk.Tool, string, error) {
		r, err := l.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Tools, r.NextCursor, nil
	})
	return named(s.config, s.key, listed), err
}

// readPrompts reads the server's list of prompts, where it has one.
func (s *server) readPrompts(l *link) (prompts []Prompt, err error) {
	if l.capabilities().Prompts == nil {
		return nil, nil
	}
	ctx, cancel := s.startup(l)
	defer cancel()
	listed, err := pages(func(cursor string) ([]*sdk.Prompt, string, error) {
		r, err := l.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Prompts, r.NextCursor, nil
	})
	for _, p := range listed {
		made := Prompt{
			Server: s.config.Name, Name: p.Name, Title: clean(p.Title, 200), Description: description(p.Description),
		}
		for _, a := range p.Arguments {
			if a != nil {
				made.Arguments = append(made.Arguments, Argument{a.Name, clean(a.Description, 1000), a.Required})
			}
		}
		prompts = append(prompts, made)
	}
	return prompts, err
}

// readResources reads the server's lists of resources and templates, where it has them. Many servers have no
// templates and refuse that list.
func (s *server) readResources(l *link) (resources []Resource, err error) {
	if l.capabilities().Resources == nil {
		return nil, nil
	}
	ctx, cancel := s.startup(l)
	defer cancel()
	listed, err := pages(func(cursor string) ([]*sdk.Resource, string, error) {
		r, err := l.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Resources, r.NextCursor, nil
	})
	if err != nil {
		return nil, err
	}
	templates, _ := pages(func(cursor string) ([]*sdk.ResourceTemplate, string, error) {
		r, err := l.session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.ResourceTemplates, r.NextCursor, nil
	})
	add := func(uri, name, title, about, media string, size int64, template bool) {
		resources = append(resources, Resource{
			s.config.Name, uri, clean(name, 200), clean(title, 200), description(about), clean(media, 100), size, template,
		})
	}
	for _, r := range listed {
		add(r.URI, r.Name, r.Title, r.Description, r.MIMEType, r.Size, false)
	}
	for _, t := range templates {
		add(t.URITemplate, t.Name, t.Title, t.Description, t.MIMEType, 0, true)
	}
	return resources, nil
}

func description(text string) string { return cut(plain(text), mostDescription) }
