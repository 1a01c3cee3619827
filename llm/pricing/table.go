package pricing

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"
)

//go:embed prices.toml
var listPrices string

// maker is a company with the prices that it asks at its own address.
type maker struct {
	Name    string         `toml:"name"`
	BaseURL string         `toml:"base_url"`
	Source  string         `toml:"source"` // its price page
	Date    toml.LocalDate `toml:"date"`
	Models  []listedModel  `toml:"models"`
}

// listedModel is a model with its prices in US dollars for a million tokens.
type listedModel struct {
	Names []string `toml:"names"`
	listedRates
	Above int         `toml:"above"`
	Long  listedRates `toml:"long"`
}

type listedRates struct {
	In             dollars  `toml:"in"`
	Cached         *dollars `toml:"cached"`           // nil is as In
	CacheWrite     *dollars `toml:"cache_write"`      // nil is as In
	CacheWriteHour *dollars `toml:"cache_write_hour"` // nil is as CacheWrite
	Out            dollars  `toml:"out"`
}

// makers reads the table when it is needed first.
var makers = sync.OnceValue(func() []maker {
	all, err := readTable(listPrices)
	if err != nil {
		panic(err) // A test reads the same file.
	}
	return all
})

func readTable(text string) ([]maker, error) {
	var table struct {
		Makers []maker `toml:"maker"`
	}
	d := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields()
	if err := d.Decode(&table); err != nil {
		return nil, fmt.Errorf("read the table of list prices: %w", err)
	}
	return table.Makers, nil
}

// fresh is how old the table may be before its source says that prices may have changed.
const fresh = 180 * 24 * time.Hour

// Listed gives the list prices of a model, where base is its maker's own address and the table has exactly this
// name; otherwise the prices are not known. Now is for the source, which says so where the table is old.
func Listed(base, model string, now time.Time) Prices {
	base = strings.TrimRight(base, "/")
	for _, m := range makers() {
		if !strings.EqualFold(m.BaseURL, base) {
			continue
		}
		for _, l := range m.Models {
			if slices.Contains(l.Names, model) {
				return l.prices(m, now)
			}
		}
	}
	return Prices{}
}

// Names lists the models whose maker's own address is base, the first name of each, in the order of the table.
func Names(base string) []string {
	var names []string
	for _, m := range makers() {
		if strings.EqualFold(m.BaseURL, strings.TrimRight(base, "/")) {
			for _, l := range m.Models {
				names = append(names, l.Names[0])
			}
		}
	}
	return names
}

func (l listedModel) prices(m maker, now time.Time) Prices {
	p := Prices{Rates: l.rates(), Above: l.Above, Source: fmt.Sprintf("%s's list prices of %s", m.Name, m.Date)}
	if l.Above > 0 {
		p.Long = l.Long.rates()
	}
	if now.Sub(m.Date.AsTime(time.UTC)) > fresh {
		p.Source += ", which may have changed"
	}
	return p
}

func (l listedRates) rates() Rates {
	r := PlainRates(l.In.money(), l.Out.money())
	if l.Cached != nil {
		r.Cached = l.Cached.money()
	}
	if l.CacheWrite != nil {
		r.CacheWrite = l.CacheWrite.money()
		r.CacheWriteHour = r.CacheWrite
	}
	if l.CacheWriteHour != nil {
		r.CacheWriteHour = l.CacheWriteHour.money()
	}
	return r
}

// dollars is an amount of the table.
type dollars float64

func (d dollars) money() Money {
	m, _ := Dollars(float64(d))
	return m
}
