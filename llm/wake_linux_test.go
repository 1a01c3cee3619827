package llm

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"
)

// wakes is from how many bytes on a connection wakes the program.
func wakes(t *testing.T, conn net.Conn) (bytes int) {
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Error(err)
		return 0
	}
	_ = raw.Control(func(fd uintptr) { bytes, err = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT) })
	if err != nil {
		t.Error(err)
	}
	return bytes
}

// While pieces are gathered, packets do not wake the program, encrypted or not; as soon as the answer is read again, each
// byte does.
func TestPacketsThatAreGatheredWakeNobody(t *testing.T) {
	t.Parallel()
	for _, encrypted := range []bool{false, true} {
		conns := make(chan net.Conn, 1)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn := <-conns
			for wakes(t, conn) == 1 && r.Context().Err() == nil {
				io.WriteString(w, delta2("a piece "))
				w.(http.Flusher).Flush()
				time.Sleep(2 * waitTime) // the reader has to wait
			}
			conns <- conn
			io.WriteString(w, delta2("the last")+"data: [DONE]\n\n")
		}))
		if server.EnableHTTP2 = encrypted; encrypted {
			server.StartTLS()
		} else {
			server.Start()
		}
		t.Cleanup(server.Close)
		doer := server.Client()
		doer.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			conns <- conn
			return conn, err
		}
		request, text := hello(), ""
		request.Pace = 20 * time.Millisecond
		for event, err := range NewClient(Endpoint{Name: "here", BaseURL: server.URL, Doer: doer}).Stream(t.Context(), request) {
			if err != nil {
				t.Fatal(err)
			}
			if d, is := event.(TextDelta); is {
				text += d.Text
			}
		}
		if !strings.HasSuffix(text, "piece the last") {
			t.Errorf("encrypted %v: the answer ends with %q", encrypted, text[max(0, len(text)-20):])
		}
		if n := wakes(t, <-conns); n != 1 {
			t.Errorf("encrypted %v: after the answer %d bytes wake the program, want each", encrypted, n)
		}
	}
}
