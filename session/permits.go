package session

import (
	"context"
	"fmt"
	"sync"

	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/store"
)

// permits is which tools may run in one session: what is configured, what is remembered of the user's answers, and what
// was allowed for this session. It may be used from several goroutines.
type permits struct {
	store *store.Store // what is remembered; nil for nothing

	mu    sync.Mutex
	rules approval.Rules
}

func newPermits(d Deps) *permits {
	p := &permits{store: d.Store, rules: approval.Rules{
		Mode: d.Approve, Permissions: d.Permissions, Allow: d.AllowTools, Unattended: d.Unattended, Session: map[string]bool{},
	}}
	if d.beside != nil {
		p.store = d.beside
	}
	return p
}

// load reads what is remembered. Another program may have changed it.
func (p *permits) load(ctx context.Context) error {
	if p.store == nil {
		return nil
	}
	rows, err := p.store.ToolPermissions(ctx)
	if err != nil {
		return err
	}
	remembered := make([]approval.Remembered, len(rows))
	for i, row := range rows {
		remembered[i] = approval.Remembered{Name: row.Name, Identity: row.Identity, Permission: tool.Permission(row.Permission)}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules.Remembered = remembered
	return nil
}

func (p *permits) off(t tool.Tool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rules.Off(t)
}

func (p *permits) decide(c approval.Call) approval.Decision {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rules.Decide(c)
}

// allow keeps the user's answer for the tool's later calls, as far as it is about them.
func (p *permits) allow(ctx context.Context, t tool.Tool, choice approval.Choice) error {
	switch choice {
	case approval.Session:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.rules.Session[approval.Identity(t)] = true
	case approval.Forever:
		err := p.store.SetToolPermission(ctx, store.ToolPermission{
			Name: t.Name, Identity: approval.Identity(t), Server: t.Server, Permission: string(tool.Allow),
		})
		if err != nil {
			return fmt.Errorf("this call runs, but %s is not remembered as always allowed: %w", t.Name, err)
		}
		return p.load(ctx)
	}
	return nil
}
