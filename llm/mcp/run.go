package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

	// Lists that change again and again are read again after relistDelay, and not before relistShare of the time
	// that it took was waited for.
	relistDelay = 100 * time.Millisecond
	relistShare = 20
)

// server is one server and its goroutine.
type server struct {
	m      *Servers
	config Server
	key    string // the first part of its tools' names
	box    tool.Toolbox
	again  chan struct{} // asks for a new start

	// Servers.mu guards what follows. The lists of the status are replaced and not changed, but for its tools.
	status Status
	link   *link    // nil where it is not connected
	news   []string // sentences that the user has not read yet
}

func newServer(m *Servers, config Server) *server {
	s := &server{m: m, config: config, key: keyOf(config.Name), again: make(chan struct{}, 1)}
	s.status = Status{
		Name: config.Name, From: config.From, Address: config.Address(), Approve: config.Approve, State: Idle,
	}
	if config.Disabled {
		s.status.State = Disabled
	}
	return s
}

// update changes the server under the lock and wakes those who wait for a change.
func (s *server) update(change func()) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	change()
	s.m.deal()
	s.m.announce()
}

// run keeps the server connected until ctx ends.
func (s *server) run(ctx context.Context) {
	defer s.set(Ended, nil)
	delays := &backoff.ExponentialBackOff{
		InitialInterval: s.m.options.Delay, Multiplier: 2, RandomizationFactor: 0.2, MaxInterval: longestDelay,
	}
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
		var delay <-chan time.Time
		if tries++; worked && tries <= mostRestarts {
			s.set(Restarting, err)
			delay = time.After(delays.NextBackOff())
		} else {
			s.set(Failed, err)
		}
		select {
		case <-delay:
			s.update(func() { s.status.Restarts++ })
		case <-s.again:
			tries, worked = 0, false
			delays.Reset()
			s.set(Starting, nil)
		case <-ctx.Done():
			return
		}
	}
}

// set changes the state. A server that has failed or ended offers nothing any more.
func (s *server) set(state State, err error) {
	s.update(func() {
		s.status.State, s.status.Err, s.status.Stderr = state, err, nil
		var failed *failedError
		if errors.As(err, &failed) {
			s.status.Stderr = failed.stderr
		}
		if state == Failed {
			s.news = append(s.news, fmt.Sprintf("the MCP server %s is not in use: %s", s.config.Name, err))
		}
		if state == Failed || state == Ended {
			s.status.Tools, s.status.Prompts, s.status.Resources, s.status.Listed = nil, nil, nil, false
		}
	})
	if err != nil {
		s.m.options.Log.Warn("mcp: a server is "+string(state), "server", s.config.Name, "kind", fmt.Sprintf("%T", err))
	}
}

// connect starts the server and reads its list of tools.
func (s *server) connect(ctx context.Context) (*link, error) {
	l, err := dial(ctx, s.m.options.Version, s.config)
	if err != nil {
		return nil, err
	}
	tools, err := s.readTools(l)
	if err != nil {
		if err = l.blame(err); l.ended() {
			err = l.why()
		}
		l.end()
		return nil, l.withStderr(err)
	}
	s.update(func() {
		if s.status.State == Restarting {
			s.news = append(s.news, fmt.Sprintf("the MCP server %s was started again: %s", s.config.Name, s.status.Err))
		}
		s.status.State, s.status.Err, s.status.Stderr, s.link = Ready, nil, nil, l
		s.takeTools(tools)
		if info := l.session.InitializeResult().ServerInfo; info != nil {
			s.status.Title = clean(info.Name+" "+info.Version, 120)
		}
	})
	return l, nil
}

// serve keeps the lists up to date until the connection ends, and says why it did.
func (s *server) serve(ctx context.Context, l *link) error {
	var following sync.WaitGroup
	following.Go(func() { s.follow(l) })
	defer following.Wait()
	defer l.end()
	defer func() { s.update(func() { s.link = nil }) }()
	select {
	case <-ctx.Done():
		return nil
	case <-s.again:
		return errors.New("restarted by the user")
	case <-l.over:
		return l.why()
	}
}

// follow reads the lists of prompts and resources, and reads all lists again when one of them changes. A list that
// cannot be read stays what it was. A server that is slow with them is ready all the same.
func (s *server) follow(l *link) {
	for began := time.Now(); ; began = time.Now() {
		prompts, failed := s.readPrompts(l)
		resources, alsoFailed := s.readResources(l)
		s.update(func() {
			s.status.Listed = true
			if failed == nil {
				s.status.Prompts = prompts
			}
			if alsoFailed == nil {
				s.status.Resources = resources
			}
		})
		select {
		case <-time.After(max(relistDelay, relistShare*time.Since(began))):
		case <-l.ctx.Done():
			return
		}
		select {
		case <-l.changed:
		case <-l.ctx.Done():
			return
		}
		if tools, err := s.readTools(l); err == nil {
			s.update(func() { s.takeTools(tools) })
		}
	}
}

// takeTools takes the server's list of tools. What changed since the last one is news: a tool may not be what it was
// when the user allowed it. The caller holds the lock.
func (s *server) takeTools(tools []Tool) {
	if changes := difference(s.status.Tools, tools); s.status.Tools != nil && changes != "" {
		s.news = append(s.news, fmt.Sprintf("the MCP server %s changed its list of tools: %s", s.config.Name, changes))
	}
	s.status.Tools = tools
}

// connected waits until the server is ready.
func (s *server) connected(ctx context.Context) (*link, error) {
	for {
		s.m.mu.Lock()
		l, state, err, changed := s.link, s.status.State, s.status.Err, s.m.changed
		s.m.mu.Unlock()
		switch {
		case l != nil && state == Ready && !l.closed():
			return l, nil
		case state == Starting, state == Restarting, state == Ready: // Ready without a connection will be Restarting.
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

// call calls a tool. Its result is a text for the model; an error is one too. A call is never repeated: nobody
// knows what the first one did.
func (s *server) call(ctx context.Context, name string, arguments json.RawMessage) (string, error) {
	result, err := ask(ctx, s, func(ctx context.Context, session *sdk.ClientSession) (*sdk.CallToolResult, error) {
		return session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
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

// ask asks the server for something, within the time that a call may take. The error is a sentence for the model
// and the user.
func ask[T any](
	asked context.Context, s *server, request func(context.Context, *sdk.ClientSession) (T, error),
) (answer T, err error) {
	limit := cmp.Or(s.config.ToolTimeout, DefaultTool)
	ctx, cancel := context.WithTimeout(asked, limit)
	defer cancel()
	l, err := s.connected(ctx)
	if err == nil {
		defer context.AfterFunc(l.ctx, cancel)()
		if answer, err = request(ctx, l.session); err == nil {
			return answer, nil
		}
	}
	switch refused := answerOf(err); {
	case asked.Err() != nil:
		err = fmt.Errorf("stopped before the MCP server %s answered: %w", s.config.Name, asked.Err())
	case refused != nil:
		err = refused
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("the MCP server %s did not answer within %s (tool_timeout)", s.config.Name, limit)
	case l == nil:
	case l.ended():
		err = fmt.Errorf("the connection to the MCP server %s ended during the call: %w; "+
			"whether the call took effect is not known", s.config.Name, l.why())
	case l.ctx.Err() != nil:
		err = fmt.Errorf("the connection to the MCP server %s was closed during the call; "+
			"whether the call took effect is not known", s.config.Name)
	default:
		err = fmt.Errorf("the MCP server %s: %w", s.config.Name, l.blame(err))
	}
	return answer, err
}
