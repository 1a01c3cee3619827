package history

import (
	"os"
	"strings"
	"testing"
)

// TestValid reads the requests of valid.txt.
func TestValid(t *testing.T) {
	file, err := os.ReadFile("testdata/valid.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(file), "\n\n")[1:] {
		head, text, _ := strings.Cut(block, "\n")
		want, profile, _ := strings.Cut(head, "; ")
		got := "valid"
		if err := validate(parseMessages(t, text), parseOptions(t, profile).Profile); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s\ngot %s, want %s", block, got, want)
		}
	}
}
