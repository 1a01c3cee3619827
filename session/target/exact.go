package target

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm"
)

// Exact says that the endpoint counts by itself, and that it could until now.
func (m *Model) Exact() bool { return m.Client.Endpoint().Exact && !m.now().inexact }

// exactly is the share of what was expected that an exact count may be off for nothing to change.
const exactly = 0.001

// CountExactly asks an endpoint that counts by itself for the tokens of the request that plan makes.
// Where that is not what was expected, the next plan goes by it, and the answer is true: it is worth
// planning again. It may wait for the network. Other endpoints are not asked, and none again that could
// not answer: the error says so once.
//
// A hosted service counts only a conversation that it has answered, and never the draft.
func (m *Model) CountExactly(ctx context.Context, plan history.Plan) (bool, error) {
	if !m.Exact() || plan.Sum.Total == 0 || len(plan.Messages) == 0 {
		return false, nil
	}
	asked, ours := m.Request(plan), plan.Sum.Total
	count := m.Client.CountRequest
	if m.Client.Endpoint().CountedByService() {
		var known bool
		if asked.Messages, ours, known = m.answered(plan); !known {
			return false, nil
		}
		count = m.countOnce
	}
	counted, err := count(ctx, asked)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.inexact = ctx.Err() == nil
		return false, fmt.Errorf("count as the server does (exact): %w", err)
	}
	ratio, before := float64(counted)/float64(ours), cmp.Or(m.ratio(), 1)
	if math.Abs(ratio-before) <= exactly*before {
		return false, nil
	}
	m.believe(ratio)
	return true, nil
}

// exactCount is a request that was counted.
type exactCount struct {
	body   [sha256.Size]byte // its hash
	tokens int
}

// countOnce is Client.CountRequest, but the same request is not counted twice in a row.
func (m *Model) countOnce(ctx context.Context, r llm.Request) (int, error) {
	body, err := m.Client.Body(r)
	if err != nil {
		return 0, err
	}
	hash := sha256.Sum256(body)
	if newest := m.now().exact; newest.body == hash {
		return newest.tokens, nil
	}
	tokens, err := m.Client.CountRequest(ctx, r)
	if err == nil {
		m.set(func(k *known) { k.exact = exactCount{hash, tokens} })
	}
	return tokens, err
}

// standIn is in the place of the draft: a request ends with a word of the user. It costs about a token.
const standIn = "?"

// answered is a plan's messages without the draft, and what winnow counts of them. It is false where the newest answer
// among them is not this model's: then its service does not know them yet.
func (m *Model) answered(plan history.Plan) (list []history.Message, ours int, known bool) {
	newest := -1
	for i := range plan.Messages {
		if plan.Messages[i].Role == history.Assistant {
			newest = i
		}
	}
	if newest < 0 || plan.Messages[newest].Origin != m.Client.Origin(m.Name) {
		return nil, 0, false
	}
	list, ours = slices.Clone(plan.Messages), plan.Sum.Total-plan.Sum.Draft+1
	drafts := slices.DeleteFunc(slices.Clone(plan.Spans), func(s history.Span) bool { return s.Entry >= 0 })
	switch {
	case plan.Sum.Draft == 0 && list[len(list)-1].Role == history.User:
		return list, ours - 1, true // The user's newest message was sent, and got no answer.
	case plan.Sum.Draft == 0:
		ours += plan.Sum.Frame / len(list) // of the message itself
		return append(list, history.Message{Role: history.User, Content: standIn, Status: history.Complete}), ours, true
	case len(drafts) == 0 || slices.ContainsFunc(drafts, func(s history.Span) bool {
		return s.Message != drafts[0].Message
	}):
		return nil, 0, false
	}
	// The draft may stand behind other text in one message.
	said := &list[drafts[0].Message]
	var text strings.Builder
	from := 0
	for i, s := range drafts {
		text.WriteString(said.Content[from:s.From])
		if i == 0 {
			text.WriteString(standIn)
		}
		from = s.To
	}
	text.WriteString(said.Content[from:])
	said.Content, said.Parts = text.String(), nil
	return list, ours, true
}
