package tool

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"
)

// site serves pages, and records the requested paths.
func site(t *testing.T, pages map[string]http.HandlerFunc) (base string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		if r.Header.Get("Cookie")+r.Header.Get("Authorization")+r.Header.Get("Referer") != "" {
			t.Errorf("the request for %s carries %v", r.URL, r.Header)
		}
		if page := pages[r.URL.Path]; page != nil {
			page(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func sends(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, body)
	}
}

func goes(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

func TestDocumentsBecomeText(t *testing.T) {
	t.Parallel()
	base, _ := site(t, map[string]http.HandlerFunc{
		"/page": sends(
			"text/html",
			`<html><head><title>T</title><script>alert(1)</script></head><body><h1>Hi &amp; all</h1><p>A <a `+
				`href="/x">link</a>.</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></b`+
				`ody></html>`,
		),
		"/latin":  sends("text/plain; charset=iso-8859-1", "caf\xe9"),
		"/json":   sends("application/json", `{"a":1}`),
		"/image":  sends("image/png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
		"/broken": sends("text/plain; charset=utf-8", "a\xffb"),
		"/long":   sends("text/plain", strings.Repeat("ä", maxPageBytes)),
		"/named":  sends("", "<!doctype html><p>Hello"),
		"/around": goes("/json"),
		"/loop":   goes("/loop"),
		"/away":   goes("http://elsewhere.invalid/"),
	})
	local := []string{"127.0.0.1"}
	for path, want := range map[string]string{
		"/page":   "# Hi & all\n\nA [link](" + base + "/x).\n\n| a | b |\n|---|---|\n| 1 | 2 |",
		"/latin":  "café",
		"/json":   `{"a":1}`,
		"/broken": "a\uFFFDb",
		"/named":  "Hello",
		"/around": `{"a":1}`,
	} {
		d, err := ReadPage(t.Context(), local, base+path)
		if err != nil || d.Text != want {
			t.Errorf("%s: %q, %v; want %q", path, d.Text, err, want)
		}
	}
	for path, want := range map[string]string{
		"/image":   "not text but image/png",
		"/missing": "404",
		"/loop":    "more than 5 redirects",
		"/away":    "it redirects to another address: http://elsewhere.invalid/",
	} {
		if d, err := ReadPage(t.Context(), local, base+path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want an error with %q", path, d, err, want)
		}
	}
	long, err := ReadPage(t.Context(), local, base+"/long")
	if err != nil || !long.Truncated || len(long.Text) > maxPageBytes || !utf8.ValidString(long.Text) ||
		strings.Contains(long.Text, "\uFFFD") {
		t.Errorf("of a long document %d bytes, cut %v, %v", len(long.Text), long.Truncated, err)
	}
}

// TestNothingIsSentToAddressesThatNobodyListed tries to reach this machine in many ways.
func TestNothingIsSentToAddressesThatNobodyListed(t *testing.T) {
	t.Parallel()
	base, asked := site(t, map[string]http.HandlerFunc{"/": sends("text/plain", "secret")})
	port := base[strings.LastIndex(base, ":"):]
	for _, c := range []struct {
		hosts   []string
		address string
	}{
		{nil, base},
		{nil, "http://localhost" + port},
		{nil, "http://localhost." + port}, // another name of this machine
		{nil, "http://[::1]" + port},
		{nil, "http://[::ffff:127.0.0.1]" + port},
		{nil, "http://0.0.0.0" + port},
		{nil, "http://127.1" + port},
		{nil, "http://user:password@example.org/"},
		{nil, "file:///etc/passwd"},
		{nil, "gopher://example.org/"},
		{nil, "http:///x"},
		{nil, "://"},
		{[]string{"example.org"}, base},
		{[]string{"*.example.org"}, "http://example.org.evil.invalid/"},
		{[]string{"*.example.org"}, "http://badexample.org/"},
	} {
		if d, err := ReadPage(t.Context(), c.hosts, c.address); err == nil {
			t.Errorf("%s with the hosts %v: %+v", c.address, c.hosts, d)
		}
	}
	var refused *URLRefusedError
	if _, err := ReadPage(t.Context(), nil, "http://localhost."+port); !errors.As(err, &refused) && err == nil {
		t.Errorf("a name of this machine: %v", err)
	}
	if len(*asked) > 0 {
		t.Errorf("the server was asked for %v", *asked)
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.1.1", "0.0.0.0", "224.0.0.1",
		"255.255.255.255", "::", "::1", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
		"2002:7f00:1::", "fec0::1",
	} {
		if isPublic(netip.MustParseAddr(address)) {
			t.Errorf("%s is taken for a public address", address)
		}
	}
	for _, address := range []string{"93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "8.8.8.8"} {
		if !isPublic(netip.MustParseAddr(address)) {
			t.Errorf("%s is not taken for a public address", address)
		}
	}
}

func TestToolGivesALongDocumentInParts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("ä", partRunes) + "end"
	base, _ := site(t, map[string]http.HandlerFunc{"/": sends("text/plain; charset=utf-8", text)})
	_, run := NewFetch([]string{"127.0.0.1"})
	first, err := run(t.Context(), []byte(`{"url":"`+base+`/"}`))
	if err != nil || strings.Contains(first, "end") || !strings.Contains(first, "characters 0 to 20000") {
		t.Errorf("the first part is %.100s, %v", first, err)
	}
	second, err := run(t.Context(), []byte(`{"url":"`+base+`/","start":20000}`))
	if err != nil || !strings.HasSuffix(second, "\n\nend") {
		t.Errorf("the second part is %.100s, %v", second, err)
	}
	if past, err := run(t.Context(), []byte(`{"url":"`+base+`/","start":99999999}`)); err != nil ||
		!strings.HasSuffix(past, "\n\n") {
		t.Errorf("behind the end is %.100s, %v", past, err)
	}
}
