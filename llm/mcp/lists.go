package mcp

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type (
	// Prompt is a prompt template of a server.
	Prompt = sdk.Prompt

	// PromptArgument is an argument of a prompt.
	PromptArgument = sdk.PromptArgument

	// Resource is a resource of a server, or a resource template, whose URI has {placeholders}.
	Resource = sdk.Resource
)

// GetPrompt returns a prompt as one text. Messages of the assistant in it are labeled.
func (m *Servers) GetPrompt(ctx context.Context, server, name string, arguments map[string]string) (string, error) {
	var texts []string
	err := m.ask(ctx, server, func(ctx context.Context, l *connection) error {
		made, err := l.session.GetPrompt(ctx, &sdk.GetPromptParams{
			Name: name, Arguments: arguments,
		})
		if err != nil {
			return err
		}
		for _, message := range made.Messages {
			if message != nil {
				speaker := map[sdk.Role]string{"assistant": "Assistant:\n"}[message.Role]
				texts = append(
					texts, speaker+strings.TrimSpace(contentText(message.Content)),
				)
			}
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("get the prompt %s of %s: %w", name, server, err)
	}
	return strings.Join(texts, "\n\n"), nil
}

// ReadResource reads a resource as one text.
func (m *Servers) ReadResource(ctx context.Context, server, uri string) (text string, err error) {
	err = m.ask(ctx, server, func(ctx context.Context, l *connection) error {
		read, err := l.session.ReadResource(ctx, &sdk.ReadResourceParams{
			URI: uri,
		})
		if err != nil {
			return err
		}
		for _, c := range read.Contents {
			text += resourceText(c)
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("read %s of %s: %w", uri, server, err)
	}
	return text, nil
}

// ask sends a request to a server.
func (m *Servers) ask(
	ctx context.Context, server string, request func(context.Context, *connection) error,
) error {
	s, err := m.find(server)
	if err != nil {
		return err
	}
	return s.ask(ctx, request)
}

// list reads a list of the server, up to maxListed entries.
func list[P, T any](s *server, l *connection, of func(context.Context, *P) iter.Seq2[*T, error]) (all []*T, err error) {
	ctx, cancel := context.WithTimeout(l.ctx, s.config.StartupTimeout)
	defer cancel()
	for item, err := range of(ctx, nil) {
		if err != nil || len(all) == maxListed {
			return all, err
		}
		if item != nil {
			all = append(all, item)
		}
	}
	return all, nil
}

// readTools reads the list of the server's tools.
func (s *server) readTools(l *connection) ([]Tool, error) {
	if has := l.session.InitializeResult().Capabilities; has == nil || has.Tools == nil {
		return nil, nil
	}
	listed, err := list(s, l, l.session.Tools)
	return named(s.config, listed), err
}

// readOffers reads the lists of prompts, resources and resource templates. A list that fails is treated as empty.
func (s *server) readOffers(l *connection) (prompts []*Prompt, resources []*Resource) {
	prompts, _ = list(s, l, l.session.Prompts)
	for _, p := range prompts {
		p.Arguments = slices.DeleteFunc(p.Arguments, func(a *PromptArgument) bool { return a == nil })
	}
	resources, _ = list(s, l, l.session.Resources)
	templates, _ := list(s, l, l.session.ResourceTemplates)
	for _, t := range templates {
		r := &Resource{
			URI: t.URITemplate, Name: t.Name, Title: t.Title, Description: t.Description,
		}
		resources = append(resources, r)
	}
	return prompts, resources
}
