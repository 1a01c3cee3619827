package transfer

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
)

// limitedPolicy draws a policy that limits the size of the history.
func limitedPolicy(t *rapid.T) history.Policy {
	name := rapid.SampledFrom([]string{"classic", "assistant-first", "balanced", "recent", "full"}).Draw(t, "preset")
	p, err := history.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	if p.HistoryBudget == 0 && p.BudgetChars == 0 {
		p.HistoryBudget = rapid.IntRange(100, 3000).Draw(t, "history_budget")
	}
	return p
}

func longConversation(t *rapid.T) []history.Message {
	roles := []history.Role{history.User, history.Assistant, history.User, history.Assistant, history.System, "narrator"}
	past := make([]history.Message, rapid.IntRange(1, 120).Draw(t, "messages"))
	for i := range past {
		m := history.Message{Role: rapid.SampledFrom(roles).Draw(t, "role"), Status: history.Imported}
		m.Content = strings.Repeat("word ", rapid.SampledFrom([]int{0, 1, 20, 200, 2000}).Draw(t, "words"))
		if m.Role == "narrator" {
			m.Status = history.Quarantined
		}
		past[i] = m
	}
	return past
}

// sentOf is how many messages the first request on a conversation holds.
func sentOf(t *rapid.T, past []history.Message, p history.Policy) int {
	plan, err := history.Build(past, history.Options{Policy: p})
	if err != nil {
		return 0
	}
	n := 0
	for _, e := range plan.Entries.All() {
		if e.Sent() {
			n++
		}
	}
	return n
}

// TestImportWarningCountsWhatARequestHolds compares the count of the warning with the plan of the whole
// conversation, and the absence of a warning with a plan without the limit.
func TestImportWarningCountsWhatARequestHolds(t *testing.T) {
	warned, silent := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		past, p := longConversation(t), limitedPolicy(t)
		sample := newHistorySample(p)
		for _, m := range past {
			sample.add(m)
		}
		got := ""
		for _, r := range sample.remarks() {
			if strings.HasPrefix(r.What, "the total size exceeds") {
				got = r.What
			}
		}
		anySize := p
		anySize.HistoryBudget, anySize.BudgetChars = 0, 0
		n := sentOf(t, past, p)
		if n == sentOf(t, past, anySize) {
			if silent++; got != "" {
				t.Fatalf("a conversation that the limit does not shorten is imported with %q", got)
			}
			return
		}
		warned++
		if want := fmt.Sprintf("%d of %d messages", n, len(past)); !strings.HasSuffix(strings.ReplaceAll(got, "~", ""), " "+want) {
			t.Fatalf("the warning is %q, want it to end in %q", got, want)
		}
	})
	t.Logf("%d conversations with a warning, %d without", warned, silent)
	if warned == 0 || silent == 0 {
		t.Error("want conversations of both kinds")
	}
}

// TestImportWarningNeedsNoMoreThanASample imports a conversation of which most is not held in memory.
func TestImportWarningNeedsNoMoreThanASample(t *testing.T) {
	p := preset(t, "assistant-first")
	sample := newHistorySample(p)
	sample.limit = 200
	var past []history.Message
	for i := range 5000 {
		m := history.Message{Status: history.Imported, Role: history.User, Content: strings.Repeat(fmt.Sprint(i, " "), 100+i%97)}
		if i%2 == 1 {
			m.Role = history.Assistant
		}
		past = append(past, m)
		sample.add(m)
		if len(sample.messages) > sample.limit {
			t.Fatalf("%d messages are held", len(sample.messages))
		}
	}
	plan, err := history.Build(past, history.Options{Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range plan.Entries.All() {
		if e.Sent() {
			n++
		}
	}
	remarks := sample.remarks()
	want := fmt.Sprintf("the total size exceeds the limit of 15,360 characters (budget_chars, preset assistant-first): a request holds the last %d of 5,000 messages", n)
	if len(remarks) != 2 || remarks[1].What != want {
		t.Errorf("the remarks are %q, want the second to be %q", remarks, want)
	}
	if sample.bytes != bytesOf(sample.messages) {
		t.Errorf("%d bytes are counted of %d", sample.bytes, bytesOf(sample.messages))
	}
}

func bytesOf(messages []history.Message) int {
	n := 0
	for _, m := range messages {
		n += messageBytes(m)
	}
	return n
}

// TestImportOfManyConversationsWarnsOfTheLimits imports two conversations of which one is over the limit. What
// is imported again and adds nothing is not warned of.
func TestImportOfManyConversationsWarnsOfTheLimits(t *testing.T) {
	long := []string{"q0: Hello"}
	for i := range 20 {
		long = append(long, fmt.Sprintf("a%d<q%d: %s", i, i, strings.Repeat("word ", 300)), fmt.Sprintf("q%d<a%d: Go on.", i+1, i))
	}
	file := exportOf(map[string][]string{"long": long, "short": {"p1: Hello"}}, "long", "short")
	s := newStoreAt(t)
	for i, want := range []string{
		"[the total size exceeds the limit of 15,360 characters (budget_chars, preset assistant-first): a request holds the last 21 of 41 messages] []",
		"[] []",
	} {
		var got []string
		from := Source{File: strings.NewReader(file), Time: written, Policy: preset(t, "assistant-first")}
		if err := Import(context.Background(), s, from, func(im Imported) { got = append(got, fmt.Sprint(im.Warnings)) }); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("import %d is reported with %s, want %s", i+1, strings.Join(got, " "), want)
		}
	}
}
