package history

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// check runs a property over random conversations.
func check(t *testing.T, property func(t *rapid.T, s scene)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) { property(t, scenes().Draw(t, "scene")) })
}

// scene is a random conversation and what decides its request.
type scene struct {
	past []Message
	o    Options
}

// String shows a scene as a failure needs it.
func (s scene) String() string {
	var b strings.Builder
	p := s.o.Policy
	fmt.Fprintf(&b, "preset %s strategy %s elastic %t recall %d budget %d step %d most %d last %d tools %s flags %v remedies %v profile %+v system %q ratio %g\n",
		p.Preset, p.Strategy, p.Elastic, p.RecallMaxTokens, p.Budget, p.StepTokens, p.MaxMessages, p.LastWholeMaxTokens, p.ToolHistory, s.o.Flags, s.o.Remedies, s.o.Profile, s.o.System, s.o.Ratio)
	for i, m := range append(s.past[:len(s.past):len(s.past)], s.o.Turn...) {
		fmt.Fprintf(&b, "%d id=%d %s %s %q calls %q answers %q\n", i, m.ID, m.Role, m.Status, m.Content, m.ToolCalls, m.ToolCallID)
	}
	return b.String()
}

func scenes() *rapid.Generator[scene] {
	return rapid.Custom(func(t *rapid.T) scene {
		s := scene{past: conversation(t, 1, rapid.IntRange(0, 24).Draw(t, "length"))}
		if rapid.Bool().Draw(t, "dated") {
			for i := range s.past {
				s.past[i].CreatedMS = rapid.SampledFrom([]int64{0, 1, 1, 2, 3}).Draw(t, "day") * msPerDay
			}
		}
		s.o = options(t, s.past)
		s.o.Turn = []Message{{ID: 1000, Role: User, Content: "the current question " + text().Draw(t, "current"), Status: Complete}}
		if rapid.IntRange(0, 3).Draw(t, "running") == 0 {
			s.o.Turn = append(s.o.Turn, tools(t, 1001)...)
		}
		if rapid.IntRange(0, 2).Draw(t, "carrying") == 0 {
			carry(t, &s)
		}
		return s
	})
}

func conversation(t *rapid.T, id int64, n int) []Message {
	var list []Message
	for len(list) < n {
		next := id + int64(len(list))
		switch kind := rapid.IntRange(0, 15).Draw(t, "kind"); {
		case kind < 6:
			m := Message{ID: next, Role: User, Content: text().Draw(t, "question"), Status: Complete}
			m.Parts = rapid.SampledFrom(partLists).Draw(t, "parts")
			list = append(list, m)
		case kind < 11:
			m := Message{ID: next, Role: Assistant, Content: text().Draw(t, "answer"), Status: statuses().Draw(t, "status")}
			list = append(list, m)
		case kind < 14:
			list = append(list, tools(t, next)...)
		case kind == 14:
			list = append(list, Message{ID: next, Role: System, Content: text().Draw(t, "instruction"), Status: Complete})
		default:
			list = append(list, Message{ID: next, Role: rapid.SampledFrom([]Role{User, "critic", Tool}).Draw(t, "role"), Content: "odd", Status: rapid.SampledFrom([]Status{Quarantined, Interrupted}).Draw(t, "status")})
		}
	}
	return list
}

var (
	image     = Part{Kind: ImagePart, MediaType: "image/png", Data: []byte{1}}
	partLists = [][]Part{nil, nil, nil, nil, {image}, {{Kind: TextPart, Name: "a.txt", Text: "two words"}, image}, {{Kind: TextPart, Name: "empty.txt"}}}
)

// broken are arguments as servers and models leave them behind, sound ones first.
var broken = []string{
	`{}`, `{"path":"x"}`, `{"path":"x`, ``, " ", `null`, `"123"`, `[1]`, `"{\"a\":1}"`, `{"a":1}{"b":2}`, `{"a":1}{"b":2}{"c":3}`,
	`nonsense`, "{\"a\":\"\xff\"}", `{'a': True,}`, `{"a":"\ud83d"}`, "```json\n{}\n```",
	`{"text":"` + strings.Repeat("line ", 1500) + `"}`,
}

// tools is a tool group, sound or damaged in ways that occur.
func tools(t *rapid.T, id int64) []Message {
	if rapid.IntRange(0, 2).Draw(t, "sound") == 0 {
		call := ToolCall{ID: fmt.Sprintf("t%d", id), Name: "read", Arguments: `{"path":"x"}`}
		return []Message{
			{ID: id, Role: Assistant, Content: "I look.", ToolCalls: []ToolCall{call}, Status: Complete},
			{ID: id + 1, Role: Tool, ToolCallID: call.ID, Content: strings.Repeat("row ", rapid.SampledFrom([]int{1, 900}).Draw(t, "rows")), Status: Complete},
		}
	}
	ids := rapid.SampledFrom([]string{"a", "b", "call_0", "call_0", "", "ä b", "c-1", "call_s2", "\xff"})
	outputs := rapid.SampledFrom([]string{"done", "done", "", " \n", strings.Repeat("row ", 700), "\x00\x01\x02", "caf\xff", "(empty result)"})
	head := Message{ID: id, Role: Assistant, Content: rapid.SampledFrom([]string{"", "I look.", strings.Repeat("thinking ", 40)}).Draw(t, "said"), Status: statuses().Draw(t, "status")}
	for range rapid.IntRange(1, 3).Draw(t, "calls") {
		head.ToolCalls = append(head.ToolCalls, ToolCall{ID: ids.Draw(t, "id"), Name: rapid.SampledFrom([]string{"read", "read", "read", "list", "l\xffst", ""}).Draw(t, "name"), Arguments: rapid.SampledFrom(broken).Draw(t, "arguments")})
	}
	list := []Message{head}
	for _, c := range head.ToolCalls {
		switch rapid.IntRange(0, 9).Draw(t, "result") {
		case 0: // missing
			continue
		case 1: // of another call
			c.ID = ids.Draw(t, "other id")
		case 2: // late
			list = append(list, Message{Role: User, Content: "meanwhile", Status: Complete})
		case 3: // twice
			list = append(list, Message{Role: Tool, ToolCallID: c.ID, Content: "done", Status: Complete})
		case 4: // behind something between
			list = append(list, Message{Role: rapid.SampledFrom([]Role{Assistant, System}).Draw(t, "between"), Content: "a note", Status: Complete})
		}
		list = append(list, Message{Role: Tool, ToolCallID: c.ID, Content: outputs.Draw(t, "output"), Status: Complete})
	}
	for i := range list {
		list[i].ID = id + int64(i)
	}
	return list
}

// carry gives answers what their servers want back.
func carry(t *rapid.T, s *scene) {
	one, other := Origin{Endpoint: "cloud", Model: "large"}, Origin{Endpoint: "cloud", Model: "small"}
	s.o.To = rapid.SampledFrom([]Origin{one, one, other, {}}).Draw(t, "to")
	s.o.Profile.EchoReasoning = rapid.Bool().Draw(t, "echo")
	s.o.Profile.NoReplay = rapid.IntRange(0, 4).Draw(t, "no replay") == 0
	keys := rapid.SampledFrom([]string{"", `{"a":1}`, `{"signature":"` + strings.Repeat("Ab+/", 60) + `"}`})
	thought := rapid.SampledFrom([]string{"", "so I thought", strings.Repeat("I think ", 50)})
	for _, list := range [][]Message{s.past, s.o.Turn} {
		for i := range list {
			m := &list[i]
			m.Origin = rapid.SampledFrom([]Origin{one, one, other, {}}).Draw(t, "origin")
			m.Replay, m.Reasoning = keys.Draw(t, "keys"), thought.Draw(t, "reasoning")
			for k := range m.ToolCalls {
				m.ToolCalls[k].Replay = keys.Draw(t, "call's keys")
			}
		}
	}
}

// statuses are mostly of answers that arrived whole.
func statuses() *rapid.Generator[Status] {
	return rapid.SampledFrom([]Status{Complete, Complete, Complete, Imported, Interrupted, Streaming, Failed})
}

// pieces are what texts are made of: scripts of all kinds and directions, characters of several code
// points, bytes that are none, and winnow's own words.
var pieces = []string{
	"word ", "größer ", "猫が好き", "صباح الخير ", "नमस्ते ", "한국어", "👩‍👩‍👧‍👦", "e\u0301", "a\u0323\u0302\u0301", "\u200d", "\u202eabc", "🇩🇪", "👍🏽",
	"line\n", "\r\n", "\xff", "\x00", "\xf0\x9f", "[Earlier messages truncated]", "[Earlier messages truncated]\n\n", " ... (truncated)",
	" ... (truncated, original: 9000 chars)", "\n[... 38 characters left out ...]\n", " [interrupted]", "[tool result] ",
}

func text() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := ""
		for range rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "pieces") {
			piece := rapid.SampledFrom(pieces).Draw(t, "piece")
			n := rapid.SampledFrom([]int{0, 1, 1, 2, 5, 20, 40, 155, 400, 9000}).Draw(t, "times")
			s += strings.Repeat(piece, min(n, 20000/len(piece)))
		}
		return s
	})
}

// remedies are what a user chose for some messages, damaged or not: none for half of the histories.
func remedies(t *rapid.T, past []Message) map[int64]Remedy {
	if rapid.Bool().Draw(t, "without remedies") {
		return nil
	}
	chosen := map[int64]Remedy{}
	for _, m := range past {
		if r := rapid.SampledFrom([]Remedy{SendRepaired, SendRepaired, SendAsText, LeaveOut}).Draw(t, "remedy"); r != SendRepaired {
			chosen[m.ID] = r
		}
	}
	return chosen
}

func options(t *rapid.T, past []Message) Options {
	p, err := Preset(rapid.SampledFrom(Presets()).Draw(t, "preset"))
	if err != nil {
		t.Fatal(err)
	}
	p.Budget = rapid.SampledFrom([]int{0, 100, 300, 800, 2000, 6000, 20000}).Draw(t, "budget")
	p.StepTokens = rapid.SampledFrom([]int{0, 16, 128, 1024}).Draw(t, "step")
	p.MaxContextTokens = rapid.SampledFrom([]int{500, 4000, 32000}).Draw(t, "max_context_tokens")
	p.ToolHistory = rapid.SampledFrom([]ToolHistory{ToolsKeep, ToolsKeep, ToolsText, ToolsDrop}).Draw(t, "tool_history")
	if p.Strategy == DropMiddle {
		p.Strategy = rapid.SampledFrom([]Strategy{DropMiddle, DropMiddle, DropOldest, DropTurns}).Draw(t, "strategy")
	}
	if rapid.Bool().Draw(t, "recalling") {
		p.RecallMaxTokens = rapid.SampledFrom([]int{20, 200, 4096, NoLimit}).Draw(t, "recall_max_tokens")
	}
	if rapid.IntRange(0, 3).Draw(t, "summarizing") == 0 {
		p.SummarizeRatio = 0.5
	}
	p.SummaryAlways = rapid.IntRange(0, 5).Draw(t, "always") == 0
	if rapid.Bool().Draw(t, "capped") {
		p.MaxMessages = rapid.IntRange(0, 12).Draw(t, "max_messages")
	}
	o := Options{Policy: p, Flags: map[int64]Flag{}, Ratio: rapid.SampledFrom([]float64{0, 1, 1.37, 0.7}).Draw(t, "ratio")}
	if n := len(past); n > 0 && rapid.Bool().Draw(t, "summarized") {
		o.Summaries = []Summary{{Messages: IDRanges{{past[0].ID, past[rapid.IntRange(0, n-1).Draw(t, "upto")].ID}}, Text: "They spoke of words.", By: "some/model"}}
	}
	o.System = rapid.SampledFrom([]string{"", "Be kind."}).Draw(t, "system")
	o.Profile = Profile{
		MergeSameRole: rapid.IntRange(0, 3).Draw(t, "merge") == 0,
		NoToolToUser:  rapid.IntRange(0, 3).Draw(t, "bridge") == 0,
	}
	o.Profile.NoImages = rapid.IntRange(0, 5).Draw(t, "blind") == 0
	o.Profile.ToolsAsText = rapid.IntRange(0, 4).Draw(t, "tools as text") == 0
	if rapid.IntRange(0, 3).Draw(t, "short ids") == 0 {
		o.Profile.ToolIDLength = 9
	}
	o.Remedies = remedies(t, past)
	for _, m := range past {
		if f := rapid.SampledFrom([]Flag{"", "", "", "", "", "", Pin, Exclude}).Draw(t, "flag"); f != "" {
			o.Flags[m.ID] = f
		}
	}
	return o
}
