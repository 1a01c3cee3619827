package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// summaryPrompt asks a model for a summary, summaryQuestion stands behind what it is to condense.
const (
	summaryPrompt   = "You condense conversations. Your notes stand in for the messages from now on: whoever goes on with the conversation sees nothing else of them."
	summaryQuestion = "Condense the conversation above into notes, in its own language: what the user said of themselves and wants of all answers, names, numbers, dates, decisions with their reasons, open questions. Leave out what was only said in passing, and add nothing. Answer with the notes alone."
	summaryBefore   = "These notes stand for what was said even before. Take them into yours:\n\n"
)

// The length of a summary in tokens: an eighth of what a request may hold, within these bounds.
const (
	summaryLeast = 256
	summaryMost  = 1024
)

// condense has the model condense the oldest messages where the policy wants that and they no longer
// fit. A model that fails is not asked again in this turn: the messages are cut and dropped instead.
func (t *turn) condense(ctx context.Context) error {
	t.mu.Lock()
	o := t.nextOptions()
	if o.Policy.SummarizeRatio == 0 || t.uncondensed {
		t.mu.Unlock()
		return nil
	}
	list, err := t.toCondense(o)
	t.mu.Unlock()
	if err != nil || len(list) == 0 {
		return err
	}
	err = t.keepSummary(ctx, o, list)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.uncondensed = true
		t.emit(Notice{"the older messages could not be condensed and are cut instead: " + err.Error()})
	}
	return nil
}

// keepSummary has the model condense messages, and keeps what it writes.
func (t *turn) keepSummary(ctx context.Context, o history.Options, list []history.Message) error {
	t.emit(Notice{fmt.Sprintf("asking the model to condense %d older messages", len(list))})
	text, err := t.summarize(ctx, o, list)
	if err != nil {
		return err
	}
	row := t.Info()
	kept, err := t.deps.Store.AddSummary(ctx, store.Summary{
		Session: row.ID, First: list[0].ID, Last: list[len(list)-1].ID, Messages: len(list),
		Endpoint: row.Endpoint, Model: row.Model, Text: text,
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.summaries = append(t.summaries, kept)
	t.mu.Unlock()
	return nil
}

// toCondense are the messages to condense before the turn's next request. The caller holds the lock.
func (t *turn) toCondense(o history.Options) ([]history.Message, error) {
	if err := t.readTo(t.past); err != nil {
		return nil, err
	}
	return t.reader.Condense(o), nil
}

// summarize asks the model for notes of messages. What of them does not fit is cut as in any request;
// their calls are told as text, because this request offers no tools.
func (t *turn) summarize(ctx context.Context, next history.Options, list []history.Message) (string, error) {
	if t.Info().Endpoint == llm.Guide {
		return "", errors.New("the guide is no language model")
	}
	o := next
	policy, err := history.Preset("balanced")
	if err != nil {
		return "", err
	}
	policy.Budget, policy.MaxContextTokens, policy.OutputReserve = next.Policy.Budget, next.Policy.MaxContextTokens, next.Policy.OutputReserve
	policy.ToolHistory = history.ToolsText
	question := summaryQuestion
	if next.Summary != nil {
		question = summaryBefore + next.Summary.Text + "\n\n" + question
	}
	o.Policy, o.System, o.Flags, o.Tools, o.Summary = policy, summaryPrompt, nil, 0, nil
	o.Turn = []history.Message{{Role: history.User, Content: question, Status: history.Complete}}
	plan, err := history.Build(list, o)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	client, request := t.client, t.deps.request(t.target, plan)
	t.mu.Unlock()
	request.Tools = nil
	request.MaxTokens = min(max(summaryLeast, plan.Sum.Limit/8), summaryMost)
	text, err := wholeText(ctx, client, request)
	if text = strings.TrimSpace(text); text == "" && err == nil {
		err = errors.New("the model wrote nothing")
	}
	return text, err
}

// summary is the widest summary of the first messages of the active branch, nil for none; of two as wide
// it is the newer. A message is on the branch with all that came before it, so the newest message of a
// summary tells. One that was written later may be of another branch, and stand for less of this one. The
// caller holds the lock.
func (s *Session) summary(first int) *history.Summary {
	var widest *store.Summary
	to := -1
	for i := range s.summaries {
		m := &s.summaries[i]
		if at, on := s.find(m.Last); on && at < first && at >= to {
			widest, to = m, at
		}
	}
	if widest == nil {
		return nil
	}
	return summaryOf(*widest)
}

func summaryOf(m store.Summary) *history.Summary {
	return &history.Summary{ID: m.ID, Upto: m.Last, Text: m.Text, By: m.Endpoint + "/" + m.Model}
}
