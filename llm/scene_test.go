package llm

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"winnow/history"
)

// strictScene is a random conversation, damaged in some of the ways of the world, and what decides
// its request.
type strictScene struct {
	messages []history.Message
	o        history.Options
}

// GoString shows a scene as a failure needs it.
func (s strictScene) GoString() string { return s.String() }

func (s strictScene) String() string {
	p := s.o.Policy
	return fmt.Sprintf("system %q ratio %g flags %v remedies %v policy %+v\n%sturn\n%s", s.o.System, s.o.Ratio, s.o.Flags, s.o.Remedies, p, shown(s.messages), shown(s.o.Turn))
}

func strictScenes() *rapid.Generator[strictScene] {
	return rapid.Custom(func(t *rapid.T) strictScene {
		p := pick(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "way") })
		h := conversation(p)
		for range rapid.SampledFrom([]int{0, 1, 2, 3, 6, 15}).Draw(t, "corruptions") {
			h = corruptions[p(len(corruptions))].harm(h, p)
		}
		s := strictScene{messages: numbered(h, 1)}
		s.o = randomOptions(t, p, s.messages)
		calls := p(4) == 0
		turn := past{{Role: history.User, Content: "the current question " + phrase(p), Parts: attached(p), Status: history.Complete}}
		if calls {
			running := past(group(p.of("call_0", "run_1", ""), p.of("read", "list"), `{"path":"x"}`, phrase(p)))
			for range p(3) {
				running = corruptions[p(len(corruptions))].harm(running, p)
			}
			turn = append(turn, running...)
		}
		s.o.Turn = numbered(turn, 5000)
		return s
	})
}

// conversation is a sound one with tools, images and messages of every length.
func conversation(p pick) past {
	var h past
	calls := 0
	for range p(12) {
		switch p(6) {
		case 0, 1:
			h = append(h, history.Message{Role: history.User, Name: p.of("", "ann"), Content: "a question " + phrase(p), Parts: attached(p), Status: history.Complete})
		case 2, 3:
			h = append(h, history.Message{Role: history.Assistant, Content: "an answer " + phrase(p), Parts: attached(p), Reasoning: phrase(p), Origin: origin(p), Replay: p.of("", `{"extra_content":{}}`), Status: []history.Status{history.Complete, history.Interrupted, history.Imported}[p(3)]})
		default:
			head := history.Message{Role: history.Assistant, Content: p.of("", "I look.", phrase(p)), Reasoning: p.of("", "because"), Origin: origin(p), Status: history.Complete}
			var results past
			for range 1 + p(3) {
				id := fmt.Sprintf("call_%d", calls)
				calls++
				head.ToolCalls = append(head.ToolCalls, history.ToolCall{ID: id, Name: p.of("read", "list_files"), Arguments: p.of(`{}`, `{"path":"x"}`, `{ "n" : 1e3, "s":"\ud83d\ude00" }`), Replay: p.of("", signature)})
				results = append(results, history.Message{Role: history.Tool, ToolCallID: id, Content: "a result " + phrase(p), Parts: attached(p), Status: history.Complete})
			}
			h = append(append(h, head), results...)
		}
	}
	return h
}

// origin is who answered.
func origin(p pick) history.Origin {
	return []history.Origin{own, {Endpoint: "elsewhere", Model: "another"}, {}}[p(3)]
}

// attached are the parts of a message, mostly none.
func attached(p pick) []history.Part {
	switch p(8) {
	case 0:
		return []history.Part{{Kind: history.ImagePart, Name: "cat.png", MediaType: "image/png", Data: []byte("PNG")}}
	case 1:
		return []history.Part{{Kind: history.TextPart, Name: "a.txt", Text: p.of("hello", "", " ", phrase(p))}}
	case 2:
		return []history.Part{{Kind: history.TextPart, Text: ""}, {Kind: history.ImagePart, MediaType: "image/jpeg", Data: []byte("JPG")}}
	case 3:
		return []history.Part{{Kind: history.ImagePart, MediaType: p.of("image/png", "image/svg+xml", "", "application/pdf"), Data: []byte(p.of("", "PDF"))}}
	}
	return nil
}

// phrase is a text of any length and script.
func phrase(p pick) string {
	piece := p.of("word ", "größer ", "猫が好き", "👩‍👩‍👧‍👦", "e\u0301", "line\n", "[Earlier messages truncated]", " ... (truncated)", "🇩🇪", "\u202e", " ", `{"a":"\u0000"}`, `\u0000`)
	n := []int{0, 0, 1, 2, 5, 40, 155, 400, 9000}[p(9)]
	return strings.Repeat(piece, min(n, 20000/len(piece)))
}

func randomOptions(t *rapid.T, p pick, messages []history.Message) history.Options {
	presets := history.Presets()
	policy, err := history.Preset(presets[p(len(presets))])
	if err != nil {
		t.Fatal(err)
	}
	policy.Budget = []int{0, 60, 100, 300, 800, 2000, 6000, 20000}[p(8)]
	policy.StepTokens = []int{0, 16, 128, 1024}[p(4)]
	policy.Placement = []history.Placement{history.Steady, history.InOrder}[p(2)]
	policy.MidSystem = []history.MidSystem{history.Hoist, history.Inline}[p(2)]
	policy.ToolHistory = []history.ToolHistory{history.ToolsKeep, history.ToolsKeep, history.ToolsKeep, history.ToolsText, history.ToolsDrop}[p(5)]
	policy.Recovery = []history.Recovery{history.RecoverRepair, history.RecoverRepair, history.RecoverStrip}[p(3)]
	policy.MarkerDetail = p(2) == 0
	switch p(8) {
	case 0:
		policy.MaxMessages = p(8)
	case 1:
		policy.UserMaxChars, policy.AssistantMaxChars, policy.ToolMaxChars = p(3), p(3), p(3)
	case 2:
		policy.UserSuffix, policy.AssistantSuffix = "", ""
	case 3:
		policy.Marker, policy.MarkerCounted = p.of("-", "[…]"), p.of("", " ", "{n}")
	}
	if err := policy.Check(); err != nil {
		t.Fatalf("a policy that nobody can have: %v", err)
	}
	o := history.Options{Policy: policy, Flags: map[int64]history.Flag{}, Ratio: []float64{0, 1, 1.37}[p(3)]}
	o.System = p.of("", "Be kind.", " \n", "Be\x00kind \xff.")
	for _, m := range messages {
		if f := []history.Flag{"", "", "", "", "", "", history.Pin, history.Exclude}[p(8)]; f != "" {
			o.Flags[m.ID] = f
		}
	}
	if p(2) == 0 {
		o.Remedies = map[int64]history.Remedy{}
		for _, m := range messages {
			o.Remedies[m.ID] = []history.Remedy{history.SendRepaired, history.SendRepaired, history.SendAsText, history.LeaveOut}[p(4)]
		}
	}
	return o
}
