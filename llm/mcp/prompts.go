package mcp

import (
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
func (m *Servers) Prompts() []Prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []Prompt
	for _, s := range m.all {
		all = append(all, s.prompts...)
	}
	return all
}

// Resources lists the resources and templates of the servers that are ready, by server.
func (m *Servers) Resources() []Resource {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []Resource
	for _, s := range m.all {
		all = append(all, s.resources...)
	}
	return all
}

// Prompt has a server make a prompt.
func (m *Servers) Prompt(ctx context.Context, server, name string, arguments map[string]string) ([]Message, error) {
	s, err := m.find(server)
	if err != nil {
		return nil, err
	}
	var made *sdk.GetPromptResult
	err = s.do(ctx, func(ctx context.Context, l *link) (err error) {
		made, err = l.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("get the prompt %s of %s: %w", name, server, err)
	}
	var out []Message
	for _, message := range made.Messages {
		if message != nil && message.Content != nil {
			out = append(out, Message{Role: string(message.Role), Text: bounded(contentText(message.Content), s.limit())})
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
	var read *sdk.ReadResourceResult
	err = s.do(ctx, func(ctx context.Context, l *link) (err error) {
		read, err = l.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		return err
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

// readPrompts reads the server's list of prompts, where it has one. Where that fails the old one stays.
func (s *server) readPrompts(l *link) {
	if c := l.session.InitializeResult().Capabilities; c == nil || c.Prompts == nil {
		return
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
	if err != nil {
		s.m.options.Log.Warn("mcp: the list of prompts was not read", "server", s.config.Name)
		return
	}
	var prompts []Prompt
	for _, p := range listed {
		if p == nil || p.Name == "" {
			continue
		}
		made := Prompt{Server: s.config.Name, Name: p.Name, Title: clean(p.Title, 200), Description: cut(plain(p.Description), mostDescription)}
		for _, a := range p.Arguments {
			if a != nil {
				made.Arguments = append(made.Arguments, Argument{a.Name, clean(a.Description, 1000), a.Required})
			}
		}
		prompts = append(prompts, made)
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.prompts = prompts
	s.m.announce()
}

// readResources reads the server's lists of resources and templates, where it has them.
func (s *server) readResources(l *link) {
	if c := l.session.InitializeResult().Capabilities; c == nil || c.Resources == nil {
		return
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
		s.m.options.Log.Warn("mcp: the list of resources was not read", "server", s.config.Name)
		return
	}
	templates, err := pages(func(cursor string) ([]*sdk.ResourceTemplate, string, error) {
		r, err := l.session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.ResourceTemplates, r.NextCursor, nil
	})
	if err != nil {
		s.m.options.Log.Debug("mcp: the list of resource templates was not read", "server", s.config.Name)
	}
	var resources []Resource
	for _, r := range listed {
		if r != nil && r.URI != "" {
			resources = append(resources, Resource{s.config.Name, r.URI, clean(r.Name, 200), clean(r.Title, 200), cut(plain(r.Description), mostDescription), clean(r.MIMEType, 100), r.Size, false})
		}
	}
	for _, t := range templates {
		if t != nil && t.URITemplate != "" {
			resources = append(resources, Resource{s.config.Name, t.URITemplate, clean(t.Name, 200), clean(t.Title, 200), cut(plain(t.Description), mostDescription), clean(t.MIMEType, 100), 0, true})
		}
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.resources = resources
	s.m.announce()
}
