// Package fetch reads the document behind a URL as text: HTML becomes Markdown. It sends nothing but the request for
// the document: no key, no cookie, no referrer. It asks no address of this machine or its network that the user did
// not name, and follows no redirect to another host.
package fetch

import (
	"bytes"
	"context"
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
	"sync"
	"syscall"
	"time"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html/charset"
)

const (
	// Largest is the most that is read of a document, in bytes.
	Largest = 4 << 20

	maxRedirects = 5
	patience     = 30 * time.Second
)

// Fetcher reads documents. Its methods may be called from several goroutines.
type Fetcher struct {
	hosts  []string // the only hosts that may be asked; none is every public one
	client *http.Client

	mu      sync.Mutex
	proxies map[string]bool // addresses of the proxies that the environment names
}

// New makes a Fetcher. Where hosts are given it asks no others, and these even where they are on this machine or its
// network: "example.org" is that host, "*.example.org" every host below it.
func New(hosts []string) *Fetcher {
	f := &Fetcher{hosts: hosts, proxies: map[string]bool{}}
	transport := &http.Transport{
		Proxy:                 f.proxy,
		DialContext:           f.dial,
		TLSHandshakeTimeout:   patience,
		ResponseHeaderTimeout: patience,
		DisableKeepAlives:     true,
	}
	f.client = &http.Client{Transport: transport, Timeout: patience, CheckRedirect: f.redirect}
	return f
}

// Document is what stands behind a URL.
type Document struct {
	URL  string // where it was found in the end
	Type string // its media type, such as text/html
	Text string // HTML as Markdown, other texts as they are, in UTF-8
	Cut  bool   // it is longer than Largest, and the rest was not read
}

// A RefusedError says why a URL is not asked. Nothing was sent to it.
type RefusedError struct{ text string }

func (e *RefusedError) Error() string { return e.text }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// Read reads the document behind a URL.
func (f *Fetcher) Read(ctx context.Context, address string) (Document, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return Document{}, refuse("%q is not a URL", address)
	}
	if err := f.allowed(u); err != nil {
		return Document{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Document{}, refuse("%q is not a URL", address)
	}
	req.Header.Set("User-Agent", "winnow")
	req.Header.Set("Accept", "text/html, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.1")
	resp, err := f.client.Do(req)
	if err != nil {
		return Document{}, reason(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return Document{}, fmt.Errorf("%s answered %s", resp.Request.URL.Redacted(), resp.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, Largest+1))
	if err != nil {
		return Document{}, fmt.Errorf("read %s: %w", resp.Request.URL.Redacted(), reason(err))
	}
	d := Document{URL: resp.Request.URL.Redacted(), Cut: len(raw) > Largest}
	return d, d.decode(raw[:min(len(raw), Largest)], resp.Header.Get("Content-Type"))
}

// reason is an error of the HTTP client without the URL in front of it.
func reason(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return err
}

// decode reads the bytes of a document as text.
func (d *Document) decode(raw []byte, contentType string) error {
	if contentType == "" {
		contentType = http.DetectContentType(raw)
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = http.DetectContentType(raw)
		kind, _, _ = strings.Cut(kind, ";")
	}
	d.Type = kind
	page := kind == "text/html" || kind == "application/xhtml+xml"
	if !page && !isText(kind) {
		return fmt.Errorf("%s is no text but %s", d.URL, kind)
	}
	reader, err := charset.NewReader(bytes.NewReader(raw), contentType)
	if err != nil {
		return fmt.Errorf("read the characters of %s: %w", d.URL, err)
	}
	decoded, err := io.ReadAll(reader)
	if err != nil {
		return fmt.Errorf("read the characters of %s: %w", d.URL, err)
	}
	d.Text = strings.ToValidUTF8(string(decoded), "\uFFFD")
	if d.Cut {
		d.Text = strings.TrimSuffix(d.Text, "\uFFFD") // half a character
	}
	if page {
		d.Text, err = markdown(d.Text, d.URL)
	}
	return err
}

func isText(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") {
		return true
	}
	return slices.Contains([]string{"application/json", "application/xml", "application/javascript", "application/x-ndjson", "application/yaml", "application/toml"}, kind)
}

// markdown is a page as Markdown, with its links made whole.
func markdown(page, address string) (string, error) {
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	text, err := c.ConvertString(page, converter.WithDomain(address))
	if err != nil {
		return "", fmt.Errorf("read the page %s: %w", address, err)
	}
	return text, nil
}

// allowed says why a URL may not be asked, as far as its name tells.
func (f *Fetcher) allowed(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("only http and https URLs can be fetched, not %q", u.Redacted())
	case u.Hostname() == "":
		return refuse("%q names no host", u.Redacted())
	case u.User != nil:
		return refuse("a URL with a user name is not fetched")
	case len(f.hosts) > 0 && !f.listed(u.Hostname()):
		return refuse("the host %s is not among those that may be fetched: %s", u.Hostname(), strings.Join(f.hosts, ", "))
	case len(f.hosts) > 0:
		return nil
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !public(addr) || strings.EqualFold(u.Hostname(), "localhost") {
		return refuseLocal(u.Hostname())
	}
	return nil
}

func refuseLocal(host string) error {
	return refuse("%s is an address of this machine or its network, which is not fetched unless the configuration lists it", host)
}

// listed says that a host is one that may be asked.
func (f *Fetcher) listed(host string) bool {
	return slices.ContainsFunc(f.hosts, func(pattern string) bool {
		if below, ok := strings.CutPrefix(pattern, "*"); ok {
			return len(host) > len(below) && strings.EqualFold(host[len(host)-len(below):], below)
		}
		return strings.EqualFold(host, pattern)
	})
}

// redirect follows a redirect within one host.
func (f *Fetcher) redirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	case !strings.EqualFold(req.URL.Hostname(), first.Hostname()):
		return fmt.Errorf("it points to another host, which was not asked: %s", req.URL.Redacted())
	case first.Scheme == "https" && req.URL.Scheme != "https":
		return fmt.Errorf("it points to an address without encryption, which was not asked: %s", req.URL.Redacted())
	}
	req.Header.Del("Referer")
	return f.allowed(req.URL)
}

// proxy is the proxy that the environment names for a request.
func (f *Fetcher) proxy(req *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(req)
	if u != nil {
		f.mu.Lock()
		f.proxies[u.Host] = true
		f.mu.Unlock()
	}
	return u, err
}

// dial connects to a host. Its addresses are looked at after the name was resolved: a public name may stand for an
// address of this network.
func (f *Fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	f.mu.Lock()
	free := f.proxies[address] || len(f.hosts) > 0
	f.mu.Unlock()
	dialer := &net.Dialer{Timeout: 15 * time.Second}
	if !free {
		dialer.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(resolved)
			if err != nil || !public(at.Addr()) {
				host, _, _ := net.SplitHostPort(address)
				return refuseLocal(host)
			}
			return nil
		}
	}
	return dialer.DialContext(ctx, network, address)
}

// notPublic are the addresses that are neither private nor local by netip's methods, and yet no public hosts.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // shared by the customers of a provider
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), // for measurements
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), // IPv4 behind a translator
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"), // 6to4
}

// public says that an address is one of the public internet.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsGlobalUnicast() && !a.IsPrivate() && !a.IsLoopback() && !slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(a) })
}
