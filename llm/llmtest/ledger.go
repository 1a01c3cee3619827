package llmtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Ledger compares the requests for an answer of one test: those that came to its servers, those that were announced
// to the user, and those of which there is a record. They must be as many, each try counted by itself. The zero Ledger
// is ready, and safe for concurrent use once its fields are set.
type Ledger struct {
	// Unrecorded requests have no record: those of temporary chats, of --no-save, of sessions that were purged or are
	// in another file. Requests with a second record, in a copy of their session, are taken off.
	Unrecorded int
	// Unheard requests are announced and recorded, and reach no server: nothing listens, or the key cannot be read.
	Unheard int
	// Killed is how many recorded requests, at most, were kept from leaving by a kill.
	Killed int

	mu        sync.Mutex
	came      int
	announced int
	guided    map[any]bool // the turns of which a request was planned, and whether the guide answers it
}

// Came counts the body of a request, where it asks for an answer.
func (l *Ledger) CountBody(body []byte) {
	if !IsAnswerRequest(body) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.came++
}

// Count counts the requests that come to a handler.
func (l *Ledger) CountRequests(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil { // Of a client that died while it asked, what arrived is no request.
			l.CountBody(body)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	})
}

// Plan takes a request that a turn planned. The first one of a turn is what the user asked for, and its plan announces
// it. The guide is no server.
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

// Say takes a sentence of a turn for the user, which may announce further requests. A title has no turn; nil stands for
// it.
func (l *Ledger) NoteSentence(turn any, sentence string) { l.announce(turn, CountAnnounced(sentence)) }

// Again takes the announcement of a turn that a request leaves once more, as it was.
func (l *Ledger) NoteRepeat(turn any) { l.announce(turn, 1) }

func (l *Ledger) announce(turn any, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.guided[turn] {
		l.announced += n
	}
}

// Asked is how many requests for an answer came until now.
func (l *Ledger) Received() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.came
}

// Announced is how many requests were announced until now.
func (l *Ledger) Announced() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.announced
}

// AnnouncedBeside takes the requests that another process announced.
func (l *Ledger) AddAnnounced(n int) { l.announce(nil, n) }

// Compare says what differs between the requests that came, that were announced and that are recorded. A history that
// cannot be read any more, because the test broke or removed it, is not compared.
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
