package pricing

import (
	"cmp"
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

// maker is a company that makes models, with its list prices.
type maker struct {
	Name    string         `toml:"name"`
	BaseURL string         `toml:"base_url"`
	Source  string         `toml:"source"` // the URL of its price page
	Date    toml.LocalDate `toml:"date"`
	Models  []listedModel  `toml:"models"`
}

// listedModel is a model with its prices in US dollars per million tokens.
type listedModel struct {
	Names []string `toml:"names"`
	listedRates
	Above int         `toml:"above"`
	Long  listedRates `toml:"long"`
}

type listedRates struct {
	In         float64 `toml:"in"`
	Cached     float64 `toml:"cached"`      // 0 means the same as In
	CacheWrite float64 `toml:"cache_write"` // 0 means the same as In
	Out        float64 `toml:"out"`
}

// makers parses the table when it is first needed.
var makers = sync.OnceValue(func() []maker {
	var table struct {
		Makers []maker `toml:"maker"`
	}
	d := toml.NewDecoder(strings.NewReader(listPrices)).DisallowUnknownFields()
	if err := d.Decode(&table); err != nil {
		panic(err) // The tests parse the same file.
	}
	return table.Makers
})

// makerAt returns the maker whose API is at base, a maker without models if there is none.
func makerAt(base string) maker {
	for _, m := range makers() {
		if strings.EqualFold(m.BaseURL, strings.TrimRight(base, "/")) {
			return m
		}
	}
	return maker{}
}

// ListedModels lists the models of the maker whose API is at base: the first name of each, in the order of the table.
func ListedModels(base string) []string {
	var names []string
	for _, l := range makerAt(base).Models {
		names = append(names, l.Names[0])
	}
	return names
}

// fresh is the age of the table from which on its prices may have changed.
const fresh = 180 * 24 * time.Hour

// ListPrices returns the list prices of a model if base is the address of its maker's API and the table has exactly
// this name; otherwise the prices are unknown. If the table is old at the time now, Source says that prices may have
// changed.
func ListPrices(base, model string, now time.Time) Prices {
	m := makerAt(base)
	i := slices.IndexFunc(m.Models, func(l listedModel) bool { return slices.Contains(l.Names, model) })
	if i < 0 {
		return Prices{}
	}
	l := m.Models[i]
	source := fmt.Sprintf("%s's list prices of %s", m.Name, m.Date)
	p := Prices{
		Rates: l.rates(), Above: l.Above, Long: l.Long.rates(), Source: source,
	}
	if now.Sub(m.Date.AsTime(time.UTC)) > fresh {
		p.Source += ", which may have changed"
	}
	return p
}

func (l listedRates) rates() Rates {
	cached, write := cmp.Or(l.Cached, l.In), cmp.Or(l.CacheWrite, l.In)
	return Rates{
		In: money(l.In), Cached: money(cached), CacheWrite: money(write), Out: money(l.Out),
	}
}

// money converts an amount of the table.
func money(dollars float64) Money {
	m, _ := Dollars(dollars)
	return m
}
