package history

import "testing"

// What a part costs is counted where nobody has said it.
func TestPartsCostWhatTheyHold(t *testing.T) {
	for _, c := range []struct {
		name string
		part Part
		want int
	}{
		{"said", Part{Kind: TextPart, Text: "one two three", Tokens: 9}, 9},
		{"a file's text", Part{Kind: TextPart, Text: "one two three"}, 3},
		{"an image", Part{Kind: ImagePart, Data: []byte{1}}, ImageTokens},
	} {
		if got := overhead(&Message{Parts: []Part{c.part}}, words); got != c.want {
			t.Errorf("%s: the part costs %d, want %d", c.name, got, c.want)
		}
	}
}

func TestImagesThatServersRefuseBecomeNotes(t *testing.T) {
	whole := Part{Kind: ImagePart, Name: "cat.png", MediaType: "image/png", Data: []byte{1}}
	noKind, noData, drawing := whole, whole, whole
	noKind.MediaType, noData.Data, drawing.MediaType = "", nil, "image/svg+xml"
	for _, c := range []struct {
		name string
		role Role
		part Part
		want string // "" where the image is sent
	}{
		{"the user's", User, whole, ""},
		{"the model's", Assistant, whole, "[image cat.png, not sent]"},
		{"a tool's", Tool, whole, "[image cat.png, not sent]"},
		{"without a kind", User, noKind, "[image cat.png, not sent]"},
		{"of another kind", User, drawing, "[image cat.png, not sent]"},
		{"without data and name", User, Part{Kind: ImagePart, MediaType: "image/png"}, "[image, not sent]"},
		{"without data", User, noData, "[image cat.png, not sent]"},
	} {
		past := []Message{
			{ID: 1, Role: User, Content: "draw"},
			{ID: 2, Role: Assistant, ToolCalls: []ToolCall{{ID: "a", Name: "draw", Arguments: "{}"}}},
			{ID: 3, Role: Tool, ToolCallID: "a", Content: "drawn"},
			{ID: 4, Role: Assistant, Content: "there"},
		}
		at := map[Role]int{User: 0, Tool: 2, Assistant: 3}[c.role]
		past[at].Parts = []Part{c.part}
		p, err := Preset("balanced")
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Build(past, Options{Policy: p, Turn: []Message{{Role: User, Content: "now"}}})
		if err != nil {
			t.Fatal(err)
		}
		got, repairs := plan.Messages[at].Parts[0], plan.Entries[at].Repairs
		if c.want == "" && (got.Kind != ImagePart || len(repairs) > 0) || c.want != "" && (got.Text != c.want || len(repairs) != 1 || repairs[0].Kind != "C13") {
			t.Errorf("%s: got %+v, repairs %+v; want %q", c.name, got, repairs, c.want)
		}
		if past[at].Parts[0].Kind != ImagePart {
			t.Errorf("%s: the stored message is changed", c.name)
		}
	}
}

func TestEndpointsWithoutImagesOrToolsGetThemAsText(t *testing.T) {
	image := Part{Kind: ImagePart, Name: "cat.png", MediaType: "image/png", Data: []byte{1}}
	past := []Message{
		{ID: 1, Role: User, Content: "what is it", Parts: []Part{image}},
		{ID: 2, Role: Assistant, ToolCalls: []ToolCall{{ID: "a", Name: "look", Arguments: "{}"}}},
		{ID: 3, Role: Tool, ToolCallID: "a", Content: "a cat"},
		{ID: 4, Role: Assistant, Content: "a cat"},
	}
	p, err := Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	c := Read(past, words)
	seen := func(profile Profile) (Plan, string) {
		o := Options{Policy: p, Turn: []Message{{ID: 5, Role: User, Content: "and this", Parts: []Part{image}}}, Profile: profile, Count: words}
		plan, err := c.Build(o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range plan.Messages {
			for _, part := range plan.Messages[i].Parts {
				plan.Messages[i].Content += " <" + string(part.Kind) + " " + part.Text + ">"
			}
			plan.Messages[i].Parts = nil
		}
		return plan, requestText(plan)
	}
	whole, sees := seen(Profile{})
	plan, got := seen(Profile{NoImages: true, NoTools: true})
	want := `0 user: what is it <note [image cat.png, not sent]>
1 assistant: [called look with {}]\n\n[tool result] a cat
2 assistant: a cat
3 user: and this <note [image cat.png, not sent]>
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, i := range []int{0, 4} {
		if e := plan.Entries[i]; len(e.Repairs) != 1 || e.Repairs[0].Kind != "C13" || e.TokensAfter >= whole.Entries[i].TokensAfter || e.TokensAfter != e.TokensBefore {
			t.Errorf("entry %d: %+v, whole %+v", i, e, whole.Entries[i])
		}
	}
	if _, again := seen(Profile{}); again != sees || past[0].Parts[0].Kind != ImagePart {
		t.Errorf("a model that sees gets\n%s, and got before\n%s", again, sees)
	}
}

// A server that refuses tool calls gets those of the running turn as text too: the results as messages
// of the user, because a request must not end with an answer.
func TestToolCallsOfTheRunningTurnAsText(t *testing.T) {
	t.Parallel()
	p, err := Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	past := []Message{
		{ID: 1, Role: User, Content: "what is in a?"},
		{ID: 2, Role: Assistant, ToolCalls: []ToolCall{{ID: "a", Name: "read", Arguments: `{"path":"a"}`}}},
		{ID: 3, Role: Tool, ToolCallID: "a", Content: "apples"},
		{ID: 4, Role: Assistant, Content: "apples"},
	}
	turn := []Message{
		{ID: 5, Role: User, Content: "and in b and c?"},
		{ID: 6, Role: Assistant, Content: "Let me see.", ToolCalls: []ToolCall{{ID: "b", Name: "read", Arguments: `{"path":"b"}`}, {ID: "c", Name: "read", Arguments: `{"path":"c`}}},
		{ID: 7, Role: Tool, ToolCallID: "b", Content: "pears"},
		{ID: 8, Role: Tool, ToolCallID: "c", Content: "plums"},
	}
	plan, err := Build(past, Options{Policy: p, Turn: turn, Profile: Profile{ToolsAsText: true, MergeSameRole: true}, Count: words})
	if err != nil {
		t.Fatal(err)
	}
	want := `0 user: what is in a?
1 assistant: [called read with {"path":"a"}]\n\n[tool result] apples\n\napples
2 user: and in b and c?
3 assistant: Let me see.\n[called read with {"path":"b"}]\n[called read with {"path":"c"}]
4 user: [tool result] pears\n\n[tool result] plums
`
	if got := requestText(plan); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if shown := plan.Shown(); len(shown[4]) != 2 {
		t.Errorf("the last message is said to be the entries %v, want the two results", shown[4])
	}
}
