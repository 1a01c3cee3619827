package transcript

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFinder(t *testing.T) {
	for _, c := range []struct {
		needle, text string
		want         []Span
	}{
		{"parse", "Parse it, then PARSE it", []Span{{0, 5}, {15, 20}}},
		{"Parse", "Parse it, then PARSE it", []Span{{0, 5}}},
		{"ÄRGER", "ärger ÄRGER", []Span{{6, 11}}},
		{"ärger", "ärger ÄRGER A\u0308rger", []Span{{0, 5}, {6, 11}, {12, 18}}},
		{"strasse", "Die Straße", []Span{{4, 10}}},
		{"s", "Straße", []Span{{0, 1}}},
		{"cafe", "café cafe\u0301 cafe", []Span{{11, 15}}},
		{"café", "cafe\u0301", []Span{{0, 5}}},
		{"σας", "ΣΑΣ σας", []Span{{0, 3}, {4, 7}}},
		{"क", "कि", []Span{{0, 1}}},
		{"가", "각 가", []Span{{2, 3}}},
		{"日本", "日本語の日本", []Span{{0, 2}, {4, 6}}},
		{"two words", "two\n  words two words twowords", []Span{{0, 11}, {12, 21}}},
		{"aa", "aaaa a", []Span{{0, 2}, {2, 4}}},
		{"a.c", "abc a.c", []Span{{4, 7}}},
		{"", "abc", nil},
		{"abc", "", nil},
		{"x", "a\xffx", []Span{{2, 3}}},
	} {
		if got := newFinder(c.needle).In(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q in %q: got %v, want %v", c.needle, c.text, got, c.want)
		}
	}
}

// TestFinderFindsWhatIsThere searches for a part of a text in it, as it is and in capitals.
func TestFinderFindsWhatIsThere(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("abAB äÄßé日कि ")), 0, 30, -1)
	rapid.Check(t, func(t *rapid.T) {
		front, part, back := letters.Draw(t, "front"), letters.Draw(t, "part"), letters.Draw(t, "back")
		if strings.TrimSpace(part) != part || part == "" || strings.HasPrefix(part, "\u093f") {
			return
		}
		text := front + "|" + part + "|" + back
		from := len([]rune(front)) + 1
		to := from + len([]rune(part))
		for _, needle := range []string{part, strings.ToLower(part)} {
			found := false
			for _, s := range newFinder(needle).In(text) {
				found = found || s == Span{from, to}
				if s.From < 0 || s.To > len([]rune(text)) || s.From >= s.To {
					t.Fatalf("%q in %q: the span %v", needle, text, s)
				}
			}
			if !found && !strings.ContainsAny(part, "|") && strings.Count(text, part) == 1 {
				t.Fatalf("%q is not found at %d in %q: %v", needle, from, text, newFinder(needle).In(text))
			}
		}
	})
}
