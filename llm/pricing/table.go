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
	In         float64 `toml:"in"`
	Cached     float64 `toml:"cached"`      // 0 is as In
	CacheWrite float64 `toml:"cache_write"` // 0 is as In
	Out        float64 `toml:"out"`
}

// makers reads the table when it is needed first.
var makers = sync.OnceValue(func() []maker {
	var table struct {
		Makers []maker `toml:"maker"`
	}
	d := toml.NewDecoder(strings.NewReader(listPrices)).DisallowUnknownFields()
	if err := d.Decode(&table); err != nil {
		panic(err) // A test reads the same file.
	}
	return table.Makers
})

// makerAt is the maker whose own address is base. Without one it has no models.
func makerAt(base string) maker {
	for _, m := range makers() {
		if strings.EqualFold(m.BaseURL, strings.TrimRight(base, "/")) {
			return m
		}
	}
	return maker{}
}

// Names lists the models whose maker's own address is base, the first name of each, in the order of the table.
func ListedModels(base string) []string {
	var names []string
	for _, l := range makerAt(base).Models {
		names = append(names, l.Names[0])
	}
	return names
}

// fresh is how old the table may be before its source says that prices may have changed.
const fresh = 180 * 24 * time.Hour

// Listed gives the list prices of a model, where base is its maker's own address and the table has exactly this
// name; otherwise the prices are not known. Now is for the source, which says so where the table is old.
func ListPrices(base, model string, now time.Time) Prices {
	m := makerAt(base)
	i := slices.IndexFunc(m.Models, func(l listedModel) bool { return slices.Contains(l.Names, model) })
	if i < 0 {
		return Prices{}
	}
	l := m.Models[i]
	source := fmt.Sprintf("%s's list prices of %s", m.Name, m.Date)
	p := Prices{Rates: l.rates(), Above: l.Above, Long: l.Long.rates(), Source: source}
	if now.Sub(m.Date.AsTime(time.UTC)) > fresh {
		p.Source += ", which may have changed"
	}
	return p
}

func (l listedRates) rates() Rates {
	cached, write := cmp.Or(l.Cached, l.In), cmp.Or(l.CacheWrite, l.In)
	return Rates{In: money(l.In), Cached: money(cached), CacheWrite: money(write), Out: money(l.Out)}
}

// money is an amount of the table.
func money(dollars float64) Money {
	m, _ := Dollars(dollars)
	return m
}
