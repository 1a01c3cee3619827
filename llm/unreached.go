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
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	e := c.blank(model)
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err // Its text repeats method and address.
	}
	e.Err = shy{err, c.endpoint}
	var (
		dns     *net.DNSError
		timeout net.Error
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Kind = Refused
		e.Address = c.endpoint.root()
		return e
	case errors.As(err, &dns) && dns.IsNotFound:
		e.Kind, e.Message = Network, "the host name "+dns.Name+" cannot be resolved; is the network up?"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.As(err, &dns):
		e.Kind, e.Message = Network, "there is no network"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Kind = TimedOut
	default:
		e.Kind = Network
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
		notTLS      tls.RecordHeaderError
		alert       tls.AlertError
	)
	text := err.Error()
	switch {
	case errors.As(err, &certificate):
		return wrongCertificate(certificate), true
	case errors.Is(err, http.ErrSchemeMismatch):
		return "it uses http, not https; check the base URL", true
	case errors.As(err, &notTLS):
		return "it does not use https; check the base URL", true
	case errors.As(err, &alert):
		return "it refused the encrypted connection (" + strings.TrimPrefix(alert.Error(), "tls: ") + ")", true
	case strings.Contains(text, "malformed HTTP"),
		strings.Contains(text, "readLoopPeekFailLocked"): // It said something before it was asked.
		return "it does not use HTTP; check the base URL", true
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was reset", false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(text, "server closed idle connection"),
		strings.Contains(text, "malformed MIME header"): // It was closed within a header.
		return "the connection was closed before an answer", false
	case strings.Contains(text, "x509"), strings.Contains(text, "unsupported protocol scheme"), strings.Contains(text, "invalid header"):
		return "", true
	}
	return "", false
}

// wrongCertificate says what is wrong with a server's certificate.
func wrongCertificate(err *tls.CertificateVerificationError) string {
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &unknown):
		return "its certificate is not signed by an authority that this computer trusts"
	case errors.As(err, &name):
		return "its certificate is for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired or is not valid yet"
	}
	return "its certificate cannot be verified"
}

// shy is an error whose text does not give the endpoint's secrets away.
type shy struct {
	err      error
	endpoint Endpoint
}

func (s shy) Error() string { return s.endpoint.redact(s.err.Error()) }

func (s shy) Unwrap() error { return s.err }
