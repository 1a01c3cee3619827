package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// httpTransport returns the transport to a server over HTTP. lost is called when the server has gone.
func httpTransport(s ServerConfig, lost func(error)) (sdk.Transport, error) {
	origin, err := url.Parse(s.URL)
	if err != nil {
		return nil, errors.New("its url must be an http or https address")
	}
	client := &http.Client{
		Transport: &guardedTransport{origin, s.Headers, lost},
	}
	return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: MaxResultBytes}, nil
}

// guardedTransport does the HTTP requests to one server. It adds the configured headers, refuses requests to other
// servers, limits the size of responses, and calls lost when the server has gone, because the SDK would try to resume a
// lost stream for half a minute.
type guardedTransport struct {
	origin  *url.URL
	headers map[string]string
	lost    func(error)
}

// RoundTrip does one request, possibly after a redirect.
func (g *guardedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != g.origin.Scheme || !strings.EqualFold(r.URL.Host, g.origin.Host) {
		return nil, fmt.Errorf("the server redirects to %s, which is not in the configuration; "+
			"if you trust that address, set url to it", shownURL(r.URL.String()))
	}
	if r.Method == http.MethodDelete { // Do not wait long for the end of a session.
		ctx, cancel := context.WithTimeout(r.Context(), closeGrace)
		defer cancel()
		r = r.WithContext(ctx)
	}
	sent := r.Clone(r.Context())
	for name, value := range g.headers {
		if sent.Header.Get(name) == "" { // Headers of the protocol take precedence.
			sent.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(sent)
	forgotten := resp != nil && resp.StatusCode == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != ""
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		g.lost(fmt.Errorf("nothing answers at its address: %w", syscall.ECONNREFUSED))
		return nil, err
	case err != nil:
		return nil, err
	case r.Method == http.MethodPost && resp.StatusCode >= 400 && !forgotten:
		return nil, refusal(resp)
	case !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream"): // The SDK limits each event itself.
		resp.Body = http.MaxBytesReader(nil, resp.Body, MaxResultBytes)
	}
	return resp, nil
}

// refusal is the error of a response that refuses a request, with the server's message.
func refusal(resp *http.Response) error {
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 2000))
	text := "the server responded with " + resp.Status
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		text = fmt.Sprintf("the server rejected the credentials (%d); set headers in its configuration",
			resp.StatusCode)
	}
	if said := clean(string(body), 200); said != "" {
		text += ": " + said
	}
	return errors.New(text)
}
