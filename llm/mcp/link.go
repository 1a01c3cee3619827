package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
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
	process *process           // nil for a server that is asked by HTTP
	ctx     context.Context    // every call ends with it
	cancel  context.CancelFunc // ends ctx
	over    chan struct{}      // closed when the connection has ended
	cause   error              // why it has ended, for the one who waited for over; nil for its plain end
	changed chan struct{}      // holds one when a list of the server has changed
}

// dial connects to a server and greets it. The link ends with the context.
func dial(ctx context.Context, version string, s Server) (*link, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	limit := cmp.Or(s.StartupTimeout, DefaultStartup)
	began := time.Now()
	greet := func(protocol string, sse bool) (*link, error) {
		l := &link{over: make(chan struct{}), changed: make(chan struct{}, 1)}
		transport, err := l.transport(s, sse)
		if err != nil {
			return nil, err
		}
		l.ctx, l.cancel = context.WithCancel(ctx)
		// A context with a deadline would not do: the older transport reads with it as long as the connection lives.
		timer := time.AfterFunc(limit-time.Since(began), l.cancel)
		client := sdk.NewClient(&sdk.Implementation{Name: "winnow", Version: version}, l.options())
		l.session, err = client.Connect(l.ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
		inTime := timer.Stop()
		switch {
		case !inTime && ctx.Err() == nil:
			err = l.silent(limit)
		case err != nil:
			err = l.blame(err)
		default:
			go l.await()
			return l, nil
		}
		l.end()
		return nil, l.withStderr(err)
	}
	l, err := greet(usualProtocol, false)
	var refused *answerError
	var status *statusError
	var other *link
	var failed error
	switch {
	case errors.As(err, &refused):
		other, failed = greet(newestProtocol, false)
	case errors.As(err, &status) && slices.Contains(olderStatuses, status.status):
		other, failed = greet(usualProtocol, true)
	default:
		return l, err
	}
	if failed == nil || errors.Is(failed, errStranger) {
		return other, failed
	}
	return nil, err
}

// olderStatuses are the answers of servers that know the older kind of HTTP transport alone.
var olderStatuses = []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusBadRequest}

// await waits for the end of the connection.
func (l *link) await() {
	l.cause = l.session.Wait()
	close(l.over)
}

// transport starts the server's program, or makes ready to ask it by HTTP.
func (l *link) transport(s Server, sse bool) (sdk.Transport, error) {
	if s.Command == "" {
		return httpTransport(s, sse)
	}
	var err error
	if l.process, err = startProcess(s); err != nil {
		return nil, err
	}
	return l.process.transport(), nil
}

// options are what winnow offers to a server: nothing. A server may not ask for answers of the model or the user,
// and is shown no folders.
func (l *link) options() *sdk.ClientOptions {
	changed := func() {
		select {
		case l.changed <- struct{}{}:
		default: // It is known already.
		}
	}
	return &sdk.ClientOptions{
		Capabilities:               &sdk.ClientCapabilities{},
		ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { changed() },
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { changed() },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { changed() },
	}
}

// silent is the error of a server that did not answer the greeting in time.
func (l *link) silent(limit time.Duration) error {
	text := fmt.Sprintf("it did not answer within %s (startup_timeout)", limit)
	if l.process != nil {
		if lines := l.process.stray.lines(); len(lines) > 0 {
			shown := cut(strings.Join(lines[max(0, len(lines)-3):], " / "), 400)
			text += "; it printed what is no message to its standard output: " + shown
		}
	}
	return errors.New(text)
}

// blame makes an error say what happened, for the user: the SDK's own words are about its connection.
func (l *link) blame(err error) error {
	var failed *url.Error
	switch answer := answerOf(err); {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	case answer != nil:
		return answer
	case errors.As(err, &failed): // It shows the whole address, which may hold a key.
		return failed.Err
	case l.process != nil && l.process.wait(drainTime) && !errors.Is(err, errTooLong):
		return l.process.how()
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the SDK's name of the method
	}
	return unreadable(err)
}

// requested is how the SDK's errors name a request: its address may hold a key.
var requested = regexp.MustCompile(`\b(Get|Post|Delete) "[^"]*": `)

func unreadable(err error) error {
	return errors.New("its answer cannot be read: " + requested.ReplaceAllString(err.Error(), ""))
}

// answerError is an error that the server answered with.
type answerError struct{ text string }

func (e *answerError) Error() string { return e.text }

// answerOf is the error that the server answered with, nil where err is another one: the SDK's own errors about
// its connection look the same.
func answerOf(err error) error {
	var answer *jsonrpc.Error
	own := []string{"server is closing", "client is closing", "rejected by transport"}
	if !errors.As(err, &answer) || slices.Contains(own, answer.Message) {
		return nil
	}
	return &answerError{cut(plain(answer.Message), 4000)}
}

// why says why the connection ended.
func (l *link) why() error {
	var pipe *os.PathError
	closed := l.cause == nil || errors.As(l.cause, &pipe) || errors.Is(l.cause, io.ErrUnexpectedEOF)
	switch {
	case l.process != nil && closed:
		return l.withStderr(l.process.how())
	case l.process == nil && l.cause == nil:
		return errors.New("the server closed the connection")
	case errors.Is(l.cause, sdk.ErrSessionMissing):
		return errors.New("the server ended, or has forgotten the session")
	}
	return l.withStderr(unreadable(l.cause))
}

// failedError is why a program could not be used, with the last lines of its standard error.
type failedError struct {
	error
	stderr []string
}

func (e *failedError) Unwrap() error { return e.error }

func (l *link) withStderr(err error) error {
	if l.process == nil {
		return err
	}
	return &failedError{err, l.process.errors.lines()}
}

// end closes the connection and ends the server's program. A server that is asked by HTTP may be slow to take its
// leave: nobody waits for that.
func (l *link) end() {
	l.cancel()
	if l.process != nil {
		l.process.end()
	}
	if l.session == nil {
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		l.session.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeGrace):
	}
}

// ended says that the connection has ended, or does so in a moment.
func (l *link) ended() bool {
	select {
	case <-l.over:
		return true
	case <-time.After(drainTime):
		return false
	}
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
