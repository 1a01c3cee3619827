package cause

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A cause is the same after it was written to a record, whatever its text is.
func TestCausesAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Cause{
			Code:  Code(rapid.IntRange(1, int(codes)-1).Draw(t, "code")),
			Front: rapid.Bool().Draw(t, "front"),
			Alone: rapid.Bool().Draw(t, "alone"),
			Want:  rapid.IntRange(-3, 1<<40).Draw(t, "want"),
			Have:  rapid.IntRange(-3, 1<<40).Draw(t, "have"),
			Limit: rapid.IntRange(-3, 1<<40).Draw(t, "limit"),
			Text:  rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"text=", " front", "have=3"})).Draw(t, "text"),
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

// Each code has a name and a sentence of its own.
func TestCodesHaveNamesAndSentences(t *testing.T) {
	names, sentences := map[string]bool{}, map[string]bool{}
	for code := None + 1; code < codes; code++ {
		name, sentence := code.String(), words[code].sentence
		if name == "" || names[name] || strings.ContainsAny(name, " =") {
			t.Errorf("code %d has the name %q", code, name)
		}
		if sentence == "" || sentences[sentence] {
			t.Errorf("%s has the sentence %q", name, sentence)
		}
		names[name], sentences[sentence] = true, true
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
			"The arguments of this call were cut off after 1200 characters; the complete part is sent."},
		{Cause{Code: ArgumentsValue}, `The arguments of this call were not an object; they are sent as {"value": …}.`},
		{Cause{Code: ArgumentsUnwrapped}, "The arguments of this call were an object written as a string; the object itself is sent."},
		{Cause{Code: ArgumentsUnwrapped, Have: 12}, "The arguments of this call were an object written as a string; the object itself is sent. " +
			"The arguments of this call were cut off after 12 characters; the complete part is sent."},
		{Cause{Code: ResultMissing, Text: "read"}, "The call read has no recorded result; a neutral note is sent instead."},
	} {
		if got := tt.cause.Sentence(); got != tt.want {
			t.Errorf("%+v says\n%s, want\n%s", tt.cause, got, tt.want)
		}
	}
}
