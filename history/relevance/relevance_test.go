package relevance

import (
	"slices"
	"strings"
	"testing"
)

func TestWordsAreFoundInEveryScript(t *testing.T) {
	for text, want := range map[string]string{
		"Don't open l'eau, 3 times!": "Don open eau 3 times",
		"größer als 1024 MB":         "größer als 1024 MB",
		"猫が好き ok":                    "猫 好 ok",
		"한국어 말":                      "한국 국어 말",
		"कुत्ता बिल्ली":              "कुत्ता बिल्ली",
		"สวัสดี":                     "สว วั ัส สด ดี",
		"a b c":                      "",
		"parse_file.go":              "parse file go",
	} {
		var got []string
		EachWord(text, func(w string) { got = append(got, w) })
		if strings.Join(got, " ") != want {
			t.Errorf("the words of %q are %q, want %q", text, got, want)
		}
	}
}

// indexed is an index of texts.
func indexed(texts ...string) *Index {
	x := NewIndex()
	for _, text := range texts {
		x.Add(text, true)
	}
	return x
}

// rank ranks the texts of an index one by one.
func rank(x *Index, question string) Ranking {
	var units []Unit
	for i := range x.Len() {
		units = append(units, Unit{From: i, To: i + 1})
	}
	return x.Rank(question, units)
}

// found are the texts that share words with a question, the most relevant first.
func found(x *Index, question string) []int {
	r := rank(x, question)
	var list []int
	for u := range r.Best() {
		if len(r.Shared(u.From, u.To)) > 0 {
			list = append(list, u.From)
		}
	}
	return list
}

func TestAQuestionFindsItsWordsInflected(t *testing.T) {
	for _, c := range []struct {
		question string
		texts    []string // the first is the one to find
	}{
		{"which houses did she buy", []string{"The house on the hill is hers now.", "The weather is fine and he was there.", "They had nothing to say about it."}},
		{"wann waren die Geburtstage", []string{"Der Geburtstag ist am Montag, und wir feiern.", "Das Wetter ist schön, und wir gehen nach draußen.", "Ich habe nichts gesagt, und du auch nicht."}},
		{"wo ist die Torte", []string{"Die Geburtstagstorte steht in der Küche, und sie ist groß.", "Das Wetter ist schön, und wir gehen nach draußen.", "Ich habe nichts gesagt, und du auch nicht."}},
		{"¿dónde compraste las naranjas?", []string{"Compré una naranja en el mercado y la comí.", "El tiempo es bueno y vamos a la playa.", "No he dicho nada de eso."}},
		{"сколько стоили билеты", []string{"Билет стоил сто рублей, и мы его взяли.", "Погода хорошая, и мы идём на улицу.", "Я ничего не говорил об этом."}},
		{"我的猫叫什么名字", []string{"我家的猫叫小花。", "今天天气很好。", "明天去上海出差。"}},
		{"犬の名前は何ですか", []string{"うちの犬はポチです。", "今日は天気がいい。", "明日は出張です。"}},
		{"ＡＢＣ", []string{"abc is first", "one is second", "two is third"}},
	} {
		if got := found(indexed(c.texts...), c.question); len(got) == 0 || got[0] != 0 {
			t.Errorf("%q finds %v, want text 0 first: %q", c.question, got, c.texts)
		}
	}
}

// rules: 2.7
func TestAQuestionWithoutContentFindsNothing(t *testing.T) {
	x := indexed("Yes, do it now, please, and then again.", "We had it all and you were there.", "The house is big.")
	for _, question := range []string{"yes, do it", "And then?", "ok", "", "?!", "please go on", "what about it"} {
		if r := rank(x, question); len(r.Units) != 0 {
			t.Errorf("%q asks for %+v", question, r.terms)
		}
	}
}

func TestAnIndexForgetsWhatItLearnedLast(t *testing.T) {
	texts := []string{"one red house", "two blue houses", "three red birds on a house", "vier rote Häuser und ein Vogel"}
	whole := NewIndex()
	for _, text := range texts {
		whole.Add(text, true)
	}
	for keep := range texts {
		x := NewIndex()
		for _, text := range texts {
			x.Add(text, true)
		}
		for k := len(texts) - 1; k >= keep; k-- {
			x.Remove(texts[k])
		}
		for _, text := range texts[keep:] {
			x.Add(text, true)
		}
		if !slices.Equal(x.match(x.query("red houses and a bird"), nil), whole.match(whole.query("red houses and a bird"), nil)) || x.total != whole.total {
			t.Errorf("after forgetting down to %d texts the scores differ", keep)
		}
	}
}

func TestAStandingInstructionIsFound(t *testing.T) {
	x := NewIndex()
	for text, want := range map[string]bool{
		"Please always answer in metric units.":                             true,
		"From now on call it the shed.":                                     true,
		"I went there and it was fine.":                                     false,
		"Bitte antworte ab jetzt immer kurz und auf Deutsch, wenn es geht.": true,
		"请记住我不吃肉":                                                           true,
		"这个多少钱":                                                             false,
	} {
		x.Add(text, true)
		if got := x.Standing(x.Len() - 1); got != want {
			t.Errorf("%q states an instruction: %t, want %t", text, got, want)
		}
	}
	if x.Add("Always look at the log.", false); x.Standing(x.Len() - 1) {
		t.Error("an answer states an instruction")
	}
}

func FuzzIndex(f *testing.F) {
	f.Add("The houses on the hill", "house")
	f.Add("größere Häuser \xff 猫が好き", "haus 猫")
	f.Fuzz(func(t *testing.T, text, question string) {
		x := NewIndex()
		x.Add("before", true)
		x.Add(text, true)
		before := x.total
		x.match(x.query(question), nil)
		x.Remove(text)
		x.Add(text, true)
		if x.total != before {
			t.Errorf("%d words, then %d", before, x.total)
		}
	})
}
