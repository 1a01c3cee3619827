package store

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"winnow/history"
)

// hitsOf returns the hits of a text as lines, with what was found in brackets.
func hitsOf(t testing.TB, s *Store, in Search) []string {
	t.Helper()
	hits, err := s.Search(context.Background(), in)
	must(t, "search for "+in.Text, err)
	out := []string{}
	for _, h := range hits {
		out = append(out, marked(h))
	}
	return out
}

func marked(h Hit) string {
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		b.WriteString(h.Snippet[at:m[0]] + "[" + h.Snippet[m[0]:m[1]] + "]")
		at = m[1]
	}
	return b.String() + h.Snippet[at:]
}

func TestSearchFindsWords(t *testing.T) {
	s := newStore(t)
	session, first := begin(t, s, "", "The Café in Zürich has a Größe of 42, don't ask")
	for _, text := range []string{
		"看看東京都庁の展望台です。", "한국어를 배우고 싶어요", "ラーメンとカレー", "ภาษาไทยไม่มีวรรค",
		"открыть main.go и ещё main_test.go", "kitchen sink\nand\tkitchen  table", "e\u0301te\u0301 ne co\u00adoperate",
		"㍿山田 im ㋀",
	} {
		add(t, s, says(session.ID, first.ID, history.User, text))
	}
	with := says(session.ID, first.ID, history.Assistant, "looking")
	with.ToolCalls = []history.ToolCall{
		{ID: "1", Name: "weather_of", Arguments: `{"city":"Malm\u00f6\nLund","days":3}`},
		{Name: "broken", Arguments: `{"half`},
	}
	with.Parts = []history.Part{
		{Kind: history.TextPart, Name: "notes.txt", Text: "bought cucumbers"},
		{Kind: history.ImagePart, Name: "holiday.png", Data: []byte("pixels")},
	}
	add(t, s, with)
	const (
		parts = "looking notes.txt bought cucumbers holiday.png "
		calls = "weather_of city Malmö Lund days 3 broken {\"half"
	)
	for text, want := range map[string]string{
		"cafe ":             "The [Café] in Zürich has a Größe of 42, don't ask",
		"GRÖSSE ":           "The Café in Zürich has a [Größe] of 42, don't ask",
		"DON'T":             "The Café in Zürich has a Größe of 42, [don't] ask",
		`"of 42"`:           "The Café in Zürich has a Größe [of 42], don't ask",
		"東京":                "看看[東京]都庁の展望台です。",
		"한국":                "[한국]어를 배우고 싶어요",
		"ラーメン":              "[ラーメン]とカレー",
		"ｶﾚｰ":               "ラーメンと[カレー]",
		"ไทย":               "ภาษา[ไทย]ไม่มีวรรค",
		"main.go":           "открыть [main.go] и ещё main_test.go",
		`"kitchen table"`:   "kitchen sink and [kitchen table]",
		"sink kit":          "[kitchen] [sink] and [kitchen] table",
		"été":               "[e\u0301te\u0301] ne cooperate",
		"会社山":               "[㍿山]田 im ㋀",
		"㋀":                 "㍿山田 im [㋀]",
		"malmö":             parts + "weather_of city [Malmö] Lund days 3 broken {\"half",
		"cucumbers holid":   "looking notes.txt bought [cucumbers] [holiday].png " + calls,
		"caf ":              "",
		`"kitchen and"`:     "",
		"pixels":            "",
		"cafe NOT zurich":   "",
		"cafe OR cucumbers": "",
		"":                  "",
		"?!":                "",
	} {
		wants := []string{want}
		if want == "" {
			wants = []string{}
		}
		if got := hitsOf(t, s, Search{Text: text}); !reflect.DeepEqual(got, wants) {
			t.Errorf("Search(%q) finds %q, want %q", text, got, wants)
		}
	}
}

func TestSearchFindsTheNewestFirst(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
	session, first := begin(t, s, "", "apples")
	c.add(24 * time.Hour)
	add(t, s, says(session.ID, first.ID, history.User, "apples and more apples"))
	c.add(24 * time.Hour)
	newest := add(t, s, says(session.ID, first.ID, history.User, "applesauce"))
	want := []string{"[applesauce]", "[apples] and more [apples]", "[apples]"}
	if got := hitsOf(t, s, Search{Text: "apples"}); !reflect.DeepEqual(got, want) {
		t.Errorf("Search(apples) finds %q, want %q", got, want)
	}
	hits, err := s.Search(context.Background(), Search{Text: "apples", Limit: 1})
	must(t, "search", err)
	if len(hits) != 1 || hits[0].Message != newest.ID || !hits[0].At.Equal(c.t) || hits[0].Role != history.User ||
		hits[0].Session.ID != session.ID {
		t.Errorf("the only hit is %+v, want message %d", hits, newest.ID)
	}
}

func countOf(t testing.TB, s *Store, query string) (n int) {
	t.Helper()
	must(t, query, s.reads.QueryRow(query).Scan(&n))
	return n
}

// Wherever in a text a snippet begins and ends, nothing of a secret that it cuts through is left.
func TestHitHidesSecretsThatItsSnippetCutsThrough(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	session, _ := begin(t, s, "", "begun")
	const secret = "sk-Zq7Kx2Lm9Vw4Rt6Yp3Nc8Bd5Fg1Hj0"
	find := func(text string) [][2]int {
		if i := strings.Index(text, secret); i >= 0 {
			return [][2]int{{i, i + len(secret)}}
		}
		return nil
	}
	before, after := strings.Repeat("ä,", 200)+"\n \n", strings.Repeat(";z", 400)
	for lead := range 200 {
		for _, text := range []string{
			before + secret + strings.Repeat(".", lead) + " needle " + after,
			before + "needle" + strings.Repeat(".", lead) + secret + after,
		} {
			_, err := s.Append(context.Background(), says(session.ID, 0, history.User, text))
			must(t, "append", err)
		}
	}
	indexAll(t, s)
	hits, err := s.Search(context.Background(), Search{Text: "needle ", Limit: 500})
	must(t, "search", err)
	cuts := 0
	for _, h := range hits {
		got, n := h.Without(find, "[redacted]")
		whole := strings.Contains(h.Snippet, secret)
		holds := func(snippet string) bool {
			for i := range len(secret) - 7 {
				if strings.Contains(snippet, secret[i:i+8]) {
					return true
				}
			}
			return false
		}
		if holds(h.Snippet) && !whole {
			cuts++
		}
		if holds(got.Snippet) || (n > 0) != strings.Contains(got.Snippet, "[redacted]") {
			t.Fatalf("of %q is left %q (%d)", h.Snippet, got.Snippet, n)
		}
		for _, m := range got.Marks {
			if got.Snippet[m[0]:m[1]] != "needle" {
				t.Fatalf("%q is marked in %q", got.Snippet[m[0]:m[1]], got.Snippet)
			}
		}
	}
	if cuts < 20 {
		t.Errorf("%d snippets cut through the secret: that shows nothing", cuts)
	}
}
