//go:build cgo

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/session/store"
	"winnow/ui/markdown"
)

// catchUpTime bounds how long a search first works on what the index lacks.
const catchUpTime = 2 * time.Second

func (p *program) sessionsSearch() *cobra.Command {
	var in store.Search
	var asJSON, noRedact bool
	c := &cobra.Command{
		Use:   "search words",
		Short: "Find messages by what they say, the best first",
		Example: "  winnow sessions search bake bread\n" +
			"  winnow sessions search '\"sourdough starter\" flour' --limit 5",
		Args: takes("the words to look for", 1, -1),
		RunE: p.do(func(ctx context.Context, args []string) error {
			in.Text = strings.Join(args, " ")
			hits, err := p.search(ctx, in)
			if err != nil {
				return err
			}
			clean, err := p.redaction(noRedact)
			if err != nil {
				return err
			}
			hits = clean.hits(hits)
			defer func() { p.sayTaken(clean.count) }()
			if asJSON {
				return writeJSON(p.out, hitsJSON(hits))
			}
			return p.hitList(hits, in.Text)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	c.Flags().IntVar(&in.Limit, "limit", 20, "at most so many")
	c.Flags().StringVar(&in.Session, "session", "", "only in the session with this id; its first letters are enough")
	c.Flags().BoolVar(&in.Trash, "trash", false, "in the trash as well")
	noRedactFlag(c, &noRedact)
	c.RegisterFlagCompletionFunc("session", p.completeSession)
	return c
}

// search looks through the stored messages. What the index lacks is added first, for a moment; it says
// on standard error where something is left out.
func (p *program) search(ctx context.Context, in store.Search) ([]store.Hit, error) {
	if in.Limit < 1 {
		return nil, fail(Usage, "--limit takes a number from 1 on")
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
		fmt.Fprintf(p.err, "%d messages are not in the search index yet: the chat screen adds them, and so does every search.\n", left)
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

// hitList writes two lines for each hit: where it is, and what it says. On a terminal what was looked
// for stands out.
func (p *program) hitList(hits []store.Hit, text string) error {
	if len(hits) == 0 {
		fmt.Fprintf(p.err, "No message has all of %s.\n", p.line(text))
		return nil
	}
	var all []store.Session
	for _, h := range hits {
		if !slices.ContainsFunc(all, func(s store.Session) bool { return s.ID == h.Session.ID }) {
			all = append(all, h.Session)
		}
	}
	ids := map[string]string{}
	for i, id := range shortIDs(all) {
		ids[all[i].ID] = id
	}
	before, after := "", ""
	if term.IsTerminal(p.out.Fd()) {
		before, after = "\x1b[1m", "\x1b[22m"
	}
	for _, h := range hits {
		where := ""
		if !h.Session.Deleted.IsZero() {
			where = "in the trash  "
		}
		// Every piece is visible already, and the bold is ours.
		line := fmt.Sprintf("%s  %s  %s  %s%s\n    %s\n", ids[h.Session.ID], h.At.Local().Format("2006-01-02 15:04"), markdown.OneLine(string(h.Role), 20),
			where, p.line(title(h.Session)), marked(h, before, after))
		if err := p.out.visible(line); err != nil {
			return err
		}
	}
	return nil
}

// marked is a hit's snippet with something before and after each of its marks.
func marked(h store.Hit, before, after string) string {
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		b.WriteString(markdown.Visible(h.Snippet[at:m[0]]) + before + markdown.Visible(h.Snippet[m[0]:m[1]]) + after)
		at = m[1]
	}
	return b.String() + markdown.Visible(h.Snippet[at:])
}

// hitJSON is a hit in sessions search --json. It is a contract: fields are added, never renamed or
// removed.
type hitJSON struct {
	Session sessionJSON `json:"session"` // its match is the snippet
	Message int64       `json:"message"` // as the id in sessions show --json
	Role    string      `json:"role"`
	Created string      `json:"created"` // when it was said, RFC 3339, UTC
	Snippet string      `json:"snippet"`
	Marks   [][2]int    `json:"marks"` // what was found: byte ranges of the snippet, [from, to)
}

func hitsJSON(hits []store.Hit) []hitJSON {
	out := make([]hitJSON, 0, len(hits))
	for _, h := range hits {
		h.Session.Match = h.Snippet
		out = append(out, hitJSON{
			Session: oneSession(h.Session), Message: h.Message, Role: string(h.Role), Created: stamp(h.At),
			Snippet: h.Snippet, Marks: append([][2]int{}, h.Marks...),
		})
	}
	return out
}
