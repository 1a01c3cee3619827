package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html/charset"
)

const (
	// fetchName is the tool's name for the model.
	fetchName = "fetch"

	maxPageBytes = 4 << 20 // how much of a document is read
	partRunes    = 20_000  // how much of a document one call returns, in code points
	maxRedirects = 5
	fetchTimeout = 30 * time.Second
)

// NewFetch returns the tool "fetch", which reads the document at a URL: see ReadPage.
func NewFetch(hosts []string) (Tool, Func) {
	fetch := Tool{
		Name: fetchName,
		Description: fmt.Sprintf("Read the document behind a URL as text; web pages come as Markdown. "+
			"One call returns at most %d characters.", partRunes),
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"url":{"type":"string","description":"an http or https URL"},` +
			`"start":{"type":"integer","minimum":0,"description":"the character to begin at, to read on"}` +
			`},"required":["url"]}`),
		Reach:    "winnow reads the page. The site sees your IP address.",
		EachTime: true,
	}
	return fetch, func(ctx context.Context, arguments json.RawMessage) (string, error) {
		var in struct {
			URL   string `json:"url"`
			Start int    `json:"start"`
		}
		if err := json.Unmarshal(arguments, &in); err != nil {
			return "", fmt.Errorf("read the arguments: %w", err)
		}
		p, err := ReadPage(ctx, hosts, in.URL)
		if err != nil {
			return "", err
		}
		return p.part(in.Start), nil
	}
}

// Page is the document at a URL.
type Page struct {
	URL       string // after redirects
	Type      string // the media type, such as text/html
	Text      string // HTML converted to Markdown, other text unchanged, in UTF-8
	Truncated bool   // the document is too long, and the rest was not read
}

// part returns the document from a character on, after a line about the document.
func (p Page) part(start int) string {
	runes := []rune(p.Text)
	start = min(max(0, start), len(runes))
	end := min(start+partRunes, len(runes))
	head := fmt.Sprintf(
		"%s (%s); characters %d to %d of %d", p.URL, p.Type, start, end, len(runes),
	)
	if p.Truncated {
		head += fmt.Sprintf("; only the first %d MB were read", maxPageBytes>>20)
	}
	return head + "\n\n" + string(runes[start:end])
}

// URLRefusedError reports that a URL is not allowed. Nothing was sent to it.
type URLRefusedError struct{ text string }

func (e *URLRefusedError) Error() string { return e.text }

func refuse(format string, args ...any) error { return &URLRefusedError{fmt.Sprintf(format, args...)} }

// ReadPage reads the document at a URL. It sends nothing but the request for it and follows no redirect to another
// host. Without hosts, it refuses addresses of this machine and its network. With hosts, it allows only those, even on
// this machine or its network: "example.org" is that host, "*.example.org" every subdomain of it.
func ReadPage(ctx context.Context, hosts []string, address string) (Page, error) {
	req, err := http.NewRequestWithContext(
		ctx, http.MethodGet, strings.TrimSpace(address), nil,
	)
	if err != nil {
		return Page{}, refuse("%q is not a URL", address)
	}
	if err := checkURL(hosts, req.URL); err != nil {
		return Page{}, err
	}
	req.Header.Set("User-Agent", "winnow")
	req.Header.Set(
		"Accept", "text/html, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.1",
	)
	resp, err := clientFor(hosts, req).Do(req)
	if err != nil {
		return Page{}, errors.Unwrap(err) // without the method and the URL
	}
	defer resp.Body.Close()
	p := Page{URL: resp.Request.URL.Redacted()}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return Page{}, fmt.Errorf("%s answered %s", p.URL, resp.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxPageBytes+1))
	if err == nil {
		p.Truncated = len(raw) > maxPageBytes
		err = p.decode(
			raw[:min(len(raw), maxPageBytes)], resp.Header.Get("Content-Type"),
		)
	}
	if err != nil {
		return Page{}, fmt.Errorf("read %s: %w", p.URL, err)
	}
	return p, nil
}

// clientFor returns the client for a request and its redirects. A proxy may be on the local network.
func clientFor(hosts []string, req *http.Request) *http.Client {
	dialer := &net.Dialer{}
	proxy, err := http.ProxyFromEnvironment(req)
	if len(hosts) == 0 && proxy == nil {
		dialer.ControlContext = publicOnly
	}
	return &http.Client{
		Timeout: fetchTimeout,
		Transport: &http.Transport{
			DisableKeepAlives: true,
			Proxy:             func(*http.Request) (*url.URL, error) { return proxy, err },
			DialContext:       dialer.DialContext,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			first, next := via[0].URL, req.URL
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			plain := first.Scheme == "https" && next.Scheme != "https"
			if plain || !strings.EqualFold(next.Hostname(), first.Hostname()) {
				return fmt.Errorf(
					"it redirects to another address: %s", next.Redacted(),
				)
			}
			req.Header.Del("Referer")
			return checkURL(hosts, next)
		},
	}
}

// decode converts the bytes of a document to text.
func (p *Page) decode(raw []byte, contentType string) error {
	contentType = cmp.Or(contentType, http.DetectContentType(raw))
	p.Type, _, _ = mime.ParseMediaType(contentType) // "" if invalid
	if _, ok := asText(raw); !ok {
		return fmt.Errorf("it is not text but %s", p.Type)
	}
	encoding, _, _ := charset.DetermineEncoding(raw, contentType)
	text, err := encoding.NewDecoder().Bytes(raw)
	if err != nil {
		return err
	}
	p.Text = strings.ToValidUTF8(string(text), "\uFFFD")
	if p.Truncated {
		p.Text = strings.TrimSuffix(p.Text, "\uFFFD") // half of a character that was cut
	}
	if p.Type != "text/html" && p.Type != "application/xhtml+xml" {
		return nil
	}
	plugins := converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(),
	)
	p.Text, err = converter.NewConverter(plugins).ConvertString(p.Text, converter.WithDomain(p.URL))
	return err
}

// checkURL returns an error if a URL is not allowed, as far as its host name tells.
func checkURL(hosts []string, u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	listed := slices.ContainsFunc(hosts, func(pattern string) bool {
		pattern = strings.ToLower(pattern)
		below, many := strings.CutPrefix(pattern, "*")
		return host == pattern || many && strings.HasSuffix(host, below)
	})
	addr, err := netip.ParseAddr(host)
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || host == "" || u.User != nil:
		return refuse(
			"only http and https URLs with a host and without a user name are fetched, not %q", u.Redacted(),
		)
	case len(hosts) > 0 && !listed:
		return refuse(
			"the host %s is not among those that may be fetched: %s", host, strings.Join(hosts, ", "),
		)
	case len(hosts) == 0 && (err == nil && !isPublic(addr) || host == "localhost"):
		return refuseLocal(host)
	}
	return nil
}

func refuseLocal(host string) error {
	return refuse("%s is an address of this machine or its network, "+
		"which is not fetched unless the configuration lists it", host)
}

// publicOnly refuses connections to local addresses. It is called with the resolved address, because a public name may
// resolve to a local one.
func publicOnly(_ context.Context, _, resolved string, _ syscall.RawConn) error {
	if at, err := netip.ParseAddrPort(resolved); err != nil || !isPublic(at.Addr()) {
		return refuseLocal(resolved)
	}
	return nil
}

// notPublic lists addresses that are neither private nor local according to netip's methods, but are not public hosts.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), // benchmarks
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), // NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"), // 6to4
	netip.MustParsePrefix("fec0::/10"), // site-local
}

// isPublic reports whether an address belongs to the public internet.
func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsGlobalUnicast() && !a.IsPrivate() && !a.IsLoopback() &&
		!slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(a) })
}
