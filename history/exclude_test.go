package history

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
)

// tokenOf is a word that only the message at a position has.
func tokenOf(at int) string { return fmt.Sprintf("tok%dq", at) }

// plant gives every message words that no other has, in all that a request can hold of it: its text, its speaker, its
// reasoning, its calls, its attachments and the keys of its server.
func (s scene) plant(t *rapid.T) {
	at := 0
	for _, list := range [][]Message{s.past, s.o.Turn} {
		for i := range list {
			m, w := &list[i], tokenOf(at)
			at++
			m.Name = w
			if m.Content != "" {
				m.Content = w + " " + m.Content + " " + w
			}
			if m.Role == Assistant {
				m.Reasoning = rapid.SampledFrom([]string{"", w}).Draw(t, "reasoning")
				m.Replay = rapid.SampledFrom([]string{"", `{"k":"` + w + `"}`}).Draw(t, "keys")
			}
			m.ToolCalls, m.Parts = slices.Clone(m.ToolCalls), slices.Clone(m.Parts)
			for k := range m.ToolCalls {
				c := &m.ToolCalls[k]
				if c.Name != "" {
					c.Name += w
				}
				c.Arguments = strings.NewReplacer(`"x`, `"`+w, `1`, `"`+w+`"`, "nonsense", w, "True", `"`+w+`"`, "line ", w+" ").Replace(c.Arguments)
				c.Replay = `{"k":"` + w + `"}`
			}
			for k := range m.Parts {
				if m.Parts[k].Name = w; m.Parts[k].Text != "" {
					m.Parts[k].Text += " " + w
				}
			}
		}
	}
}

// Nothing of an excluded message, or of its tool group, is in any byte of a request: not whole, cut, recalled,
// repaired, sent as text or summarized. The current message is asked whatever flag it has.
func TestNothingExcludedIsSent(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		s.plant(t)
		for _, m := range s.o.Turn[1:] {
			if rapid.IntRange(0, 2).Draw(t, "turn's flag") == 0 {
				s.o.Flags[m.ID] = Exclude
			}
		}
		for i := range s.o.Summaries {
			sum := &s.o.Summaries[i]
			for at, m := range s.past {
				if sum.Messages.Contains(m.ID) {
					sum.Text += " " + tokenOf(at)
				}
			}
		}
		c := NewConversation(s.past, s.o.Count)
		excluded := map[int]bool{}
		for at, m := range slices.Concat(s.past, s.o.Turn) {
			switch {
			case s.o.Flags[m.ID] != Exclude:
			case at < len(s.past):
				for _, i := range c.ToolGroup(at) {
					excluded[i] = true
				}
			default:
				excluded[at] = true
			}
		}
		p, _ := built(t, s)
		request, err := json.Marshal(p.Messages)
		if err != nil {
			t.Fatal(err)
		}
		for at := range excluded {
			if strings.Contains(string(request), tokenOf(at)) {
				t.Fatalf("message %d is excluded and in the request\n%s%s\n%s", at+1, planText(p, nil), requestText(p), s)
			}
		}
	})
}

// What a model is asked to summarize holds nothing that is excluded, and no summary that holds some of it goes
// in.
func TestNothingExcludedIsSummarized(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		s.o.Policy.SummarizeRatio, s.o.Policy.SummaryAlways = 0.5, true
		c := NewConversation(s.past, s.o.Count)
		excluded := map[int64]bool{}
		for i, m := range s.past {
			if s.o.Flags[m.ID] != Exclude {
				continue
			}
			for _, k := range c.ToolGroup(i) {
				excluded[s.past[k].ID] = true
			}
		}
		older, before := c.Summarizable(s.o)
		condensed, more := c.DueForSummary(s.o)
		for _, m := range slices.Concat(older, condensed) {
			if excluded[m.ID] {
				t.Fatalf("message %d is excluded and is to be summarized\n%s", m.ID, s)
			}
		}
		for _, sum := range []*Summary{before, more} {
			for id := range excluded {
				if sum != nil && sum.Messages.Contains(id) {
					t.Fatalf("a summary of message %d, which is excluded, goes into the next\n%s", id, s)
				}
			}
		}
	})
}

// A narrowed request holds messages of its scope alone, and no marker that tells of others.
func TestANarrowedRequestHoldsItsScopeAlone(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		scope := Scope{For: rapid.SampledFrom([]cause.Code{ForAlone, ForSummary, ForTitle}).Draw(t, "for")}
		if scope.For != ForAlone {
			in := rapid.SliceOfN(rapid.Bool(), len(s.past), len(s.past)).Draw(t, "in")
			at := 0
			scope.Messages = IDRangesOf(idsOf(s.past), func(int64) bool { at++; return in[at-1] })
		}
		s.o.Scope = &scope
		p, err := Build(s.past, s.o)
		if err != nil {
			return
		}
		for _, e := range p.Entries[:len(s.past)] {
			if e.Sent() && (!scope.Messages.Contains(e.ID) || s.o.Flags[e.ID] == Exclude) {
				t.Fatalf("message %d is sent: %+v\n%s", e.ID, e, s)
			}
		}
		for _, a := range p.Added {
			if a.Kind == AddedMarker || a.Kind == AddedSummary {
				t.Fatalf("the request has %+v\n%s", a, s)
			}
		}
	})
}

func idsOf(messages []Message) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := 0; i < len(messages) && yield(messages[i].ID); i++ {
		}
	}
}

// Where everything fits, a summary makes no request larger. What is recalled is left out of the
// comparison: a policy that cuts answers although everything fits may recall texts beside the summary that stand
// in the request anyway without it. In order, nothing tells the cost of recalled texts from that of the others, so
// such requests are compared only where nothing is recalled.
func TestASummaryMakesNoRequestLarger(t *testing.T) {
	used, recalled := 0, 0
	check(t, func(t *rapid.T, s scene) {
		if len(s.past) == 0 {
			return
		}
		s.o.Policy.SummaryAlways, s.o.Policy.Budget, s.o.Policy.HistoryBudget, s.o.Policy.BudgetChars = true, 1<<20, 0, 0
		s.o.Policy.MaxContextTokens, s.o.Window, s.o.Scope = 1<<20, 0, nil
		s.o.Summaries = nil
		without, err := Build(s.past, s.o)
		if err != nil {
			return
		}
		from := rapid.IntRange(0, len(s.past)-1).Draw(t, "from")
		upto := rapid.IntRange(from, len(s.past)-1).Draw(t, "upto")
		s.o.Summaries = []Summary{{Messages: IDRanges{{s.past[from].ID, s.past[upto].ID}}, Text: strings.Repeat("word ", rapid.IntRange(1, 60).Draw(t, "words")), By: "some/model"}}
		with, err := Build(s.past, s.o)
		if err != nil {
			t.Fatal(err)
		}
		if !with.HasSummary() {
			return
		}
		used++
		if with.Sum.Recalled > 0 {
			recalled++
		}
		if got, limit := withoutRecalled(with), withoutRecalled(without); got > limit {
			t.Fatalf("with the summary the request has %d tokens, without it %d\n%s%s\n%s", got, limit, planText(with, nil), requestText(with), s)
		}
	})
	t.Logf("%d requests hold a summary, %d of them recalled texts too", used, recalled)
	if used == 0 && !testing.Short() {
		t.Error("no summary was ever used")
	}
}

// withoutRecalled is what a request costs beside the block of recalled texts.
func withoutRecalled(p Plan) int {
	total := p.Sum.Total
	for _, a := range p.Added {
		if a.Kind == AddedRecalled {
			total -= p.Sum.Recalled + a.Tokens
		}
	}
	return total
}
