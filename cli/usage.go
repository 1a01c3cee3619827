package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/record"
	"winnow/session/store"
)

// usageFlags are the flags of winnow usage.
type usageFlags struct {
	month string
	by    string
}

func (p *program) usageCommand() *cobra.Command {
	var f usageFlags
	c := p.storeCommand("usage", "Show the tokens and costs of a month, by day and model",
		func(ctx context.Context, s *store.Store, _ []string) error { return p.usage(ctx, s, f) })
	c.Example = "  winnow usage\n" +
		"  winnow usage --month 2026-11 --by model\n" +
		"  winnow usage --by session"
	addFlag(c, &f.month, "month", "", "the month, such as 2026-11; the default is the current one")
	addFlag(c, &f.by, "by", "", "one line per model, day or session; the default is one per day and model",
		"model", "day", "session")
	p.jsonFlag(c)
	return c
}

// span is the first and the last local day of the month that the flags name.
func (f usageFlags) span(now time.Time) (from, to time.Time, err error) {
	month := now.Local()
	if f.month != "" {
		if month, err = time.Parse("2006-01", f.month); err != nil {
			return from, to, fail(Usage, "--month must be a month such as 2026-11")
		}
	}
	// The moment of a local day is its noon: its midnight need not exist where the clock is put forward then.
	from = time.Date(month.Year(), month.Month(), 1, 12, 0, 0, 0, time.Local)
	return from, from.AddDate(0, 1, -1), nil
}

func (p *program) usage(ctx context.Context, s *store.Store, f usageFlags) error {
	from, to, err := f.span(p.now())
	if err != nil {
		return err
	}
	by := record.UsageBy{
		Day: f.by == "" || f.by == "day", Model: f.by == "" || f.by == "model", Session: f.by == "session",
	}
	used, err := record.UsageOf(ctx, from, to, by, s)
	if err != nil {
		return err
	}
	return p.show(report.NewUsage(used, from, to, by))
}
