//go:build cgo

package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/llm"
	"winnow/session/record"
	"winnow/ui/theme"
)

// usageFlags are the flags of winnow usage.
type usageFlags struct {
	month    string
	days     int
	by       string
	json     bool
	noRedact bool
}

func (p *program) usageCommand() *cobra.Command {
	var f usageFlags
	c := p.plainCommand("usage", "Show the tokens and costs of a month, by day and model",
		func(ctx context.Context) error { return p.sumUsage(ctx, f) })
	c.Long = "usage shows what all requests of a month used: tokens as counted by the servers, the cached part of " +
		"them, and costs. " +
		"Requests for summaries and titles are included. Each total states for how many requests the price is not " +
		"known; ~ marks an estimate. " +
		"Days are in local time. Sessions in the trash are included; purged sessions are not."
	c.Example = "  winnow usage\n" +
		"  winnow usage --month 2026-11 --by model\n" +
		"  winnow usage --days 7 --by session"
	c.Flags().StringVar(&f.month, "month", "", "the month, such as 2026-11; the default is the current one")
	c.Flags().IntVar(&f.days, "days", 0, "the last N days instead, including today")
	c.Flags().StringVar(&f.by, "by", "", "one line per model, day or session; the default is one per day and model")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	noRedactFlag(c, &f.noRedact)
	c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(usageGroups, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// mostDays is ten years.
const mostDays = 3660

// usageGroups are what --by takes.
var usageGroups = []string{"model", "day", "session"}

// report is what the flags ask for, without its sums.
func (f usageFlags) report(now time.Time) (report.Usage, error) {
	y, m, d := now.Local().Date()
	u := report.Usage{From: noonOf(y, m, 1), By: record.UsageBy{Day: true, Model: true}}
	switch f.by {
	case "":
	case "model":
		u.By = record.UsageBy{Model: true}
	case "day":
		u.By = record.UsageBy{Day: true}
	case "session":
		u.By = record.UsageBy{Session: true}
	default:
		return u, fail(Usage, "--by must be %s%s", theme.Choices(usageGroups), llm.DidYouMean(f.by, usageGroups))
	}
	switch {
	case f.month != "" && f.days != 0:
		return u, fail(Usage, "--month and --days cannot be used together")
	case f.days < 0 || f.days > mostDays:
		return u, fail(Usage, "--days must be 1 to %d", mostDays)
	case f.days > 0:
		u.From, u.To = noonOf(y, m, d+1-f.days), noonOf(y, m, d)
		return u, nil
	case f.month != "":
		month, err := time.Parse("2006-01", f.month)
		if err != nil {
			return u, fail(Usage, "--month must be a month such as 2026-11")
		}
		y, m, _ := month.Date()
		u.From = noonOf(y, m, 1)
	}
	u.To = u.From.AddDate(0, 1, -1)
	return u, nil
}

// noonOf is a moment of a local day, which its midnight need not be where the clock is put forward then.
func noonOf(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 12, 0, 0, 0, time.Local) }

func (p *program) sumUsage(ctx context.Context, f usageFlags) error {
	u, err := f.report(p.now())
	if err != nil {
		return err
	}
	s, err := p.openStore(ctx, true)
	if err != nil {
		return err
	}
	if s != nil {
		defer s.Close()
		if u.UsageReport, err = record.UsageOf(ctx, u.From, u.To, u.By, s); err != nil {
			return err
		}
	}
	clean, err := p.newRedaction(f.noRedact)
	if err != nil {
		return err
	}
	for i := range u.Lines {
		u.Lines[i].Title = clean.text(u.Lines[i].Title)
	}
	defer func() { p.reportRedacted(clean.count) }()
	if f.json {
		return report.WriteJSON(p.out, u.JSON())
	}
	return u.Table(p.out, p.columns())
}
