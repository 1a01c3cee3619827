package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// typed generates queries: words, operators of FTS4 and noise.
func typed() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"and", "AND", "OR", "NOT", "NEAR", "NEAR/2", "text:", "docid:", "found",
			"*", "^", "-", "+", "(", ")", `"`, `""`, "'", ";--", " ", "\n", "\x00", "%", "_", "\xff",
			"sun", "sun*", "moon", "-moon", "日本", "語", "日本語", "é", "e\u0301",
		}),
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
	)
	return rapid.Custom(func(t *rapid.T) string {
		between := rapid.SampledFrom([]string{"", " "}).Draw(t, "between")
		return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), between)
	})
}

func TestWordsStandInTheirText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := typed().Draw(t, "text")
		from := 0
		for _, w := range words(text) {
			if w.start < from || w.end <= w.start || w.end > len(text) || w.text == "" {
				t.Fatalf("a word of %q is %+v", text, w)
			}
			from = w.start
			folded := strings.ToLower(w.text) == w.text
			if !utf8.ValidString(w.text) || strings.ContainsAny(w.text, " \"*\x00") || !folded {
				t.Fatalf("a word of %q is %q: it can mean something to the index", text, w.text)
			}
			again := words(w.text)
			// Marks from different characters may be in another order then.
			if len(again) == 0 || norm.NFKD.String(again[0].text) != norm.NFKD.String(w.text) {
				t.Fatalf("the word %q of %q is read as %+v", w.text, text, again)
			}
		}
	})
}

func TestSnippetsAreOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(typed(), 1, 30).Draw(t, "texts"), " ") + " sun"
		q := Parse("sun " + typed().Draw(t, "query"))
		line, marks := q.Snippet(q.SnippetContext(text))
		if !utf8.ValidString(line) || strings.ContainsAny(line, "\n\r\x00\x1b\t") || len(line) > 3*snippetSize+10 {
			t.Fatalf("the snippet of %q is %q", text, line)
		}
		if len(marks) == 0 && len(q) == 1 {
			t.Fatalf("nothing is marked in %q, of %q for %v", line, text, q)
		}
		at := 0
		for _, m := range marks {
			if m[0] < at || m[1] <= m[0] || m[1] > len(line) || !utf8.ValidString(line[m[0]:m[1]]) {
				t.Fatalf("the marks of %q are %v", line, marks)
			}
			at = m[1]
		}
	})
}

func TestMarksAreWhatWasAskedFor(t *testing.T) {
	for query, want := range map[string]string{
		"zurich ": "In [Zürich], the SUN; sunny 日本語.", "sun ": "In Zürich, the [SUN]; sunny 日本語.",
		"sun": "In Zürich, the [SUN]; [sunny] 日本語.", `"the sun" sunny `: "In Zürich, [the SUN]; [sunny] 日本語.",
		"本語": "In Zürich, the SUN; sunny 日[本語].", "moon ": "In Zürich, the SUN; sunny 日本語.",
	} {
		const text = "In Zürich, the SUN; sunny 日本語."
		got, last := "", 0
		marks, _ := Parse(query).Find(text)
		for _, m := range marks {
			got += text[last:m[0]] + "[" + text[m[0]:m[1]] + "]"
			last = m[1]
		}
		if got += text[last:]; got != want {
			t.Errorf("the marks of %q are %q, want %q", query, got, want)
		}
	}
}
