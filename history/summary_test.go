package history

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
)

func TestCondenseAsksForWhatNoLongerFits(t *testing.T) {
	past := parseMessages(t, `
user: my name is Ada
assistant: hello
user: {one x 50}
assistant: first answer
user: {two x 50}
assistant: second answer
user: {three x 50}
assistant: third answer
user: {four x 50}
assistant: fourth answer
user: {five x 50}
assistant: fifth answer
`)
	o := parseOptions(t, "preset summary\nbudget 194\nstep_tokens 64\nturn user: and now")
	c := Read(past, words)
	var texts []string
	list, _ := c.Condense(o)
	for _, m := range list {
		texts = append(texts, strings.Fields(m.Content)[0])
	}
	// What is left takes at most half of the budget, and begins with a question.
	if got, want := strings.Join(texts, " "), "my hello one first two second three third"; got != want {
		t.Errorf("asks to condense %q, want %q", got, want)
	}
	o.Summaries = []Summary{{Messages: IDs{{1, 8}}, Text: "Ada counts.", By: "some/model"}}
	if list, _ := c.Condense(o); list != nil {
		t.Errorf("with a summary of 8 messages it asks to condense %d more", len(list))
	}
	for name, change := range map[string]func(*Options){
		"everything fits":         func(o *Options) { o.Policy.Budget = 4000 },
		"no summary is asked for": func(o *Options) { o.Policy.SummarizeRatio = 0 },
	} {
		o := o
		o.Summaries = nil
		change(&o)
		if list, _ := c.Condense(o); list != nil {
			t.Errorf("%s, and it asks to condense", name)
		}
	}
}

// A summary of all that Condense asks for leaves nothing more to condense, and nothing but what it
// stands for is dropped.
func TestASummaryFreesBudget(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		s.o.Policy.SummarizeRatio, s.o.Summaries, s.o.Flags = 0.5, nil, nil
		c := Read(s.past, s.o.Count)
		list, _ := c.Condense(s.o)
		if len(list) == 0 {
			return
		}
		upto := list[len(list)-1].ID
		s.o.Summaries = []Summary{{Messages: IDs{{list[0].ID, upto}}, Text: "Words.", By: "some/model"}}
		p, err := c.Build(s.o)
		if err != nil {
			return
		}
		condensed := 0
		for _, e := range p.Entries[:len(s.past)] {
			// A message that it stands for may be recalled nevertheless.
			if e.Cause.Code == cause.Summarized || e.Recalled && e.Place == Out {
				condensed++
			}
		}
		for _, a := range p.Added {
			if a.Kind == AddedSummary && condensed == 0 {
				t.Fatalf("a summary stands for nothing\n%s\n%s", planText(p, nil), s)
			}
		}
		for i, e := range p.Entries[:len(s.past)] {
			covered := int64(i+1) > upto && len(e.Repairs) == 0
			if covered && e.Cause.Code == cause.Summarized {
				t.Fatalf("message %d was said behind the summary: %+v\n%s", i, e, s)
			}
		}
	})
}
