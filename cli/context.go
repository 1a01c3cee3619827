//go:build cgo

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"winnow/history"
	"winnow/session"
)

func (p *program) contextCommand() *cobra.Command {
	var asJSON, wire bool
	var draft string
	c := &cobra.Command{
		Use:   "context ID",
		Short: "Show what the model would see of a session in the next request, and why",
		Example: "  winnow context 0195\n" +
			"  winnow context 0195 --draft \"and what about tests?\" --json\n" +
			"  winnow context 0195 --wire | jq .messages",
		Args:              takes("the id of a session", 1, 1),
		ValidArgsFunction: p.completeSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			p.flags.session = args[0]
			k, err := p.openFor(ctx, args[0])
			if err != nil {
				return err
			}
			defer k.close()
			s, err := k.start(ctx)
			if err != nil {
				return err
			}
			if err := s.LoadRest(ctx); err != nil {
				return err
			}
			plan, err := s.Preview(draft)
			var over *history.OverBudgetError
			if err != nil && !errors.As(err, &over) {
				return err
			}
			switch {
			case wire && over != nil:
				return fail(Failed, "nothing would be sent: %w", err)
			case wire:
				return writeWire(p.out, s, plan)
			case asJSON:
				return writeJSON(p.out, planJSON(s, plan, err))
			}
			return p.planTable(s, plan, err)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "the sum and every message's verdict as one JSON object")
	c.Flags().BoolVar(&wire, "wire", false, "exactly the bytes that would be sent")
	c.Flags().StringVar(&draft, "draft", "", "as if this `text` were sent next")
	c.MarkFlagsMutuallyExclusive("json", "wire")
	return c
}

// writeWire writes the body of the request that the plan makes, byte for byte.
func writeWire(out io.Writer, s *session.Session, plan history.Plan) error {
	body, err := s.Body(plan)
	if err != nil {
		return err
	}
	_, err = out.Write(body)
	return err
}

// planTable writes the plan for people.
func (p *program) planTable(s *session.Session, plan history.Plan, over error) error {
	sum, n := plan.Sum, plan.Sum.Tokens
	fmt.Fprintf(p.out, "%s · %s\n", p.line(title(s.Info())), s.Ref())
	fmt.Fprintf(p.out, "~%d of %s tokens: system %d, tools %d, pinned %d, messages %d, recalled %d, draft %d, added %d, frame %d\n",
		n(sum.Total), limitText(sum.Limit), n(sum.System), n(sum.Tools), n(sum.Pinned), n(sum.Body), n(sum.Recalled), n(sum.Draft), n(sum.Added), n(sum.Frame))
	fmt.Fprintf(p.out, "window %s, kept free for the reply %d; %d of %d messages\n\n", windowText(sum.Window), sum.Reserve, sum.Sent, sum.Stored)
	w := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	for _, e := range plan.Entries {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d of %d\t%s\n", e.Index+1, e.Role, verdict(e), n(e.TokensAfter), n(e.TokensBefore), p.sentence(e.Reason))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, e := range plan.Entries {
		for _, r := range e.Repairs {
			fmt.Fprintf(p.out, "message %d repaired (%s): %s\n", e.Index+1, r.Kind, p.sentence(r.What))
		}
	}
	for _, a := range plan.Added {
		fmt.Fprintf(p.out, "added: %s, %d tokens: %s\n", a.Kind, n(a.Tokens), p.sentence(a.Reason))
	}
	for _, i := range plan.Next[:min(len(plan.Next), 1)] {
		fmt.Fprintf(p.out, "next to fall out: message %d\n", plan.Entries[i].Index+1)
	}
	if over != nil {
		return fail(Failed, "nothing would be sent: %w", over)
	}
	return nil
}

func limitText(limit int) string {
	if isUnlimited(limit) || limit <= 0 {
		return "unlimited"
	}
	return fmt.Sprint(limit)
}

func windowText(window int) string {
	if window == 0 {
		return "unknown"
	}
	return fmt.Sprint(window)
}

// verdict is an entry's disposition with what else is true of it.
func verdict(e history.Entry) string {
	text := string(e.Disposition)
	if e.Pinned {
		text += ", pinned"
	}
	if len(e.Repairs) > 0 {
		text += ", repaired"
	}
	return text
}

// planObject is what context --json writes. It is a contract: fields are added, never renamed or
// removed. Tokens are counted ones; characters are Unicode code points.
type planObject struct {
	Session string      `json:"session"`
	Model   string      `json:"model"`
	Rules   int         `json:"rules"` // the version of the rules that decided
	Sum     sumJSON     `json:"sum"`
	Entries []entryJSON `json:"entries"` // one per stored message, in order
	Added   []addedJSON `json:"added"`   // text that nobody said
	Next    []int       `json:"next"`    // indexes into entries of what falls out next
	Error   string      `json:"error"`   // why nothing would be sent, "" where it would
}

type sumJSON struct {
	System   int     `json:"system"`
	Tools    int     `json:"tools"`
	Pinned   int     `json:"pinned"`
	Body     int     `json:"body"`
	Recalled int     `json:"recalled"`
	Draft    int     `json:"draft"`
	Added    int     `json:"added"`
	Frame    int     `json:"frame"`
	Total    int     `json:"total"` // the sum of the above
	Reserve  int     `json:"reserve"`
	Window   int     `json:"window"` // 0 unknown
	Limit    *int    `json:"limit"`  // null for none; total * ratio * (1 + margin) never exceeds it
	Ratio    float64 `json:"ratio"`
	Margin   float64 `json:"margin"`
	Sent     int     `json:"sent"`
	Stored   int     `json:"stored"`
}

type entryJSON struct {
	Index        int          `json:"index"`
	ID           int64        `json:"id"`
	Role         string       `json:"role"`
	Disposition  string       `json:"disposition"` // kept, cut, dropped, recalled, excluded, quarantined or blank
	Level        int          `json:"level"`       // 0 not sent, 1 at the limits, 2 answers whole, 3 whole
	Reason       string       `json:"reason"`
	Pinned       bool         `json:"pinned"`
	Whole        bool         `json:"whole"`
	Recalled     bool         `json:"recalled"`
	TokensBefore int          `json:"tokens_before"`
	TokensAfter  int          `json:"tokens_after"`
	CharsBefore  int          `json:"chars_before"`
	CharsAfter   int          `json:"chars_after"`
	Cuts         [][2]int     `json:"cuts"` // half-open ranges of characters that are not sent
	Inserted     []insertJSON `json:"inserted"`
	Repairs      []repairJSON `json:"repairs"`
}

type insertJSON struct {
	At   int    `json:"at"`
	Text string `json:"text"`
}

type repairJSON struct {
	Kind   string `json:"kind"`
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

type addedJSON struct {
	Kind   string `json:"kind"`
	Before int    `json:"before"` // index of the request's message it stands in or is
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
	Reason string `json:"reason"`
}

func planJSON(s *session.Session, plan history.Plan, over error) planObject {
	o := planObject{
		Session: s.Info().ID, Model: s.Ref(), Rules: plan.Rules, Sum: sumObject(plan.Sum),
		Entries: []entryJSON{}, Added: []addedJSON{}, Next: append([]int{}, plan.Next...),
	}
	if over != nil {
		o.Error = sentence(over)
	}
	for _, e := range plan.Entries {
		o.Entries = append(o.Entries, entryObject(e))
	}
	for _, a := range plan.Added {
		o.Added = append(o.Added, addedJSON(a))
	}
	return o
}

func sumObject(s history.Sum) sumJSON {
	o := sumJSON{
		System: s.System, Tools: s.Tools, Pinned: s.Pinned, Body: s.Body, Recalled: s.Recalled, Draft: s.Draft,
		Added: s.Added, Frame: s.Frame, Total: s.Total, Reserve: s.Reserve, Window: s.Window,
		Ratio: s.Ratio, Margin: s.Margin, Sent: s.Sent, Stored: s.Stored,
	}
	if !isUnlimited(s.Limit) {
		o.Limit = &s.Limit
	}
	return o
}

func entryObject(e history.Entry) entryJSON {
	o := entryJSON{
		Index: e.Index, ID: e.ID, Role: string(e.Role), Disposition: string(e.Disposition), Level: int(e.Level),
		Reason: e.Reason, Pinned: e.Pinned, Whole: e.Whole, Recalled: e.Recalled,
		TokensBefore: e.TokensBefore, TokensAfter: e.TokensAfter, CharsBefore: e.CharsBefore, CharsAfter: e.CharsAfter,
		Cuts: [][2]int{}, Inserted: []insertJSON{}, Repairs: []repairJSON{},
	}
	for _, c := range e.Cuts {
		o.Cuts = append(o.Cuts, [2]int{c.From, c.To})
	}
	for _, in := range e.Inserted {
		o.Inserted = append(o.Inserted, insertJSON(in))
	}
	for _, r := range e.Repairs {
		o.Repairs = append(o.Repairs, repairJSON(r))
	}
	return o
}
