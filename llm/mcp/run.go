package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"winnow/llm/tool"
)

// How a server that ends by itself is restarted: so often in a row, with growing delays. One that ran for some
// time begins anew.
const (
	mostRestarts = 5
	longestDelay = 20 * time.Second
	steadyTime   = time.Minute

	// A list that changes again and again is read again after relistDelay, and not before relistShare of the time
	// that it took was waited for.
	relistDelay = 100 * time.Millisecond
	relistShare = 20
)

// server is one server and its goroutine. Servers.mu guards what is below it.
type server struct {
	m      *Servers
	config Server
	key    string // the first part of its tools' names
	box    tool.Toolbox
	again  chan struct{} // asks for a new start

	state     State
	link      *link // nil where it is not connected
	err       error
	stderr    []string
	title     string
	note      string
	tools     []Tool
	prompts   []Prompt
	resources []Resource
	restarts  int
	news      []string // sentences that the user has not read yet
	listed    bool     // its prompts and resources were asked for
}

func newServer(m *Servers, config Server) *server {
	s := &server{m: m, config: config, key: keyOf(config.Name), again: make(chan struct{}, 1), state: Idle}
	if config.Disabled {
		s.state = Disabled
	}
	return s
}

// status is the server as of now. The caller holds the lock.
func (s *server) status() Status {
	return Status{
		Name: s.config.Name, From: s.config.From, Address: s.config.Address(), Approve: s.config.Approve, State: s.state, Err: s.err, Stderr: slices.Clone(s.stderr), Title: s.title, Note: s.note, Tools: slices.Clone(s.tools),
		Listed: s.listed, Prompts: slices.Clone(s.prompts), Resources: slices.Clone(s.resources), Restarts: s.restarts,
	}
}

// run keeps the server connected until ctx ends.
func (s *server) run(ctx context.Context) {
	defer s.set(Ended, nil)
	delays := &backoff.ExponentialBackOff{InitialInterval: s.m.options.Delay, Multiplier: 2, RandomizationFactor: 0.2, MaxInterval: longestDelay}
	delays.Reset()
	tries, worked := 0, false
	for {
		began := time.Now()
		l, err := s.connect(ctx)
		if err == nil {
			worked = true
			err = s.serve(ctx, l)
		}
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > steadyTime {
			tries = 0
			delays.Reset()
		}
		if tries++; !worked || tries > mostRestarts {
			s.set(Failed, err)
			select {
			case <-s.again:
			case <-ctx.Done():
				return
			}
			tries, worked = 0, false
			delays.Reset()
			s.set(Starting, nil)
			continue
		}
		s.set(Restarting, err)
		select {
		case <-time.After(delays.NextBackOff()):
		case <-s.again:
		case <-ctx.Done():
			return
		}
		s.m.mu.Lock()
		s.restarts++
		s.m.mu.Unlock()
	}
}

// set changes the state. A server that has failed or ended offers nothing any more.
func (s *server) set(state State, err error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.state, s.err = state, err
	var failed *failedError
	if s.stderr = nil; errors.As(err, &failed) {
		s.stderr = failed.stderr
	}
	if state == Failed {
		s.news = append(s.news, fmt.Sprintf("the MCP server %s is not in use: %s", s.config.Name, err))
	}
	if state == Failed || state == Ended {
		s.tools, s.prompts, s.resources, s.note, s.listed = nil, nil, nil, "", false
	}
	if err != nil {
		s.m.options.Log.Warn("mcp: a server is "+string(state), "server", s.config.Name, "kind", fmt.Sprintf("%T", err))
	}
	s.m.deal()
	s.m.announce()
}

// connect starts the server and reads its list of tools.
func (s *server) connect(ctx context.Context) (*link, error) {
	l, err := s.m.dialer.dial(ctx, s.config) // The link ends with ctx.
	if err != nil {
		return nil, err
	}
	tools, err := s.list(l)
	if err != nil {
		err = s.lost(l, err)
		l.end()
		return nil, err
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.state == Restarting {
		s.news = append(s.news, fmt.Sprintf("the MCP server %s was started again: %s", s.config.Name, s.err))
	}
	s.state, s.err, s.stderr, s.link = Ready, nil, nil, l
	s.takeTools(tools)
	if info := l.session.InitializeResult().ServerInfo; info != nil {
		s.title = clean(info.Name+" "+info.Version, 120)
	}
	s.m.deal()
	s.m.announce()
	return l, nil
}

// list reads the server's tools, or none where it has no tools.
func (s *server) list(l *link) ([]Tool, error) {
	if c := l.session.InitializeResult().Capabilities; c == nil || c.Tools == nil {
		return nil, nil
	}
	ctx, cancel := s.startup(l)
	defer cancel()
	listed, err := listTools(ctx, l)
	return named(s.config, s.key, listed), err
}

// startup bounds what is asked of the server beside calls.
func (s *server) startup(l *link) (context.Context, context.CancelFunc) {
	return context.WithTimeout(l.ctx, cmp.Or(s.config.StartupTimeout, DefaultStartup))
}

// serve keeps the lists up to date until the connection ends, and says why it did.
func (s *server) serve(ctx context.Context, l *link) error {
	var others sync.WaitGroup
	others.Go(func() { s.followOthers(l) })
	defer others.Wait()
	defer l.end()
	defer s.disconnect()
	changed, rest := l.changed[toolList], make(<-chan time.Time)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.again:
			return errors.New("restarted by the user")
		case <-l.over:
			return s.lost(l, nil)
		case <-changed:
			changed, rest = nil, time.After(restAfter(func() { s.relist(l) }))
		case <-rest:
			changed = l.changed[toolList]
		}
	}
}

// followOthers reads the lists of prompts and resources, and reads them again when they change. A server that
// is slow with them is ready all the same.
func (s *server) followOthers(l *link) {
	s.readPrompts(l)
	s.readResources(l)
	s.m.mu.Lock()
	s.listed = true
	s.m.announce()
	s.m.mu.Unlock()
	for {
		var rest time.Duration
		select {
		case <-l.ctx.Done():
			return
		case <-l.changed[promptList]:
			rest = restAfter(func() { s.readPrompts(l) })
		case <-l.changed[resourceList]:
			rest = restAfter(func() { s.readResources(l) })
		}
		select {
		case <-time.After(rest):
		case <-l.ctx.Done():
			return
		}
	}
}

// restAfter reads a list and says how long it is not to be read again.
func restAfter(read func()) time.Duration {
	began := time.Now()
	read()
	return max(relistDelay, relistShare*time.Since(began))
}

// lost says why a connection ended. The error is that of a request which failed for it, nil for none.
func (s *server) lost(l *link, err error) error {
	switch {
	case l.process == nil && err == nil:
		err = errors.New("the connection ended")
	case l.process == nil:
		err = l.blame(err)
	case err == nil || l.process.wait(drainTime):
		err = errors.New(l.process.how())
	}
	if l.process != nil {
		return &failedError{err, l.process.errors.last()}
	}
	return err
}

// disconnect notes that the server is not connected.
func (s *server) disconnect() {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.link = nil
}

// relist reads the list of tools again. Where that fails the old one stays.
func (s *server) relist(l *link) {
	tools, err := s.list(l)
	if err != nil {
		s.m.options.Log.Warn("mcp: the changed list of tools was not read", "server", s.config.Name)
		return
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.takeTools(tools)
	s.m.deal()
	s.m.announce()
}

// takeTools takes the server's list of tools. What changed since the last one is news: a tool may not be what it was when
// the user allowed it. The caller holds the lock.
func (s *server) takeTools(tools []Tool) {
	if changes := difference(s.tools, tools); s.tools != nil && changes != "" {
		s.news = append(s.news, fmt.Sprintf("the MCP server %s changed its list of tools: %s", s.config.Name, changes))
	}
	s.tools = tools
}

// connected waits until the server is ready.
func (s *server) connected(ctx context.Context) (*link, error) {
	for {
		s.m.mu.Lock()
		l, state, err, changed := s.link, s.state, s.err, s.m.changed
		s.m.mu.Unlock()
		switch {
		case l != nil && state == Ready && !l.closed():
			return l, nil
		case state == Starting, state == Restarting, state == Ready: // Ready without a connection is on its way to Restarting.
		case err != nil:
			return nil, fmt.Errorf("the MCP server %s is not in use: %w", s.config.Name, err)
		default:
			return nil, fmt.Errorf("the MCP server %s is not in use", s.config.Name)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// caller runs the calls of the tools that are offered, by their full names.
func (s *server) caller(own map[string]string) func(context.Context, string, json.RawMessage) (string, error) {
	return func(ctx context.Context, name string, arguments json.RawMessage) (string, error) {
		return s.call(ctx, own[name], arguments)
	}
}

// call calls a tool. Its result is a text for the model; an error is one too. A call is never repeated: nobody
// knows what the first one did.
func (s *server) call(ctx context.Context, name string, arguments json.RawMessage) (string, error) {
	var result *sdk.CallToolResult
	err := s.do(ctx, func(ctx context.Context, l *link) (err error) {
		result, err = l.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
		return err
	})
	if err != nil {
		return "", err
	}
	text := resultText(result, s.limit())
	if result.IsError {
		return "", errors.New(text)
	}
	return text, nil
}

// limit is the most bytes of a text of the server's that are kept.
func (s *server) limit() int { return cmp.Or(s.config.MaxResult, DefaultResult) }

// do asks the server for something, within the time that a call may take. The error is a sentence for the model
// and the user.
func (s *server) do(asked context.Context, ask func(context.Context, *link) error) error {
	limit := cmp.Or(s.config.ToolTimeout, DefaultTool)
	ctx, cancel := context.WithTimeout(asked, limit)
	defer cancel()
	l, err := s.connected(ctx)
	if err == nil {
		unwatch := context.AfterFunc(l.ctx, cancel)
		defer unwatch()
		if err = ask(ctx, l); err == nil {
			return nil
		}
	}
	switch answer := answerOf(err); {
	case asked.Err() != nil:
		return fmt.Errorf("stopped before the MCP server %s answered: %w", s.config.Name, asked.Err())
	case answer != nil:
		return answer
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the MCP server %s did not answer within %s (tool_timeout)", s.config.Name, limit)
	case l == nil:
		return err
	case l.broken():
		return fmt.Errorf("the connection to the MCP server %s ended during the call: %w; whether the call took effect is not known", s.config.Name, s.lost(l, nil))
	}
	return fmt.Errorf("the MCP server %s: %w", s.config.Name, l.blame(err))
}
