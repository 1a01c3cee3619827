package panel

import (
	"fmt"
	"strings"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Forecast is what past requests let the next one expect: its cached prefix, and what it loses.
type Forecast struct {
	Prefix    record.Prefix
	Shortfall *record.Shortfall // of the last request that a server dropped a part of, nil for none
	Dropped   []int             // indexes of the messages that are left out for the first time, rising
	Cut       []int             // those that are shortened for the first time
	lost      theme.Roll        // the dropped ones with their speakers
}

// ForecastOf is the forecast for a plan by the session's past requests. Of a long conversation very many messages may
// be lost at once: what is said of them is made here, once for each plan.
func ForecastOf(known record.Forecast, plan history.Plan) Forecast {
	o := Forecast{Prefix: known.Prefix, Shortfall: known.Shortfall}
	for _, i := range known.Losses {
		if e := plan.Entries[i]; e.Sent() {
			o.Cut = append(o.Cut, i)
		} else {
			o.Dropped = append(o.Dropped, i)
			o.lost.Add(&e)
		}
	}
	return o
}

// warnings are sentences about the request that its numbers do not tell, each with its sign.
func (f Forecast) warnings(w int) []string {
	var list []string
	if short := f.Shortfall; short != nil {
		list = append(list,
			fmt.Sprintf("! in turn %s the server counted %s of ~%s tokens: it dropped a part of the request",
				theme.Thousands(short.Turn), theme.Thousands(short.Reported), theme.Thousands(short.Expected)))
	}
	if news := f.news(w); news != "" {
		list = append(list, news)
	}
	return list
}

// maxNews is how many messages are named that are dropped or cut for the first time.
const maxNews = 3

// news says how many messages the next request drops and cuts that no request did before, with as many of their numbers
// as w cells hold: "! New: 15 dropped (7, 9, …), 7 cut (49, …)"; "" for none.
func (f Forecast) news(w int) string {
	if len(f.Dropped)+len(f.Cut) == 0 {
		return ""
	}
	text := ""
	for most := maxNews; most >= 0; most-- {
		var parts []string
		for _, of := range []struct {
			indexes []int
			word    string
		}{{f.Dropped, "dropped"}, {f.Cut, "cut"}} {
			if len(of.indexes) == 0 {
				continue
			}
			part := theme.Thousands(len(of.indexes)) + " " + of.word
			if most > 0 {
				part += " (" + numbered(of.indexes, most) + ")"
			}
			parts = append(parts, part)
		}
		text = "! New: " + strings.Join(parts, ", ")
		if theme.Width(text) <= w {
			break
		}
	}
	return text
}

// Announcement says once, as a request leaves, which messages the model does not get any more, and the cures; ""
// where it gets all that it got.
func (p *Model) Announcement() string {
	if p.Forecast.lost.Of == 0 {
		return ""
	}
	return fmt.Sprintf("From now on the model does not see %s. %s pins a message, /budget raises the limit.",
		p.Forecast.lost.String(), p.Keys.First(keymap.Pin))
}
