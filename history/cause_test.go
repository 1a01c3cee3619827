package history

import (
	"os"
	"reflect"
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
	seen := map[CauseCode]bool{}
	for line := range strings.Lines(string(recorded)) {
		sentence := strings.TrimSuffix(line, "\n")
		var c Cause
		if err := c.UnmarshalText([]byte(sentence)); err != nil || c.Code == NoCause {
			t.Errorf("%q has no code, %v", sentence, err)
			continue
		}
		seen[c.Code] = true
		// What was sent in the running turn got other words since.
		want := strings.Replace(sentence, "it belongs to the running turn", "it belongs to this turn", 1)
		if got := c.Sentence(); got != want {
			t.Errorf("%q is read as %+v, which says %q", sentence, c, got)
		}
	}
	for code := NoCause + 1; code < causeCodes; code++ {
		if !seen[code] {
			t.Errorf("no recorded sentence has the code %s", code)
		}
	}
}

// A cause is the same after it was written to a record, whatever its text is.
func TestCausesAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Cause{
			Code:  CauseCode(rapid.IntRange(1, int(causeCodes)-1).Draw(t, "code")),
			Front: rapid.Bool().Draw(t, "front"),
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
	for code := NoCause + 1; code < causeCodes; code++ {
		name, sentence := code.String(), causeSentences[code]
		if name == "" || names[name] || strings.ContainsAny(name, " =") {
			t.Errorf("code %d has the name %q", code, name)
		}
		if sentence == "" || sentences[sentence] {
			t.Errorf("%s has the sentence %q", name, sentence)
		}
		names[name], sentences[sentence] = true, true
	}
}

// Nothing of a plan depends on the words of a sentence.
//
// rules: I19
func TestOtherWordsChangeNothingOfAPlan(t *testing.T) {
	words := causeSentences
	t.Cleanup(func() { causeSentences = words })
	type facts struct{ fellOut, leftOut, outOfScope, sent bool }
	judged := func(p Plan) []facts {
		var list []facts
		for _, e := range p.Entries {
			list = append(list, facts{e.FellOut(), e.LeftOut(), e.outOfScope(), e.Sent()})
		}
		return list
	}
	check(t, func(t *rapid.T, s scene) {
		causeSentences = words
		plan, _ := Build(s.past, s.o)
		before := judged(plan)
		for code := range causeSentences {
			causeSentences[code] = "reworded"
		}
		other, _ := Build(s.past, s.o)
		if !reflect.DeepEqual(plan, other) || !reflect.DeepEqual(before, judged(other)) {
			t.Fatalf("with other words the plan is %+v, it was %+v", other, plan)
		}
	})
}
