package search

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// typed is what anybody may type: words, operators of the index's own language, and noise.
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
			// Marks that came with different characters may stand in another order then.
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

// plain is a text as a person compares it who overlooks case, accents and punctuation, with a space around each word.
// Between two scripts, one of them without spaces, a word ends, and a space within the latter is none.
func plain(text string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(norm.NFKC.String(text))) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	apart := regexp.MustCompile(`\p{Han}[\p{Han} ]*`).ReplaceAllStringFunc(b.String(), func(run string) string {
		return " " + strings.ReplaceAll(run, " ", "") + " "
	})
	return " " + strings.Join(strings.Fields(apart), " ") + " "
}

// plainlyHas reports whether a text has each of some words. Those in Han may be in the middle of a run.
func plainlyHas(text string, words []string) bool {
	text = plain(text)
	for _, w := range words {
		w = plain(w)
		if unicode.Is(unicode.Han, []rune(w)[1]) {
			w = strings.TrimSpace(w)
		}
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func TestFindIsAPlainScan(t *testing.T) {
	written := rapid.SampledFrom([]string{
		"sun", "Sun", "SUN", "sunny", "sün", "su\u0308n", "Zürich", "zurich", "ＳＵＮ", "42", "x",
		"日", "日本", "本日", "日本日", "\u2f47",
	})
	between := rapid.SampledFrom([]string{" ", "\n", ", ", "-", "", "\u200b", "\u00ad "})
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for range rapid.IntRange(0, 12).Draw(t, "words") {
			text += written.Draw(t, "word") + between.Draw(t, "between")
		}
		asked := rapid.SliceOfN(written, 1, 3).Draw(t, "asked")
		_, got := Parse(strings.Join(asked, " ") + " ").Find(text)
		if want := plainlyHas(text, asked); got != want {
			t.Fatalf("that %q has all of %q is %v, want %v", text, asked, got, want)
		}
		phrase := Parse(`"` + strings.Join(asked, " ") + `" `)
		_, got = phrase.Find(text)
		if want := plainlyHas(text, []string{strings.Join(asked, " ")}); got != want && !hasHan(asked) {
			t.Fatalf("that %q has the phrase %q is %v, want %v", text, asked, got, want)
		}
	})
}

func hasHan(words []string) bool {
	isHan := func(r rune) bool { return unicode.Is(unicode.Han, r) }
	return strings.ContainsFunc(norm.NFKC.String(strings.Join(words, "")), isHan)
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
