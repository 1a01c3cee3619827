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
			from, to, err := p.span(month)
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
			return p.show(report.NewUsage(used, from, to, by))
		}))
	c.Example = "  winnow usage --month 2026-11 --by model"
	c.Flags().StringVar(&month, "month", "", "the month, such as 2026-11; the default is the current one")
	c.Flags().StringVar(&by, "by", "", "one line per model, day or session; the default is one per day and model")
	only(c, "by", "model", "day", "session")
	return c
}

// span is the first and the last local day of a month, "" for the current one.
func (p *program) span(name string) (from, to time.Time, err error) {
	month := p.now().Local()
	if name != "" {
		if month, err = time.Parse("2006-01", name); err != nil {
			return from, to, fail(Usage, "--month must be a month such as 2026-11")
		}
	}
	// The moment of a local day is its noon: its midnight need not exist where the clock is put forward then.
	from = time.Date(month.Year(), month.Month(), 1, 12, 0, 0, 0, time.Local)
	return from, from.AddDate(0, 1, -1), nil
}
