package session

import (
	"context"
	"strings"

	"winnow/history"
	"winnow/session/settings"
	"winnow/session/store"
)

// Rename gives the conversation a title of the user's own, which no automatic title replaces.
func (s *Session) Rename(ctx context.Context, title string) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	title = strings.TrimSpace(title)
	s.writing.Lock()
	defer s.writing.Unlock()
	if row := s.Info(); row.ID != "" {
		if err := s.deps.Store.Rename(ctx, row.ID, title, store.TitleUser); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row.Title, s.row.TitleFrom = title, store.TitleUser
	return nil
}

// Policy is what cuts the next request.
func (s *Session) Policy() history.Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policy
}

// SetSystem gives this conversation a system prompt of its own, "" for none.
func (s *Session) SetSystem(ctx context.Context, text string) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if row := s.Info(); row.ID != "" {
		if err := s.deps.Store.Update(ctx, row.ID, func(row *store.Session) { row.System, row.SystemFixed = text, true }); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row.System, s.row.SystemFixed, s.system = text, true, text
	return nil
}

// SystemPrompt is the system prompt of the next request: the conversation's own, or the configured one until
// its first request.
func (s *Session) SystemPrompt() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.system
}

// system is the system prompt of a conversation's next request: its own, or until it has one what is configured for
// its model.
func (d Deps) system(row store.Session) string {
	if row.System != "" || row.SystemFixed {
		return row.System
	}
	return *d.of(row.Endpoint, row.Model).System
}

// settings is what the configuration and the environment say of the policy.
func (d Deps) settings() settings.Base {
	return settings.Base{Policy: d.Policy, Context: d.Context, Environment: d.Environment}
}

// overridesOf is what was set for a conversation.
func overridesOf(row store.Session) settings.Overrides {
	return settings.Overrides{Preset: row.Preset, Keys: row.Overrides}
}
