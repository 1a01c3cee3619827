package history

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
		eachWord(text, func(w string) { got = append(got, w) })
		if strings.Join(got, " ") != want {
			t.Errorf("the words of %q are %q, want %q", text, got, want)
		}
	}
}

// indexed are texts as a thread has them.
func indexed(texts ...string) *thread {
	c := Read(nil, words)
	for i, text := range texts {
		c.Append(Message{ID: int64(i + 1), Role: User, Content: text, Status: Complete})
	}
	return &c.thread
}

// found are the texts that share words with a question, the most relevant first.
func found(t *thread, question string) []int {
	r := t.relevant(question)
	var list []int
	for u := range r.ranked() {
		if len(r.shared(t.index, u)) > 0 {
			list = append(list, u.from)
		}
	}
	return list
}

func TestAQuestionFindsTheFormsOfItsWords(t *testing.T) {
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
	th := indexed("Yes, do it now, please, and then again.", "We had it all and you were there.", "The house is big.")
	for _, question := range []string{"yes, do it", "And then?", "ok", "", "?!", "please go on", "what about it"} {
		if r := th.relevant(question); len(r.units) != 0 {
			t.Errorf("%q asks for %+v", question, r.clues)
		}
	}
}

func TestAnIndexForgetsWhatItLearnedLast(t *testing.T) {
	texts := []string{"one red house", "two blue houses", "three red birds on a house", "vier rote Häuser und ein Vogel"}
	whole := newIndex()
	for _, text := range texts {
		whole.add(text, true)
	}
	for keep := range texts {
		x := newIndex()
		for _, text := range texts {
			x.add(text, true)
		}
		for k := len(texts) - 1; k >= keep; k-- {
			x.remove(texts[k])
		}
		for _, text := range texts[keep:] {
			x.add(text, true)
		}
		if !slices.Equal(x.match(x.lookUp("red houses and a bird"), nil), whole.match(whole.lookUp("red houses and a bird"), nil)) || x.total != whole.total {
			t.Errorf("after forgetting down to %d texts the scores differ", keep)
		}
	}
}

func TestAWishIsRemembered(t *testing.T) {
	x := newIndex()
	for text, want := range map[string]bool{
		"Please always answer in metric units.":                             true,
		"From now on call it the shed.":                                     true,
		"I went there and it was fine.":                                     false,
		"Bitte antworte ab jetzt immer kurz und auf Deutsch, wenn es geht.": true,
		"请记住我不吃肉":                                                           true,
		"这个多少钱":                                                             false,
	} {
		x.add(text, true)
		if got := x.wish[len(x.wish)-1]; got != want {
			t.Errorf("%q is a wish: %t, want %t", text, got, want)
		}
	}
	if x.add("Always look at the log.", false); x.wish[len(x.wish)-1] {
		t.Error("an answer states a wish")
	}
}

func FuzzIndex(f *testing.F) {
	f.Add("The houses on the hill", "house")
	f.Add("größere Häuser \xff 猫が好き", "haus 猫")
	f.Fuzz(func(t *testing.T, text, question string) {
		x := newIndex()
		x.add("before", true)
		x.add(text, true)
		before := x.total
		x.match(x.lookUp(question), nil)
		x.remove(text)
		x.add(text, true)
		if x.total != before {
			t.Errorf("%d words, then %d", before, x.total)
		}
	})
}
