package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"winnow/llm"
)

// Proxy passes requests on to its upstreams, and tells its recorder of them. A request to /r/RUN/UPSTREAM/rest goes to
// the base URL of that upstream, followed by /rest.
type Proxy struct {
	Run       string // random, so that only programs that were told the URL are served
	Client    string // the program that was started; "" for the first word of each User-Agent
	Upstreams []Upstream
	Recorder  Recorder

	// Subscription reports whether the user agreed to pass on tokens of subscriptions. Nil is no.
	Subscription func() bool
}

// shutdownGrace is how long running answers may continue after Serve was told to stop.
const shutdownGrace = 2 * time.Second

// silent takes what net/http would print, because the terminal belongs to the client.
var silent = log.New(io.Discard, "", 0)

// lastID is the ID of the latest exchange of this process.
var lastID atomic.Int64

// transport returns the transport to all upstreams. It follows no redirect, and leaves compressed answers compressed.
var transport = sync.OnceValue(func() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	return t
})

// threadHeaders are the headers in which clients send the id of their conversation, in order of preference.
var threadHeaders = []string{
	"X-Parent-Session-Id",     // of subagents of opencode
	"Session-Id", "Thread-Id", // Codex
	"X-Claude-Code-Session-Id",
	"X-Session-Id", "X-Session-Affinity", "X-Opencode-Session",
	"Session_id", "Conversation_id",
}

// forwardingHeaders are what httputil.ReverseProxy removes although the client sent it.
var forwardingHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// Listen returns a listener that only programs on this machine can connect to. Port 0 is any free port.
func Listen(port int) (net.Listener, error) {
	return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
}

// Serve answers the requests that arrive at l until ctx ends. Running answers then have a short time to finish.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	running, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler:     p,
		ErrorLog:    silent,
		BaseContext: func(net.Listener) context.Context { return running },
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	defer time.AfterFunc(shutdownGrace, cut).Stop()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*shutdownGrace)
	defer cancel()
	if server.Shutdown(limit) != nil {
		return server.Close()
	}
	return nil
}

// ServeHTTP passes one request on, or refuses it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, reason := p.refusal(r)
	up, rest, found := p.route(r.URL)
	base, query, _ := strings.Cut(up.BaseURL, "?")
	target, err := url.Parse(strings.TrimSuffix(base, "/") + rest)
	if reason == "" && (!found || err != nil) {
		status = http.StatusNotFound
		reason = "no such address; winnow watch setup prints the current ones"
	}
	if reason != "" {
		// Many clients read no answer before they have sent all.
		_, _ = io.CopyN(io.Discard, r.Body, llm.MaxBody)
		refuse(w, status, reason)
		return
	}
	// A server may answer before it has read the whole request.
	_ = http.NewResponseController(w).EnableFullDuplex()
	target.RawQuery = strings.Trim(query+"&"+r.URL.RawQuery, "&")
	x := p.begin(r, up.Name, rest)
	defer x.end(r.Context())
	forward := httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.URL = target
			pr.Out.Host = target.Host
			pr.Out.Header.Del("Upgrade") // to HTTP/2, which Java offers
			pr.Out.Header.Del("Connection")
			for _, name := range forwardingHeaders {
				if values, ok := r.Header[name]; ok {
					pr.Out.Header[name] = values
				}
			}
			if pr.Out.Body == nil {
				x.sending(nil, io.EOF)
				return
			}
			pr.Out.Body = tap{pr.Out.Body, x.sending}
		},
		ModifyResponse: func(a *http.Response) error {
			x.begun(a)
			a.Body = tap{a.Body, x.answering}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			reason := fmt.Sprintf("%s did not answer: %v", up.Name, err)
			x.fail(reason)
			refuse(w, http.StatusBadGateway, reason)
		},
		Transport:     transport(),
		FlushInterval: -1, // Each part of an answer is passed on at once.
		ErrorLog:      silent,
	}
	forward.ServeHTTP(w, r)
}

// route returns the upstream that a URL names, and what follows in the path.
func (p *Proxy) route(u *url.URL) (up Upstream, rest string, found bool) {
	path, ok := strings.CutPrefix(u.EscapedPath(), "/r/"+p.Run+"/")
	name, rest, more := strings.Cut(path, "/")
	if more {
		rest = "/" + rest
	}
	for _, up := range p.Upstreams {
		if ok && url.PathEscape(up.Name) == name {
			return up, rest, true
		}
	}
	return Upstream{}, "", false
}

// refusal returns why a request is not passed on, with the HTTP status that says so; "" if it may be.
func (p *Proxy) refusal(r *http.Request) (status int, reason string) {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || r.Host != addr.String() && r.Host != fmt.Sprintf("localhost:%d", addr.Port) {
		return http.StatusForbidden, "the Host header must be 127.0.0.1 or localhost, with the port"
	}
	if r.Method == http.MethodOptions || r.Header.Values("Origin") != nil {
		return http.StatusForbidden, "winnow does not serve web pages"
	}
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return http.StatusUpgradeRequired, "winnow does not forward WebSockets; use HTTP"
	}
	if r.Header.Get("Chatgpt-Account-Id") != "" {
		return http.StatusForbidden, "Codex is signed in with ChatGPT, which winnow does not forward; " +
			"use an API key: set OPENAI_API_KEY"
	}
	keys := slices.Concat(r.Header.Values("Authorization"), r.Header.Values("X-Api-Key"))
	token := strings.Contains(strings.Join(keys, " "), "sk-ant-oat")
	if token && (p.Subscription == nil || !p.Subscription()) {
		return http.StatusForbidden, "winnow forwards subscription tokens only after a yes; " +
			"run winnow watch -- claude once in a terminal, or use an API key"
	}
	return 0, ""
}

// refuse answers with an error of winnow's own.
func refuse(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	problem := map[string]string{"type": "winnow", "message": reason}
	_ = json.NewEncoder(w).Encode(map[string]any{"error": problem})
}

// tap is a body that shows what is read from it.
type tap struct {
	io.ReadCloser
	seen func(part []byte, err error)
}

// Read reads from the body.
func (t tap) Read(part []byte) (int, error) {
	n, err := t.ReadCloser.Read(part)
	t.seen(part[:n], err)
	return n, err
}

// running is an exchange that has not ended. It is locked, because an answer may arrive while the request is sent.
type running struct {
	mu       sync.Mutex
	kept     Exchange
	recorder Recorder
	sent     bool // the recorder knows of it
	whole    bool // the answer arrived to its end
}

// begin returns a new exchange for a request.
func (p *Proxy) begin(r *http.Request, upstream, path string) *running {
	agent, _, _ := strings.Cut(strings.ReplaceAll(r.UserAgent(), " ", "/"), "/")
	x := &running{recorder: p.Recorder, kept: Exchange{
		ID:       lastID.Add(1),
		At:       time.Now().UTC(),
		Client:   cmp.Or(p.Client, agent),
		Upstream: upstream,
		Method:   r.Method,
		Path:     path,
		Encoding: r.Header.Get("Content-Encoding"),
	}}
	for _, name := range threadHeaders {
		x.kept.Thread = cmp.Or(x.kept.Thread, r.Header.Get(name))
	}
	x.kept.Body = make([]byte, 0, min(max(0, r.ContentLength), llm.MaxBody))
	return x
}

// sending keeps a part of the request. At its end, the recorder is told.
func (x *running) sending(part []byte, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sent {
		return
	}
	x.kept.Body = x.keep(x.kept.Body, part)
	if err == io.EOF {
		x.tell()
	}
}

// tell tells the recorder of the request, once. The body is not needed any more.
func (x *running) tell() {
	if !x.sent {
		x.sent = true
		x.recorder.Sent(x.kept)
		x.kept.Body = nil
	}
}

// begun keeps the header of the answer.
func (x *running) begun(a *http.Response) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept.Status = a.StatusCode
	x.kept.AnswerEncoding = a.Header.Get("Content-Encoding")
	x.kept.AnswerType = a.Header.Get("Content-Type")
}

// answering keeps a part of the answer, and how it ended.
func (x *running) answering(part []byte, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.kept.First == 0 {
		x.kept.First = time.Since(x.kept.At)
	}
	x.kept.Answer = x.keep(x.kept.Answer, part)
	if errors.Is(err, io.EOF) {
		x.whole = true
	} else if err != nil {
		x.kept.Err = fmt.Sprintf("%s broke the answer off: %v", x.kept.Upstream, err)
	}
}

// fail keeps why there is no answer.
func (x *running) fail(reason string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept.Err = reason
}

// keep appends a part to a body, up to llm.MaxBody.
func (x *running) keep(body, part []byte) []byte {
	if room := llm.MaxBody - len(body); len(part) > room {
		part = part[:room]
		x.kept.Cut = true
	}
	return append(body, part...)
}

// end tells the recorder that the exchange has ended. ctx is the request's, which ends with its connection.
func (x *running) end(ctx context.Context) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept.Took = time.Since(x.kept.At)
	if !x.whole && (x.kept.Err == "" || ctx.Err() != nil) {
		x.kept.Err = "the connection to the client was closed"
	}
	x.tell()
	x.recorder.Answered(x.kept)
}
