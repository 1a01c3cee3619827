package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"winnow/llm/tool"
)

const (
	// A server that ends by itself is restarted so often in a row, each time after twice the delay. One that ran for
	// steadyTime begins anew.
	mostRestarts = 5
	steadyTime   = time.Minute

	relistDelay = 100 * time.Millisecond // between two readings of a server's lists
)

// server is one server and its goroutine.
type server struct {
	m      *Servers
	config Server
	box    tool.Toolbox
	again  chan struct{} // asks for a new start

	// Servers.mu guards what follows. The lists of the status are replaced and not changed.
	status Status
	link   *link    // nil where it is not connected
	news   []string // sentences that the user has not read yet
}

func newServer(m *Servers, config Server) *server {
	config.StartupTimeout = cmp.Or(config.StartupTimeout, DefaultStartup)
	config.ToolTimeout = cmp.Or(config.ToolTimeout, DefaultTool)
	s := &server{m: m, config: config, again: make(chan struct{}, 1)}
	s.status = Status{Name: config.Name, From: config.From, Address: config.Address(), State: Idle}
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
	var offered []tool.Entry
	for _, t := range s.status.Tools {
		if t.Offered {
			offered = append(offered, tool.Entry{Tool: t.Tool, Run: s.caller(t.Own), Ready: s.ready})
		}
	}
	s.box.Replace(offered)
	s.m.announce()
}

// run keeps the server connected until the program ends.
func (s *server) run() {
	defer s.set(Ended, nil)
	ends, worked := 0, false
	for {
		began := time.Now()
		l, err := s.connect()
		if err == nil {
			worked = true
			err = s.serve(l)
		}
		if s.m.ctx.Err() != nil {
			return
		}
		if time.Since(began) > steadyTime {
			ends = 0
		}
		var delay <-chan time.Time
		state := Failed
		if worked && ends < mostRestarts {
			state, delay = Restarting, time.After(s.m.options.Delay<<ends)
			ends++
		}
		s.set(state, err)
		s.m.options.Log.Warn("mcp: a server is "+string(state), "server", s.config.Name, "kind", fmt.Sprintf("%T", err))
		select {
		case <-delay:
		case <-s.again:
			ends, worked = 0, false
			s.set(Starting, nil)
		case <-s.m.ctx.Done():
			return
		}
	}
}

// set changes the state of a server that is not connected. One that has failed or ended offers nothing any more.
func (s *server) set(state State, err error) {
	s.update(func() {
		s.link, s.status.State, s.status.Err = nil, state, err
		if state == Failed {
			s.news = append(s.news, fmt.Sprintf("the MCP server %s is not in use: %s", s.config.Name, err))
		}
		if state == Failed || state == Ended {
			s.status.Tools, s.status.Prompts, s.status.Resources, s.status.Listed = nil, nil, nil, false
		}
	})
}

// connect starts the server and reads its list of tools.
func (s *server) connect() (*link, error) {
	l, err := s.dial()
	if err != nil {
		return nil, err
	}
	tools, err := s.readTools(l)
	if err != nil {
		if err = l.explain(err); l.ended() {
			err = context.Cause(l.ctx)
		}
		l.end()
		return nil, err
	}
	s.update(func() {
		if s.status.State == Restarting {
			s.news = append(s.news, fmt.Sprintf("the MCP server %s was started again: %s", s.config.Name, s.status.Err))
		}
		s.link, s.status.State, s.status.Err = l, Ready, nil
		s.status.Tools = tools
		if info := l.session.InitializeResult().ServerInfo; info != nil {
			s.status.Title = clean(info.Name+" "+info.Version, 120)
		}
	})
	return l, nil
}

// serve keeps the lists up to date until the connection ends, and says why it did. A server that is slow with its
// prompts and resources is ready all the same.
func (s *server) serve(l *link) error {
	defer l.end()
	for {
		prompts, resources := s.readOffers(l)
		s.update(func() { s.status.Listed, s.status.Prompts, s.status.Resources = true, prompts, resources })
		select {
		case <-time.After(relistDelay):
		case <-l.ctx.Done():
		}
		select {
		case <-l.changed:
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		}
		if tools, err := s.readTools(l); err == nil {
			s.update(func() { s.status.Tools = tools })
		}
	}
}

// protocol is the version that a connection begins with; the server may answer with another one. A program that does
// not know a newer one may end at its first message.
const protocol = "2025-11-25"

// link is one connection to a server.
type link struct {
	session  *sdk.ClientSession
	process  *process        // nil for a server that is asked by HTTP
	printed  tail            // what the program printed that is no message
	ctx      context.Context // ends with the connection; its cause says why
	finish   context.CancelCauseFunc
	changed  chan struct{} // holds one when a list of the server has changed
	progress sync.Map      // what is told how far a running call is, by its token
}

// dial connects to the server.
func (s *server) dial() (*link, error) {
	if err := s.config.Check(); err != nil {
		return nil, err
	}
	l := &link{changed: make(chan struct{}, 1)}
	l.ctx, l.finish = context.WithCancelCause(s.m.ctx)
	var transport sdk.Transport
	var err error
	if s.config.Command == "" {
		transport, err = httpTransport(s.config, l.finish)
	} else if l.process, err = startProcess(s.config, &l.printed); err == nil {
		transport = l.process.transport()
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(s.m.ctx, s.config.StartupTimeout)
	defer cancel()
	client := sdk.NewClient(&sdk.Implementation{Name: "winnow", Version: s.m.options.Version}, l.options())
	l.session, err = client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	if err == nil {
		go func() { l.finish(l.explain(l.session.Wait())) }()
		return l, nil
	}
	if err = l.explain(err); errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it did not answer within %s (startup_timeout)%s", s.config.StartupTimeout, l.printed.quote())
	}
	l.end()
	return nil, err
}

// options are what winnow offers to a server: nothing. A server may not ask for answers of the model or the user,
// and is shown no folders.
func (l *link) options() *sdk.ClientOptions {
	return &sdk.ClientOptions{
		Capabilities:               &sdk.ClientCapabilities{},
		ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { wake(l.changed) },
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { wake(l.changed) },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { wake(l.changed) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			if say, ok := l.progress.Load(r.Params.ProgressToken); ok {
				say.(func(string))(far(r.Params))
			}
		},
	}
}

// far is how far a call is, in words for the user.
func far(p *sdk.ProgressNotificationParams) string {
	text := fmt.Sprint(p.Progress)
	if p.Total > 0 {
		text = fmt.Sprintf("%.0f %%", 100*p.Progress/p.Total)
	}
	return strings.TrimSpace(text + " " + clean(p.Message, 100))
}

// errGone is the end of a connection of which nothing else is known.
var errGone = errors.New("the server ended, or has forgotten the session")

// request is how the SDK's errors name an HTTP request. Its address may hold a key.
var request = regexp.MustCompile(`^.*\b(Get|Post|Delete) "[^"]*": `)

// explain says for the user why the connection ended, or why a request over it failed.
func (l *link) explain(err error) error {
	switch answer := answerOf(err); {
	case answer != nil:
		return errors.New(cut(plain(answer.Message), 4000))
	case l.process != nil && !errors.Is(err, errTooLong) && l.process.wait(drainTime) &&
		(err == nil || errors.Is(err, sdk.ErrConnectionClosed) || !l.process.cmd.ProcessState.Success()):
		return l.process.how()
	case err == nil || errors.Is(err, sdk.ErrSessionMissing):
		return errGone
	}
	return errors.New(request.ReplaceAllString(err.Error(), ""))
}

// answerOf is the error that the server answered with, nil for another one: those of the SDK about its connection
// are of the same type.
func answerOf(err error) *jsonrpc.Error {
	answer, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || slices.Contains([]int64{-32003, -32004, -32005}, answer.Code) {
		return nil
	}
	return answer
}

// end closes the connection and ends the server's program.
func (l *link) end() {
	l.finish(nil)
	if l.process != nil {
		l.process.end()
	}
	if l.session != nil {
		l.session.Close()
	}
}

// ended says that the connection has ended, or does so in a moment: the end is known after drainTime, see explain.
func (l *link) ended() bool {
	select {
	case <-l.ctx.Done():
		return true
	case <-time.After(closeGrace + drainTime):
		return false
	}
}

// connected waits until the server is ready.
func (s *server) connected(ctx context.Context) (l *link, err error) {
	waited := s.m.await(ctx, func() bool {
		l = s.link
		switch s.status.State {
		case Ready:
			return l.ctx.Err() == nil // else it will be Restarting
		case Starting, Restarting:
			return false
		}
		err = fmt.Errorf("the MCP server %s is not in use: %w", s.config.Name, cmp.Or(s.status.Err, errGone))
		return true
	})
	return l, cmp.Or(waited, err)
}

// ready says why calls of the server's tools cannot run now. It waits for a server that is restarted. A server that
// is asked by HTTP may have ended unnoticed: it has to answer first.
func (s *server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.ToolTimeout)
	defer cancel()
	for {
		l, err := s.connected(ctx)
		if err != nil || l.process != nil || l.session.Ping(ctx, nil) == nil || !l.ended() {
			return err
		}
	}
}

// caller calls one of the server's tools. Its result is a text for the model; an error is one too. A call is never
// repeated: nobody knows what the first one did.
func (s *server) caller(own string) tool.Func {
	return func(ctx context.Context, arguments json.RawMessage) (string, error) {
		result, err := ask(ctx, s, func(ctx context.Context, l *link) (*sdk.CallToolResult, error) {
			params := &sdk.CallToolParams{Name: own, Arguments: arguments}
			token := fmt.Sprintf("%p", params)
			params.SetProgressToken(token)
			l.progress.Store(token, func(text string) { tool.Progress(ctx, text) })
			defer l.progress.Delete(token)
			return l.session.CallTool(ctx, params)
		})
		if err != nil {
			return "", err
		}
		if result.IsError {
			return "", errors.New(resultText(result))
		}
		return resultText(result), nil
	}
}

// ask asks the server for something, within the time that a call may take. The error is a sentence for the model
// and the user.
func ask[T any](
	asked context.Context, s *server, request func(context.Context, *link) (T, error),
) (answer T, err error) {
	ctx, cancel := context.WithTimeout(asked, s.config.ToolTimeout)
	defer cancel()
	l, err := s.connected(ctx)
	if err == nil {
		defer context.AfterFunc(l.ctx, cancel)()
		if answer, err = request(ctx, l); err == nil {
			return answer, nil
		}
	}
	name := s.config.Name
	switch {
	case asked.Err() != nil:
		err = fmt.Errorf("stopped before the MCP server %s answered: %w", name, asked.Err())
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("the MCP server %s did not answer within %s (tool_timeout)", name, s.config.ToolTimeout)
	case l == nil:
	case answerOf(err) == nil && !errors.Is(err, syscall.ECONNREFUSED) && l.ended():
		err = fmt.Errorf("the connection to the MCP server %s ended during the call: %w; "+
			"whether the call took effect is not known", name, context.Cause(l.ctx))
	default:
		err = fmt.Errorf("the MCP server %s: %w", name, l.explain(err))
	}
	return answer, err
}
