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
		{"an image", Part{Kind: ImagePart, Data: []byte{1}}, imageTokens},
	} {
		if got := overhead(Message{Parts: []Part{c.part}}, words); got != c.want {
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
