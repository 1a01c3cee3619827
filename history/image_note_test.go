package history

import (
	"slices"
	"strings"
	"testing"

	"winnow/history/cause"
)

// talkOfAnImage is a conversation whose first message has an image, long enough that it does not fit into 1,500 tokens.
func talkOfAnImage() []Message {
	image := Part{Kind: ImagePart, Name: "Plan.png", MediaType: "image/png", Data: []byte{1}, Tokens: 700}
	past := []Message{{ID: 1, Role: User, Content: "Here is the house.", Parts: []Part{image}}, {ID: 2, Role: Assistant, Content: "A house with two doors."}}
	for i := range 12 {
		past = append(past,
			Message{ID: int64(3 + 2*i), Role: User, Content: strings.Repeat("garden ", 20)},
			Message{ID: int64(4 + 2*i), Role: Assistant, Content: strings.Repeat("flower ", 40)})
	}
	return past
}

// planOfImage asks a question of talkOfAnImage.
func planOfImage(t *testing.T, question string, set func(*Policy)) Plan {
	t.Helper()
	policy, err := Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	policy.Budget = 1500
	set(&policy)
	plan, err := Build(talkOfAnImage(), Options{Policy: policy, Turn: []Message{{Role: User, Content: question}}, Count: words})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// imagesOf are the names of the images in a message of a request.
func imagesOf(m Message) []string {
	var names []string
	for _, p := range m.Parts {
		if p.Kind == ImagePart {
			names = append(names, p.Name)
		}
	}
	return names
}

// An older image is a note where the budget is short, and the text of its message stays whole.
func TestAnOlderImageIsANoteWhereTheBudgetIsShort(t *testing.T) {
	t.Parallel()
	budget := func(n int) func(*Policy) { return func(p *Policy) { p.Budget = n } }
	plan := planOfImage(t, "And the flowers?", budget(900))
	first, e := plan.Messages[0], plan.Entries[0]
	if len(imagesOf(first)) > 0 || len(first.Parts) != 1 || first.Parts[0].Text != "[image Plan.png, not sent]" || !strings.HasPrefix(first.Content, "Here is the house.") {
		t.Errorf("the first message is sent as %+v", first)
	}
	if e.Disposition != Cut || e.Cause.Code != cause.ImageNote || !e.Whole || e.TokensAfter >= 100 || e.TokensBefore < 700 {
		t.Errorf("its verdict is %+v", e)
	}
	if plan := planOfImage(t, "And the flowers?", budget(5000)); !slices.Equal(imagesOf(plan.Messages[0]), []string{"Plan.png"}) || plan.Entries[0].Disposition != Kept {
		t.Errorf("with a budget of 5,000 the first message is sent as %+v: %+v", plan.Messages[0], plan.Entries[0])
	}
	if plan := planOfImage(t, "And the flowers?", func(p *Policy) { p.Budget, p.ImageNotes = 900, false }); plan.Entries[0].Cause.Code == cause.ImageNote {
		t.Errorf("without image_notes the verdict is %+v", plan.Entries[0])
	}
}

// Whoever names an image that is a note has it sent again, with the current message.
func TestAnImageIsRecalledByItsName(t *testing.T) {
	t.Parallel()
	plan := planOfImage(t, "How many doors has plan.png?", func(*Policy) {})
	last := plan.Messages[len(plan.Messages)-1]
	if got := imagesOf(last); !slices.Equal(got, []string{"Plan.png"}) {
		t.Errorf("the current message has the images %q\n%s", got, planText(plan, nil))
	}
	if e := plan.Entries[0]; e.Disposition != Recalled || !e.Recalled || e.TokensAfter < 700 {
		t.Errorf("the verdict is %+v", e)
	}
	if !strings.Contains(last.Content, "[image Plan.png, attached to this message]") ||
		!strings.HasSuffix(last.Content, "How many doors has plan.png?") {
		t.Errorf("the current message is %q", last.Content)
	}
}
