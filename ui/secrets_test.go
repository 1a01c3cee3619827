package ui

import (
	"strings"
	"testing"

	"winnow/ui/inspector"
	"winnow/ui/theme"
)

// someKey looks like a secret to findKey, and ourKey is known.
const (
	someKey = "sk-0123456789abcdef"
	ourKey  = "our-own-key"
)

func findKey(text string, shapes bool) (spans [][2]int) {
	for at := 0; ; {
		i, key := -1, ""
		for _, k := range []string{ourKey, someKey} {
			if n := strings.Index(text[at:], k); n >= 0 && (i < 0 || n < i) && (shapes || k == ourKey) {
				i, key = n, k
			}
		}
		if i < 0 {
			return spans
		}
		spans = append(spans, [2]int{at + i, at + i + len(key)})
		at += i + len(key)
	}
}

func TestSecretsAreHiddenBesideTheTranscriptUntilTheyAreRevealed(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.Secrets = theme.Secrets{Find: findKey}
	l.say("My key is " + someKey + ", ours is " + ourKey + ".")
	l.until("the title", func() bool { return l.Info.Title != "" })
	inTranscript := func() string { return strings.Join(l.Chat.View(), "\n") }
	if !strings.Contains(inTranscript(), someKey) || !strings.Contains(inTranscript(), ourKey) {
		t.Errorf("the transcript does not say what was said:\n%s", inTranscript())
	}
	rows := func() string {
		l.Panel.Focused = true
		return strings.Join(l.Panel.View(70, 30), "\n")
	}
	for range 2 {
		if !strings.Contains(rows(), "My key is "+theme.Redacted) || strings.Contains(rows(), someKey) {
			t.Fatalf("the panel's rows are\n%s", rows())
		}
		for what, text := range map[string]string{
			"the header": screenOf(l.Model).header(), "the window": l.View().WindowTitle,
		} {
			if strings.Contains(text, "sk-0") || strings.Contains(text, ourKey) {
				t.Errorf("%s says %q", what, text)
			}
		}
		l.Inspect(inspector.Subject{Message: l.Chat.Messages.ID(0)}, inspector.TextView)
		l.shows("My key is [redacted], ours is [redacted].")
		l.shows("2 secrets are hidden in this view; f3 shows possible secrets.")
		l.press("f3")
		l.shows("My key is " + someKey + ", ours is [redacted].")
		l.shows("Possible secrets are shown; f3 hides them.")
		l.press("tab") // as it is sent
		l.shows(someKey)
		l.press("esc")
		if !strings.Contains(rows(), someKey) || strings.Contains(rows(), ourKey) {
			t.Fatalf("the panel's revealed rows are\n%s", rows())
		}
		l.press("f3")
		l.shows("Possible secrets are hidden.")
	}
}
