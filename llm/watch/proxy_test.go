package watch

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"winnow/llm"

	"pgregory.net/rapid"
)

// notes is a recorder that keeps what it was told.
type notes struct{ sent, answered chan Exchange }

func (n *notes) Sent(x Exchange)     { n.sent <- x }
func (n *notes) Answered(x Exchange) { n.answered <- x }

// next returns the exchange that ended next, with its request, and verifies that it was reported once when sent and once
// when ended.
func (n *notes) next(t testing.TB) Exchange {
	t.Helper()
	sent, answered := <-n.sent, <-n.answered
	if sent.ID != answered.ID || len(n.sent)+len(n.answered) > 0 {
		t.Errorf("%d was sent and %d answered; want each exchange once", sent.ID, answered.ID)
	}
	answered.Body = sent.Body
	return answered
}

// watched starts a server named up and a proxy before it, at the returned URL.
func watched(t testing.TB, h http.HandlerFunc) (root string, p *Proxy, n *notes) {
	t.Helper()
	server := httptest.NewServer(h)
	n = &notes{make(chan Exchange, 100), make(chan Exchange, 100)}
	p = &Proxy{Run: "RUN", Upstreams: []Upstream{{"up", server.URL + "/v1"}}, Recorder: n}
	proxy := httptest.NewServer(p)
	t.Cleanup(server.Close)
	t.Cleanup(proxy.Close)
	return proxy.URL, p, n
}

// plain is a client that decompresses nothing, follows no redirect, and does not add to the headers.
var plain = &http.Transport{DisableCompression: true}

// start sends a request with headers that are given as name, value, name, value. The answer may still be running.
func start(t testing.TB, method, url string, body io.Reader, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	ok(t, err)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	r.Host = r.Header.Get("Host")
	resp, err := plain.RoundTrip(r)
	ok(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// post sends a request and returns the whole answer.
func post(t testing.TB, url string, body io.Reader, headers ...string) string {
	t.Helper()
	answer, err := io.ReadAll(start(t, "POST", url, body, headers...).Body)
	ok(t, err)
	return string(answer)
}

// ok ends a test that cannot go on.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestBytesPassUnchanged verifies that server, client and recorder get the same bytes, for any bytes in any parts, also
// if the headers say that they are compressed.
func TestBytesPassUnchanged(t *testing.T) {
	t.Parallel()
	var got []byte
	var parts [][]byte
	root, _, n := watched(t, func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/event-stream")
		for _, part := range parts {
			_, _ = w.Write(part)
			w.(http.Flusher).Flush()
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		body := bytes.Repeat(rapid.SliceOf(rapid.Byte()).Draw(rt, "body"), rapid.IntRange(1, 3000).Draw(rt, "times"))
		parts = rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 1, -1)).Draw(rt, "parts")
		var from io.Reader = bytes.NewReader(body)
		if rapid.Bool().Draw(rt, "length unknown") {
			from = io.NopCloser(from)
		}
		answer := post(t, root+"/r/RUN/up/x", from, "Content-Encoding", "zstd")
		want := bytes.Join(parts, nil)
		x := n.next(t)
		if !bytes.Equal(got, body) || !bytes.Equal(x.Body, body) || x.Encoding != "zstd" {
			rt.Errorf("of %d bytes, the server got %d and the recorder %d", len(body), len(got), len(x.Body))
		}
		if answer != string(want) || !bytes.Equal(x.Answer, want) || x.AnswerEncoding != "gzip" {
			rt.Errorf("of %d bytes, the client got %d and the recorder %d", len(want), len(answer), len(x.Answer))
		}
		if x.Err != "" || x.Cut || x.Status != 200 || x.AnswerType != "text/event-stream" || x.Took < x.First {
			rt.Errorf("recorded %+v", x)
		}
	})
}

// TestHeadersPassUnchanged verifies that a server sees the client's headers, path and query, and no other headers.
func TestHeadersPassUnchanged(t *testing.T) {
	t.Parallel()
	seen := make(chan *http.Request, 1)
	root, p, _ := watched(t, func(_ http.ResponseWriter, r *http.Request) { seen <- r })
	sent := []string{
		"Authorization", "Bearer sk-test", "Accept-Encoding", "br, zstd", "User-Agent", "agent/1.0 (x)",
		"X-Forwarded-For", "10.0.0.1", "Idempotency-Key", "k",
	}
	post(t, root+"/r/RUN/up/a%2Fb/c?key=1;2&x=%zz", strings.NewReader("{}"), sent...)
	want := http.Header{"Content-Length": {"2"}}
	for pair := range slices.Chunk(sent, 2) {
		want.Set(pair[0], pair[1])
	}
	got := <-seen
	if url := "http://" + got.Host + got.RequestURI; url != p.Upstreams[0].BaseURL+"/a%2Fb/c?key=1;2&x=%zz" {
		t.Errorf("the server was asked for %s", url)
	}
	if !reflect.DeepEqual(got.Header, want) {
		t.Errorf("the server received %v, want %v", got.Header, want)
	}
	hop := []string{"Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "A"} // Java's
	start(t, "GET", root+"/r/RUN/up/models", nil, append(hop, "User-Agent", "")...)
	if got := <-seen; len(got.Header) > 0 {
		t.Errorf("the server received %v although the client sent none", got.Header)
	}
}

// TestPartsPassAtOnce verifies that the recorder knows of a request before its answer begins, and that the client has a
// part of the answer before the server sends the next.
func TestPartsPassAtOnce(t *testing.T) {
	t.Parallel()
	more := make(chan bool)
	root, _, n := watched(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for range 3 {
			_, _ = io.WriteString(w, "part\n")
			w.(http.Flusher).Flush()
			<-more
		}
	})
	resp := start(t, "POST", root+"/r/RUN/up/x", strings.NewReader("{}"))
	if x := <-n.sent; string(x.Body) != "{}" || x.Status != 0 {
		t.Errorf("before the answer, the recorder was told %+v", x)
	}
	lines := bufio.NewScanner(resp.Body)
	for range 3 {
		if !lines.Scan() || lines.Text() != "part" {
			t.Errorf("the client received %q", lines.Text())
		}
		more <- true
	}
}

// A server may answer while a request is still being sent.
func TestAnswerBeginsBeforeTheRequestEnds(t *testing.T) {
	t.Parallel()
	root, _, n := watched(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		_, _ = io.CopyN(w, r.Body, 5)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.Copy(w, r.Body)
	})
	body, sending := io.Pipe()
	go fmt.Fprint(sending, "begin")
	resp := start(t, "POST", root+"/r/RUN/up/x", body)
	begin := make([]byte, 5)
	_, err := io.ReadFull(resp.Body, begin)
	ok(t, err)
	go func() {
		fmt.Fprint(sending, " end")
		sending.Close()
	}()
	end, err := io.ReadAll(resp.Body)
	if x := n.next(t); err != nil || string(end) != " end" || string(x.Body) != "begin end" || x.Err != "" {
		t.Errorf("the answer ends with %q, %v; recorded are %q and %q", end, err, x.Body, x.Err)
	}
}

// TestRefusals verifies what is neither passed on nor recorded, and that the client is told why.
func TestRefusals(t *testing.T) {
	t.Parallel()
	root, p, n := watched(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "passed") })
	up := "/r/RUN/up/x"
	const oat = "sk-ant-oat01-x"
	for _, c := range []struct{ method, path, header, value, status, reason string }{
		{"POST", up, "Host", "example.org:80", "403", "Host header"},
		{"POST", up, "Host", "127.0.0.1", "403", "Host header"},
		{"POST", up, "Origin", "https://example.org", "403", "web pages"},
		{"POST", up, "Origin", "null", "403", "web pages"},
		{"OPTIONS", up, "Accept", "", "403", "web pages"},
		{"POST", "/r/OLD/up/x", "Accept", "", "404", "setup"},
		{"POST", "/r/RUN/down/x", "Accept", "", "404", "setup"},
		{"POST", "/r/RUN/upper/x", "Accept", "", "404", "setup"},
		{"POST", "/", "Accept", "", "404", "setup"},
		{"GET", up, "Upgrade", "WebSocket", "426", "HTTP"},
		{"POST", up, "ChatGPT-Account-ID", "a", "403", "OPENAI_API_KEY"},
		{"POST", up, "Authorization", "Bearer " + oat, "403", "winnow watch -- claude"},
		{"POST", up, "X-Api-Key", oat, "403", "winnow watch -- claude"},
	} {
		long := bytes.NewReader(make([]byte, 4<<20)) // Clients send it to its end before they read the answer.
		resp := start(t, c.method, root+c.path, long, c.header, c.value)
		answer, _ := io.ReadAll(resp.Body)
		told := strings.HasPrefix(string(answer), `{"error":{"message":"`) && strings.Contains(string(answer), c.reason)
		if strconv.Itoa(resp.StatusCode) != c.status || !told || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%+v: %d %s", c, resp.StatusCode, answer)
		}
	}
	p.Subscription = func() bool { return true }
	root = strings.Replace(root, "127.0.0.1", "localhost", 1)
	if answer := post(t, root+up, nil, "X-Api-Key", oat); answer != "passed" {
		t.Errorf("after the user agreed, the answer is %s", answer)
	}
	n.next(t)
}

// TestHeadersAsRecorded verifies how the client and its conversation are named, and that an exchange holds nothing of
// the other headers and of the query, which contain keys and account ids.
func TestHeadersAsRecorded(t *testing.T) {
	t.Parallel()
	root, p, n := watched(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Set-Cookie", "SECRET") })
	for _, c := range []struct{ started, agent, header, client, thread string }{
		{"", "codex_cli_rs/0.169.0 (SECRET)", "Session-Id", "codex_cli_rs", "s"},
		{"", "codex_cli_rs/0.169.0 (SECRET)", "session_id", "codex_cli_rs", "s"},
		{"claude", "claude-cli/2.1 SECRET", "X-Claude-Code-Session-Id", "claude", "s"},
		{"", "curl", "X-Request-Id", "curl", ""},
		{"", "", "conversation_id", "", "s"},
	} {
		p.Client = c.started
		headers := []string{"User-Agent", c.agent, c.header, "s"}
		for _, name := range []string{
			"Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie",
			"Openai-Organization", "Openai-Project", "X-Account-Id", "Anthropic-Organization-Id",
		} {
			headers = append(headers, name, "SECRET")
		}
		post(t, root+"/r/RUN/up/x?key=SECRET", nil, headers...)
		x := n.next(t)
		all := fmt.Sprintf("%+v", x)
		if x.Client != c.client || x.Thread != c.thread || x.Path != "/x" || strings.Contains(all, "SECRET") {
			t.Errorf("%+v: recorded as %s", c, all)
		}
	}
}

// TestFailures verifies that a call that fails in any way is passed on as it is, recorded once, and not tried again.
func TestFailures(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	root, p, n := watched(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		name := path.Base(r.URL.Path)
		if status, err := strconv.Atoi(name); err == nil {
			w.Header().Set("Location", "/v1/200")
			w.WriteHeader(status)
			return
		}
		if name != "hangup" {
			_, _ = io.WriteString(w, "half")
			w.(http.Flusher).Flush()
		}
		if name == "wait" {
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	})
	p.Upstreams = append(p.Upstreams, Upstream{"off", "http://127.0.0.1:1"})
	for _, c := range []struct {
		path, answer string
		got, status  int // for the client, and as recorded
		err          string
	}{
		{"up/307", "", 307, 307, ""},
		{"up/503", "", 503, 503, ""},
		{"up/hangup", "", 502, 0, "up did not answer: EOF"},
		{"up/half", "half", 200, 200, "up broke the answer off: unexpected EOF"},
		{"up/wait", "half", 200, 200, "the connection to the client was closed"},
		{"off/x", "", 502, 0, "off did not answer: dial tcp 127.0.0.1:1: connect: connection refused"},
	} {
		calls.Store(0)
		resp := start(t, "POST", root+"/r/RUN/"+c.path, strings.NewReader("{}"))
		if c.path == "up/wait" {
			_, _ = io.ReadFull(resp.Body, make([]byte, 4))
			ok(t, resp.Body.Close())
		}
		_, err := io.ReadAll(resp.Body)
		x := n.next(t)
		if resp.StatusCode != c.got || (err == nil) != (c.answer == "") || calls.Load() > 1 {
			t.Errorf("%s: the client got %d and %v after %d calls", c.path, resp.StatusCode, err, calls.Load())
		}
		if x.Status != c.status || !strings.HasPrefix(string(x.Answer), c.answer) || x.Err != c.err {
			t.Errorf("%s: recorded %d %q %q", c.path, x.Status, x.Answer, x.Err)
		}
	}
}

// TestLongBodiesAreCutInTheCopy verifies that a body longer than llm.MaxBody passes whole, and is kept up to there.
func TestLongBodiesAreCutInTheCopy(t *testing.T) {
	t.Parallel()
	root, _, n := watched(t, func(w http.ResponseWriter, r *http.Request) {
		size, _ := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, size)
	})
	answer := post(t, root+"/r/RUN/up/x", bytes.NewReader(make([]byte, llm.MaxBody+1)))
	if x := n.next(t); answer != strconv.Itoa(llm.MaxBody+1) || len(x.Body) != llm.MaxBody || !x.Cut {
		t.Errorf("%s bytes arrived and %d were kept, cut: %v", answer, len(x.Body), x.Cut)
	}
}

// TestMemoryOfTwentyStreams verifies that requests of 1 MB are not kept while their answers are running. It runs alone,
// because it measures the whole process.
func TestMemoryOfTwentyStreams(t *testing.T) {
	root, _, n := watched(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	body := make([]byte, 1<<20)
	for range 20 {
		start(t, "POST", root+"/r/RUN/up/x", bytes.NewReader(body))
		<-n.sent
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if used := m.HeapInuse + m.StackInuse; used > 12<<20 {
		t.Errorf("20 streams take %d MB", used>>20)
	}
}

// TestServeEnds verifies that only this machine is served, and that an answer which runs on when winnow ends is cut off
// and recorded.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	_, p, n := watched(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	l, err := Listen(0)
	ok(t, err)
	addr := l.Addr().String()
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		t.Errorf("it listens on %s", addr)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- p.Serve(ctx, l) }()
	start(t, "POST", "http://"+addr+"/r/RUN/up/x", nil)
	stop()
	ok(t, <-done)
	ended := len(n.answered)
	if x := n.next(t); ended != 1 || x.Err != "the connection to the client was closed" {
		t.Errorf("when it ended, %d were recorded; %q", ended, x.Err)
	}
	if _, err := net.Dial("tcp", addr); err == nil {
		t.Error("it still listens")
	}
}

// BenchmarkFirstByte measures the time from a request of 1 MB to the first byte of its answer, with and without the
// proxy in turn.
func BenchmarkFirstByte(b *testing.B) {
	root, p, n := watched(b, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "first")
	})
	body := make([]byte, 1<<20)
	urls := []string{p.Upstreams[0].BaseURL, root + "/r/RUN/up"}
	took := make([][]float64, 2)
	for b.Loop() {
		for i, url := range urls {
			began := time.Now()
			resp := start(b, "POST", url+"/x", bytes.NewReader(body))
			_, _ = io.ReadFull(resp.Body, make([]byte, 1))
			took[i] = append(took[i], time.Since(began).Seconds()*1000)
			_, _ = io.Copy(io.Discard, resp.Body)
		}
		n.next(b)
	}
	p95 := func(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)*95/100] }
	b.ReportMetric(p95(took[0]), "direct-p95-ms")
	b.ReportMetric(p95(took[1]), "proxy-p95-ms")
	b.ReportMetric(p95(took[1])-p95(took[0]), "added-p95-ms")
}
