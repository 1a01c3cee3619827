//go:build cgo

package cli

import (
	"fmt"

	"winnow/history"
)

// repairObjects is what repair --json writes. It is a contract: fields are added, never renamed or
// removed.
type repairObjects struct {
	Session string        `json:"session"`
	Model   string        `json:"model"`
	Rules   int           `json:"rules"`   // the version of the rules that mended
	DryRun  bool          `json:"dry_run"` // nothing was recorded
	Repairs []damagedJSON `json:"repairs"` // in the order of the messages
}

// damagedJSON is one repair and the message that it is of.
type damagedJSON struct {
	Index       int    `json:"index"` // from 0; --message takes one more
	ID          int64  `json:"id"`
	Label       string `json:"label"` // the id it had in the file it was imported from
	Role        string `json:"role"`
	Disposition string `json:"disposition"`
	Reason      string `json:"reason"`
	repairJSON
}

func (l repairList) object() repairObjects {
	o := repairObjects{Session: l.info.ID, Model: l.model, Rules: l.rules, DryRun: l.dry, Repairs: []damagedJSON{}}
	for _, e := range l.entries {
		for _, r := range e.Repairs {
			o.Repairs = append(o.Repairs, damagedJSON{
				Index: e.Index, ID: e.ID, Label: l.labels[e.ID], Role: string(e.Role),
				Disposition: string(e.Disposition), Reason: e.Cause.Sentence(), repairJSON: repairObject(r),
			})
		}
	}
	return o
}

func repairObject(r history.Repair) repairJSON {
	return repairJSON{Kind: r.Kind, What: r.What, Before: r.Before, After: r.After, Remedy: remedyWord(r.Remedy)}
}

// repairTable writes the repairs for people: a line for each, with the damaged text and what is sent
// instead under it.
func (p *program) repairTable(l repairList) error {
	w := newColumns(p.out, p.columns())
	w.line("%s · %s", p.line(shownTitle(l.info)), p.line(l.model))
	w.line("%s", repairSum(l))
	row := func(e history.Entry, r history.Repair) []string {
		return []string{fmt.Sprint(e.Index + 1), p.role(e.Role), r.Kind, remedyWord(r.Remedy)}
	}
	for _, e := range l.entries {
		for _, r := range e.Repairs {
			w.measure(row(e, r))
		}
	}
	for _, e := range l.entries {
		for _, r := range e.Repairs {
			w.row(row(e, r), p.sentence(r.What))
			p.repairTexts(w, r)
		}
	}
	return w.Flush()
}

// repairTexts shows the damaged text and what is sent instead, where they say more than the sentence.
func (p *program) repairTexts(w *columns, r history.Repair) {
	if before := p.line(r.Before); before != "" {
		w.under("was: " + before)
	}
	if after := p.line(r.After); after != "" && r.After != r.Before {
		w.under("is sent: " + after)
	}
}

// repairSum counts repairs and messages.
func repairSum(l repairList) string {
	repairs := 0
	for _, e := range l.entries {
		repairs += len(e.Repairs)
	}
	switch {
	case repairs == 0:
		return "Nothing of it is damaged."
	case repairs == 1:
		return "1 repair; the stored message stays as it is."
	case len(l.entries) == 1:
		return fmt.Sprintf("%d repairs of 1 message; the stored message stays as it is.", repairs)
	}
	return fmt.Sprintf("%d repairs of %d messages; the stored messages stay as they are.", repairs, len(l.entries))
}
