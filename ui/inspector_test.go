package ui

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/sessiontest"
	"winnow/session/store"
	"winnow/session/transfer"
	"winnow/ui/inspector"
	"winnow/ui/panel"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// inspected returns a conversation whose real plan has every kind of verdict.
func inspected(t testing.TB) ([]store.Message, history.Plan) {
	t.Helper()
	return inspectedWith(t, nil)
}

// inspectedWith is inspected with remedies for the damaged messages.
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

// ready returns a model with the conversation of inspected.
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

// inspecting opens the inspector on a message.
func inspecting(message int64, at inspector.View) func(testing.TB, int, int) *Model {
	return func(t testing.TB, w, h int) *Model {
		m := ready(t, w, h)
		m.Inspect(inspector.Subject{Message: message}, at)
		return m
	}
}

// inspectingRequest opens the inspector on the whole request.
func inspectingRequest(at inspector.View) func(testing.TB, int, int) *Model { return inspecting(0, at) }

// sent returns a past request with that plan, sent at sentAt.
func sent(t testing.TB, proven bool) record.ReplayedRequest {
	messages, plan := inspected(t)
	r := record.ReplayedRequest{
		RecordedRequest: record.RecordedRequest{
			Request: store.Request{
				ID: 70, Turn: 7, Created: sentAt, Endpoint: "openai", Model: "gpt-5.2", Prompt: 540, Rules: plan.Rules,
			},
			Nth: 1, Of: 2,
			Verdicts: history.Plan{Sum: plan.Sum, Entries: plan.Entries, Added: plan.Added},
		},
		Messages: branch.Branch{}.Append(messages...), Plan: plan, Proven: proven,
	}
	if !proven {
		r.Doubt = "it was made by version 1 of the rules, and this winnow has version 2"
	}
	return r
}

var sentAt = time.Date(2026, 11, 20, 17, 30, 0, 0, time.Local)

// repairing opens a repair of that conversation, with the prices of its remedies.
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

// priced shows the prices of the remedies.
func priced(t testing.TB, m *Model) {
	var prices []inspector.RemedyOption
	for _, r := range history.Remedies() {
		_, plan := inspectedWith(t, map[int64]history.Remedy{10: r, 11: r})
		prices = append(prices, inspector.RemedyOption{Remedy: r, Plan: &plan})
	}
	m.Inspector.ShowRemedies(prices)
}

// inspectedPast opens the inspector on a message of a past request.
func inspectedPast(message int64, at inspector.View, proven bool) func(testing.TB, int, int) *Model {
	return func(t testing.TB, w, h int) *Model {
		m := ready(t, w, h)
		r := sent(t, proven)
		past := panel.PastRequest(r)
		m.Panel.ShowPast(&past)
		m.Inspect(inspector.Subject{Message: message}, at)
		return m
	}
}

// verdictsOn opens the inspector on a message with its verdicts in past requests.
func verdictsOn(message int64) func(testing.TB, int, int) *Model {
	return func(t testing.TB, w, h int) *Model {
		m := inspecting(message, inspector.TextView)(t, w, h)
		_, plan := inspected(t)
		var list []store.PastVerdict
		for i, k := range []int{5, 7, 5, 1, 0} {
			list = append(list, store.PastVerdict{Turn: 7 - i, Entry: plan.Entries[k]})
		}
		m.Inspector.ShowVerdicts(list)
		return m
	}
}

// bodyShown opens the body of the request, which contains a secret.
func bodyShown(t testing.TB, w, h int) *Model {
	m := inspectingRequest(inspector.JSONView)(t, w, h)
	raw := `{"model":"gpt-5.2","messages":[{"role":"system","content":"Answer in one paragraph."},` +
		`{"role":"user","content":"My key is sk-0123456789abcdef, and\nthis is a second line."}],"stream":true}`
	m.Secrets = theme.Secrets{Find: findKey}
	m.Inspector.ShowBody([]byte(raw))
	return m
}

// inspectorStates returns the states of the inspector.
func inspectorStates() []state {
	return []state{
		{"inspector-whole", inspecting(1, inspector.TextView)},
		{"inspector-cut", inspecting(8, inspector.TextView)},
		{"inspector-cut-sent", inspecting(8, inspector.SentView)},
		{"inspector-dropped", inspecting(2, inspector.TextView)},
		{"inspector-dropped-sent", inspecting(2, inspector.SentView)},
		{"inspector-excluded", inspecting(7, inspector.TextView)},
		{"inspector-call", inspecting(10, inspector.TextView)},
		{"inspector-picture", inspecting(9, inspector.TextView)},
		{"inspector-reasoning", inspecting(12, inspector.TextView)},
		{"inspector-recalled", inspecting(6, inspector.TextView)},
		{"inspector-recalled-sent", inspecting(6, inspector.SentView)},
		{"inspector-past", inspectedPast(6, inspector.TextView, true)},
		{"inspector-unproven", inspectedPast(8, inspector.SentView, false)},
		{"inspector-history", verdictsOn(2)},
		{"inspector-request", inspectingRequest(inspector.TextView)},
		{"inspector-help", func(t testing.TB, w, h int) *Model {
			m := inspectingRequest(inspector.TextView)(t, w, h)
			m.Update(uitest.Key("?"))
			return m
		}},
		{"inspector-json", bodyShown},
	}
}

// titled waits until the inspector shows a view of something.
func (l *live) titled(name string, view inspector.View) {
	l.t.Helper()
	l.until(name+", "+string(view), func() bool {
		title, _, _ := strings.Cut(plain(l.Model), "\n")
		return strings.Contains(title, name) && strings.Contains(title, string(view)) &&
			l.Inspector.ActiveView == view &&
			l.Inspector.TextToCopy() != ""
	})
}

// transcript moves the focus to the transcript.
func (l *live) transcript() {
	l.t.Helper()
	for l.focus != transcriptPane {
		l.press("tab")
	}
}

// The JSON view shows the bytes that the server received.
func TestTheRequestIsShownAsItIsSent(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.say("The first question.")
	l.Secrets = theme.Secrets{Find: findKey}
	l.say("My key is sk-0123456789abcdef.")
	l.transcript()
	l.press("i")
	l.titled("next request", "text")
	l.shows("4  assistant  message 4")
	l.press("left")
	l.titled("turn 2", "text")
	l.shows("3  user  message 3")
	l.press("tab")
	l.titled("turn 2", "json")
	l.shows("✓ proven by hash")
	l.shows("1 secret is hidden in this view")
	_, shown, _ := strings.Cut(l.Inspector.TextToCopy(), "\n\n")
	l.mu.Lock()
	received := l.bodies[len(l.bodies)-1]
	l.mu.Unlock()
	var got, want any
	if err := json.Unmarshal([]byte(shown), &got); err != nil {
		t.Fatalf("the view is no JSON: %v\n%s", err, shown)
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(received, "sk-0123456789abcdef", theme.Redacted)),
		&want); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("the view shows\n%s\nthe server received\n%s", a, b)
	}
}

func TestAMessageWithoutAPlanIsShown(t *testing.T) {
	m := fresh(t, 80, 24)
	m.Chat.Add(store.Message{Message: history.Message{ID: 1, Role: history.User, Content: "Is anybody there?"}},
		record.Receipt{})
	m.Inspect(inspector.Subject{Message: 1}, inspector.TextView)
	if got := plain(m); !strings.Contains(got, "This message has no verdict yet.") ||
		!strings.Contains(got, "Is anybody there?") {
		t.Errorf("got\n%s", got)
	}
	for range 4 {
		m.Update(tab)
		fits(t, m)
	}
}

// damaged returns a model with an imported conversation that has every kind of damage.
func damaged(t *testing.T, w, h int) *live {
	t.Helper()
	l := onStage(t, w, h)
	l.open(l.imported("../cli/testdata/damaged.jsonl"))
	return l
}

// imported imports the conversation of a file and returns its id.
func (l *live) imported(path string) string {
	l.t.Helper()
	file, err := os.Open(path)
	if err != nil {
		l.t.Fatal(err)
	}
	defer file.Close()
	var id string
	from := transfer.Source{File: file, Time: begun}
	err = transfer.Import(l.t.Context(), l.Deps.Store, from, func(im transfer.Imported) { id = im.Session.ID })
	if err != nil {
		l.t.Fatal(err)
	}
	return id
}

// bare returns the messages without the columns of the store.
func bare(messages []store.Message) []history.Message {
	var list []history.Message
	for _, m := range messages {
		list = append(list, m.Message)
	}
	return list
}

func TestEveryRepairHasAPage(t *testing.T) {
	for _, size := range [][2]int{{140, 50}, {80, 24}} {
		l := damaged(t, size[0], size[1])
		l.shows("18 repairs; /repair shows them")
		l.press("tab", "g", "m")
		list := inspector.RepairedEntries(&l.Panel.Next.Plan)
		kinds := map[string]bool{}
		for _, e := range list {
			l.shows("1 Send it repaired")
			for _, r := range e.Repairs {
				kinds[r.Kind] = true
			}
			got, number := plain(l.Model), theme.Thousands(e.Index+1)
			for _, want := range []string{
				"› message " + number + " ", "▲ " + firstWords(e.Repairs[0].Sentence()),
			} {
				if !strings.Contains(got, want) {
					t.Errorf("the page of message %s lacks %q:\n%s", number, want, got)
				}
			}
			if damage := e.Repairs[0]; !strings.Contains(l.Inspector.TextToCopy(), "Stored  as received") &&
				damage.Before+damage.After != "" {
				t.Errorf("message %s does not show %q against %q:\n%s", number, damage.Before, damage.After, got)
			}
			l.press("n")
		}
		l.shows("repair 1 of") // the first one follows the last
		l.press("N")
		l.shows("› message " + theme.Thousands(list[len(list)-1].Index+1))
		if len(kinds) != 15 {
			t.Errorf("there are repairs of %d kinds, want 15", len(kinds))
		}
		l.press("esc")
		if l.covered() {
			t.Error("esc does not close the page")
		}
	}
}

func firstWords(s string) string {
	words := strings.Fields(s)
	return strings.Join(words[:min(4, len(words))], " ")
}

// A remedy applies to a call and its result, changes the request but not the stored messages, and can be undone.
func TestARemedyIsChosen(t *testing.T) {
	l := damaged(t, 140, 50)
	stored := bare(sessiontest.Messages(l.Session.Branch()))
	l.press("tab", "g", "m")
	l.shows("2 Send it as plain text")
	total := l.Panel.Next.Plan.Sum
	const asText, asCall = `[called read with {\"path\":\"C:`, `"arguments":"{\"path\":\"C:\\\\Users`
	for _, c := range []struct {
		keys   []string
		says   string
		remedy history.Remedy
		sent   string
	}{
		{[]string{"j", "enter"}, "as text", history.SendAsText, asText},
		{[]string{"u"}, "undone", history.SendRepaired, asCall},
		{[]string{"j", "j", "enter"}, "left out", history.LeaveOut, ""},
		{[]string{"k", "k", "enter"}, "repaired", history.SendRepaired, asCall},
	} {
		l.press(c.keys...)
		l.shows("This is sent from now on; your history is unchanged.")
		remedy := func() history.Remedy { return inspector.RepairedEntries(&l.Panel.Next.Plan)[0].Repairs[0].Remedy }
		l.until("the new plan", func() bool { return remedy() == c.remedy })
		l.until("the prices by the new plan", func() bool {
			return strings.Contains(plain(l.Model), "▌ ") && strings.Contains(plain(l.Model), "in use")
		})
		body, err := l.Session.Try(t.Context(), session.Settings{}).Body(l.Panel.Next.Plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{asText, asCall} {
			if got, want := strings.Contains(string(body), form), form == c.sent; got != want {
				t.Errorf("%s: the request has %s: %t, want %t\n%s", c.says, form, got, want, body)
			}
		}
		if !slices.EqualFunc(bare(sessiontest.Messages(l.Session.Branch())), stored, sameMessage) {
			t.Fatalf("%s: what is stored changed", c.says)
		}
	}
	if l.Panel.Next.Plan.Sum != total {
		t.Errorf("repaired again the sum is %+v, and was %+v", l.Panel.Next.Plan.Sum, total)
	}
	if len(l.bodies) != 0 {
		t.Errorf("choosing sent %d requests", len(l.bodies))
	}
}

func sameMessage(a, b history.Message) bool {
	return a.ID == b.ID && a.Role == b.Role && a.Content == b.Content && slices.Equal(a.ToolCalls, b.ToolCalls) &&
		a.ToolCallID == b.ToolCallID
}

// If damage can be sent in one way only, no remedy is offered.
func TestARemedyThatChangesNothingIsNotOffered(t *testing.T) {
	l := damaged(t, 140, 50)
	for _, e := range inspector.RepairedEntries(&l.Panel.Next.Plan) {
		if kind := e.Repairs[0].Kind; kind != "C8" && kind != "C15" {
			continue
		}
		l.run(l.Inspect(inspector.Subject{Message: e.ID}, inspector.RepairView))
		l.shows("1 Send it repaired")
		l.lacks("2 Send")
		l.press("enter")
		l.shows("This is already in use.")
	}
}

func TestRemediesWaitForWhatForbidsThem(t *testing.T) {
	t.Parallel()
	l := damaged(t, 140, 50)
	l.press("tab", "m")
	l.shows("1 Send it repaired")
	l.Busy = true
	l.press("enter")
	l.shows("An answer is still arriving")
	l.Busy = false

	l = onStage(t, 140, 50)
	l.Deps.Policy.Recovery = history.RecoverStrip
	l.open(l.imported("../cli/testdata/damaged.jsonl"))
	l.planned()
	l.press("tab", "m", "enter")
	l.shows("Recovery is set to strip for all calls")
}

// sentBefore returns the past request of the second question of spoken.
func sentBefore(proven bool) record.ReplayedRequest {
	messages, plan := spoken()
	r := record.ReplayedRequest{
		RecordedRequest: record.RecordedRequest{
			Request: store.Request{
				Turn: 2, Endpoint: "openai", Model: "gpt-5.2", Created: time.Date(2026, 11, 21, 7, 58, 30,
					0, time.Local),
				Prompt: 1912, Cached: 812, Answer: 301, Rules: history.RulesVersion, End: "done",
			},
			Nth: 2, Of: 3,
			Verdicts: history.Plan{Sum: plan.Sum, Entries: plan.Entries[:5], Added: []history.AddedText{{
				Kind: "marker", At: 1, Text: "[Earlier messages truncated]", Tokens: 6,
				Cause: history.Cause{Code: history.CauseGap, Want: 1},
			}}},
		},
		Messages: branch.Branch{}.Append(messages[:5]...), Proven: proven,
	}
	if !proven {
		r.Doubt = "it was made by version 1 of the rules, and this winnow has version 2"
	}
	return r
}

// onPastRequest returns a model that shows a past request.
func onPastRequest(t testing.TB, w, h int, proven bool) *Model {
	m := chatting(t, w, h)
	m.setFocus(panelPane)
	r := sentBefore(proven)
	past := panel.PastRequest(r)
	m.Panel.ShowPast(&past)
	return m
}

// pastStates returns the states that show past requests.
func pastStates() []state {
	return []state{
		{"past", func(t testing.TB, w, h int) *Model { return onPastRequest(t, w, h, true) }},
		{"doubted", func(t testing.TB, w, h int) *Model { return onPastRequest(t, w, h, false) }},
		{"warned", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.Panel.Window = llm.Window{Tokens: 8192, Assumed: true}
			m.Panel.Forecast = record.Forecast{
				Truncation: &record.ServerTruncation{Turn: 2, Reported: 1022, Expected: 1912},
				Losses:     []int{0},
			}
			m.setFocus(panelPane)
			return m
		}},
	}
}
