package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"winnow/llm/llmtest"
	"winnow/session"
	"winnow/session/sessiontest"
	"winnow/session/store/storetest"
)

// announcedVariable is the variable with the file in which the programs of a test count announced requests.
const announcedVariable = "WINNOW_TEST_ANNOUNCED"

// announcing appends a byte to a file for each request for an answer that the program announces with an event. It is
// written before the request is sent.
func announcing(file string) func(turn any, e session.Event) {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err) // The test's folder is there.
	}
	var requests llmtest.Ledger
	var mu sync.Mutex
	observe, written := sessiontest.RecordAnnouncements(&requests), 0
	return func(turn any, e session.Event) {
		observe(turn, e)
		mu.Lock()
		defer mu.Unlock()
		if n := requests.Announced(); n > written {
			out.WriteString(strings.Repeat(".", n-written))
			written = n
		}
	}
}

// wantAnnounced verifies that each request for an answer that the servers of a test received was announced and has a
// record in one of the histories, and that there are no others.
func wantAnnounced(t testing.TB, requests *llmtest.Ledger, announced string, histories ...string) {
	t.Helper()
	counted, err := os.ReadFile(announced)
	if err != nil && !os.IsNotExist(err) { // Nothing was announced.
		t.Error(err)
	}
	requests.AnnouncedBeside(len(counted))
	recorded, _ := storetest.RecordedAttempts(histories...) // A file that is missing has no records.
	if err := requests.Compare(recorded, true); err != nil {
		t.Errorf("%v in %q", err, histories)
	}
}

// served is the server for the programs of one environment.
type served struct {
	*httptest.Server
	*llmtest.Ledger
}

// serve starts a server and returns the environment with it as openai. At the end of the test it verifies the requests
// with wantAnnounced.
func serve(t testing.TB, env []string, handler http.Handler) (*served, []string) {
	t.Helper()
	s := listen(t, env, handler)
	return s, append(env, "OPENAI_API_KEY=sk-not-a-real-key-0000", "OPENAI_BASE_URL="+s.URL+"/v1")
}

// listen is serve for programs that find the server in another way.
func listen(t testing.TB, env []string, handler http.Handler) *served {
	t.Helper()
	s := &served{Ledger: new(llmtest.Ledger)}
	s.Server = httptest.NewServer(s.Count(handler))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	t.Cleanup(func() { wantAnnounced(t, s.Ledger, valueOf(env, announcedVariable), historyOf(env)) })
	return s
}

// historyOf returns the history file of an environment.
func historyOf(env []string) string {
	if path := valueOf(env, "WINNOW_DB"); path != "" {
		return path
	}
	if dir := valueOf(env, "XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "winnow", "winnow.db")
	}
	return filepath.Join(valueOf(env, "HOME"), ".local", "share", "winnow", "winnow.db")
}

// valueOf returns the value of a variable in an environment.
func valueOf(env []string, name string) (value string) {
	for _, v := range env {
		if key, is, _ := strings.Cut(v, "="); key == name {
			value = is
		}
	}
	return value
}
