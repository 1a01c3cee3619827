package ui

import (
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/panel"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// inspected is a conversation whose plan has every kind of verdict, as the rules make it.
func inspected(t testing.TB) ([]store.Message, history.Plan) {
	t.Helper()
	return inspectedWith(t, nil)
}

// inspectedWith is the same with remedies for its damaged messages.
func inspectedWith(t testing.TB, remedies map[int64]history.Remedy) ([]store.Message, history.Plan) {
	t.Helper()
	long := strings.Repeat("The generator walks the tree and writes one function for every rule. ", 12)
	messages := []store.Message{
		said(1, history.User, "What does the generator do?"),
		said(2, history.Assistant, long),
		said(3, history.User, "Never touch generated files."),
		said(4, history.Assistant, "Understood."),
		said(5, history.User, "Name the lexer Tokenhound, always with a capital T."),
		said(6, history.Assistant, "Tokenhound it is. "+long),
		said(7, history.User, "And this should stay between us."),
		said(8, history.Assistant, "It is left-recursive: "+long),
		said(9, history.User, "Here is the grammar as a picture, with my notes."),
		said(10, history.Assistant, "I look."),
		said(11, history.Tool, "gen.go\nparser.go\nlexer.go"),
		said(12, history.Assistant, "The generator writes gen.go;\r\nthe other two are yours.\tCount: 3 files."),
	}
	messages[9].ToolCalls = []history.ToolCall{{ID: "", Name: "list_files", Arguments: `{"dir": "."`}}
	messages[11].Reasoning = "They ask for files.\nThree of them."
	messages[8].Parts = []history.Part{
		{Kind: history.ImagePart, Name: "grammar.png", MediaType: "image/png", Data: make([]byte, 34_100), Tokens: 85},
		{Kind: history.TextPart, Name: "notes.md", MediaType: "text/markdown", Text: "expr = expr \"+\" term " +
			"| term", Tokens: 9},
	}
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	policy.Budget, policy.StepTokens = 560, 100
	var past []history.Message
	for _, m := range messages {
		past = append(past, m.Message)
	}
	plan, err := history.Build(past, history.Options{
		Policy: policy, System: "Answer in one paragraph.", Window: 4096,
		Turn:  []history.Message{{Role: history.User, Content: "And how is it spelled: Tokenhound?"}},
		Flags: map[int64]history.Flag{3: history.Pin, 7: history.Exclude}, Remedies: remedies,
	})
	if err != nil {
		t.Fatal(err)
	}
	return messages, plan
}

// ready is the application with that conversation.
func ready(t testing.TB, w, h int) *Model {
	m := fresh(t, w, h)
	messages, plan := inspected(t)
	for _, message := range messages {
		m.Chat.Add(message, record.Receipt{})
	}
	m.Info.Title = "Parser rewrite"
	plans(m, plan)
	return m
}

// inspecting is the inspector on a message.
func inspecting(message int64, at inspector.View) func(testing.TB, int, int) *Model {
	return func(t testing.TB, w, h int) *Model {
		m := ready(t, w, h)
		m.Inspect(inspector.Subject{Message: message}, at)
		return m
	}
}

// inspectingRequest is the inspector on the request.
func inspectingRequest(at inspector.View) func(testing.TB, int, int) *Model {
	return func(t testing.TB, w, h int) *Model {
		m := ready(t, w, h)
		m.Inspect(inspector.Subject{}, at)
		return m
	}
}

// sent is a past request with the plan of that conversation, and sentAt when it left: the same hour
// wherever the test runs.
func sent(t testing.TB, proven bool) record.Replayed {
	messages, plan := inspected(t)
	r := record.Replayed{
		Recorded: record.Recorded{
			Request: store.Request{
				ID: 70, Turn: 7, Created: sentAt, Endpoint: "openai", Model: "gpt-5.2", Prompt: 540, Rules: plan.Rules,
			},
			Nth: 1, Of: 2,
			Verdicts: history.Plan{Sum: plan.Sum, Entries: plan.Entries, Added: plan.Added},
		},
		Messages: branch.Branch{}.With(messages...), Plan: plan, Proven: proven,
	}
	if !proven {
		r.Doubt = "it was made by version 1 of the rules, and this winnow has version 2"
	}
	return r
}

var sentAt = time.Date(2026, 11, 20, 17, 30, 0, 0, time.Local)

// repairing is the page of a repair of that conversation with the prices of its remedies.
func repairing(t testing.TB, w, h int) *Model {
	m := ready(t, w, h)
	m.Update(tab)
	for range 3 {
		m.Update(char('K'))
	}
	m.Update(char('m'))
	priced(t, m)
	return m
}

// priced tells the page of a repair what its remedies cost.
func priced(t testing.TB, m *Model) {
	var prices []inspector.Price
	for _, r := range history.Remedies() {
		_, plan := inspectedWith(t, map[int64]history.Remedy{10: r, 11: r})
		prices = append(prices, inspector.Price{Remedy: r, Plan: &plan})
	}
	m.Inspector.ShowPrices(prices)
}

// inspectedPast is the inspector on a message of a past request.
func inspectedPast(message int64, at inspector.View, proven bool) func(testing.TB, int, int) *Model {
	return func(t testing.TB, w, h int) *Model {
		m := ready(t, w, h)
		r := sent(t, proven)
		past := panel.PastRequest(r)
		m.Panel.Open(&past)
		m.Inspect(inspector.Subject{Message: message}, at)
		return m
	}
}

// verdictsOn is a view of a message with what became of it in past requests.
func verdictsOn(message int64, at inspector.View) func(testing.TB, int, int) *Model {
	return func(t testing.TB, w, h int) *Model {
		m := inspecting(message, at)(t, w, h)
		_, plan := inspected(t)
		var list []store.PastVerdict
		for i, k := range []int{5, 7, 5, 1, 0} {
			list = append(list, store.PastVerdict{
				Turn: 7 - i, Nth: 1, Of: 1 + i%2, Request: int64(70 - i), At: sentAt.Add(-time.Duration(i) * time.Hour),
				Model: "openai/gpt-5.2", Entry: plan.Entries[k],
			})
		}
		m.Inspector.ShowVerdicts(list)
		return m
	}
}

// bodyShown is the body of the request, with a secret taken out.
func bodyShown(t testing.TB, w, h int) *Model {
	m := inspectingRequest(inspector.JSONView)(t, w, h)
	raw := `{"model":"gpt-5.2","messages":[{"role":"system","content":"Answer in one paragraph."},` +
		`{"role":"user","content":"My key is sk-0123456789abcdef, and\nthis is a second line."}],"stream":true}`
	m.Secrets = theme.Secrets{Find: findKey}
	m.Inspector.ShowBody([]byte(raw))
	return m
}

// inspectorStates are the screens of the inspector.
func inspectorStates() []state {
	return []state{
		{"inspector-whole", inspecting(1, inspector.TextView)},
		{"inspector-cut", inspecting(8, inspector.TextView)},
		{"inspector-cut-sent", inspecting(8, inspector.SentView)},
		{"inspector-dropped", inspecting(2, inspector.TextView)},
		{"inspector-dropped-sent", inspecting(2, inspector.SentView)},
		{"inspector-pinned-sent", inspecting(3, inspector.SentView)},
		{"inspector-excluded", inspecting(7, inspector.TextView)},
		{"inspector-call", inspecting(10, inspector.TextView)},
		{"inspector-repair", inspecting(10, inspector.RepairView)},
		{"inspector-picture", inspecting(9, inspector.TextView)},
		{"inspector-reasoning", inspecting(12, inspector.TextView)},
		{"inspector-recalled", inspecting(6, inspector.TextView)},
		{"inspector-recalled-sent", inspecting(6, inspector.SentView)},
		{"inspector-past", inspectedPast(6, inspector.TextView, true)},
		{"inspector-unproven", inspectedPast(8, inspector.SentView, false)},
		{"inspector-sightings", verdictsOn(6, inspector.PastView)},
		{"inspector-history", verdictsOn(2, inspector.TextView)},
		{"inspector-request", inspectingRequest(inspector.TextView)},
		{"inspector-help", func(t testing.TB, w, h int) *Model {
			m := inspectingRequest(inspector.TextView)(t, w, h)
			m.Update(uitest.Key("?"))
			return m
		}},
		{"inspector-json", bodyShown},
	}
}
