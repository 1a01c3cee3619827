package llm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// unreached makes the error of a request that got no answer.
func (c *Client) unreached(ctx context.Context, err error, model string) *Error {
	var (
		known   *Error
		address *url.Error
		dns     *net.DNSError
		timeout net.Error
	)
	if errors.As(err, &known) {
		return known
	}
	if errors.As(err, &address) {
		err = address.Err // Its text repeats method and address.
	}
	e := c.blank(model)
	e.Kind, e.Err = Network, shy{err, c.endpoint}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Kind, e.Address = Refused, c.endpoint.root()
	case errors.As(err, &dns) && dns.IsNotFound:
		e.Message = "the host name " + dns.Name + " cannot be resolved; is the network up?"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.As(err, &dns):
		e.Message = "there is no network"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Kind = TimedOut
	default:
		e.Message, e.final = failedConnection(err)
		if e.Message == "" {
			e.Message = e.Err.Error()
		}
	}
	return e
}

// failedConnection says in words why a connection brought no answer, "" where the error's own text has to do. Final
// is what comes again the next time.
func failedConnection(err error) (words string, final bool) {
	var (
		certificate *tls.CertificateVerificationError
		unknown     x509.UnknownAuthorityError
		name        x509.HostnameError
		invalid     x509.CertificateInvalidError
		notTLS      tls.RecordHeaderError
		alert       tls.AlertError
	)
	text := err.Error()
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.As(err, &certificate) && errors.As(err, &unknown):
		return "its certificate is not signed by an authority that this computer trusts", true
	case errors.As(err, &certificate) && errors.As(err, &name):
		return "its certificate is for another name", true
	case errors.As(err, &certificate) && errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired or is not valid yet", true
	case certificate != nil:
		return "its certificate cannot be verified", true
	case errors.Is(err, http.ErrSchemeMismatch):
		return "it uses http, not https; check the base URL", true
	case errors.As(err, &notTLS):
		return "it does not use https; check the base URL", true
	case errors.As(err, &alert):
		return "it refused the encrypted connection (" + strings.TrimPrefix(alert.Error(), "tls: ") + ")", true
	case has("malformed HTTP", "readLoopPeekFailLocked"): // The latter is said before it was asked.
		return "it does not use HTTP; check the base URL", true
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was reset", false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		has("server closed idle connection", "malformed MIME header"): // The latter was closed within a header.
		return "the connection was closed before an answer", false
	}
	return "", has("x509", "unsupported protocol scheme", "invalid header")
}

// shy is an error whose text does not give the endpoint's secrets away.
type shy struct {
	err      error
	endpoint Endpoint
}

func (s shy) Error() string { return s.endpoint.redact(s.err.Error()) }

func (s shy) Unwrap() error { return s.err }
