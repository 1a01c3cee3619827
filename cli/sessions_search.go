//go:build cgo

package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/store"
)

// catchUpTime bounds how long a search first works on what the index lacks.
const catchUpTime = 2 * time.Second

func (p *program) sessionsSearch() *cobra.Command {
	var in store.Search
	var asJSON, noRedact bool
	c := &cobra.Command{
		Use:   "search words",
		Short: "Search the text of all messages, newest first",
		Example: "  winnow sessions search bake bread\n" +
			"  winnow sessions search '\"sourdough starter\" flour' --limit 5",
		Args: takes("the words to search for", 1, -1),
		RunE: p.do(func(ctx context.Context, args []string) error {
			in.Text = strings.Join(args, " ")
			hits, err := p.search(ctx, in)
			if err != nil {
				return err
			}
			clean, err := p.newRedaction(noRedact)
			if err != nil {
				return err
			}
			hits = clean.hits(hits)
			defer func() { p.reportRedacted(clean.count) }()
			if asJSON {
				return report.WriteJSON(p.out, report.HitsJSON(hits))
			}
			if len(hits) == 0 {
				_, err := fmt.Fprintf(p.err, "No message contains all of %s.\n", report.Line(in.Text))
				return err
			}
			return p.out.visible(report.Hits(hits, term.IsTerminal(p.out.Fd())))
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	c.Flags().IntVar(&in.Limit, "limit", 20, "list at most this many")
	c.Flags().StringVar(&in.Session, "session", "", "search only the session with this id, or the beginning of its id")
	c.Flags().BoolVar(&in.Trash, "trash", false, "also search the trash")
	noRedactFlag(c, &noRedact)
	c.RegisterFlagCompletionFunc("session", p.completeSession)
	return c
}

// search looks through the stored messages. What the index lacks is added first, for a moment; it says
// on standard error where something is left out.
func (p *program) search(ctx context.Context, in store.Search) ([]store.Hit, error) {
	if in.Limit < 1 {
		return nil, fail(Usage, "--limit must be 1 or more")
	}
	s, err := p.openStore(ctx, true)
	if err != nil {
		return nil, err
	}
	if s == nil && in.Session != "" {
		return nil, explainSession(in.Session, store.ErrNotFound)
	}
	if s == nil {
		return nil, nil
	}
	defer s.Close()
	if in.Session != "" {
		info, err := s.Session(ctx, in.Session)
		if err != nil {
			return nil, explainSession(in.Session, err)
		}
		// A session that is named is looked through wherever it is.
		in.Session, in.Trash = info.ID, in.Trash || !info.Deleted.IsZero()
	}
	left, err := catchUp(ctx, s)
	if err != nil {
		return nil, err
	}
	if left > 0 {
		fmt.Fprintf(p.err, "%d messages are not in the search index yet; the chat and every search add more of them.\n",
			left)
	}
	return s.Search(ctx, in)
}

// catchUp works on the backlog of the index for a moment and returns how many messages are left.
func catchUp(ctx context.Context, s *store.Store) (int64, error) {
	if s.ReadOnly() {
		return s.Unindexed(ctx)
	}
	end := time.Now().Add(catchUpTime)
	for {
		left, err := s.IndexSome(ctx)
		if left == 0 || err != nil || time.Now().After(end) {
			return left, err
		}
	}
}
