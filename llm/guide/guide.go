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

	"winnow/llm/tokenizer"
)

// Window is the guide's context window in tokens: small, so that cutting is seen early.
const Window = 4096

// Model is the one model that the guide serves.
const Model = "guide"

// ReadablePace is a Pace at which a person can follow the answer.
const ReadablePace = 15 * time.Millisecond

// Options is what a guide can be given.
type Options struct {
	Count func(text string) int // counts tokens; nil is llm's tokenizer
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
	if o.Count == nil {
		o.Count = tokenizer.New().Count
	}
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

// Do answers a request in this process, as an http.Client does: POST /v1/chat/completions, always with a stream,
// and GET /v1/models. A stream's body ends with an error where the guide acts out a cut connection, and with the
// context's error when the request is cancelled.
func (g *Guide) Do(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	switch {
	case req.URL.Path == "/v1/chat/completions" && req.Method == http.MethodPost:
		return g.complete(req)
	case req.URL.Path == "/v1/models" && req.Method == http.MethodGet:
		// The window stands where vLLM and llama.cpp say theirs.
		card := map[string]any{"id": Model, "object": "model", "owned_by": "winnow", "max_model_len": Window, "meta": map[string]int{"n_ctx": Window}}
		return answerJSON(http.StatusOK, map[string]any{"object": "list", "data": []any{card}}), nil
	}
	e := badRequest("", "Unknown request URL: %s %s.", req.Method, req.URL.Path)
	return refuse(coded(e, http.StatusNotFound, "unknown_url")), nil
}

// complete answers one chat completion.
func (g *Guide) complete(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r, problem := readRequest(body)
	if problem != nil {
		return refuse(problem), nil
	}
	sum := sha256.Sum256(body)
	q := &question{
		guide:   g,
		ctx:     req.Context(),
		req:     r,
		id:      hex.EncodeToString(sum[:12]),
		created: g.o.Now().Unix(),
		prompt:  r.tokens(g.o.Count),
	}
	reply := r.maxTokens()
	switch {
	case q.prompt >= Window:
		return refuse(overflow(q.prompt)), nil
	case q.prompt+reply > Window:
		return refuse(overflowWithReply(q.prompt, reply)), nil
	}
	return q.answer(), nil
}

// try says how often the request with this id has come, this time included; after the last of tries it starts
// again from 1.
func (g *Guide) try(id string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tries[id] = g.tries[id]%tries + 1
	return g.tries[id]
}
