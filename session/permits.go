package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"winnow/llm"
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
	p := &permits{store: d.Store, rules: d.Approval}
	p.rules.Session = map[string]bool{}
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
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules.Remembered = rows
	return nil
}

// now is the rules as of now.
func (p *permits) now() approval.Rules {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rules
}

func (p *permits) off(t tool.Tool) bool { return p.now().Off(t) }

// allow keeps the user's answer for the tool's later calls, as far as it is about them.
func (p *permits) allow(ctx context.Context, t tool.Tool, choice approval.Choice) error {
	switch choice {
	case approval.Session:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.rules.Session = maps.Clone(p.rules.Session)
		p.rules.Session[approval.Identity(t)] = true
	case approval.Forever:
		err := p.store.SetToolPermission(ctx, store.ToolPermission{
			Name: t.Name, Identity: approval.Identity(t), Server: t.Server, Permission: string(tool.Allow),
		})
		if err != nil {
			return fmt.Errorf("the call runs, but the permission to always allow %s was not saved: %w", t.Name, err)
		}
		return p.load(ctx)
	}
	return nil
}

// ToolState is a tool of the model in use, and what holds for it.
type ToolState struct {
	Tool       tool.Tool
	Permission tool.Permission
	By         approval.Grant // what says so
	Tokens     int            // that it adds to each request; 0 for one that is not offered
}

// ToolStates lists the tools of the model in use, those that are off too. All is what they add to each request
// together, in tokens.
func (s *Session) ToolStates() (list []ToolState, all int) {
	set, rules := s.Model().Tools(), s.deps.permits.now()
	set.Off = nil
	var offered []tool.Tool
	for _, t := range set.Tools() {
		state := ToolState{Tool: t}
		if state.Permission, state.By = rules.Permission(t); state.Permission != tool.Off {
			state.Tokens = s.count(llm.Schemas([]tool.Tool{t}))
			offered = append(offered, t)
		}
		list = append(list, state)
	}
	return list, s.count(llm.Schemas(offered))
}

// ErrConfiguredTool says that the configuration decides what a tool may do.
var ErrConfiguredTool = errors.New("the configuration decides what this tool may do")

// PermitTool keeps for all sessions what a tool may do. A temporary chat keeps it for itself.
func (s *Session) PermitTool(ctx context.Context, t tool.Tool, p tool.Permission) error {
	permits := s.deps.permits
	if _, by := permits.now().Permission(t); by == approval.ByConfiguration {
		return ErrConfiguredTool
	}
	row := store.ToolPermission{Name: t.Name, Server: t.Server, Permission: string(p)}
	if p == tool.Allow {
		row.Identity = approval.Identity(t)
	}
	if err := permits.store.SetToolPermission(ctx, row); err != nil {
		return fmt.Errorf("remember what %s may do: %w", t.Name, err)
	}
	return permits.load(ctx)
}
