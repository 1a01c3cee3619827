package llm

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// A server that sends its clients elsewhere is not followed, whatever the status: neither the conversation nor the
// key goes to an address that the user did not name.
func TestNoRedirectIsFollowed(t *testing.T) {
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		var reached atomic.Int32
		stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, stranger.URL+r.URL.Path, status)
		}))
		c := NewClient(Endpoint{Name: "test", BaseURL: server.URL + "/v1", Key: "sk-test", Tries: 1})
		if _, _, err := heard(c, hello()); err == nil {
			t.Errorf("%d: a request that was sent elsewhere is no error", status)
		}
		if _, err := c.Models(t.Context()); err == nil {
			t.Errorf("%d: a list of models from elsewhere is no error", status)
		}
		server.Close()
		stranger.Close()
		if n := reached.Load(); n > 0 {
			t.Errorf("%d: %d requests went to the stranger", status, n)
		}
	}
}
