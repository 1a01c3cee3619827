package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Prompt is a text that a server makes for the user to send.
type Prompt struct {
	Server string
	*sdk.Prompt
}

// Argument is what a prompt is made with.
type Argument = sdk.PromptArgument

// Message is a message of a prompt.
type Message struct {
	Role string // user or assistant
	Text string // what is no text is a note in brackets
}

// Resource is something that a server can be asked to show.
type Resource struct {
	Server   string
	Template bool // its URI has {placeholders}
	*sdk.Resource
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

// capabilities are what the server has lists of.
func (l *link) capabilities() sdk.ServerCapabilities {
	if c := l.session.InitializeResult().Capabilities; c != nil {
		return *c
	}
	return sdk.ServerCapabilities{}
}

// list reads one of the server's lists page by page, until its end or until it is too long. next takes the items of
// a page, none of them nil in the end, and moves the parameters to the next one. A server that names the same page
// twice has no more.
func list[P, R, T any](
	s *server, l *link, ask func(context.Context, *P) (*R, error), next func(*P, *R) (items []*T, cursor string),
) (all []*T, err error) {
	ctx, cancel := context.WithTimeout(l.ctx, cmp.Or(s.config.StartupTimeout, DefaultStartup))
	defer cancel()
	params := new(P)
	for read := map[string]bool{"": true}; ; {
		page, err := ask(ctx, params)
		if err != nil {
			return nil, err
		}
		items, cursor := next(params, page)
		all = append(all, slices.DeleteFunc(items, func(item *T) bool { return item == nil })...)
		if len(all) >= mostListed || read[cursor] {
			return all[:min(len(all), mostListed)], nil
		}
		read[cursor] = true
	}
}

// readTools reads the server's tools, or none where it has no tools.
func (s *server) readTools(l *link) ([]Tool, error) {
	if l.capabilities().Tools == nil {
		return nil, nil
	}
	next := func(p *sdk.ListToolsParams, r *sdk.ListToolsResult) ([]*sdk.Tool, string) {
		p.Cursor = r.NextCursor
		return r.Tools, r.NextCursor
	}
	listed, err := list(s, l, l.session.ListTools, next)
	return named(s.config, s.key, listed), err
}

// readPrompts reads the server's list of prompts, where it has one.
func (s *server) readPrompts(l *link) (prompts []Prompt, err error) {
	if l.capabilities().Prompts == nil {
		return nil, nil
	}
	next := func(p *sdk.ListPromptsParams, r *sdk.ListPromptsResult) ([]*sdk.Prompt, string) {
		p.Cursor = r.NextCursor
		return r.Prompts, r.NextCursor
	}
	listed, err := list(s, l, l.session.ListPrompts, next)
	for _, p := range listed {
		p.Title, p.Description = clean(p.Title, 200), plain(p.Description)
		p.Arguments = slices.DeleteFunc(p.Arguments, func(a *Argument) bool { return a == nil })
		prompts = append(prompts, Prompt{s.config.Name, p})
	}
	return prompts, err
}

// readResources reads the server's lists of resources and templates, where it has them. Many servers have no
// templates and refuse that list.
func (s *server) readResources(l *link) (resources []Resource, err error) {
	if l.capabilities().Resources == nil {
		return nil, nil
	}
	next := func(p *sdk.ListResourcesParams, r *sdk.ListResourcesResult) ([]*sdk.Resource, string) {
		p.Cursor = r.NextCursor
		return r.Resources, r.NextCursor
	}
	listed, err := list(s, l, l.session.ListResources, next)
	if err != nil {
		return nil, err
	}
	type template = sdk.ResourceTemplate
	more := func(p *sdk.ListResourceTemplatesParams, r *sdk.ListResourceTemplatesResult) ([]*template, string) {
		p.Cursor = r.NextCursor
		return r.ResourceTemplates, r.NextCursor
	}
	templates, _ := list(s, l, l.session.ListResourceTemplates, more)
	for _, r := range listed {
		resources = append(resources, Resource{s.config.Name, false, r})
	}
	for _, t := range templates {
		r := &sdk.Resource{URI: t.URITemplate, Name: t.Name, Title: t.Title, Description: t.Description}
		resources = append(resources, Resource{s.config.Name, true, r})
	}
	for _, r := range resources {
		r.Name, r.Title, r.Description = clean(r.Name, 200), clean(r.Title, 200), plain(r.Description)
	}
	return resources, nil
}
