package pricing

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// Names are unique for each maker, prices are positive, and cached tokens do not cost more than others.
func TestTheTableOfListPricesIsSound(t *testing.T) {
	if len(makers()) < 5 {
		t.Fatalf("the table has %d makers", len(makers()))
	}
	for _, m := range makers() {
		base, err := url.Parse(m.BaseURL)
		source, bad := url.Parse(m.Source)
		if err != nil || bad != nil || base.Scheme != "https" || source.Scheme != "https" || m.Name == "" || m.Date.Year < 2026 {
			t.Errorf("%s: base %q, source %q, date %s", m.Name, m.BaseURL, m.Source, m.Date)
		}
		seen := map[string]bool{}
		for _, l := range m.Models {
			for _, name := range l.Names {
				if seen[name] || name == "" || name != strings.ToLower(name) {
					t.Errorf("%s: the name %q is there twice, or is none", m.Name, name)
				}
				seen[name] = true
			}
			p := ListPrices(m.BaseURL+"/", l.Names[0], m.Date.AsTime(time.UTC))
			rates := []Rates{p.Rates}
			if p.Above > 0 {
				rates = append(rates, p.Long)
			}
			for _, r := range rates {
				if r.In < p.In || r.In <= 0 || r.Out < r.In || r.Cached <= 0 || r.Cached > r.In || r.CacheWrite < r.In {
					t.Errorf("%s: %v: %+v", m.Name, l.Names, r)
				}
			}
			if m.Name == "Anthropic" && 4*p.CacheWrite != 5*p.In {
				t.Errorf("%v: a cache write costs %s; Anthropic asks 1.25 times %s", l.Names, p.CacheWrite, p.In)
			}
		}
	}
}
