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
