package history

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"winnow/history/message"
)

const recallPage = "../docs/benchmarks.md"

// Between these two lines the page has the table.
const (
	recallFrom = "<!-- recall -->\n"
	recallTo   = "<!-- /recall -->"
)

// recallBudgets are the tokens that a request may hold, and checkedBudget is the one that each run measures.
var recallBudgets = []int{2000, 4000, 8000, 16000}

const checkedBudget = 4000

// recallKinds are the rows of the table.
var recallKinds = []struct {
	kind    string
	heldOut bool
	name    string
}{
	{"chat", false, "Chats of a user and an assistant"},
	{"tools", false, "Chats with an agent that calls tools"},
	{"talk", false, "Talks of two people"},
	{"chat", true, "Held out: chats of a user and an assistant"},
	{"talk", true, "Held out: talks of two people"},
}

// The page says how much of what a question needs stands whole in a request of the default preset. With -update the
// table is written, which takes minutes; without it one column is compared.
func TestRecallTable(t *testing.T) {
	list := allConversations(t)
	page, err := os.ReadFile(recallPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), recallFrom)
	table, after, closed := strings.Cut(rest, recallTo)
	if !found || !closed {
		t.Fatalf("%s has no place for the table between %q and %q", recallPage, recallFrom, recallTo)
	}
	if !*update {
		column := slices.Index(recallBudgets, checkedBudget) + 2
		for _, k := range recallKinds {
			want := keptOf(list, k.kind, k.heldOut, checkedBudget)
			_, row, _ := strings.Cut(table, "\n| "+k.name+" |")
			if fields := strings.Split("||"+row, "|"); len(fields) <= column+1 || strings.TrimSpace(fields[column]) != want {
				t.Errorf("%s: at %d tokens %s %% is kept, the page says %.40q; "+
					"go test ./history -run TestRecallTable -update writes it", k.name, checkedBudget, want, row)
			}
		}
		return
	}
	var b strings.Builder
	b.WriteString("\n| kept whole, in percent |")
	for _, budget := range recallBudgets {
		fmt.Fprintf(&b, " %s |", message.WithCommas(budget))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(recallBudgets)) + "\n")
	for _, k := range recallKinds {
		b.WriteString("| " + k.name + " |")
		for _, budget := range recallBudgets {
			b.WriteString(" " + keptOf(list, k.kind, k.heldOut, budget) + " |")
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile(recallPage, []byte(before+recallFrom+b.String()+recallTo+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// keptOf is the share of the messages needed by the questions about conversations of a kind that stand whole in the
// requests, in percent.
func keptOf(list []recorded, kind string, heldOut bool, budget int) string {
	kept, needed := 0, 0
	for _, r := range list {
		if r.kind != kind || r.heldOut != heldOut {
			continue
		}
		c := NewConversation(r.past, o200k())
		for _, q := range r.questions {
			p, _ := Preset(Presets()[0])
			p.Budget = budget
			turn := []Message{{ID: 1 << 40, Role: User, Content: q.text, Status: Complete}}
			plan, err := c.Build(Options{Policy: p, Ratio: 1, Count: o200k(), Turn: turn})
			for _, label := range q.needs {
				needed++
				if err == nil && plan.Entries[r.labels[label]].Whole {
					kept++
				}
			}
		}
	}
	return fmt.Sprintf("%.1f", 100*float64(kept)/float64(max(1, needed)))
}
