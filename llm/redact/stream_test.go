package redact

import (
	"math/rand/v2"
	"strings"
	"testing"

	"winnow/llm/keys"
)

const (
	shortKey = "planted-0001"
	longKey  = "planted-0001-and-more-2"
	otherKey = "0001-and-other-3"
)

func TestTheLongestKnownSecretIsReplaced(t *testing.T) {
	for name, order := range map[string][]string{"short first": {shortKey, longKey, otherKey}, "long first": {longKey, otherKey, shortKey}} {
		var r Redactor
		r.AddSecrets(order...)
		got := r.RedactKnown("a " + longKey + " b " + shortKey + " c " + otherKey + longKey[:15])
		if want := "a [redacted] b [redacted] c [redacted][redacted]" + longKey[12:15]; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if text := r.Redact(longKey); text != keys.Redacted {
			t.Errorf("%s: Text gives %q", name, text)
		}
	}
}

// A word that is used in place of a key is not a secret in a conversation.
func TestAWordForAKeyIsLeftInAConversation(t *testing.T) {
	var r Redactor
	words := []string{"ollama", "lm-studio", "not-needed", "sk-no-key-required", "EMPTY", "dummy"}
	r.AddSecrets(words...)
	if text := strings.Join(words, " "); r.RedactKnown(text) != text {
		t.Errorf("got %q, want %q", r.RedactKnown(text), text)
	}
	r.AddSecrets("Sk0-real-key")
	if got := r.RedactKnown("my Sk0-real-key here"); got != "my [redacted] here" {
		t.Errorf("got %q", got)
	}
}

// The result does not depend on how an answer is split into pieces.
func TestASecretThatIsSplitIsReplaced(t *testing.T) {
	var r Redactor
	r.AddSecrets(shortKey, longKey, otherKey)
	random := rand.New(rand.NewPCG(7, 7))
	parts := []string{shortKey, longKey, otherKey, "plan", "planted-", "0001", " and é ", "\n", "0001-and"}
	for i := range 20_000 {
		var whole strings.Builder
		for range 1 + random.IntN(8) {
			whole.WriteString(parts[random.IntN(len(parts))])
		}
		whole.WriteString(".")
		text, s := whole.String(), r.Stream()
		var got strings.Builder
		for rest := text; rest != ""; {
			n := 1 + random.IntN(min(len(rest), 9))
			got.WriteString(s.Redact(rest[:n]))
			rest = rest[n:]
		}
		got.WriteString(s.Flush())
		if want := r.RedactKnown(text); got.String() != want {
			t.Fatalf("case %d: %q came out as %q, want %q", i, text, got.String(), want)
		}
	}
}
