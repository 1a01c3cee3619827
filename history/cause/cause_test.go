package cause

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A cause is the same after it was written to a record, whatever its text is.
func TestCausesAreReadAsTheyWereWritten(t *testing.T) {
	codes := slices.Sorted(maps.Keys(words))
	rapid.Check(t, func(t *rapid.T) {
		c := Cause{
			Code:   rapid.SampledFrom(codes).Draw(t, "code"),
			Front:  rapid.Bool().Draw(t, "front"),
			NoCall: rapid.Bool().Draw(t, "alone"),
			Want:   rapid.IntRange(-3, 1<<40).Draw(t, "want"),
			Have:   rapid.IntRange(-3, 1<<40).Draw(t, "have"),
			Limit:  rapid.IntRange(-3, 1<<40).Draw(t, "limit"),
			Text:   rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"text=", " front", "have=3"})).Draw(t, "text"),
		}
		written, err := c.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var read Cause
		if err := read.UnmarshalText(written); err != nil || read != c {
			t.Errorf("%+v is written as %q and read as %+v, %v", c, written, read, err)
		}
	})
}

// Each code has a sentence of its own, and a name that can be read back.
func TestCodesHaveSentences(t *testing.T) {
	sentences := map[string]Code{}
	for code, w := range words {
		if other, twice := sentences[w.sentence]; w.sentence == "" || twice {
			t.Errorf("%s and %s have the sentence %q", code, other, w.sentence)
		}
		if strings.ContainsAny(string(code), " =") {
			t.Errorf("%q cannot be a name", code)
		}
		sentences[w.sentence] = code
	}
}

// What was done to arguments is said in as many sentences as it takes.
func TestArgumentsAreExplained(t *testing.T) {
	for _, tt := range []struct {
		cause Cause
		want  string
	}{
		{Cause{Code: ArgumentsRepaired, Have: 8}, "The arguments of this call were cut off after 8 characters; the complete part is sent."},
		{Cause{Code: ArgumentsRepaired, Want: 2, Have: 1200}, "The arguments of this call were not valid JSON at character 2; they are sent repaired. " +
			"The arguments of this call were cut off after 1,200 characters; the complete part is sent."},
		{Cause{Code: ArgumentsValue}, `These arguments were not an object; they are sent as {"value": …}.`},
		{Cause{Code: ArgumentsUnwrapped}, "These arguments were an object in a string; the object itself is sent."},
		{Cause{Code: ArgumentsUnwrapped, Have: 12}, "These arguments were an object in a string; the object itself is sent. " +
			"The arguments of this call were cut off after 12 characters; the complete part is sent."},
		{Cause{Code: ResultMissing, Text: "read"}, "No result was recorded for the call read; a placeholder result is sent instead."},
	} {
		if got := tt.cause.Sentence(); got != tt.want {
			t.Errorf("%+v says\n%s, want\n%s", tt.cause, got, tt.want)
		}
	}
}
