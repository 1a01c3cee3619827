//go:build cgo

package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
)

func (p *program) repairCommand() *cobra.Command {
	var f repairFlags
	c := &cobra.Command{
		Use:   "repair ID",
		Short: "List the repairs of a session, or choose another remedy",
		Long: "List what is damaged in a session and what is sent instead, and record it. With --as, the damaged " +
			"messages are sent differently from the next request on: repaired (repair), with their tool calls and " +
			"results as text (text), or not at all (drop). A tool call and its results are treated alike. Stored " +
			"messages are never changed, so every remedy can be undone.",
		Example: "  winnow repair 0195\n" +
			"  winnow repair 0195 --as drop --message 12 --dry-run",
		Args:              takes("the id of a session", 1, 1),
		ValidArgsFunction: p.completeOneSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			if err := f.read(); err != nil {
				return err
			}
			return p.repair(ctx, args[0], f)
		}),
	}
	f.add(c)
	return c
}

// repairFlags is what the command line of winnow repair said.
type repairFlags struct {
	dry, json bool
	as        string
	messages  []int                  // as people count them, from 1; none are all
	changed   func(name string) bool // whether a flag was given, be it empty
	choose    bool                   // a remedy is chosen
	remedy    history.Remedy         // the one that --as names
}

func (f *repairFlags) add(c *cobra.Command) {
	all := c.Flags()
	f.changed = all.Changed
	all.StringVar(&f.as, "as", "", "what to do with damaged messages: repair, text (tool calls as text) or drop")
	all.IntSliceVar(&f.messages, "message", nil, "only for message N and its tool calls and results; may be repeated")
	all.BoolVar(&f.dry, "dry-run", false, "record nothing; with --as, show what would change")
	all.BoolVar(&f.json, "json", false, "print one JSON object")
	c.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(report.RemedyWords(), cobra.ShellCompDirectiveNoFileComp))
}

// read makes sense of the flags, or says what they take.
func (f *repairFlags) read() error {
	if f.choose = f.changed("as"); !f.choose {
		return nil
	}
	at := slices.Index(report.RemedyWords(), f.as)
	if at < 0 {
		return fail(Usage, "--as is %q; must be %s%s", f.as, theme.Choices(report.RemedyWords()),
			llm.DidYouMean(f.as, report.RemedyWords()))
	}
	f.remedy = history.Remedies()[at]
	return nil
}

// repair lists what is damaged in a session, after another remedy was chosen where one was asked for.
func (p *program) repair(ctx context.Context, id string, asked repairFlags) error {
	k, s, err := p.openSession(ctx, id)
	if err != nil {
		return err
	}
	defer k.close()
	if err := s.LoadRest(ctx); err != nil {
		return err
	}
	l, err := repaired(ctx, s, asked)
	if err != nil {
		return err
	}
	if r := s.Now().Policy.Recovery; asked.remedy != history.SendRepaired && !r.TakesRemedies() {
		p.reportError(p.err, fail(OK, "recovery is %q in this session; remedies apply only with %q", r,
			history.RecoverRepair))
	}
	if asked.json {
		return report.WriteJSON(p.out, l.JSON())
	}
	return l.Table(p.out, p.columns())
}

// repaired chooses the remedy that was asked for, records what is repaired, and lists it.
func repaired(ctx context.Context, s *session.Session, asked repairFlags) (report.Repairs, error) {
	plan, err := s.Preview(session.Draft{})
	if err = unlessUnsent(err); err != nil {
		return report.Repairs{}, err
	}
	ids, err := damagedOf(s, plan.Entries, asked.messages)
	if err != nil {
		return report.Repairs{}, err
	}
	if asked.choose && len(ids) > 0 {
		if plan, err = chooseRemedy(ctx, s, asked, ids); err != nil {
			return report.Repairs{}, err
		}
	}
	if !asked.dry {
		if err := record.KeepRepairs(ctx, s.Store(), plan); err != nil {
			return report.Repairs{}, err
		}
	}
	return listRepairs(ctx, s, asked.dry, plan, ids)
}

// chooseRemedy has the remedy that was asked for hold for some messages, and plans with it. A dry run
// plans alone.
func chooseRemedy(ctx context.Context, s *session.Session, asked repairFlags, ids []int64) (history.Plan, error) {
	plan, err := s.Try(ctx, session.Settings{}).WithRemedy(asked.remedy, ids...).Preview(session.Draft{})
	if err = unlessUnsent(err); err != nil || asked.dry {
		return plan, err
	}
	return plan, s.SetRemedy(ctx, asked.remedy, ids...)
}

// listRepairs lists the repairs that a plan makes of some messages.
func listRepairs(ctx context.Context, s *session.Session, dry bool, plan history.Plan, ids []int64) (report.Repairs,
	error,
) {
	l := report.Repairs{
		Info: s.Info(), Model: s.Model().Ref(), Dry: dry, Rules: plan.Rules,
	}
	for _, e := range plan.Entries {
		if len(e.Repairs) > 0 && slices.Contains(ids, e.ID) {
			l.Entries = append(l.Entries, e)
		}
	}
	messages := s.Branch()
	var err error
	if l.Labels, err = labelsOf(ctx, messages); err != nil {
		return l, err
	}
	return l, nil
}

// labelsOf are the labels that messages have in the file that they were imported from, by their ids.
func labelsOf(ctx context.Context, messages branch.Branch) (map[int64]string, error) {
	labels := map[int64]string{}
	return labels, messages.Each(ctx, 0, messages.Len(), func(_ int, m store.Message) error {
		if m.Label != "" {
			labels[m.ID] = m.Label
		}
		return nil
	})
}

// unlessUnsent is an error that leaves no plan to look at. That nothing would be sent, because it does
// not fit or because the policy refuses what is damaged, is none.
func unlessUnsent(err error) error {
	var over *history.OverBudgetError
	var damaged *history.DamagedError
	if errors.As(err, &over) || errors.As(err, &damaged) {
		return nil
	}
	return err
}

// damagedOf are the damaged messages among those of the tool groups of some numbers, of all messages
// where there are no numbers.
func damagedOf(s *session.Session, entries []history.Entry, numbers []int) ([]int64, error) {
	damaged := map[int64]bool{}
	var all []int64
	for _, e := range entries {
		if len(e.Repairs) > 0 {
			damaged[e.ID] = true
			all = append(all, e.ID)
		}
	}
	if len(numbers) == 0 {
		return all, nil
	}
	messages := s.Branch()
	var ids []int64
	for _, n := range numbers {
		if n < 1 || n > messages.Len() {
			return nil, fail(NotFound, "there is no message %d; this session has %d", n, messages.Len())
		}
		group := slices.DeleteFunc(s.Group(messages.ID(n-1)), func(id int64) bool { return !damaged[id] })
		if len(group) == 0 {
			return nil, fail(NotFound, "message %d is not damaged", n)
		}
		ids = append(ids, group...)
	}
	return ids, nil
}
