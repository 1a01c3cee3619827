package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// chatOf are messages as a store gives them: questions, answers, calls whose results come at once, late or never, and
// arguments that are no JSON. Some have no count.
func chatOf(t *rapid.T) []store.Message {
	words := strings.Fields("apple river lantern seven meadow copper the a of harbour violin")
	text := rapid.Custom(func(t *rapid.T) string {
		some := rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(t, "words")
		return strings.Join(some, " ") + strings.Repeat(" so", rapid.SampledFrom([]int{0, 0, 0, 300, countAtOnce / 3}).Draw(t, "more"))
	})
	var open []string
	list := make([]store.Message, rapid.IntRange(1, 60).Draw(t, "messages"))
	for i := range list {
		m := store.Message{Message: history.Message{ID: int64(i + 1), Content: text.Draw(t, "text"), Status: history.Complete}}
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case kind == 0:
			m.Role = history.User
		case kind == 1 && len(open) > 0:
			at := rapid.IntRange(0, len(open)-1).Draw(t, "call")
			m.Role, m.ToolCallID = history.Tool, open[at]
			open = append(open[:at:at], open[at+1:]...)
		default:
			m.Role = history.Assistant
			if rapid.Bool().Draw(t, "reasons") {
				m.Reasoning, m.Origin = "because", history.Origin{Endpoint: "here", Model: "small"}
			}
			if kind == 3 {
				id := fmt.Sprintf("call-%d", i)
				open = append(open, id)
				m.ToolCalls = []history.ToolCall{{ID: id, Name: "look", Arguments: rapid.SampledFrom([]string{`{"at":1}`, `{"at":`}).Draw(t, "arguments")}}
			}
		}
		if rapid.Bool().Draw(t, "counted") {
			m.Tokens, m.Tokenizer = (len(m.Content)+3)/4, "one"
		}
		list[i] = m
	}
	return list
}

// A planner that reads texts again makes the plans of a conversation that keeps them: with guesses, whatever is
// remedied, when counts and results come late. A store that fails once makes one plan fail, and the next is the same
// again.
func TestAPlannerThatKeepsNoTextsMakesTheSamePlans(t *testing.T) {
	t.Parallel()
	var policies []history.Policy
	for _, name := range history.Presets() {
		policy, err := history.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, policy)
	}
	failures, guessed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		stored, reads := chatOf(t), math.MaxInt // until the store fails
		gone := errors.New("the disk is gone")
		read := func(_ context.Context, ids []int64) ([]store.Message, error) {
			if reads--; reads < 0 {
				return nil, gone
			}
			list := make([]store.Message, len(ids))
			for i, id := range ids {
				list[i] = stored[id-1]
			}
			return list, nil
		}
		all := branch.New(branch.NewPages("one", read)).With(stored...)
		tokens := tokens{counter: func(text string) int { return (len(text) + 3) / 4 }, guess: tooMany, tokenizer: "one"}
		p := &planner{tokens: tokens, whole: true, branch: all.First(0)}

		policy := rapid.SampledFrom(policies).Draw(t, "policy")
		policy.Budget = rapid.IntRange(100, 3000).Draw(t, "budget")
		o := history.Options{
			Policy: policy, System: "Be kind.", Ratio: 1, Count: tokens.counter, Remedies: map[int64]history.Remedy{},
			Turn: []history.Message{{ID: 1000, Role: history.User, Content: "which apple is in the harbour?"}},
		}
		for range rapid.IntRange(1, 6).Draw(t, "plans") {
			more := rapid.IntRange(0, len(stored)-p.branch.Len()).Draw(t, "more messages")
			p.branch = p.branch.With(stored[p.branch.Len() : p.branch.Len()+more]...)
			if rapid.Bool().Draw(t, "count") && p.read > 0 {
				at := rapid.IntRange(0, p.read-1).Draw(t, "counted message")
				m := stored[at]
				m.Tokens = tokens.count(m.Content)
				p.recount([]indexed{{m, at}})
			}
			if rapid.Bool().Draw(t, "remedy") && p.branch.Len() > 0 {
				id := rapid.Int64Range(1, int64(p.branch.Len())).Draw(t, "remedied")
				remedies := map[int64]history.Remedy{id: rapid.SampledFrom(history.Remedies()).Draw(t, "by")}
				for other, r := range o.Remedies {
					if other != id {
						remedies[other] = r
					}
				}
				o.Remedies = remedies
			}
			o.To = rapid.SampledFrom([]history.Origin{{}, {Endpoint: "here", Model: "small"}}).Draw(t, "to")
			if rapid.Bool().Draw(t, "failure") {
				all.Forget()
				reads = rapid.IntRange(0, 6).Draw(t, "reads")
				if _, err := p.build(p.branch.Len(), o); errors.Is(err, gone) {
					failures++
				}
				reads = math.MaxInt
			}
			if rapid.Bool().Draw(t, "forget") {
				all.Forget()
			}
			got, err := p.build(p.branch.Len(), o)
			said := make([]history.Message, p.branch.Len())
			for i := range said {
				said[i] = stored[i].Message
				if said[i].Tokens = int(p.branch.Row(i).Tokens); said[i].Tokens == 0 {
					said[i].Tokens = tooMany(said[i].Content)
					guessed++
				}
			}
			want, wantErr := history.Read(said, tokens.counter).Build(o)
			if !reflect.DeepEqual(err, wantErr) || !reflect.DeepEqual(got.Messages, want.Messages) || !reflect.DeepEqual(got.Entries.List(), want.Entries.List()) || got.Sum != want.Sum {
				t.Fatalf("the plan is %+v, %v\nwant %+v, %v", got.Entries.List(), err, want.Entries.List(), wantErr)
			}
		}
	})
	if failures == 0 || guessed == 0 {
		t.Errorf("%d plans failed with their store, and %d messages were guessed; want some of both", failures, guessed)
	}
}
