package panel

import (
	"fmt"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Forecast is what past requests let the next one expect: its cached prefix, and what it loses.
type Forecast struct {
	Prefix   record.Prefix
	lost     theme.Roll // messages that are left out for the first time
	Warnings []string   // sentences about the request that its numbers do not tell
}

// ForecastOf is the forecast for a plan by the session's past requests. Of a long conversation very many messages may be
// lost at once: what is said of them is made here, once for each plan.
func ForecastOf(known record.Forecast, plan history.Plan) Forecast {
	o := Forecast{Prefix: known.Prefix}
	if short := known.Shortfall; short != nil {
		o.Warnings = append(o.Warnings, fmt.Sprintf("in turn %s the server counted %s of ~%s tokens: it dropped a part of the request",
			theme.Thousands(short.Turn), theme.Thousands(short.Reported), theme.Thousands(short.Expected)))
	}
	var short theme.Roll
	for _, i := range known.Losses {
		if e := &plan.Entries[i]; e.Sent() {
			short.Add(e)
		} else {
			o.lost.Add(e)
		}
	}
	if o.lost.Of > 0 {
		o.Warnings = append(o.Warnings, "not sent for the first time: "+o.lost.String())
	}
	if short.Of > 0 {
		o.Warnings = append(o.Warnings, "shortened for the first time: "+short.String())
	}
	return o
}

// Announcement says once, as a request leaves, which messages the model does not get any more, and the cures; ""
// where it gets all that it got.
func (p *Model) Announcement() string {
	if p.Forecast.lost.Of == 0 {
		return ""
	}
	return fmt.Sprintf("From now on the model does not see %s. %s pins a message, /budget raises the limit.", p.Forecast.lost.String(), p.Keys.First(keymap.Pin))
}
