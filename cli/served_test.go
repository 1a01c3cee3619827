package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"winnow/llm/llmtest"
	"winnow/session/store/storetest"
)

// served is the server that the programs of one home ask.
type served struct {
	*httptest.Server
	came    atomic.Int64 // requests for an answer
	unheard int          // recorded ones to another address
}

// serve starts a server and returns the environment of a home in which it is openai. When the test is over, each
// request for an answer that came has its record in the home's history, and each record its request.
func serve(t testing.TB, env []string, handler http.Handler) (*served, []string) {
	t.Helper()
	s := &served{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if llmtest.AsksForAnAnswer(body) {
			s.came.Add(1)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	t.Cleanup(func() { wantRecords(t, []string{historyOf(env)}, int(s.came.Load())+s.unheard, 0) })
	return s, append(env, "OPENAI_API_KEY=sk-not-a-real-key-0000", "OPENAI_BASE_URL="+s.URL+"/v1")
}

// historyOf is the file in which the programs of an environment keep their history.
func historyOf(env []string) (path string) {
	for _, v := range env {
		switch name, value, _ := strings.Cut(v, "="); name {
		case "XDG_DATA_HOME":
			path = filepath.Join(value, "winnow", "winnow.db")
		case "WINNOW_DB":
			return value
		}
	}
	return path
}

// wantRecords wants that some histories have a record of each request for an answer that came, and no other records
// but of at most so many requests that a kill kept from leaving.
func wantRecords(t testing.TB, histories []string, came, killed int) {
	t.Helper()
	recorded := 0
	for _, path := range histories {
		n, _ := storetest.Attempts(path)
		recorded += n
	}
	if recorded < came || recorded > came+killed {
		t.Errorf("%d requests for an answer came, and %d are recorded in %q", came, recorded, histories)
	}
}
