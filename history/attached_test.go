package history

import "testing"

// What a file costs is what is sent of it, its name included.
func TestFilesCostWhatIsSent(t *testing.T) {
	file := Part{Kind: TextPart, Name: "a.txt", Text: "one two three"}
	if got := overhead(&Message{Parts: []Part{file}}, words); got != words(file.Sent()) || got <= 3 {
		t.Errorf("the file costs %d, want %d", got, words(file.Sent()))
	}
}
