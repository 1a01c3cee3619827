package llm

import (
	"errors"
	"net"
	"net/url"
	"regexp"
	"syscall"

	"winnow/llm/redact"
)

// connectionFaults are the reasons for which a connection brings no answer, by what net and net/http say. Without words
// of ours the text of the error has to do. Final is what comes again the next time.
var connectionFaults = []struct {
	text  func() *regexp.Regexp
	words string // $1 is what the first group of the text matched
	final bool
}{
	{
		says(`lookup (\S+)(?: on \S+)?: no such host`),
		"the host name $1 cannot be resolved; is the network up?", false,
	},
	{says(`network is unreachable|no route to host|^lookup |: lookup `), "there is no network", false},
	{
		says(`certificate signed by unknown authority|certificate is not trusted`),
		"its certificate is not signed by an authority that this computer trusts", true,
	},
	{
		says(`certificate is (?:valid for|not valid for any)|certificate relies on|any IP SANs`),
		"its certificate is for another name", true,
	},
	{says(`certificate has expired or is not yet valid`), "its certificate has expired or is not valid yet", true},
	{says(`failed to verify certificate`), "its certificate cannot be verified", true},
	{says(`HTTP response to HTTPS client`), "it uses http, not https; " + checkURL, true},
	{says(`first record does not look like a TLS handshake`), "it does not use https; " + checkURL, true},
	{says(`remote error: tls: (.*)`), "it refused the encrypted connection ($1)", true},
	// The second is said of a server that speaks before it was asked.
	{says(`malformed HTTP|readLoopPeekFailLocked`), "it does not use HTTP; " + checkURL, true},
	{says(`connection reset|broken pipe|forcibly closed`), "the connection was reset", false},
	// The last was closed within a header.
	{
		says(`\bEOF$|server closed idle connection|malformed MIME header`),
		"the connection was closed before an answer", false,
	},
	{says(`x509|unsupported protocol scheme|invalid header`), "", true},
	{says(``), "", false},
}

// unreached makes the error of a request that got no answer.
func (c *Client) unreached(err error, model string) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if address := new(url.Error); errors.As(err, &address) {
		err = address.Err // Its text repeats method and address.
	}
	e := c.blank(model)
	e.Kind, e.Err = Network, shy{err, c.redactor}
	var timeout net.Error
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Kind, e.Address = Refused, c.endpoint.root()
		return e
	case errors.As(err, &timeout) && timeout.Timeout() && !errors.As(err, &dns):
		e.Kind = TimedOut
		return e
	}
	for _, f := range connectionFaults {
		if match := f.text().FindStringSubmatchIndex(err.Error()); match != nil {
			words := f.text().ExpandString(nil, f.words, err.Error(), match)
			if e.Message, e.final = string(words), f.final; f.words == "" {
				e.Message = e.Err.Error()
			}
			break
		}
	}
	return e
}

// shy is an error whose text gives no secrets away.
type shy struct {
	err      error
	redactor *redact.Redactor
}

func (s shy) Error() string { return s.redactor.Text(s.err.Error()) }

func (s shy) Unwrap() error { return s.err }
