package llm

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"winnow/history"
)

// strictScene is a random conversation, damaged in realistic ways, and the options of its request.
type strictScene struct {
	messages []history.Message
	o        history.Options
}

// GoString is for rapid's report of a failure.
func (s strictScene) GoString() string { return s.String() }

func (s strictScene) String() string {
	p := s.o.Policy
	return fmt.Sprintf("system %q ratio %g flags %v remedies %v policy %+v\n%sturn\n%s", s.o.System, s.o.Ratio, s.o.Flags, s.o.Remedies, p, shown(s.messages), shown(s.o.Turn))
}

func strictScenes() *rapid.Generator[strictScene] {
	return rapid.Custom(func(t *rapid.T) strictScene {
		p := pick(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "way") })
		world := []int{1000, 12, 3}[p(3)] // one in so many elements is damaged
		damaged := func() bool { return p(world) == 0 }
		s := strictScene{messages: numbered(p.conversation(damaged), 1)}
		s.o = randomOptions(t, p, s.messages)
		turn := []history.Message{{Role: history.User, Content: "the current question " + phrase(p), Parts: attached(p), Status: history.Complete}}
		if p(4) == 0 {
			running := p.round(0, damaged)
			running[0].Origin = own // The running turn has the provider data of the model.
			for k := range running[0].ToolCalls {
				running[0].ToolCalls[k].Replay = signature
			}
			turn = append(turn, running...)
		}
		s.o.Turn = numbered(turn, 5000)
		return s
	})
}

// pick chooses one of n ways, from 0.
type pick func(n int) int

// of chooses one of some texts.
func (p pick) of(texts ...string) string { return texts[p(len(texts))] }

// conversation has tools, images and messages of any length, some of them damaged.
func (p pick) conversation(damaged func() bool) []history.Message {
	var h []history.Message
	for calls := range p(12) {
		switch p(3) {
		case 0:
			h = append(h, history.Message{Role: history.User, Name: p.of("", "ann"), Content: "a question " + phrase(p), Parts: attached(p)})
		case 1:
			h = append(h, history.Message{Role: history.Assistant, Content: "an answer " + phrase(p), Parts: attached(p), Reasoning: phrase(p), Origin: origin(p), Replay: p.of("", `{"extra_content":{}}`)})
		default:
			h = append(h, p.round(calls*3, damaged)...)
		}
	}
	for i := range h {
		h[i].Status = history.Complete
		if damaged() { // with a wrong status, content or role
			h[i].Status = []history.Status{history.Interrupted, history.Failed, history.Streaming, history.Imported, history.Quarantined}[p(5)]
		}
		if damaged() {
			h[i].Content = p.of("", " ", "\r\n", "\u00a0", garbage(p), strings.Repeat("\x00\x01\x02\xff", 2000))
		}
		if damaged() {
			h[i].Role = history.Role(p.of("system", "critic", "developer", ""))
		}
	}
	for at := len(h) - 1; at >= 0; at-- { // missing, duplicated or in the wrong place
		switch m := h[at]; {
		case !damaged():
		case p(3) == 0:
			h = slices.Delete(h, at, at+1)
		case p(2) == 0:
			h = slices.Insert(h, at, m)
		default:
			h = slices.Delete(h, at, at+1)
			h = slices.Insert(h, p(len(h)+1), m)
		}
	}
	return h
}

// round is an answer with calls and their results. The IDs of the calls are numbered from first.
func (p pick) round(first int, damaged func() bool) []history.Message {
	head := history.Message{Role: history.Assistant, Content: p.of("", "I look.", phrase(p)), Reasoning: p.of("", "because"), Origin: origin(p), Status: history.Complete}
	var results []history.Message
	for n := range 1 + p(3) {
		call := history.ToolCall{ID: fmt.Sprintf("call_%d", first+n), Name: p.of("read", "list_files"), Arguments: p.of(`{}`, `{"path":"x"}`, `{ "n" : 1e3, "s":"\ud83d\ude00" }`), Replay: p.of("", signature)}
		result := history.Message{Role: history.Tool, ToolCallID: call.ID, Content: "a result " + phrase(p), Parts: attached(p), Status: history.Complete}
		if damaged() {
			call.Arguments = badArguments[p(len(badArguments))]
		}
		if damaged() {
			call.ID = p.of("call_0", "", " ", "call 1", "кол", "c.1", "a/b:c", strings.Repeat("long_", 20), garbage(p))
		}
		if damaged() {
			call.Name = p.of("", " ", "functions.read", "mcp/list files", "読む", strings.Repeat("tool", 40), "read\n", garbage(p))
		}
		if damaged() {
			result.ToolCallID = p.of("gone", "", "call_0", call.ID)
		}
		head.ToolCalls, results = append(head.ToolCalls, call), append(results, result)
	}
	return append([]history.Message{head}, results...)
}

// badArguments are arguments of calls that are not a JSON object.
var badArguments = []string{
	`{"path":"a.tx`, `{"path":"C:\Users\me"`, `{path: 'a.txt',}`, "```json\n{\"path\":\"a\nb\"}\n```", `I would call read("a.txt")`,
	`{"a":[1,{"b":"\u12`, "{\"a\":\"\xff", "", " ", "\u00a0", "\ufeff", "null", "123", `["a"]`, `"{\"path\":\"a.txt\"}"`, "1e400",
	`{"a":1}{"b":2}`, `{}{}`, `{"a":1} {"b":2} {"c":3}`, `{"a":1}{"b":`, `{"a":1}[]`,
}

// garbage is invalid text, damaged in realistic ways.
func garbage(p pick) string {
	return p.of("a\xff\xfeb", "a\x00b", "\xe7\x8c", "\x00", "\xed\xa0\x80 half a pair", "latin \xe4\xf6\xfc")
}

// own is the origin of the model in use; targets replace the endpoint by their own.
var own = history.Origin{Endpoint: "own", Model: targetModel}

// signature is provider data that Gemini requires with a call.
const signature = `{"extra_content":{"google":{"thought_signature":"c2ln"}}}`

// group is a call with its result.
func group(id, name, arguments, result string) []history.Message {
	return []history.Message{
		{Role: history.Assistant, ToolCalls: []history.ToolCall{{ID: id, Name: name, Arguments: arguments, Replay: signature}}, Origin: own, Status: history.Complete},
		{Role: history.Tool, ToolCallID: id, Content: result, Status: history.Complete},
	}
}

// origin is the origin of an answer.
func origin(p pick) history.Origin {
	return []history.Origin{own, {Endpoint: "elsewhere", Model: "another"}, {}}[p(3)]
}

// attached are the parts of a message, usually none.
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
