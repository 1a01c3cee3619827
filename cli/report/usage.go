package report

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
)

// Usage is what the requests of some days used, as winnow usage shows it.
type Usage struct {
	record.UsageReport
	From, To time.Time // moments of the first and the last local day
	By       record.UsageBy
}

// usageReportJSON is what usage --json writes. It is a contract: fields are added, never renamed or removed.
type usageReportJSON struct {
	From     string          `json:"from"` // the first and the last local day, 2026-11-01
	To       string          `json:"to"`
	Lines    []usageLineJSON `json:"lines"`
	Total    usageSumJSON    `json:"total"`
	Purposes usagePurposes   `json:"purposes"` // of the total
}

type usagePurposes struct {
	Answers   usageSumJSON `json:"answers"`
	Summaries usageSumJSON `json:"summaries"`
	Titles    usageSumJSON `json:"titles"`
}

// usageLineJSON has "" for what the report does not tell apart.
type usageLineJSON struct {
	Day     string `json:"day"`
	Model   string `json:"model"` // endpoint/model
	Session string `json:"session"`
	Title   string `json:"title"` // of the session
	usageSumJSON
}

type usageSumJSON struct {
	Requests   int           `json:"requests"`
	Input      int           `json:"input"`       // tokens as the servers reported them, here and below
	Cached     int           `json:"cached"`      // of input
	CacheWrite int           `json:"cache_write"` // of input
	Output     int           `json:"output"`
	Reasoning  int           `json:"reasoning"` // of output
	Uncounted  int           `json:"uncounted"` // requests of which the server reported no tokens
	Cost       usageCostJSON `json:"cost"`
}

type usageCostJSON struct {
	spentJSON
	Unknown int `json:"unknown"` // requests to hosted servers whose prices are not known
}

func usageSum(u record.Usage) usageSumJSON {
	return usageSumJSON{
		Requests: u.Requests, Input: u.Prompt, Cached: u.Cached, CacheWrite: u.CacheWrite, Output: u.Answer,
		Reasoning: u.Reasoning,
		Uncounted: u.Uncounted, Cost: usageCostJSON{spentObject(u.Spent), u.Unpriced},
	}
}

// JSON is the report in JSON.
func (u Usage) JSON() any {
	o := usageReportJSON{
		From: u.From.Format(time.DateOnly), To: u.To.Format(time.DateOnly), Lines: []usageLineJSON{},
		Total: usageSum(u.Total),
		Purposes: usagePurposes{
			usageSum(u.Purposes[store.ForAnswer]), usageSum(u.Purposes[store.ForSummary]),
			usageSum(u.Purposes[store.ForTitle]),
		},
	}
	for _, l := range u.Lines {
		o.Lines = append(o.Lines, usageLineJSON{dayText(l.Day), l.Model, l.Session, l.Title, usageSum(l.Usage)})
	}
	return o
}

func dayText(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return day.Format(time.DateOnly)
}

// span names the days of the report: "November 2026" or "2026-11-17 to 2026-11-23".
func (u Usage) span() string {
	from, to := u.From.Format(time.DateOnly), u.To.Format(time.DateOnly)
	switch {
	case u.From.Day() == 1 && u.From.AddDate(0, 1, -1).Format(time.DateOnly) == to:
		return u.From.Format("January 2006")
	case from == to:
		return from
	}
	return from + " to " + to
}

// Table writes the report for people.
func (u Usage) Table(out io.Writer, width int) error {
	w := newColumns(out, width)
	if u.Total.Requests == 0 {
		w.line("No requests in %s.", u.span())
		return w.Flush()
	}
	header := u.cells("day", "model", "session")
	header = append(header, "requests", "input", "cached", "output", "reasoning")
	var rows [][]string
	for _, l := range u.Lines {
		cells := u.cells(dayText(l.Day), Line(l.Model), ShortID(l.Session))
		rows = append(rows, append(cells, usageCells(l.Usage)...))
	}
	total := u.cells("", "", "")
	total[0] = "total"
	total = append(total, usageCells(u.Total)...)
	for _, cells := range append(rows, header, total) {
		w.measure(cells)
	}
	for i := len(header) - 5; i < len(header); i++ { // above numbers
		header[i] = strings.Repeat(" ", w.widths[i]-utf8.RuneCountInString(header[i])) + header[i]
	}
	w.line("%s", u.span())
	w.row(header, "cost")
	for i, l := range u.Lines {
		text := l.Sentence()
		if u.By.Session {
			text = strings.TrimSpace(text + "  " + Line(Title(store.Session{Title: l.Title})))
		}
		w.row(rows[i], text)
	}
	if len(rows) > 1 {
		w.row(total, u.Total.Sentence())
	}
	u.notes(w)
	return w.Flush()
}

// cells are the beginning of a row: what the report tells apart.
func (u Usage) cells(day, model, session string) []string {
	var cells []string
	if u.By.Day {
		cells = append(cells, day)
	}
	if u.By.Model {
		cells = append(cells, model)
	}
	if u.By.Session {
		cells = append(cells, session)
	}
	return cells
}

func usageCells(u record.Usage) []string {
	cached := theme.Thousands(u.Cached)
	if u.Prompt > 0 && u.Cached > 0 {
		cached += fmt.Sprintf(" (%d %%)", u.Cached*100/u.Prompt)
	}
	return []string{
		theme.Thousands(u.Requests), theme.Thousands(u.Prompt), cached, theme.Thousands(u.Answer),
		theme.Thousands(u.Reasoning),
	}
}

// notes say what is in the sums, and what is not.
func (u Usage) notes(w *columns) {
	var more []string
	for _, p := range []struct {
		purpose store.Purpose
		what    string
	}{{store.ForSummary, "for summaries"}, {store.ForTitle, "for titles"}} {
		sum := u.Purposes[p.purpose]
		if sum.Requests == 0 {
			continue
		}
		text := theme.Plural(sum.Requests, "request") + " " + p.what
		if cost := sum.Sentence(); cost != "" {
			text += " (" + cost + ")"
		}
		more = append(more, text)
	}
	if len(more) > 0 {
		w.line("Included: %s.", strings.Join(more, ", "))
	}
	if u.Total.CacheWrite > 0 {
		w.line("%s input tokens were written to a server's cache.", theme.Thousands(u.Total.CacheWrite))
	}
	if n := u.Total.Uncounted; n > 0 {
		w.line("Servers reported no token counts for %s; they are not in the totals.", theme.Plural(n, "request"))
	}
}
