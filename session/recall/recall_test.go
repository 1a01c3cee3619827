package recall

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAnswerHoldsTheBestThatFit(t *testing.T) {
	found := []FoundMessage{
		{Number: 3, Role: "user", At: time.Date(2026, 5, 1, 9, 30, 0, 0, time.UTC), Sent: "not in your " +
			"context", Text: "one"},
		{Number: 7, Role: "assistant", Sent: "10 of 90 characters are in your context", Text: "two"},
	}
	count := func(text string) int { return len(text) }
	got, used := FormatAnswer("x", found, 1000, count)
	want := `Messages that are not, or not whole, in your context, the best match first.

[message 3, user, 2026-05-01 09:30, not in your context]
one

[message 7, assistant, 10 of 90 characters are in your context]
two
`
	if got != want || used != 2 {
		t.Errorf("%d messages:\n%s\nwant 2:\n%s", used, got, want)
	}
	if got, used = FormatAnswer("x", found, 10, count); used != 1 || !strings.Contains(got, "Of 2 that match") {
		t.Errorf("where little fits, %d messages:\n%s\nwant the best, and how many match", used, got)
	}
	if got, used = FormatAnswer("x", nil, 10, count); used != 0 || !strings.Contains(got, "Nothing") {
		t.Errorf("where nothing was found: %q", got)
	}
}

func TestExcerptHoldsWhatTheQueryIsAbout(t *testing.T) {
	filler := strings.Repeat("Some other words that nobody looks for. ", 200)
	for name, c := range map[string]struct{ text, query, want string }{
		"in the middle":    {filler + "The key is under the mat." + filler, "keys mat", "The key is under the mat."},
		"at the end":       {filler + "The key is under the mat.", "mat", "The key is under the mat."},
		"the densest":      {"A key. " + filler + "The key is under the mat." + filler, "key mat", "under the mat."},
		"without spaces":   {filler + "鍵は玄関の下にある" + filler, "玄関", "鍵は玄関の下にある"},
		"nothing is there": {"First. " + filler, "zebra", "First."},
	} {
		if got := Excerpt(c.text, c.query, 300); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q in it", name, got, c.want)
		}
	}
}

// TestExcerptIsPartOfItsText holds for any text, query and length.
func TestExcerptIsPartOfItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 400, -1).Draw(t, "text")
		query, limit := rapid.StringN(0, 30, -1).Draw(t, "query"), rapid.IntRange(1, 200).Draw(t, "limit")
		got := Excerpt(text, query, limit)
		lines := strings.Split(got, "\n")
		if strings.HasPrefix(got, "[… ") && !strings.HasPrefix(text, "[… ") {
			lines = lines[1:]
		}
		if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], "[… ") && utf8.RuneCountInString(text) > limit {
			lines = lines[:n-1]
		}
		if part := strings.Join(lines, "\n"); utf8.ValidString(text) && !strings.Contains(text, part) {
			t.Fatalf("%q is no part of the text", part)
		}
	})
}
