package cause

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every sentence that a record may hold from before causes had codes has one, and says the same still.
//
// rules: I19
func TestSentencesOfOldRecordsHaveCodes(t *testing.T) {
	recorded, err := os.ReadFile("testdata/recorded-sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Code]bool{}
	for line := range strings.Lines(string(recorded)) {
		sentence := strings.TrimSuffix(line, "\n")
		var c Cause
		if err := c.UnmarshalText([]byte(sentence)); err != nil || c.Code == None {
			t.Errorf("%q has no code, %v", sentence, err)
			continue
		}
		seen[c.Code] = true
		// Two sentences got other words since.
		want := strings.NewReplacer("it belongs to the running turn", "it belongs to this turn", "exchange", "turn").Replace(sentence)
		if got := c.Sentence(); got != want {
			t.Errorf("%q is read as %+v, which says %q", sentence, c, got)
		}
	}
	for code := None + 1; code <= RecalledBlock; code++ {
		if !seen[code] {
			t.Errorf("no recorded sentence has the code %s", code)
		}
	}
}

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
		{Cause{Code: ArgumentsRepaired, Have: 8}, "The arguments of this call broke off after 8 characters; what had arrived whole is sent, closed."},
		{Cause{Code: ArgumentsRepaired, Text: "quote comma"}, "The arguments of this call were not valid JSON (quotes that JSON does not have, commas missing or too many); they are sent repaired."},
		{Cause{Code: ArgumentsList}, `The arguments of this call were a list, not an object; they are sent as {"value": …}.`},
		{Cause{Code: ArgumentsUnwrapped}, "The arguments of this call were an object written as a string; the object itself is sent."},
		{Cause{Code: ArgumentsUnwrapped, Text: "literal", Have: 1200, Want: 1300}, "The arguments of this call were an object written as a string; the object itself is sent. The arguments of this call were not valid JSON (literals of another language); they are sent repaired. The arguments of this call broke off after 1200 characters; what had arrived whole is sent, closed. 1300 characters behind the object are not sent."},
		{Cause{Code: ResultMissing, Text: "read"}, "No result of the call read is recorded; a neutral note stands in for it."},
	} {
		if got := tt.cause.Sentence(); got != tt.want {
			t.Errorf("%+v says\n%s, want\n%s", tt.cause, got, tt.want)
		}
	}
}
