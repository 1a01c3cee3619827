package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The versions of the protocol that a connection begins with. Every server but the newest knows the first. A
// program that does not know the newest one may end at its first message, so it is tried where the other is refused.
const (
	usualProtocol  = "2025-11-25"
	newestProtocol = "" // whatever the SDK takes for it
)

// link is one connection to a server.
type link struct {
	session *sdk.ClientSession
	process *process             // nil for a server that is asked by HTTP
	guard   *guard               // nil for a program
	ctx     context.Context      // every call ends with it
	cancel  context.CancelFunc   // ends ctx
	over    chan struct{}        // closed when the connection has ended
	changed [lists]chan struct{} // each holds one when its list has changed
}

// dialer connects to servers.
type dialer struct {
	version string // winnow's
	log     *slog.Logger
	network http.RoundTripper
}

// dial connects to a server and greets it. The link ends with the context.
func (d *dialer) dial(ctx context.Context, s Server) (*link, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	limit := cmp.Or(s.StartupTimeout, DefaultStartup)
	slow := &slowError{limit, time.Now().Add(limit)}
	l, err := d.greet(ctx, slow, s, usualProtocol, false)
	var refused *answerError
	var status *statusError
	switch {
	case err == nil:
	case errors.As(err, &refused):
		if newest, other := d.greet(ctx, slow, s, newestProtocol, false); other == nil {
			return newest, nil
		}
	case errors.As(err, &status) && (status.status == http.StatusNotFound || status.status == http.StatusMethodNotAllowed || status.status == http.StatusBadRequest):
		old, other := d.greet(ctx, slow, s, usualProtocol, true)
		var redirect *redirectError
		if other == nil || errors.As(other, &redirect) {
			return old, other
		}
	}
	return l, err
}

// slowError is a server that did not answer in time.
type slowError struct {
	limit time.Duration
	at    time.Time // when the time is over
}

func (e *slowError) Error() string {
	return fmt.Sprintf("it did not answer within %s (startup_timeout)", e.limit)
}

// greet opens a connection with a version of the protocol, over the old kind of HTTP transport where sse is set.
// It gives up when the time is over, with the error slow.
func (d *dialer) greet(ctx context.Context, slow *slowError, s Server, protocol string, sse bool) (*link, error) {
	l := &link{over: make(chan struct{})}
	for i := range l.changed {
		l.changed[i] = make(chan struct{}, 1)
	}
	f := &filter{log: d.log.With("server", s.Name)}
	transport, err := d.transport(l, s, f, sse)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	l.ctx, l.cancel = ctx, func() { cancel(nil) }
	client := sdk.NewClient(&sdk.Implementation{Name: "winnow", Version: d.version}, l.options(f))
	// The old transport reads with this very context as long as the connection lives.
	timer := time.AfterFunc(time.Until(slow.at), func() { cancel(slow) })
	l.session, err = client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	timer.Stop()
	if err != nil {
		if errors.Is(context.Cause(ctx), slow) {
			err = slow
		} else {
			err = l.blame(err)
		}
		l.end()
		if l.process != nil {
			err = &failedError{err, l.process.errors.last()}
		}
		return nil, err
	}
	f.ready()
	go func() {
		defer close(l.over)
		l.session.Wait()
	}()
	return l, nil
}

// transport starts the server's program, or makes ready to ask it by HTTP.
func (d *dialer) transport(l *link, s Server, f *filter, sse bool) (sdk.Transport, error) {
	var err error
	if s.Command != "" {
		if l.process, err = startProcess(s); err != nil {
			return nil, err
		}
		return newStdio(l.process, f), nil
	}
	if l.guard, err = newGuard(s, d.network, f); err != nil {
		return nil, err
	}
	if sse {
		return &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: l.guard.client(), MaxEventSize: 2 * mostMessage}, nil
	}
	return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: l.guard.client(), MaxEventSize: 2 * mostMessage}, nil
}

// options are what winnow offers to a server: nothing. A server may not ask for answers of the model or the user,
// and is shown no folders.
func (l *link) options(f *filter) *sdk.ClientOptions {
	heard := func(which list) {
		f.heard(which)
		select {
		case l.changed[which] <- struct{}{}:
		default: // It is known already.
		}
	}
	return &sdk.ClientOptions{
		Capabilities:               &sdk.ClientCapabilities{},
		ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { heard(toolList) },
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { heard(promptList) },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { heard(resourceList) },
	}
}

// blame makes an error say what happened, for the user: the SDK's own words are about its connection.
func (l *link) blame(err error) error {
	var redirect *redirectError
	var refused *statusError
	switch answer := answerOf(err); {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	case answer != nil:
		return answer
	case l.process != nil && l.process.wait(drainTime):
		return errors.New(l.process.how())
	case errors.As(err, &redirect):
		return redirect
	case errors.As(err, &refused):
		return refused
	case l.guard != nil && l.guard.status.Load() >= 300:
		return &statusError{status: int(l.guard.status.Load())}
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the SDK's name of the method
	}
	return fmt.Errorf("its answer cannot be read: %w", err)
}

// answerError is an error that the server answered with.
type answerError struct{ text string }

func (e *answerError) Error() string { return e.text }

// answerOf is the error that the server answered with, nil where err is another one: the SDK's own errors about
// its connection look the same.
func answerOf(err error) error {
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) || slices.Contains([]string{"server is closing", "client is closing", "rejected by transport"}, answer.Message) {
		return nil
	}
	return &answerError{cut(plain(answer.Message), 4000)}
}

// failedError is why a program could not be used, with the last lines of its standard error.
type failedError struct {
	err    error
	stderr []string
}

func (e *failedError) Error() string { return e.err.Error() }
func (e *failedError) Unwrap() error { return e.err }

// end closes the connection and ends the server's program.
func (l *link) end() {
	l.cancel()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if l.session != nil {
			l.session.Close()
			<-l.over
		}
	}()
	if l.process != nil {
		l.process.end()
	} else {
		select {
		case <-closed:
		case <-time.After(closeGrace): // The server may be slow to take its leave.
		}
		l.guard.cut()
	}
	<-closed
}

// closed says that the connection has ended.
func (l *link) closed() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// broken says that the connection has ended, or does now.
func (l *link) broken() bool {
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-l.over:
		return true
	case <-l.ctx.Done():
		return true
	case <-timer.C:
		return false
	}
}
