package llm

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm/strict"
)

var soak = flag.Int("soak", 0, "check what strict servers accept over so many random histories each")

// strictServer is a server in the same process that refuses as the real one does.
type strictServer struct {
	handler http.Handler
	asked   int
	body    []byte // of the last request
}

func (s *strictServer) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	s.asked++
	s.body = body
	req.Body = io.NopCloser(strings.NewReader(string(body)))
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req)
	return w.Result(), nil
}

// targetModel is the model that all targets are asked for.
const targetModel = "m"

// strictTarget is a server and an endpoint as winnow sets it up for that kind of server.
type strictTarget struct {
	profile  strict.Profile
	endpoint Endpoint
}

// strictTargets are all profiles, each with the endpoint that the catalog gives for it.
func strictTargets() []strictTarget {
	hosted := map[string]Endpoint{}
	for _, e := range FromEnv(func(name string) string {
		if strings.HasSuffix(name, "_API_KEY") {
			return "key"
		}
		return ""
	}) {
		hosted[e.Name] = e
	}
	local := Endpoint{Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1"}
	alternate := strict.LlamaCpp
	alternate.Alternate = true
	inTurn := local
	inTurn.Profile = history.Profile{MergeSameRole: true, NoToolToUser: true}
	thinking := strict.DeepSeek
	thinking.Thinking = true
	thinker := hosted["deepseek"]
	thinker.Quirks = []string{of(targetModel, echoReasoning)} // learned from the first refusal, then kept
	return []strictTarget{
		{strict.OpenAI, hosted["openai"]},
		{strict.LlamaCpp, local},
		{alternate, inTurn},
		{strict.Mistral, hosted["mistral"]},
		{strict.DeepSeek, hosted["deepseek"]},
		{thinking, thinker},
		{strict.Anthropic, hosted["anthropic"]},
		{strict.Gemini, hosted["gemini"]},
	}
}

// wantAccepted builds a request for the target, sends it, and says why it was not accepted. The
// messages must be the same afterwards.
func (x strictTarget) wantAccepted(messages []history.Message, o history.Options) error {
	server := &strictServer{handler: strict.Handler(x.profile, "Hello.")}
	e := x.endpoint
	e.Doer, e.Tries = server, 1
	client := NewClient(e)
	o.Profile, o.To = client.Profile(targetModel), client.Origin(targetModel)
	before := fingerprint(messages, o.Turn)
	plan, err := history.Build(messages, o)
	if after := fingerprint(messages, o.Turn); after != before {
		return errors.New("the build changed the history")
	}
	var damaged *history.DamagedError
	if errors.As(err, &damaged) {
		return nil // the user wants nothing sent then
	}
	r := Request{Model: targetModel, Messages: plan.Messages}
	var reply Reply
	for event, err := range client.Stream(context.Background(), r) {
		if err != nil {
			return fmt.Errorf("%w\n%.3000s", err, server.body)
		}
		reply.Add(event)
	}
	body, err := client.Body(r)
	if err != nil || reply.Text != "Hello." || server.asked != 1 || string(body) != string(server.body) {
		return fmt.Errorf("answer %q after %d requests (%v)", reply.Text, server.asked, err)
	}
	return nil
}

// fingerprint is a sum over every byte of some messages.
func fingerprint(lists ...[]history.Message) [sha256.Size]byte {
	h := sha256.New()
	for _, list := range lists {
		for _, m := range list {
			fmt.Fprintf(h, "%d %q %q %q %q %q %q %q %q %d %d\n", m.ID, m.Label, m.Role, m.Name, m.Content, m.Reasoning, m.ToolCallID, m.Status, m.ToolCalls, m.CreatedMS, m.Tokens)
			for _, p := range m.Parts {
				fmt.Fprintf(h, "%q %q %q %q %q %d\n", p.Kind, p.Name, p.MediaType, p.Text, p.Data, p.Tokens)
			}
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// numbered gives each message an id of its own.
func numbered(list []history.Message, from int64) []history.Message {
	list = append([]history.Message(nil), list...)
	for i := range list {
		list[i].ID = from + int64(i)
	}
	return list
}

// twoRounds is a short conversation with two rounds of tools.
func twoRounds() past {
	say := func(role history.Role, text string) history.Message {
		return history.Message{Role: role, Content: text, Status: history.Complete}
	}
	h := past{say(history.User, "What is in a.txt and b.txt?")}
	h = append(h, history.Message{
		Role: history.Assistant, Content: "I look.", Reasoning: "Two files.", Status: history.Complete,
		ToolCalls: []history.ToolCall{{ID: "call_0", Name: "read", Arguments: `{"path":"a.txt"}`}, {ID: "call_1", Name: "read", Arguments: `{"path":"b.txt"}`}},
	})
	h = append(h, history.Message{Role: history.Tool, ToolCallID: "call_0", Content: "hello"}, history.Message{Role: history.Tool, ToolCallID: "call_1", Content: "there"})
	h = append(h, say(history.Assistant, "They say hello there."), say(history.User, "And c.txt?"))
	h = append(h, group("call_2", "read", `{"path":"c.txt"}`, "猫")...)
	return append(h, say(history.Assistant, "A cat. "+strings.Repeat("It is a nice cat. ", 30)), say(history.User, "Thanks."), say(history.Assistant, "You are welcome."))
}

// currentTurn is the running turn of the tables.
func currentTurn() []history.Message {
	return []history.Message{{ID: 1000, Role: history.User, Content: "And now?", Status: history.Complete}}
}

// tableOptions are requests with room for everything, for half of it and for nearly nothing. A soak
// takes more of them.
func tableOptions(t testing.TB) []history.Options {
	t.Helper()
	var list []history.Options
	for _, of := range []struct {
		preset string
		budget int
	}{{"balanced", 0}, {"classic", 400}, {"recall", 60}, {"balanced", 400}, {"balanced", 60}, {"classic", 0}, {"classic", 60}} {
		p, err := history.Preset(of.preset)
		if err != nil {
			t.Fatal(err)
		}
		p.Budget = of.budget
		list = append(list, history.Options{Policy: p, System: "Be brief.", Turn: currentTurn(), Ratio: 1})
	}
	if *soak == 0 {
		return list[:2]
	}
	return list
}

// ways is a pick that takes the n-th way wherever there are so many.
func ways(n int) pick { return func(of int) int { return n % of } }

// mostWays is the most ways that a corruption has.
const mostWays = 10

// pairWays is how many ways of each pair of corruptions are taken: two by default, not the same two
// of every pair.
func pairWays(i, j int) []int {
	if *soak == 0 {
		return []int{i + j, i + 2*j + 5}
	}
	return []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
}

// TestEachCorruptionIsMendedForEveryServer takes each corruption alone, and every ordered pair.
func TestEachCorruptionIsMendedForEveryServer(t *testing.T) {
	options := tableOptions(t)
	for _, target := range strictTargets() {
		t.Run(target.profile.String(), func(t *testing.T) {
			for i, first := range corruptions {
				for n := range mostWays {
					h := first.harm(twoRounds(), ways(n))
					target.wantAllAccepted(t, fmt.Sprintf("%s way %d", first.kind, n), h, options)
				}
				for j, second := range corruptions {
					for _, n := range pairWays(i, j) {
						h := second.harm(first.harm(twoRounds(), ways(n)), ways(n*7+3))
						target.wantAllAccepted(t, fmt.Sprintf("%s, then %s, way %d", first.kind, second.kind, n), h, options)
					}
				}
			}
		})
	}
}

// TestAllCorruptionsAtOnceAreMendedForEveryServer lets every corruption follow the others, from each
// one on.
func TestAllCorruptionsAtOnceAreMendedForEveryServer(t *testing.T) {
	options := tableOptions(t)
	for _, target := range strictTargets() {
		t.Run(target.profile.String(), func(t *testing.T) {
			for from := range corruptions {
				for _, n := range pairWays(from, from) {
					h := twoRounds()
					for k := range corruptions {
						h = corruptions[(from+k)%len(corruptions)].harm(h, ways(n+k))
					}
					target.wantAllAccepted(t, fmt.Sprintf("all from %s on, way %d", corruptions[from].kind, n), h, options)
				}
			}
		})
	}
}

// TestEachCorruptionIsNamed sees to it that the corruptions of these tests are what they are named
// for: the plan says of each that it was met.
func TestEachCorruptionIsNamed(t *testing.T) {
	for _, c := range corruptions {
		met := map[string]bool{}
		for n := range mostWays {
			plan, err := history.Build(numbered(c.harm(twoRounds(), ways(n)), 1), tableOptions(t)[0])
			if err != nil {
				t.Fatalf("%s way %d: %v", c.kind, n, err)
			}
			for _, e := range plan.Entries {
				for _, r := range e.Repairs {
					met[r.Kind] = true
				}
				if e.Disposition == history.Isolated {
					met["C15"] = true
				}
			}
		}
		if !met[c.kind] {
			t.Errorf("%s: the plans name %v", c.kind, met)
		}
	}
}

func (x strictTarget) wantAllAccepted(t *testing.T, name string, h past, options []history.Options) {
	t.Helper()
	messages := numbered(h, 1)
	for _, o := range options {
		if err := x.wantAccepted(messages, o); err != nil {
			t.Errorf("%s, preset %s, budget %d: %v\n%s", name, o.Policy.Preset, o.Policy.Budget, err, shown(messages))
			return
		}
	}
}

func shown(messages []history.Message) string {
	var b strings.Builder
	for i, m := range messages {
		fmt.Fprintf(&b, "%d id=%d %s %s %.200q calls %.200q answers %q parts %.200v\n", i, m.ID, m.Role, m.Status, m.Content, m.ToolCalls, m.ToolCallID, m.Parts)
	}
	return b.String()
}

// TestEveryServerAcceptsEveryHistory is the proof over random histories.
func TestEveryServerAcceptsEveryHistory(t *testing.T) {
	if *soak > 0 {
		if err := flag.Set("rapid.checks", fmt.Sprint(*soak)); err != nil {
			t.Fatal(err)
		}
	}
	for _, target := range strictTargets() {
		t.Run(target.profile.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := strictScenes().Draw(t, "scene")
				if err := target.wantAccepted(s.messages, s.o); err != nil {
					t.Fatalf("%v\n%s", err, s)
				}
			})
		})
	}
}
