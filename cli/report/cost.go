package report

import (
	"encoding/json"

	"winnow/llm/pricing"
	"winnow/session/record"
)

// costJSON is what one request cost. It is null where nobody knows.
type costJSON struct {
	USD    json.Number `json:"usd"`    // US dollars, to the nanodollar
	Source string      `json:"source"` // server, prices or estimate: see pricing.CostFrom
	Prices string      `json:"prices"` // whose prices it was computed from, "" where the server said the cost
}

func costObject(c pricing.Cost) *costJSON {
	if !c.Known() {
		return nil
	}
	return &costJSON{json.Number(c.Amount.Decimal()), string(c.From), c.Source}
}

// spentJSON is what several requests cost together.
type spentJSON struct {
	USD       *json.Number `json:"usd"`       // US dollars, null where no request's cost is known
	Estimated bool         `json:"estimated"` // a part of it is an estimate
	Priced    int          `json:"priced"`    // requests of which the cost is known
	Requests  int          `json:"requests"`  // all of them
}

func spentObject(s record.Spent) spentJSON {
	o := spentJSON{Estimated: s.Estimated, Priced: s.Priced, Requests: s.Requests}
	if s.Priced > 0 {
		usd := json.Number(s.Amount.Decimal())
		o.USD = &usd
	}
	return o
}
