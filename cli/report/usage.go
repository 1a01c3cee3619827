package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
)

// UsageReport is the result of winnow usage: what the requests of a month used.
type UsageReport struct {
	From, To string // first and last day in local time, such as 2026-11-01
	Lines    []UsageLine
	Total    record.Usage
	Purposes map[string]record.Usage // the total by purpose: answer, summary, title

	by    record.UsageGroups
	month string // such as November 2026
}

// UsageLine is a line of a UsageReport. Fields by which the report does not group are "".
type UsageLine struct {
	Day     string
	Model   string // endpoint/model
	Session string
	Title   string // of the session
	record.Usage
}

// NewUsageReport returns the report of the month with the given first and last day.
func NewUsageReport(r record.UsageReport, from, to time.Time, by record.UsageGroups) UsageReport {
	u := UsageReport{
		From: from.Format(time.DateOnly), To: to.Format(time.DateOnly), Total: r.Total, by: by,
		month:    from.Format("January 2006"),
		Purposes: map[string]record.Usage{},
	}
	for purpose, sum := range r.Purposes {
		u.Purposes[cmp.Or(string(purpose), "answer")] = sum
	}
	for _, l := range r.Lines {
		line := UsageLine{Model: l.Model, Session: l.Session, Title: l.Title, Usage: l.Usage}
		if !l.Day.IsZero() {
			line.Day = l.Day.Format(time.DateOnly)
		}
		u.Lines = append(u.Lines, line)
	}
	return u
}

// Table writes a row for each line, and the total.
func (u UsageReport) Table(p *Page) {
	if u.Total.Requests == 0 {
		p.Line("No requests in %s.", u.month)
		return
	}
	p.Line("%s", u.month)
	head := append(u.cells("day", "model", "session"), "requests", "input", "cached", "output", "reasoning", "cost")
	p.Row(head...)
	for _, l := range u.Lines {
		text := l.Sentence()
		if u.by.Session {
			text = strings.TrimSpace(text + "  " + ShortLine(SessionTitle(store.Session{Title: l.Title})))
		}
		cells := u.cells(l.Day, ShortLine(l.Model), store.ShortID(l.Session))
		p.Row(append(append(cells, usageCells(l.Usage)...), text)...)
	}
	if len(u.Lines) > 1 {
		total := u.cells("", "", "")
		total[0] = "total"
		p.Row(append(append(total, usageCells(u.Total)...), u.Total.Sentence())...)
	}
	u.notes(p)
}

// cells returns the first cells of a row: the keys by which the report groups.
func (u UsageReport) cells(day, model, session string) []string {
	var cells []string
	if u.by.Day {
		cells = append(cells, day)
	}
	if u.by.Model {
		cells = append(cells, model)
	}
	if u.by.Session {
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

// notes writes what is included in the totals and what is missing.
func (u UsageReport) notes(p *Page) {
	for _, purpose := range []store.Purpose{store.PurposeSummary, store.PurposeTitle} {
		if n := u.Purposes[string(purpose)].Requests; n > 0 {
			p.Line("Included: %s for %s.", theme.Plural(n, "request"), purpose)
		}
	}
	if u.Total.CacheWrite > 0 {
		p.Line("%s input tokens were written to a server's cache.", theme.Thousands(u.Total.CacheWrite))
	}
	if n := u.Total.Uncounted; n > 0 {
		p.Line("Servers reported no token counts for %s; they are not in the totals.", theme.Plural(n, "request"))
	}
}
