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
		if got := Words(text); strings.Join(got, " ") != want {
			t.Errorf("the words of %q are %q, want %q", text, got, want)
		}
	}
}

// indexOf is an index of texts.
func indexOf(texts ...string) *Index {
	x := NewIndex()
	for _, text := range texts {
		x.Add(Text{Content: text, MayInstruct: true})
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

func TestAQuestionFindsItsWordsInflected(t *testing.T) {
	for _, c := range []struct {
		question string
		texts    []string // the first is the one to find
	}{
		{"which houses did she buy", []string{
			"The house on the hill is hers now.",
			"The weather is fine and he was there.",
		}},
		{"wann waren die Geburtstage", []string{
			"Der Geburtstag ist am Montag, und wir feiern.",
			"Das Wetter ist schön, und wir gehen aus.",
		}},
		{"wo ist die Torte", []string{
			"Die Geburtstagstorte steht in der Küche, und sie ist groß.",
			"Ich habe nichts gesagt, und du auch nicht.",
		}},
		{"¿dónde compraste las naranjas?", []string{
			"Compré una naranja en el mercado y la comí.",
			"No he dicho nada de eso.",
		}},
		{"сколько стоили билеты", []string{
			"Билет стоил сто рублей, и мы его взяли.",
			"Погода хорошая, и мы идём на улицу.",
		}},
		{"我的猫叫什么名字", []string{"我家的猫叫小花。", "今天天气很好。", "明天去上海出差。"}},
		{"犬の名前は何ですか", []string{"うちの犬はポチです。", "今日は天気がいい。", "明日は出張です。"}},
		{"ＡＢＣ", []string{"abc is first", "one is second", "two is third"}},
	} {
		var found []int
		r := rank(indexOf(c.texts...), c.question)
		for _, u := range r.Best() {
			if len(r.SharedWords(u.From, u.To)) > 0 {
				found = append(found, u.From)
			}
		}
		if len(found) == 0 || found[0] != 0 {
			t.Errorf("%q finds %v, want text 0 first: %q", c.question, found, c.texts)
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

// The best come first, of equals the newer, and none that has nothing to do with the question.
func TestTheBestComeInOrder(t *testing.T) {
	r := Ranking{Units: []Unit{{From: 0, Score: 1}, {From: 1}, {From: 2, Score: 2}, {From: 3, Score: 1}}}
	var got []int
	for _, u := range r.Best() {
		got = append(got, u.From)
	}
	if want := []int{2, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("they come as %v, want %v", got, want)
	}
}

// An index that forgot texts and read them again ranks as one that read them once.
func TestAnIndexForgetsWhatItLearnedLast(t *testing.T) {
	texts := []string{
		"one red house", "two blue houses", "three red birds on a house",
		"vier rote Häuser und ein Vogel",
	}
	want := rank(indexOf(texts...), "red houses and a bird").Units
	for keep := range texts {
		x := indexOf(texts...)
		x.Truncate(keep)
		for _, text := range texts[keep:] {
			x.Add(Text{Content: text, MayInstruct: true})
		}
		if got := rank(x, "red houses and a bird").Units; !slices.Equal(got, want) {
			t.Errorf("after forgetting down to %d texts: %+v, want %+v", keep, got, want)
		}
	}
}

// An instruction for all answers begins with a word such as "always", holds a phrase such as "from now on", or says
// what somebody cannot have.
func TestAStandingWishIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		"Always format dates as 2006-01-02.":                            true,
		"One more thing: never use tables.":                             true,
		"Thanks!\n- Always give units":                                  true,
		"Please always answer in metric units.":                         true,
		"From now on call it the shed.":                                 true,
		"I prefer tabs.":                                                true,
		"He always says that, and I never listen.":                      false,
		"They are never late. Can you help me?":                         false,
		"Immer mit Einheiten rechnen.":                                  true,
		"Er war immer da und hat nie etwas gesagt.":                     false,
		"Réponds toujours en français, et dans la langue de la maison.": true,
		"Il est toujours là, et je ne le vois jamais dans la maison.":   false,
		"请记住我不吃肉":                                                       true,
		"他每次都迟到":                                                        false,
		"Whatever you suggest, I can’t have cashews in it.":             true,
		"My son is allergic to eggs, and we bake a lot.":                true,
		"We had the allergy test and it was fine.":                      false,
		"我对花生过敏":                                                        true,
	} {
		if got := indexOf(text).IsInstruction(0); got != want {
			t.Errorf("%q states a wish: %t, want %t", text, got, want)
		}
	}
	x := NewIndex()
	if x.Add(Text{Content: "Always answer with the log."}); x.IsInstruction(0) {
		t.Error("an answer states a wish")
	}
}

func TestAnUnknownKindOfPhrasesIsRefused(t *testing.T) {
	defer func() {
		if fault := recover(); fault != "languages.txt: unknown kind whish" {
			t.Errorf("the fault is %v", fault)
		}
	}()
	readLexicon("english\nwhish: from now on\n")
}

func TestAQuestionMayBeAboutWhatWasSaid(t *testing.T) {
	x := NewIndex()
	for question, want := range map[string]bool{
		"Which museum did you suggest?":            true,
		"Welches Papier hast du mir empfohlen?":    true,
		"你推荐的那本书叫什么":                               true,
		"Which museum did I visit?":                false,
		"Wie heißt der Hund meiner Schwester?":     false,
		"What is the guidance you will need then?": false,
	} {
		if got := x.AsksAboutAnswers(question); got != want {
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
		{Content: "Ann: the boats were large."},
		{Content: "the boats were large", Speaker: "Bo"},
	} {
		x.Add(text)
	}
	scores := func(question string) []float64 {
		var units []Unit
		for i := range x.Len() {
			units = append(units, Unit{From: i, To: i + 1, AfterPause: i == 2})
		}
		var list []float64
		for _, u := range x.Rank(question, units).Units {
			list = append(list, u.Score)
		}
		return list
	}
	if s := scores("harbour"); s[0] <= s[2] || s[2] == 0 {
		t.Errorf("across a pause the score is %g, on this side %g", s[2], s[0])
	}
	unnamed, named := scores("boats"), scores("Ann's boats")
	if named[3]/named[4] <= unnamed[3]/unnamed[4] {
		t.Errorf("the named speaker's message scores %g and another's %g; without the name %g and %g",
			named[3], named[4], unnamed[3], unnamed[4])
	}
}

// Search looks at each text by itself, and tells how much of the question it holds.
func TestSearchFindsTextsByThemselves(t *testing.T) {
	x := indexOf("Boats sail at night.", "The harbour opens at nine.", "Nothing of that.",
		"A harbour for boats and a boat.")
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

func FuzzIndex(f *testing.F) {
	f.Add("The houses on the hill", "house")
	f.Add("größere Häuser \xff 猫が好き", "haus 猫")
	f.Fuzz(func(t *testing.T, text, question string) {
		x := indexOf("before", text)
		want := rank(x, question).Units
		x.Truncate(1)
		x.Add(Text{Content: text, MayInstruct: true})
		if got := rank(x, question).Units; !slices.Equal(got, want) {
			t.Errorf("%+v, then %+v", want, got)
		}
	})
}
