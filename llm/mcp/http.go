package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// mostRefusal is how many bytes are read of the answer of a server that refuses a request.
const mostRefusal = 2 << 10

// mostRedirects is how often a request may be sent on, on the server's own host.
const mostRedirects = 3

// statusError is an answer that lets nobody in, whatever it holds.
type statusError struct {
	status int
	text   string // what the server says, on one line
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("the server answers %d %s", e.status, http.StatusText(e.status))
	if e.status == http.StatusUnauthorized || e.status == http.StatusForbidden {
		text = fmt.Sprintf("the server rejected the credentials (%d); set headers in its configuration", e.status)
	}
	if e.text != "" {
		text += ": " + e.text
	}
	return text
}

// redirectError is a request that is not sent on: to another server than the configured one, or again and again.
type redirectError struct{ text string }

func (e *redirectError) Error() string { return e.text }

func stranger(u *url.URL) error {
	return &redirectError{"the server points to " + shownURL(u.String()) + ", an address that is not in the configuration; set url to it if you trust it"}
}

// guard is the HTTP transport to one server. It adds the configured headers, lets no request leave for another
// server, and passes on what the filter lets through.
type guard struct {
	ctx     context.Context // every request ends with it
	cut     func()          // ends ctx
	base    http.RoundTripper
	origin  *url.URL
	headers map[string]string
	filter  *filter
	status  atomic.Int32 // of the last answer: the SDK says it in words alone
}

func newGuard(s Server, network http.RoundTripper, f *filter) (*guard, error) {
	origin, err := url.Parse(s.URL)
	if err != nil || origin.Host == "" || origin.Scheme != "http" && origin.Scheme != "https" {
		return nil, errors.New("its url must be an http or https address")
	}
	g := &guard{base: network, origin: origin, headers: s.Headers, filter: f}
	g.ctx, g.cut = context.WithCancel(context.Background())
	return g, nil
}

// client makes the HTTP client of a server.
func (g *guard) client() *http.Client {
	return &http.Client{Transport: g, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if !g.own(r.URL) {
			return stranger(r.URL)
		}
		if len(via) > mostRedirects {
			return &redirectError{"the server redirects in a loop"}
		}
		return nil
	}}
}

// own says that an address is on the configured server.
func (g *guard) own(u *url.URL) bool {
	return u.Scheme == g.origin.Scheme && strings.EqualFold(u.Host, g.origin.Host)
}

// protocolHeaders are those that the protocol sets itself.
var protocolHeaders = []string{"Accept", "Content-Type", "Last-Event-Id", "Mcp-Session-Id", "Mcp-Protocol-Version"}

// RoundTrip does one request.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if !g.own(r.URL) {
		return nil, stranger(r.URL)
	}
	ctx, cancel := context.WithCancel(r.Context())
	unwatch := context.AfterFunc(g.ctx, cancel)
	done := func() { unwatch(); cancel() }
	sent := r.Clone(ctx)
	sent.Header.Set("User-Agent", "winnow")
	for name, value := range g.headers {
		if !slices.Contains(protocolHeaders, http.CanonicalHeaderKey(name)) {
			sent.Header.Set(name, value)
		}
	}
	if r.URL.RawQuery == "" {
		sent.URL.RawQuery = g.origin.RawQuery
	}
	asked := g.asked(r)
	resp, err := g.base.RoundTrip(sent)
	if err != nil {
		done()
		return nil, err
	}
	if r.Method == http.MethodPost { // The answer to another one says nothing: the stream for a server's own messages is optional.
		g.status.Store(int32(resp.StatusCode))
	}
	body := &ended{resp.Body, done}
	resp.Body = body
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		text, _ := io.ReadAll(io.LimitReader(body, mostRefusal))
		body.Close()
		return nil, &statusError{resp.StatusCode, clean(string(text), 200)}
	case resp.StatusCode >= 300:
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(body, mostMessage), body}
		return resp, nil
	}
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch strings.TrimSpace(strings.ToLower(media)) {
	case "application/json":
		resp.Body = &message{in: body, id: asked, filter: g.filter}
	case "text/event-stream":
		resp.Body = &events{in: body, lines: newLineReader(body, mostMessage+len("data: ")), filter: g.filter}
	}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp, nil
}

// asked is the id of the request in the body, nil for another message. An answer to a request of the server is counted.
func (g *guard) asked(r *http.Request) json.RawMessage {
	if r.GetBody == nil {
		return nil
	}
	copied, err := r.GetBody()
	if err != nil {
		return nil
	}
	defer copied.Close()
	text, err := io.ReadAll(copied)
	if err != nil {
		return nil
	}
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(text, &head) != nil {
		return nil
	}
	if head.Method == "" {
		g.filter.answered()
		return nil
	}
	return head.ID
}

// ended is a body that frees its request when it is closed.
type ended struct {
	io.ReadCloser
	done func()
}

func (e *ended) Close() error {
	err := e.ReadCloser.Close()
	e.done()
	return err
}

// message is a body of one JSON-RPC message, read at once.
type message struct {
	in     io.ReadCloser
	id     json.RawMessage // of the request that it answers
	filter *filter
	out    *bytes.Reader
}

func (m *message) Read(p []byte) (int, error) {
	if m.out == nil {
		text, err := io.ReadAll(io.LimitReader(m.in, mostMessage+1))
		if err != nil {
			return 0, err
		}
		m.out = bytes.NewReader(m.judge(text))
	}
	return m.out.Read(p)
}

// judge is what the SDK reads: it ends the connection where that is no message.
func (m *message) judge(text []byte) []byte {
	if len(text) > mostMessage {
		text, _ = m.filter.tooLong(line{size: len(text), id: m.id})
		return text
	}
	passed, msg := m.filter.judge(text)
	if answer, ok := msg.(*jsonrpc.Response); ok && answer.ID.IsValid() {
		return passed
	}
	passed, _ = failure(m.id, "the server's answer is not a JSON-RPC message")
	return passed
}

func (m *message) Close() error { return m.in.Close() }

// events is a body of server-sent events, each with one JSON-RPC message. What the filter keeps back is left
// out, and so is every line that is none of an event's: the SDK ends the connection there.
type events struct {
	in     io.ReadCloser
	lines  *lineReader
	filter *filter
	out    bytes.Buffer // what may be read
	fields []byte       // the lines of the event at hand but for its data
	name   string       // its name
	data   []byte
	long   *line // the data was too long
}

func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		l, err := e.lines.next()
		if err != nil {
			return 0, err
		}
		e.take(l)
	}
	return e.out.Read(p)
}

func (e *events) take(l line) {
	if l.long {
		e.long = &l
		return
	}
	field, value, _ := bytes.Cut(l.text, []byte{':'})
	switch string(field) {
	case "data":
		if len(e.data) > 0 {
			e.data = append(e.data, '\n')
		}
		if e.data = append(e.data, bytes.TrimPrefix(value, []byte{' '})...); len(e.data) > mostMessage {
			e.long, e.data = &line{long: true, size: len(e.data)}, nil
		}
	case "id", "event", "retry":
		if string(field) == "event" {
			e.name = strings.TrimSpace(string(value))
		}
		if len(e.fields) < mostRefusal {
			e.fields = append(append(e.fields, l.text...), '\n')
		}
	case "":
		if len(l.text) == 0 {
			e.end()
		}
	}
}

// end passes an event on. The address that a server of the old kind sends first is no message.
func (e *events) end() {
	var passed []byte
	switch {
	case e.long != nil:
		passed, _ = e.filter.tooLong(*e.long)
	case e.name == "endpoint":
		passed = bytes.Clone(e.data)
	case len(e.data) > 0:
		passed, _ = e.filter.judge(e.data)
	}
	if len(passed) > 0 {
		e.out.Write(e.fields)
		e.out.WriteString("data: ")
		e.out.Write(bytes.ReplaceAll(passed, []byte{'\n'}, []byte{' '})) // A line end between the values of JSON is as good as a blank.
		e.out.WriteString("\n\n")
	} else if bytes.Contains(e.fields, []byte("id:")) {
		e.out.Write(append(e.fields, '\n')) // Only its id counts, for going on after a cut.
	}
	e.fields, e.name, e.data, e.long = e.fields[:0], "", e.data[:0], nil
}

func (e *events) Close() error { return e.in.Close() }

// newTransport is the HTTP transport below the guards, with the proxy of the environment.
func newTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxResponseHeaderBytes = 1 << 20
	return t
}
