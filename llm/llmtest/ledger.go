package llmtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Ledger compares the answer requests of a test: those that its servers received, those that were announced to the
// user, and those that were recorded. Their numbers must be equal, counting each attempt. The zero value is ready to
// use. It is safe for concurrent use once its fields are set.
type Ledger struct {
	// Unrecorded is the number of requests without a record: those of temporary chats, of --no-save, and of sessions
	// that were purged or are in another file, minus those with a second record in a copy of their session.
	Unrecorded int
	// Unheard is the number of requests that reach no server, because nothing listens or the key cannot be read.
	Unheard int
	// Killed is the maximum number of recorded requests that a kill prevented from being sent.
	Killed int

	mu        sync.Mutex
	came      int
	announced int
	guided    map[any]bool // turns with a plan → whether the guide answers
}

// CountBody counts the body of a request if it is an answer request.
func (l *Ledger) CountBody(body []byte) {
	if !IsAnswerRequest(body) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.came++
}

// CountRequests returns a handler that counts the requests to h.
func (l *Ledger) CountRequests(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil { // A client that was killed may send part of a request.
			l.CountBody(body)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	})
}

// NotePlan records that a turn planned a request. The first plan of a turn announces what the user asked for. The guide
// is not a server.
func (l *Ledger) NotePlan(turn any, endpoint string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.guided[turn]; known {
		return
	}
	if l.guided == nil {
		l.guided = map[any]bool{}
	}
	l.guided[turn] = endpoint == "guide"
	if endpoint != "guide" {
		l.announced++
	}
}

// NoteSentence records a sentence to the user, which may announce further requests of a turn. For a title, turn is nil.
func (l *Ledger) NoteSentence(turn any, sentence string) { l.announce(turn, CountAnnounced(sentence)) }

// NoteRepeat records the announcement that a request of a turn is sent again unchanged.
func (l *Ledger) NoteRepeat(turn any) { l.announce(turn, 1) }

func (l *Ledger) announce(turn any, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.guided[turn] {
		l.announced += n
	}
}

// Received is the number of answer requests received so far.
func (l *Ledger) Received() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.came
}

// Announced is the number of answer requests announced so far.
func (l *Ledger) Announced() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.announced
}

// AddAnnounced adds requests that another process announced.
func (l *Ledger) AddAnnounced(n int) { l.announce(nil, n) }

// Compare returns an error if the numbers of received, announced and recorded requests differ. The records are not
// compared if they are not readable because the test damaged or removed the history.
func (l *Ledger) Compare(recorded int, readable bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.came + l.Unheard
	if l.announced < left || l.announced > left+l.Killed {
		return fmt.Errorf("%d requests for an answer left, and %d were announced", left, l.announced)
	}
	recorded += l.Unrecorded
	if readable && (recorded < left || recorded > left+l.Killed) {
		return fmt.Errorf("%d requests for an answer left, and %d are recorded", left, recorded)
	}
	return nil
}
