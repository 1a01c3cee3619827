package llmtest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"
)

func connectionFaults() []Fault {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	silence := func(c net.Conn) { readRequest(c); waitForClose(c) }
	return []Fault{
		{
			Name: "dns-unknown", What: "the server's name is not known",
			Dial: &net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true},
		},
		{
			Name: "dns-down", What: "no name can be looked up",
			Dial: &net.DNSError{Err: "server misbehaving", Name: "api.example.com", IsTemporary: true},
		},
		{
			Name: "unreachable", What: "there is no network",
			Dial: &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)},
		},
		{Name: "refused", What: "nothing listens at the address", Dial: refused, Lead: true},
		{
			Name: "refused-local", What: "nothing listens at the address, which is on this machine", Dial: refused,
			Own: true,
		},
		{
			Name: "connect-timeout", What: "the connection is never accepted",
			Dial: &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}, After: 15 * time.Second,
		},
		{
			Name: "reset", What: "the connection is reset before an answer",
			Conn: func(c net.Conn) { readRequest(c); reset(c) },
		},
		{Name: "closed", What: "the connection is closed before an answer", Conn: func(c net.Conn) { readRequest(c) }},
		{
			Name: "headers-cut", What: "the connection is closed within the headers",
			Conn: func(c net.Conn) { readRequest(c); write(c, "HTTP/1.1 200 OK\r\nContent-Ty") },
		},
		{
			Name: "no-http", What: "the server speaks another protocol",
			Conn: func(c net.Conn) { write(c, "SSH-2.0-OpenSSH_9.7\r\n"); readRequest(c) },
		},
		{Name: "silence", What: "the server takes the request and sends nothing", Conn: silence, Lead: true},
		{
			Name: "silence-local", What: "a server on this machine takes the request and sends nothing", Conn: silence,
			Own: true, At: []Stage{Connect},
		},
		{
			Name: "tls-closed", What: "the connection ends in the TLS handshake", TLS: true,
			Conn: func(c net.Conn) { readSome(c) },
		},
		{
			Name: "tls-reset", What: "the connection is reset in the TLS handshake", TLS: true,
			Conn: func(c net.Conn) { readSome(c); reset(c) },
		},
		{
			Name: "tls-silence", What: "the TLS handshake is never answered", TLS: true,
			Conn: func(c net.Conn) { readSome(c); waitForClose(c) },
		},
		{Name: "tls-plain", What: "https is asked for, and the server speaks plain HTTP", TLS: true, Conn: plainHTTP},
		{Name: "tls-unknown", What: "the server's certificate is signed by nobody known", TLS: true, Conn: unknownTLS},
	}
}

func plainHTTP(c net.Conn) {
	readSome(c)
	write(c, "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")
}

func unknownTLS(c net.Conn) {
	_ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{selfSigned()}}).Handshake()
}

// readRequest reads a request whole.
func readRequest(c net.Conn) {
	if req, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
		drain(req.Body)
	}
}

// readSome reads the first bytes that come, such as those of a TLS handshake.
func readSome(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) }

// write ignores that nobody reads any more.
func write(c net.Conn, text string) { _, _ = c.Write([]byte(text)) }

// waitForClose waits until the other side gives up.
func waitForClose(c net.Conn) {
	for {
		if _, err := c.Read(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// selfSigned is a certificate that no client trusts.
func selfSigned() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	about := x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"api.example.com"}, NotBefore: time.Unix(0, 0),
		NotAfter: time.Unix(1<<33, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, &about, &about, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
