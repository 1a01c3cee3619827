package llm

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm/llmtest"
)

var soak = flag.Int("soak", 0, "check what strict servers accept over so many random histories each")

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
// takes more of them, a short run one.
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
	switch {
	case *soak > 0:
		return list
	case testing.Short():
		return list[:1]
	}
	return list[:2]
}

// ways is a pick that takes the n-th way wherever there are so many.
func ways(n int) pick { return func(of int) int { return n % of } }

// maxWays is the most ways that a corruption has.
const maxWays = 10

// TestUnmendedCorruptionsAreRefused sees to it that the servers of these tests would notice: what is
// sent as it is stored is refused. The arguments of calls are not, because the body never holds bad ones.
func TestUnmendedCorruptionsAreRefused(t *testing.T) {
	for _, c := range corruptions {
		var refusals []string
		for _, target := range strictTargets() {
			for n := range maxWays {
				h := target.mine(append(c.harm(twoRounds(), ways(n)), currentTurn()...))
				body, err := NewClient(target.endpoint).Body(Request{Model: targetModel, Messages: h})
				if err != nil {
					t.Fatal(err)
				}
				if err := llmtest.Check(target.profile, body); err != nil {
					refusals = append(refusals, err.Error())
				}
			}
		}
		repaired := c.kind == "C1" || c.kind == "C2" || c.kind == "C3" || c.kind == "C4"
		if len(refusals) == 0 && !repaired {
			t.Errorf("%s: every server takes it as it is", c.kind)
		}
	}
	sound := append(twoRounds(), currentTurn()...)
	body, err := NewClient(strictTargets()[0].endpoint).Body(Request{Model: targetModel, Messages: sound})
	if err == nil {
		err = llmtest.Check(llmtest.OpenAI, body)
	}
	if err != nil {
		t.Errorf("the conversation before any corruption: %v", err)
	}
}

// pairWays are the ways of each pair of corruptions that are taken: one by default, not the same of every pair.
func pairWays(i, j int) []int {
	if *soak > 0 {
		return []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	}
	return []int{i + j}
}

// servers is how many of the servers divide the pairs of corruptions and the single remedies among them. In a soak
// each takes all.
func servers() int {
	if *soak > 0 {
		return 1
	}
	return 4
}

// TestEachCorruptionIsRepairedForEveryServer takes each corruption alone for every server, and every ordered pair for
// some of them.
func TestEachCorruptionIsRepairedForEveryServer(t *testing.T) {
	options := tableOptions(t)
	for k, target := range strictTargets() {
		t.Run(target.endpoint.Name+" "+string(target.profile), func(t *testing.T) {
			for i, first := range corruptions {
				for n := range maxWays {
					h := first.harm(twoRounds(), ways(n))
					target.wantAllAccepted(t, fmt.Sprintf("%s way %d", first.kind, n), h, options)
				}
				for j, second := range corruptions {
					if (i+j+k)%servers() != 0 {
						continue
					}
					for _, n := range pairWays(i, j) {
						h := second.harm(first.harm(twoRounds(), ways(n)), ways(n*7+3))
						target.wantAllAccepted(t, fmt.Sprintf("%s, then %s, way %d", first.kind, second.kind, n), h, options)
					}
				}
			}
		})
	}
}

// TestEachCorruptionIsRemediedForEveryServer has each corruption sent as text and left out, wherever it
// stands, and all of them at once.
func TestEachCorruptionIsRemediedForEveryServer(t *testing.T) {
	options := tableOptions(t)[:1]
	for k, target := range strictTargets() {
		t.Run(target.endpoint.Name+" "+string(target.profile), func(t *testing.T) {
			all := twoRounds()
			for n, c := range corruptions {
				all = c.harm(all, ways(n))
				for _, way := range pairWays(n, n) {
					target.wantAllRemedied(t, fmt.Sprintf("%s way %d", c.kind, way), c.harm(twoRounds(), ways(way)), options, n+k)
				}
			}
			target.wantAllRemedied(t, "all of them", all, options, k)
		})
	}
}

// wantAllRemedied gives single messages a remedy, beginning with the one at from, then all of them.
func (x strictTarget) wantAllRemedied(t *testing.T, name string, h past, options []history.Options, from int) {
	t.Helper()
	for _, r := range []history.Remedy{history.SendAsText, history.LeaveOut} {
		all := map[int64]history.Remedy{}
		for id := int64(1); id <= int64(len(h)); id++ {
			if all[id] = r; (int(id)+from)%servers() == 0 {
				x.wantAllAccepted(t, fmt.Sprintf("%s, message %d %s", name, id, r), h, withRemedies(options, map[int64]history.Remedy{id: r}))
			}
		}
		x.wantAllAccepted(t, name+", all "+string(r), h, withRemedies(options, all))
	}
}

func withRemedies(options []history.Options, chosen map[int64]history.Remedy) []history.Options {
	options = append([]history.Options(nil), options...)
	for i := range options {
		options[i].Remedies = chosen
	}
	return options
}

// TestAllCorruptionsAtOnceAreRepairedForEveryServer lets every corruption follow the others, from each
// one on.
func TestAllCorruptionsAtOnceAreRepairedForEveryServer(t *testing.T) {
	options := tableOptions(t)
	for _, target := range strictTargets() {
		t.Run(target.endpoint.Name+" "+string(target.profile), func(t *testing.T) {
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
		for n := range maxWays {
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
		t.Run(target.endpoint.Name+" "+string(target.profile), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := strictScenes().Draw(t, "scene")
				if err := target.wantAccepted(s.messages, s.o); err != nil {
					t.Fatalf("%v\n%s", err, s)
				}
			})
		})
	}
}
