package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/record"
	"winnow/session/store"
)

func (p *program) usageCommand() *cobra.Command {
	var month, by string
	c := p.withJSON(p.storeCommand("usage", "Show the tokens and costs of a month, by day and model",
		func(ctx context.Context, s *store.Store, _ []string) error {
			from, to, err := p.monthSpan(month)
			if err != nil {
				return err
			}
			by := record.UsageGroups{
				Day: by == "" || by == "day", Model: by == "" || by == "model", Session: by == "session",
			}
			used, err := record.ReportUsage(ctx, from, to, by, s)
			if err != nil {
				return err
			}
			return p.show(report.NewUsageReport(used, from, to, by))
		}))
	c.Example = "  winnow usage --month 2026-11 --by model"
	c.Flags().StringVar(&month, "month", "", "the month, such as 2026-11; the default is the current one")
	c.Flags().StringVar(&by, "by", "", "one line per model, day or session; the default is one per day and model")
	restrictFlag(c, "by", "model", "day", "session")
	return c
}

// monthSpan returns the first and the last day of a month in local time, "" for the current month.
func (p *program) monthSpan(name string) (from, to time.Time, err error) {
	month := p.now().Local()
	if name != "" {
		if month, err = time.Parse("2006-01", name); err != nil {
			return from, to, fail(exitUsage, "--month must be a month such as 2026-11")
		}
	}
	// A day is represented by its noon, because midnight may not exist on a day when the clock is put forward.
	from = time.Date(month.Year(), month.Month(), 1, 12, 0, 0, 0, time.Local)
	return from, from.AddDate(0, 1, -1), nil
}
