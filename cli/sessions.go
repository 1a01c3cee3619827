//go:build cgo

package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/llm"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

func (p *program) sessionsCommand() *cobra.Command {
	all := []*cobra.Command{
		p.sessionsList(), p.sessionsSearch(), p.sessionsShow(), p.sessionsFork(), p.sessionsImport(), p.sessionsExport(),
	}
	return group(&cobra.Command{Use: "sessions", Short: "List, find, show, fork, import, export and change sessions"},
		append(all, p.sessionsChanges()...)...)
}

func (p *program) sessionsList() *cobra.Command {
	var f store.Filter
	var asJSON, noRedact bool
	var dir string
	c := &cobra.Command{
		Use:   "list [words]",
		Short: "List the sessions, the last used first",
		RunE: p.do(func(ctx context.Context, args []string) error {
			if f.Limit < 0 {
				return fail(Usage, "--limit takes a number from 1 on")
			}
			f.Text = strings.Join(args, " ")
			if dir != "" {
				absolute, err := filepath.Abs(dir)
				if err != nil {
					return fmt.Errorf("find the folder %s: %w", dir, err)
				}
				f.Dir = absolute
			}
			s, err := p.openStore(ctx, true)
			if err != nil {
				return err
			}
			if s == nil {
				return p.noSessions(asJSON)
			}
			defer s.Close()
			list, err := s.Sessions(ctx, f)
			if err != nil {
				return err
			}
			clean, err := p.redaction(noRedact)
			if err != nil {
				return err
			}
			list = clean.sessions(list)
			defer func() { p.sayTaken(clean.count) }()
			if asJSON {
				return writeJSON(p.out, sessionsJSON(list))
			}
			if len(list) == 0 && narrowed(f) {
				_, err := fmt.Fprintln(p.err, "No session here is as you asked.")
				return err
			}
			return p.sessionTable(list)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	c.Flags().BoolVar(&f.Trash, "trash", false, "those in the trash")
	c.Flags().BoolVar(&f.Archived, "archived", false, "the archived ones")
	c.Flags().StringVar(&f.Tag, "tag", "", "those with this tag")
	c.Flags().StringVar(&dir, "dir", "", "those begun in this folder or below it; . is the current one")
	c.Flags().IntVar(&f.Limit, "limit", 0, "at most so many")
	noRedactFlag(c, &noRedact)
	return c
}

// narrowed says whether a list was asked for some of the sessions only.
func narrowed(f store.Filter) bool {
	return f.Text != "" || f.Dir != "" || f.Tag != "" || f.Trash || f.Archived
}

// noSessions is the list of somebody who has never chatted.
func (p *program) noSessions(asJSON bool) error {
	if asJSON {
		return writeJSON(p.out, []sessionJSON{})
	}
	return p.sessionTable(nil)
}

func (p *program) sessionTable(list []store.Session) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(p.err, "There are no sessions here yet.")
		return err
	}
	ids := shortIDs(list)
	w := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	for i, s := range list {
		mark := ""
		if s.Pinned {
			mark = "pinned "
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s\n", ids[i], s.Updated.Local().Format("2006-01-02 15:04"), theme.Plural(s.Turns, "turn"), shownRef(s), mark, p.line(title(s)))
	}
	return w.Flush()
}

func title(s store.Session) string {
	if s.Title == "" {
		return "(no title)"
	}
	return s.Title
}

// shownTitle is a title without what looks like a secret, for a sentence.
func shownTitle(s store.Session) string { return llm.RedactShapes(title(s)) }

func shownRef(s store.Session) string {
	if s.Endpoint == "" {
		return "-"
	}
	return s.Endpoint + "/" + s.Model
}

// line makes a text safe and short enough for one line of a list.
func (p *program) line(text string) string {
	text = p.sentence(text)
	if r := []rune(text); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return text
}

// sentence makes a text safe for one line, however long.
func (p *program) sentence(text string) string {
	return strings.Join(strings.Fields(markdown.Visible(text)), " ")
}

// idShown is how much of an id is shown: the time it was made, to the millisecond. Ids that share
// it are shown whole.
const idShown = 13

func shortIDs(list []store.Session) []string {
	seen := map[string]int{}
	for _, s := range list {
		seen[cutID(s.ID)]++
	}
	out := make([]string, len(list))
	for i, s := range list {
		if out[i] = cutID(s.ID); seen[out[i]] > 1 {
			out[i] = s.ID
		}
	}
	return out
}

func cutID(id string) string { return id[:min(len(id), idShown)] }

func (p *program) sessionsShow() *cobra.Command {
	var asJSON, tree, noRedact bool
	c := &cobra.Command{
		Use:               "show ID",
		Short:             "Print a session's messages",
		Args:              takes("the id of a session", 1, 1),
		ValidArgsFunction: p.completeSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			return p.withSession(ctx, args[0], func(s *store.Store, info store.Session) error {
				clean, err := p.redaction(noRedact)
				if err != nil {
					return err
				}
				defer func() { p.sayTaken(clean.count) }()
				if tree {
					return p.showTree(ctx, s, info, clean, asJSON)
				}
				messages, err := s.Branch(ctx, info.ID, info.Leaf, 0, -1)
				if err != nil {
					return err
				}
				spent, err := session.SpentIn(ctx, s, info.ID)
				if err != nil {
					return err
				}
				info, messages = clean.conversation(info, messages)
				if asJSON {
					return writeJSON(p.out, showJSON(info, spent, messages))
				}
				return p.show(info, spent, messages)
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	c.Flags().BoolVar(&tree, "tree", false, "every branch, a line for each message; * is the active branch")
	noRedactFlag(c, &noRedact)
	return c
}

// withSession finds a stored session by its id or the beginning of it.
func (p *program) withSession(ctx context.Context, id string, use func(*store.Store, store.Session) error) error {
	s, err := p.existingStore(ctx, id)
	if err != nil {
		return err
	}
	defer s.Close()
	info, err := s.Session(ctx, id)
	if err != nil {
		return explainSession(id, err)
	}
	return use(s, info)
}

// show writes a session as text. On a terminal escape sequences are made visible; a pipe gets the
// bytes as they are stored.
func (p *program) show(info store.Session, spent session.Spent, messages []store.Message) error {
	visible := markdown.Visible
	if !term.IsTerminal(p.out.Fd()) {
		visible = func(text string) string { return text }
	}
	fmt.Fprintf(p.out, "%s\n%s · %s · %s%s\n", visible(title(info)), info.ID, shownRef(info), theme.Plural(info.Turns, "turn"), spentText(spent))
	for _, m := range messages {
		who := string(m.Role)
		if m.Label != "" {
			who += " [" + m.Label + "]"
		}
		if m.Model != "" {
			who += " " + m.Model
		}
		if m.Status != "complete" && m.Status != "imported" {
			who += ", " + string(m.Status)
		}
		fmt.Fprintf(p.out, "\n── %s\n", visible(who))
		for _, call := range m.ToolCalls {
			fmt.Fprintf(p.out, "calls %s(%s)\n", visible(call.Name), visible(call.Arguments))
		}
		if m.Damaged {
			fmt.Fprintln(p.out, "[damaged: this is not as it was stored; what can be read of it follows]")
			writeLine(p.out, markdown.Visible(m.Remains))
			continue
		}
		writeLine(p.out, visible(m.Content))
	}
	return nil
}

// spentText is what a session cost, as far as anybody knows, for the end of a line.
func spentText(s session.Spent) string {
	switch {
	case s.Priced == 0:
		return ""
	case s.Priced < s.Requests:
		return fmt.Sprintf(" · %s for %d of %d requests", s, s.Priced, s.Requests)
	}
	return " · " + s.String()
}

func writeLine(out io.Writer, text string) {
	io.WriteString(out, text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		io.WriteString(out, "\n")
	}
}
