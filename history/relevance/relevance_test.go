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

// indexOf is an index of texts.
func indexOf(texts ...string) *Index {
	x := NewIndex()
	for _, text := range texts {
		x.Add(Text{Content: text, Asks: true})
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
		if got := found(indexOf(c.texts...), c.question); len(got) == 0 || got[0] != 0 {
			t.Errorf("%q finds %v, want text 0 first: %q", c.question, got, c.texts)
		}
	}
}

func TestAQuestionWithoutContentFindsNothing(t *testing.T) {
	x := indexOf("Yes, do it now, please, and then again.", "We had it all and you were there.", "The house is big.")
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
		whole.Add(Text{Content: text, Asks: true})
	}
	for keep := range texts {
		x := NewIndex()
		for _, text := range texts {
			x.Add(Text{Content: text, Asks: true})
		}
		for k := len(texts) - 1; k >= keep; k-- {
			x.Remove(texts[k])
		}
		for _, text := range texts[keep:] {
			x.Add(Text{Content: text, Asks: true})
		}
		if !slices.Equal(x.match(x.query("red houses and a bird"), nil), whole.match(whole.query("red houses and a bird"), nil)) || x.total != whole.total {
			t.Errorf("after forgetting down to %d texts the scores differ", keep)
		}
	}
}

// A wish for all answers to come is addressed to the assistant, or says what somebody cannot have.
func TestAStandingWishIsFound(t *testing.T) {
	x := NewIndex()
	for text, want := range map[string]bool{
		"Please always answer in metric units.":                             true,
		"Always answer in the metric system, and not in any other.":         true,
		"From now on call it the shed.":                                     true,
		"I went there and it was fine.":                                     false,
		"He always says that, and I never listen.":                          false,
		"I never look at them. Can you help me?":                            false,
		"Bitte antworte ab jetzt immer kurz und auf Deutsch, wenn es geht.": true,
		"Er war immer da und hat nie etwas gesagt.":                         false,
		"Il est toujours là, et je ne le vois jamais dans la maison.":       false,
		"Réponds toujours en français, et dans la langue de la maison.":     true,
		"请记住我不吃肉":                                                           true,
		"他每次都迟到":                                                            false,
		"这个多少钱":                                                             false,
		"Whatever you suggest, I can't have cashews in it.":                 true,
		"Whatever you suggest, I can’t have cashews in it.":                 true,
		"My son is allergic to eggs, and we bake a lot.":                    true,
		"We had the allergy test and it was fine.":                          false,
		"Sie verträgt keine Milch, und das ist bei uns so.":                 true,
		"Elle est végétarienne, et nous la voyons dans la maison.":          true,
		"Ella es celíaca y no lo dice, pero es así desde que era niña":      true,
		"我对花生过敏":                                                            true,
	} {
		x.Add(Text{Content: text, Asks: true})
		if got := x.Standing(x.Len() - 1); got != want {
			t.Errorf("%q states a wish: %t, want %t", text, got, want)
		}
	}
	if x.Add(Text{Content: "Always answer with the log, because I can't eat."}); x.Standing(x.Len() - 1) {
		t.Error("an answer states a wish")
	}
}

// What to do with what is found is not looked for, and a question may hold nothing else.
func TestWhatToDoIsNotLookedFor(t *testing.T) {
	x := indexOf("The summary of the weather was long, and it was put in order.", "The bats live in the attic.", "Das ist die Zusammenfassung, und der Überblick über das Wetter.", "Die Fledermäuse wohnen auf dem Dach, und sie sind laut.")
	for question, want := range map[string][]string{
		"Give me a short summary of the bats":          {"bats"},
		"Sum up the bats, please":                      {"bats"},
		"Fasse zusammen, was die Fledermäuse taten":    {"fledermäuse"},
		"Zusammenfassung der Fledermäuse":              {"fledermäuse"},
		"The summary":                                  nil,
		"Who put the summaries in order on the attic?": {"put", "summaries", "order", "attic"},
	} {
		var got []string
		for _, q := range x.query(question) {
			if x.postings[q.term].texts > 0 && !slices.Contains(got, q.word) && q.weight == 1 {
				got = append(got, q.word)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q looks for %q, want %q", question, got, want)
		}
	}
	long := strings.Repeat("The summary of all that. ", 200)
	if len(x.query(long)) == 0 {
		t.Error("a long text is taken for a task")
	}
}

func TestAQuestionMayBeAboutWhatWasSaid(t *testing.T) {
	x := NewIndex()
	for question, want := range map[string]bool{
		"Which museum did you suggest?":             true,
		"Can you remind me of the recipe?":          true,
		"Welches Papier hast du mir empfohlen?":     true,
		"¿Qué libro me recomendaste?":               true,
		"你推荐的那本书叫什么":                                true,
		"How long was it supposed to rise?":         true,
		"Mit wie viel Druck sollte ich sie fahren?": true,
		"Which museum did I visit?":                 false,
		"Wie heißt der Hund meiner Schwester?":      false,
		"What is the guidance you will need then?":  false,
	} {
		if got := x.AsksWhatWasSaid(question); got != want {
			t.Errorf("%q asks what was said: %t, want %t", question, got, want)
		}
	}
}

// Of two texts that are equally near, the one on this side of a pause is more about the question, and so is the one
// whose speaker it names.
func TestPausesAndSpeakersCount(t *testing.T) {
	x := NewIndex()
	for _, text := range []Text{
		{Content: "It was fine there.", Speaker: "Bo"},
		{Content: "We went to the harbour.", Speaker: "Ann Lee"},
		{Content: "It was good there.", Speaker: "Bo"},
		{Content: "Ann: the boats were large.", Speaker: ""},
		{Content: "the boats were large", Speaker: "Bo"},
	} {
		x.Add(text)
	}
	score := func(question string) []float64 {
		var units []Unit
		for i := range x.Len() {
			units = append(units, Unit{From: i, To: i + 1, Apart: i == 2})
		}
		var list []float64
		for _, u := range x.Rank(question, units).Units {
			list = append(list, u.Score)
		}
		return list
	}
	if s := score("harbour"); s[0] <= s[2] || s[2] == 0 {
		t.Errorf("across a pause the score is %g, on this side %g", s[2], s[0])
	}
	unnamed, named := score("boats"), score("Ann's boats")
	if named[3]/named[4] <= unnamed[3]/unnamed[4] {
		t.Errorf("what the named speaker says counts %g, the same from another %g; without the name %g and %g",
			named[3], named[4], unnamed[3], unnamed[4])
	}
}

func FuzzIndex(f *testing.F) {
	f.Add("The houses on the hill", "house")
	f.Add("größere Häuser \xff 猫が好き", "haus 猫")
	f.Fuzz(func(t *testing.T, text, question string) {
		x := NewIndex()
		x.Add(Text{Content: "before", Asks: true})
		x.Add(Text{Content: text, Asks: true})
		before := x.total
		x.match(x.query(question), nil)
		x.Remove(text)
		x.Add(Text{Content: text, Asks: true})
		if x.total != before {
			t.Errorf("%d words, then %d", before, x.total)
		}
	})
}

// Search looks at each text by itself, and tells how much of the question it holds.
func TestSearchFindsTextsByThemselves(t *testing.T) {
	x := NewIndex()
	for _, text := range []string{
		"Boats sail at night.", "The harbour opens at nine.", "Nothing of that.", "A harbour for boats and a boat.",
	} {
		x.Add(Text{Content: text})
	}
	var got []int
	for _, h := range x.Search("Which boats are in the harbour?") {
		got = append(got, h.Text)
		if whole := h.Text == 3; whole != (h.Share > 0.999) || h.Share > 1.001 || h.Score <= 0 {
			t.Errorf("text %d has the share %v and the score %v", h.Text, h.Share, h.Score)
		}
	}
	if len(got) != 3 || got[0] != 3 {
		t.Errorf("found %v, want 3, then 0 and 1", got)
	}
	if hits := x.Search("Which boats are of unobtainium?"); len(hits) != 2 || hits[0].Share > 0.5 {
		t.Errorf("of an unknown word: %+v, want a share of less than a half", hits)
	}
	if hits := x.Search("How is it?"); len(hits) != 0 {
		t.Errorf("of no word that says something: %+v", hits)
	}
}
