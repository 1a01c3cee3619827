package llm

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"winnow/llm/keys"
)

// TestErrorSentences holds what the user reads, whole.
func TestErrorSentences(t *testing.T) {
	status := func(code int, body string, header ...string) step {
		s := step{status: code, say: []string{body}, header: map[string]string{}}
		for i := 0; i+1 < len(header); i += 2 {
			s.header[header[i]] = header[i+1]
		}
		return s
	}
	dial := func(err error) step {
		return step{
			refuse: &url.Error{
				Op: "Post", URL: "https://api.openai.com/v1/chat/completions",
				Err: &net.OpError{Op: "dial", Net: "tcp", Err: err},
			},
		}
	}
	keyless := func(e *Endpoint) { e.Key, e.KeyFrom = "", keys.Origin{} }
	// storing has a key in the keyring, none, or one that cannot be read.
	storing := func(key keys.Secret, err error) func(*Endpoint) {
		return func(e *Endpoint) {
			e.Key, e.KeyFrom = "", keys.Origin{}
			if key != "" {
				e.KeyFrom.Kind = keys.Keyring
			}
			e.Stored = keys.NewLater(func(context.Context) (keys.Secret, error) { return key, err })
		}
	}
	ollama := func(e *Endpoint) { e.Name, e.BaseURL, e.Key = "ollama", "http://127.0.0.1:11434/v1", "" }
	tests := []struct {
		name   string
		server step
		change func(*Endpoint)
		want   string
		is     error
	}{
		{
			"wrong key, not said where from", status(401, `{"error":{"message":"Incorrect API key provided."}}`),
			func(e *Endpoint) { e.KeyFrom = keys.Origin{} },
			"openai rejected the API key (401): Incorrect API key provided.", Auth,
		},
		{
			"wrong key, a short one", status(401, ``), func(e *Endpoint) { e.Key = "x" },
			"openai rejected the API key from OPENAI_API_KEY (401)", Auth,
		},
		{
			"wrong key of the config", status(401, ``),
			func(e *Endpoint) { e.KeyFrom = keys.Origin{Kind: keys.Config} },
			"openai rejected the API key from the config file (401)", Auth,
		},
		{
			"no key", status(401, `{"error":"unauthorized"}`), keyless,
			"openai requires an API key and none is set (401): unauthorized", Auth,
		},
		{
			"no key, and one may be stored", status(401, `{"error":"unauthorized"}`), storing("", nil),
			"openai requires an API key and none is set (401): unauthorized. Run winnow keys set openai to store one",
			Auth,
		},
		{
			"a stored key", status(401, ``), storing("sk-stored-123456", nil),
			"openai rejected the API key from the system keyring (401); run winnow keys set openai to store one",
			Auth,
		},
		{
			"a stored key that cannot be read", status(200, ``), storing("", errors.New("it is locked")),
			"openai was not asked, because its API key cannot be read: it is locked", Auth,
		},
		{
			"an unset variable", status(401, ``), func(e *Endpoint) { e.Key = "" },
			"openai requires an API key, and OPENAI_API_KEY is not set (401)", Auth,
		},
		{
			"no network", dial(&net.DNSError{Err: "no such host", Name: "api.openai.com", IsNotFound: true}), nil,
			"https://api.openai.com/v1 cannot be reached: the host name api.openai.com cannot be resolved; is " +
				"the network up?",
			Network,
		},
		{
			"no route", dial(os.NewSyscallError("connect", syscall.ENETUNREACH)), nil,
			"https://api.openai.com/v1 cannot be reached: there is no network", Network,
		},
		{
			"refused connection", dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), ollama,
			"nothing answers at http://127.0.0.1:11434 (connection refused); is the server running?", Refused,
		},
		{
			"dial timeout", dial(os.ErrDeadlineExceeded), nil, "https://api.openai.com/v1 did not answer in time",
			TimedOut,
		},
		{
			"wrong certificate",
			step{
				refuse: errors.New("tls: failed to verify certificate: x509: certificate signed by unknown authority"),
			},
			nil,
			"https://api.openai.com/v1 cannot be reached: its certificate cannot be verified",
			Network,
		},
		{
			"unknown model",
			status(
				404,
				`{"error":{"message":"model \"gpt-5.2\" not found, try pulling it first","type":"not_found_error"}}`,
			),
			ollama, `ollama does not have the model gpt-5.2 (404): model "gpt-5.2" not found, try pulling it first`,
			NotFound,
		},
		{
			"a text that moves the cursor", status(503, "bad\x1b[2J\r\n\u202elue\x00"), nil,
			"openai failed (503): bad[2J lue", Server,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			change := test.change
			if change == nil {
				change = func(*Endpoint) {}
			}
			_, _, err := heard(script(test.server).client(change, tries(1)), hello())
			if err == nil {
				t.Fatal("got no error")
			}
			wantText(t, "sentence", err.Error(), test.want)
			if !errors.Is(err, test.is) {
				t.Errorf("%s: is not %v", err, test.is)
			}
		})
	}
}

// TestErrorsNeverShowTheKey sends the key back in every place a server could, and looks at every
// text that comes out.
func TestErrorsNeverShowTheKey(t *testing.T) {
	echo := "your key Bearer " + testKey + " and sk-someone-elses-0123456789abcdef are wrong"
	header := map[string]string{"X-Request-Id": testKey, "Location": "https://x/?key=" + testKey}
	servers := map[string]step{
		"error object":   {status: 401, header: header, say: []string{fmt.Sprintf(`{"error":{"message":%q}}`, echo)}},
		"plain text":     {status: 500, header: header, say: []string{echo}},
		"web page":       {status: 403, header: header, say: []string{"<title>" + echo + "</title>" + echo}},
		"redirect":       {status: 302, header: header},
		"in the stream":  chunks(delta("x"), fmt.Sprintf(`{"error":{"message":%q}}`, echo)),
		"a bad chunk":    chunks(delta("x"), "{"+echo),
		"good status":    {header: header, say: []string{fmt.Sprintf(`{"hello":%q}`, echo)}},
		"the connection": {refuse: errors.New("dial " + echo)},
		"in base64":      {status: 401, say: []string{"Basic " + base64.StdEncoding.EncodeToString([]byte(testKey))}},
		"across the cut": {status: 500, say: []string{strings.Repeat("x", bodyMax-len(testKey)/2) + testKey}},
		"an escaped key": {
			status: 400, say: []string{`{"error":{"message":"` + strings.ReplaceAll(testKey, "-", `\u002d`) + `"}}`},
		},
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			c := script(server).client(
				tries(1), func(e *Endpoint) { e.Headers = map[string]string{"Api-Key": "header-" + testKey} },
			)
			_, _, err := heard(c, hello())
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error", err)
			}
			for what, text := range map[string]string{
				"the sentence": e.Error(), "the message": e.Message, "the body": e.Body,
				"%+v": fmt.Sprintf("%+v", e.Err), "the endpoint": fmt.Sprintf(
					"%v %+v", c.Endpoint(), c.Endpoint(),
				),
			} {
				noKey(t, what, text)
				if strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(testKey))) {
					t.Errorf("%s shows the key in base64: %s", what, text)
				}
				if strings.Contains(text, "someone-elses") {
					t.Errorf("%s shows another key: %s", what, text)
				}
			}
		})
	}
}

// TestRefusedOverTheNetwork asks a port that nobody listens at.
func TestRefusedOverTheNetwork(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address := server.URL
	server.Close()
	c := NewClient(Endpoint{Name: "here", BaseURL: address + "/v1", Tries: 1})
	_, _, err := heard(c, hello())
	if err == nil {
		t.Fatal("got no error")
	}
	wantText(t, "sentence", err.Error(), "nothing answers at "+address+" (connection refused); is the server running?")
}

// TestCutOverTheNetwork breaks a real connection.
func TestCutOverTheNetwork(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, delta2("Hello"))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	got, _, err := heard(NewClient(Endpoint{Name: "here", BaseURL: server.URL + "/v1"}), hello())
	wantText(t, "events", got, "Hello| cut")
	if !errors.Is(err, Broken) {
		t.Fatalf("got %v, want the broken connection", err)
	}
	wantText(t, "sentence", err.Error(), "the connection to here was lost before the answer was complete")
}

// TestCancelOverTheNetwork stops a server that is silent, before and after its first words.
func TestCancelOverTheNetwork(t *testing.T) {
	for _, words := range []string{"", "Hello"} {
		came := make(chan struct{}, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body) // Only then does the server see that the client leaves.
			if words != "" {
				_, _ = fmt.Fprint(w, delta2(words))
				w.(http.Flusher).Flush()
			}
			came <- struct{}{}
			<-req.Context().Done()
		}))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-came
			cancel()
		}()
		_, _, err := heardIn(ctx, NewClient(Endpoint{Name: "here", BaseURL: server.URL + "/v1"}), hello())
		if !errors.Is(err, context.Canceled) || !errors.Is(err, Stopped) {
			t.Errorf("after %q: got %v, want context.Canceled", words, err)
		}
		server.Close()
	}
}

// A list that is not there is no model that is not there, whatever its path is called, and a name that nobody resolves
// in time is no server that is slow.
func TestWhatIsMissingIsNamed(t *testing.T) {
	for want, server := range map[string]step{
		"https://api.openai.com/v1 does not provide this API (404): Cannot GET /v1/models. Check the base URL": {
			status: 404, say: []string{"Cannot GET /v1/models"},
		},
		"https://api.openai.com/v1 cannot be reached: there is no network": {
			refuse: &net.DNSError{Err: "i/o timeout", Name: "api.openai.com", IsTimeout: true},
		},
	} {
		_, err := script(server).client().Models(t.Context())
		wantText(t, "sentence", fmt.Sprint(err), want)
	}
}
