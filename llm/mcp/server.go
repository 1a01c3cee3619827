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

// server is one MCP server. While it is connected it has a goroutine.
type server struct {
	m      *Servers
	config ServerConfig
	box    tool.Toolbox

	// Servers.mu guards the fields below. The lists of the status are replaced, never modified.
	status ServerStatus
	link   *connection // nil if not connected
}

// start starts the server unless it is running. The caller holds the lock.
func (s *server) start() {
	if s.m.ctx.Err() == nil && (s.status.State == NotStarted || s.status.State == Ended) {
		s.status.State = Starting
		s.m.running.Go(s.run)
		s.m.announce()
	}
}

// run keeps the server connected until the connection or winnow ends. A server that has failed, or that winnow has
// stopped, no longer offers anything.
func (s *server) run() {
	err := s.serve()
	s.update(func() {
		s.status.State, s.status.Err = Ended, err
		if s.link == nil {
			s.status.State = Failed
			s.m.news = append(
				s.m.news, fmt.Sprintf("the MCP server %s is not in use: %s", s.config.Name, err),
			)
		}
		if s.link == nil || s.m.ctx.Err() != nil {
			s.status.Tools, s.status.Prompts, s.status.Resources, s.status.Listed = nil, nil, nil, false
		}
		s.link = nil
	})
}

// relistDelay is the minimum time between two readings of a server's lists.
const relistDelay = 100 * time.Millisecond

// serve connects to the server, keeps its lists up to date until the connection ends, and returns the reason. The
// server is ready as soon as its tools are known, even if its prompts and resources are slow.
func (s *server) serve() error {
	l, err := s.dial()
	if err != nil {
		return err
	}
	defer l.end()
	for {
		tools, err := s.readTools(l)
		if err != nil {
			return l.explain(err)
		}
		s.update(func() { s.connected(l, tools) })
		prompts, resources := s.readOffers(l)
		s.update(func() { s.status.Listed, s.status.Prompts, s.status.Resources = true, prompts, resources })
		select {
		case <-l.ctx.Done():
			return context.Cause(l.ctx)
		case <-l.changed:
			time.Sleep(relistDelay)
		}
	}
}

// connected marks the server as ready, with its tools.
func (s *server) connected(l *connection, tools []Tool) {
	if s.status.Err != nil {
		s.m.news = append(
			s.m.news, fmt.Sprintf("the MCP server %s was started again: %s", s.config.Name, s.status.Err),
		)
	}
	s.link, s.status.State, s.status.Err, s.status.Tools = l, Ready, nil, tools
	if info := l.session.InitializeResult().ServerInfo; info != nil {
		s.status.Title = clean(info.Name+" "+info.Version, 120)
	}
}

// update changes the server under the lock, updates its toolbox, and announces the change.
func (s *server) update(change func()) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	change()
	var offered []tool.Entry
	for _, t := range s.status.Tools {
		if t.Offered {
			offered = append(offered, tool.Entry{
				Tool: t.Tool, Run: s.caller(t.OriginalName), Ready: s.ready,
			})
		}
	}
	s.box.Replace(offered)
	s.m.announce()
}

// protocol is the protocol version that winnow proposes; the server may choose another one. Some programs exit at a
// version that they do not know.
const protocol = "2025-11-25"

// connection is a connection to a server.
type connection struct {
	session  *sdk.ClientSession
	process  *process        // nil for a server over HTTP
	printed  printed         // output of the program that is not a message
	ctx      context.Context // ends with the connection; its cause is the reason
	finish   context.CancelCauseFunc
	changed  chan struct{} // receives a value when a list of the server has changed
	progress sync.Map      // progress callbacks of running calls, by token
}

// dial connects to the server.
func (s *server) dial() (*connection, error) {
	if err := s.config.Check(); err != nil {
		return nil, err
	}
	l := &connection{changed: make(chan struct{}, 1)}
	l.ctx, l.finish = context.WithCancelCause(s.m.ctx)
	var transport sdk.Transport
	var err error
	if s.config.Command == "" {
		transport, err = httpTransport(s.config, l.finish)
	} else {
		l.process, transport, err = startProcess(s.config, &l.printed, l.finish)
	}
	if err != nil {
		l.finish(nil)
		return nil, err
	}
	ctx, cancel := context.WithTimeout(s.m.ctx, s.config.StartupTimeout)
	defer cancel()
	client := sdk.NewClient(
		&sdk.Implementation{Name: "winnow", Version: s.m.version}, l.options(),
	)
	l.session, err = client.Connect(ctx, transport, &sdk.ClientSessionOptions{
		ProtocolVersion: protocol,
	})
	if err == nil {
		go func() { l.finish(l.explain(l.session.Wait())) }()
		return l, nil
	}
	if err = l.explain(err); errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf(
			"it did not answer within %s%s", s.config.StartupTimeout, l.printed.quote(),
		)
	}
	l.end()
	return nil, err
}

// options declares winnow's capabilities: none. A server may not request answers of the model or of the user, and sees
// no folders.
func (l *connection) options() *sdk.ClientOptions {
	listChanged := func() {
		select {
		case l.changed <- struct{}{}:
		default: // The lists will be read anyway.
		}
	}
	return &sdk.ClientOptions{
		Capabilities:               &sdk.ClientCapabilities{},
		ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { listChanged() },
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { listChanged() },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { listChanged() },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			if say, ok := l.progress.Load(r.Params.ProgressToken); ok {
				say.(func(string))(progressText(r.Params))
			}
		},
	}
}

// progressText describes the progress of a call for the user.
func progressText(p *sdk.ProgressNotificationParams) string {
	text := fmt.Sprint(p.Progress)
	if p.Total > 0 {
		text = fmt.Sprintf("%.0f %%", 100*p.Progress/p.Total)
	}
	return strings.TrimSpace(text + " " + clean(p.Message, 100))
}

// errGone is the reason for the end of a connection if no other is known.
var errGone = errors.New("the server ended, or has forgotten the session")

// request matches the prefix of the SDK's errors that names an HTTP request. Its URL may contain a key.
var request = regexp.MustCompile(`^.*\b(Get|Post|Delete) "[^"]*": `)

// explain returns, for the user, why the connection ended or a request failed.
func (l *connection) explain(err error) error {
	if answer := answerOf(err); answer != nil {
		return errors.New(cut(plain(answer.Message), 4000))
	}
	if l.process != nil && errors.Is(err, syscall.EPIPE) {
		// The program has closed its input. How it exited is known a moment later.
		select {
		case <-l.process.exited:
		case <-time.After(closeGrace):
		}
	}
	if cause := context.Cause(l.ctx); cause != nil {
		return cause
	}
	if err == nil || errors.Is(err, sdk.ErrSessionMissing) {
		return errGone
	}
	return errors.New(request.ReplaceAllString(err.Error(), ""))
}

// answerOf returns the error that the server sent, nil if err is another one. The SDK's own errors about the connection
// have the same type.
func answerOf(err error) *jsonrpc.Error {
	answer, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || slices.Contains([]int64{-32003, -32004, -32005}, answer.Code) {
		return nil
	}
	return answer
}

// end closes the connection and stops the server's program.
func (l *connection) end() {
	l.finish(nil)
	if l.process != nil {
		l.process.end()
	}
	if l.session != nil {
		l.session.Close()
	}
}

// await waits until the server is ready. A server that has exited is restarted.
func (s *server) await(ctx context.Context) (l *connection, err error) {
	waited := s.m.await(ctx, func() bool {
		s.start()
		l = s.link
		switch {
		case s.status.State == Starting, l != nil && l.ctx.Err() != nil:
			return false
		case l == nil:
			err = fmt.Errorf(
				"the MCP server %s is not in use: %w", s.config.Name, cmp.Or(s.status.Err, errGone),
			)
		}
		return true
	})
	return l, cmp.Or(waited, err)
}

// ask sends a request to the server, within ToolTimeout. The error is a sentence for the model and the user. If the
// request fails, the connection is closed.
func (s *server) ask(
	asked context.Context, request func(context.Context, *connection) error,
) error {
	ctx, cancel := context.WithTimeout(asked, s.config.ToolTimeout)
	defer cancel()
	l, err := s.await(ctx)
	if err == nil {
		defer context.AfterFunc(l.ctx, cancel)()
		err = request(ctx, l)
	}
	name := s.config.Name
	switch {
	case err == nil:
		return nil
	case asked.Err() != nil:
		return asked.Err()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf(
			"the MCP server %s did not answer within %s (tool_timeout)", name, s.config.ToolTimeout,
		)
	case l == nil:
		return err
	case answerOf(err) != nil:
		return fmt.Errorf("the MCP server %s: %w", name, l.explain(err))
	}
	l.finish(l.explain(err))
	return fmt.Errorf("the connection to the MCP server %s ended during the call: %w; "+
		"whether the call took effect is not known", name, context.Cause(l.ctx))
}

// ready returns the reason why calls of the server's tools cannot run now. A server over HTTP may have gone unnoticed,
// so it must answer a ping, if necessary over a new connection.
func (s *server) ready(ctx context.Context) error {
	ping := func(ctx context.Context, l *connection) error {
		if l.process != nil {
			return nil
		}
		if err := l.session.Ping(ctx, nil); answerOf(err) == nil {
			return err
		}
		return nil // It answered, although it does not support ping.
	}
	if s.ask(ctx, ping) == nil {
		return nil
	}
	return s.ask(ctx, ping)
}

// caller returns the function that calls one of the server's tools. A call is never repeated, because the effect of the
// first one is not known.
func (s *server) caller(own string) tool.Func {
	return func(ctx context.Context, arguments json.RawMessage) (string, error) {
		var result *sdk.CallToolResult
		err := s.ask(ctx, func(ctx context.Context, l *connection) (err error) {
			params := &sdk.CallToolParams{
				Name: own, Arguments: arguments,
			}
			token := fmt.Sprintf("%p", params)
			params.SetProgressToken(token)
			l.progress.Store(token, func(text string) { tool.ReportProgress(ctx, text) })
			defer l.progress.Delete(token)
			result, err = l.session.CallTool(ctx, params)
			return err
		})
		if err == nil && result.IsError {
			err = errors.New(resultText(result))
		}
		if err != nil {
			return "", err
		}
		return resultText(result), nil
	}
}
