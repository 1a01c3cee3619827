// Package guide is winnow's built-in model: it needs no key, no network and no port, and answers
// from winnow's own documentation. It speaks the Chat Completions format, so that the same client
// code reaches it as reaches any server, and it is as strict about the format as the strictest of
// them. On request ("/guide NAME") it acts out what goes wrong with real servers.
//
// It is not a language model and says so in the first line of every answer.
//
// It does not decide what a request holds, keeps no conversation (what it knows of one is in the
// messages of the request) and opens no connection.
package guide

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"sync"
	"time"
)

// Window is the guide's context window in tokens: small, so that cutting is seen early.
const Window = 4096

// Model is the one model that the guide serves.
const Model = "guide"

// ReadablePace is a Pace at which a person can follow the answer.
const ReadablePace = 15 * time.Millisecond

// maxBody is the longest request read, in bytes: far above the window, so that a request that is
// too long is told so in tokens.
const maxBody = 64 << 20

// Options is what a guide can be given. The zero value is ready to use.
type Options struct {
	Count func(text string) int // counts tokens; nil counts roughly, and then no usage is reported
	Pace  time.Duration         // the wait after each piece of an answer; 0 is none
	Wait  time.Duration         // how long the rate-limit fault asks to wait; 0 is 2 s
	Now   func() time.Time      // dates the answers; nil is time.Now
}

// Guide answers Chat Completions requests from a set of Markdown pages. It is safe for concurrent
// use.
type Guide struct {
	o     Options
	pages func() (*library, error)

	mu    sync.Mutex
	tries map[string]int // by the request's id: how often a fault has refused it
}

// New makes a guide that answers from the *.md files at the top of pages. They are read at the
// first question; pages that cannot be read are then reported as a server error.
func New(pages fs.FS, o Options) *Guide {
	if o.Wait == 0 {
		o.Wait = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Guide{
		o:     o,
		pages: sync.OnceValues(func() (*library, error) { return readLibrary(pages) }),
		tries: map[string]int{},
	}
}

// Do answers a request in this process. It is a round trip as of an http.Client: the answer's body
// streams while it is read, ends with an error where the guide acts out a cut connection, and ends
// with the context's error when the request is cancelled.
func (g *Guide) Do(req *http.Request) (*http.Response, error) { return roundTrip(g, req) }

// ServeHTTP answers POST /v1/chat/completions, GET /v1/models and GET /v1/models/guide.
func (g *Guide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/v1/chat/completions" && r.Method == http.MethodPost:
		g.complete(w, r)
	case r.URL.Path == "/v1/models" && r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, modelList{Object: "list", Data: []modelCard{card()}})
	case r.URL.Path == "/v1/models/"+Model && r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, card())
	default:
		refuse(w, unknownURL(r))
	}
}

// complete answers one chat completion.
func (g *Guide) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, tooLarge())
		return
	}
	req, problem := readRequest(body)
	if problem != nil {
		refuse(w, problem)
		return
	}
	sum := sha256.Sum256(body)
	x := &exchange{
		guide:   g,
		w:       w,
		ctx:     r.Context(),
		req:     req,
		id:      hex.EncodeToString(sum[:12]),
		created: g.o.Now().Unix(),
		prompt:  req.tokens(g.count),
	}
	if problem := x.checkWindow(); problem != nil {
		refuse(w, problem)
		return
	}
	g.answer(x)
}

// count counts tokens, roughly where no counter was given.
func (g *Guide) count(text string) int {
	if g.o.Count == nil {
		return (len(text) + 3) / 4
	}
	return g.o.Count(text)
}

// try says how often the request with this id has come, this time included; after last times it
// starts again from 1.
func (g *Guide) try(id string, last int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tries[id]++
	n := g.tries[id]
	if n >= last {
		delete(g.tries, id)
	}
	return n
}
