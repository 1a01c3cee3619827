package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostRefusal is how many bytes are read of the answer of a server that refuses a request.
const mostRefusal = 64 << 10

// statusError is the answer of a server that refuses a request.
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

// errStranger is a request that a redirect or the server would send to another server than the configured one.
var errStranger = errors.New("the server points to an address that is not in the configuration")

// httpTransport is the connection to a server that is asked by HTTP, with sse over the older kind of transport.
func httpTransport(s Server, sse bool) (sdk.Transport, error) {
	origin, err := url.Parse(s.URL)
	if err != nil || origin.Host == "" || origin.Scheme != "http" && origin.Scheme != "https" {
		return nil, errors.New("its url must be an http or https address")
	}
	client := &http.Client{Transport: &guard{origin, s.Headers}}
	if sse {
		return &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: mostMessage}, nil
	}
	return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: mostMessage}, nil
}

// guard does the HTTP requests to one server. It adds the configured headers, lets no request leave for another
// server, and bounds the answers.
type guard struct {
	origin  *url.URL
	headers map[string]string
}

// protocolHeaders are those that the protocol sets itself.
var protocolHeaders = []string{"Accept", "Content-Type", "Last-Event-Id", "Mcp-Session-Id", "Mcp-Protocol-Version"}

// RoundTrip does one request, also one that a redirect or the server's own address for messages leads to.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != g.origin.Scheme || !strings.EqualFold(r.URL.Host, g.origin.Host) {
		return nil, fmt.Errorf("%w: %s; set url to it if you trust it", errStranger, shownURL(r.URL.String()))
	}
	sent := r.Clone(r.Context())
	sent.Header.Set("User-Agent", "winnow")
	for name, value := range g.headers {
		if !slices.Contains(protocolHeaders, http.CanonicalHeaderKey(name)) {
			sent.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(sent)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED) && r.Method == http.MethodGet:
		// It would go on with a stream that broke off, and the SDK tries that for up to half a minute. A server that
		// has ended has lost the call: the answer is that of one that does not know the session.
		events := http.Header{"Content-Type": {"text/event-stream"}}
		return &http.Response{StatusCode: http.StatusNotFound, Header: events, Body: http.NoBody, Request: r}, nil
	case err != nil:
		return nil, err
	case r.Method == http.MethodPost && resp.StatusCode >= 400:
		return refusal(r, resp)
	case !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream"): // The SDK bounds each event.
		resp.Body = &boundedBody{resp.Body, mostMessage}
	}
	return resp, nil
}

// refusal turns an answer that refuses a request into an error, because the SDK says its status in words alone. An
// error of JSON-RPC is left to the SDK, and so is the end of a session.
func refusal(r *http.Request, resp *http.Response) (*http.Response, error) {
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, mostRefusal))
	ended := resp.StatusCode == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != ""
	if ended || bytes.Contains(body, []byte(`"jsonrpc"`)) {
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return resp, nil
	}
	refused := &statusError{status: resp.StatusCode}
	if !strings.Contains(resp.Header.Get("Content-Type"), "html") {
		refused.text = clean(string(body), 200)
	}
	return nil, refused
}

// boundedBody is an answer that cannot be read beyond a number of bytes.
type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}
