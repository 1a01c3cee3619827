package history

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recallBudgets are the tokens that a request may hold.
var recallBudgets = []int{2000, 4000, 8000, 16000}

// method is a way to decide a request: it says which messages of a conversation stand in it whole.
type method struct {
	name string
	ask  func(t *asked, question string, budget int) func(i int) bool
}

// asked is a conversation that questions are put to.
type asked struct {
	recorded
	conversation *Conversation
	cost         []int // tokens of each message with its frame
}

func ask(t recorded) *asked {
	a := &asked{recorded: t, conversation: Read(t.past, o200k())}
	for _, m := range t.past {
		n := o200k()(m.Content) + frameMessage
		for _, c := range m.ToolCalls {
			n += o200k()(c.Name) + o200k()(c.Arguments) + frameCall
		}
		a.cost = append(a.cost, n)
	}
	return a
}

func methods() []method {
	var list []method
	for _, preset := range []string{Presets()[0], "recall"} {
		list = append(list, method{preset, func(t *asked, question string, budget int) func(int) bool {
			return t.planned(preset, question, budget)
		}})
	}
	return append(list,
		method{reference, func(t *asked, question string, budget int) func(int) bool {
			return t.packed(question, budget)
		}},
		method{"drop oldest", func(t *asked, question string, budget int) func(int) bool {
			from := t.newest(budget-t.base(question), len(t.past))
			return func(i int) bool { return i >= from }
		}},
	)
}

// planned asks winnow. The request may hold the budget.
func (t *asked) planned(preset, question string, budget int) func(int) bool {
	return t.plannedBy(policyOf(preset), question, budget)
}

func policyOf(preset string) Policy {
	p, err := Preset(preset)
	if err != nil {
		panic(err)
	}
	return p
}

// plannedBy asks winnow with a policy.
func (t *asked) plannedBy(p Policy, question string, budget int) func(int) bool {
	p.Budget = budget
	o := Options{Policy: p, Ratio: 1, Count: o200k(), Turn: []Message{{
		ID: 1 << 40, Role: User, Content: question,
		Status: Complete,
	}}}
	plan, err := t.conversation.Build(o)
	// A plan that does not fit is not sent.
	return func(i int) bool { return err == nil && plan.Entries[i].Whole }
}

// reference is the name of the plain way to recall.
const reference = "single messages"

// packed is the plain way to recall: the newest messages up to a twentieth of the budget, then single messages in the
// order of relevance, answers of more than 600 characters cut to 150, and what is left goes to the whole text of the
// best of those that are cut. No blocks, no opener, and no rules about what is long.
func (t *asked) packed(question string, budget int) func(int) bool {
	const newestShare, longChars, cutChars = 20, 600, 150
	left := budget - t.base(question)
	from := t.newest(left/newestShare, len(t.past))
	for _, c := range t.cost[from:] {
		left -= c
	}
	whole, later := map[int]bool{}, map[int]int{} // later has what a cut answer costs more whole
	var order []int
	for _, group := range t.ranked(question) {
		if group[0] >= from {
			continue
		}
		cost, more := 0, 0
		for _, i := range group {
			cost += t.cost[i]
			if m := t.past[i]; m.Role == Assistant && runes(m.Content) > longChars {
				short := o200k()(string([]rune(m.Content)[:cutChars])) + frameMessage
				cost, more = cost-t.cost[i]+short, t.cost[i]-short
			}
		}
		if cost > left {
			continue
		}
		left -= cost
		for _, i := range group {
			if whole[i] = more == 0; more > 0 {
				later[group[0]] = more
			}
		}
		if more > 0 {
			order = append(order, group[0])
		}
	}
	for _, i := range order {
		if later[i] <= left {
			left -= later[i]
			for _, k := range t.conversation.Group(i) {
				whole[k] = true
			}
		}
	}
	return func(i int) bool { return i >= from || whole[i] }
}

// ranked are the groups of messages that a question is about, the most relevant first.
func (t *asked) ranked(question string) [][]int {
	var list [][]int
	history := t.conversation.latest()
	for _, hit := range history.rank(question).Best() {
		var group []int
		for _, v := range history.candidates[hit.From:hit.To] {
			group = append(group, v.From)
		}
		list = append(list, group)
	}
	return list
}

// base is what a request costs without any history.
func (t *asked) base(question string) int { return frameRequest + o200k()(question) + frameMessage }

// newest is the first of the newest messages that fit; a result without its call cannot be sent.
func (t *asked) newest(left, limit int) int {
	from := len(t.past)
	for from > len(t.past)-limit && from > 0 && t.cost[from-1] <= left {
		from--
		left -= t.cost[from]
	}
	for from < len(t.past) && t.past[from].Role == Tool {
		from++
	}
	return from
}

// score counts the needed messages and those of them that are in the request whole.
type score struct{ whole, needed int }

func (s score) String() string {
	if s.needed == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*float64(s.whole)/float64(s.needed))
}

// cell is one question put to one conversation by one method at one budget.
type cell struct {
	conversation, lang, kind, sort, method string
	budget                                 int
	score
}

func (c cell) heldOut() bool { return strings.HasPrefix(c.kind, heldOut) }

// measureConversation puts the questions of a conversation.
func measureConversation(t recorded, by []method, budgets []int) []cell {
	a := ask(t)
	var list []cell
	for _, q := range t.questions {
		for _, m := range by {
			for _, budget := range budgets {
				whole := m.ask(a, q.text, budget)
				c := cell{
					conversation: t.name, lang: t.lang, kind: t.group(), sort: q.sort, method: m.name,
					budget: budget,
				}
				for _, label := range q.needs {
					c.needed++
					if whole(t.labels[label]) {
						c.whole++
					}
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// measureConversations does so for all of them, two at a time.
func measureConversations(list []recorded, by []method, budgets []int) []cell {
	cells := make([][]cell, len(list))
	var wait sync.WaitGroup
	places := make(chan struct{}, 2)
	for i, t := range list {
		wait.Go(func() {
			places <- struct{}{}
			cells[i] = measureConversation(t, by, budgets)
			<-places
		})
	}
	wait.Wait()
	return slices.Concat(cells...)
}

// sum adds up the cells that fit.
func sum(cells []cell, fits func(cell) bool) score {
	var s score
	for _, c := range cells {
		if fits(c) {
			s.whole += c.whole
			s.needed += c.needed
		}
	}
	return s
}

const recallPage = "../docs/benchmarks.md"

// Between these two lines the page has the tables.
const (
	recallFrom = "<!-- recall -->\n"
	recallTo   = "<!-- /recall -->"
)

// With -update it writes the tables into the page. All of them take minutes of a processor, so that without it, it
// compares one column: what the default
// preset keeps of each conversation at checkedBudget.
func TestRecallTable(t *testing.T) {
	list := allConversations(t)
	page, err := os.ReadFile(recallPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), recallFrom)
	tables, after, closed := strings.Cut(rest, recallTo)
	if !found || !closed {
		t.Fatalf("%s has no place for the tables between %q and %q", recallPage, recallFrom, recallTo)
	}
	if !*update {
		checkColumn(t, list, tables)
		return
	}
	list = append(list, merged(list)...)
	tables = recallTables(list, measureConversations(list, methods(), recallBudgets)) + capTable(t, list)
	if err := os.WriteFile(recallPage, []byte(before+recallFrom+tables+recallTo+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

const checkedBudget = 4000

func checkColumn(t *testing.T, list []recorded, tables string) {
	const how = "go test ./history -run TestRecallTable -update writes it"
	cells := measureConversations(list, methods()[:1], []int{checkedBudget})
	column := 2 + slices.Index(recallBudgets, checkedBudget)
	for _, kind := range kindsOf(list) {
		title := kindTitle(list, kind)
		_, table, found := strings.Cut(tables, title)
		if !found {
			t.Errorf("%s has no table %q; %s", recallPage, title, how)
			continue
		}
		want := sum(cells, func(c cell) bool { return c.kind == kind }).String()
		_, row, _ := strings.Cut(table, "\n| "+Presets()[0]+" |")
		row, _, _ = strings.Cut(row, "\n")
		if fields := strings.Split("||"+row, "|"); len(fields) <= column || strings.TrimSpace(fields[column]) != want {
			t.Errorf("%s keeps %s %% of what is asked for at %d tokens, the page says %q; %s", title, want, checkedBudget,
				row, how)
		}
	}
}
