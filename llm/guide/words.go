package guide

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"winnow/history/relevance"
)

// token finds what is no word of a language and says something here: key names such as ctrl+x, and the glyphs of
// the screen.
var token = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\p{L}\p{N}]+(?:\+[\p{L}\p{N}]+)+|[\p{So}⊘]`)
})

// terms are what a search goes by in a text: key names and glyphs, and the stems of the words that say something.
func terms(text string) []string {
	var all, words []string
	for field := range strings.FieldsSeq(strings.ToLower(text)) {
		if strings.ContainsFunc(field, mayBeToken) { // The pattern is slow: most of a page is spared it.
			all = append(all, token().FindAllString(field, -1)...)
			field = token().ReplaceAllString(field, " ")
		}
		relevance.EachWord(field, func(word string) {
			if !isStop(word) {
				words = append(words, relevance.EnglishStem(word))
			}
		})
	}
	return append(all, words...)
}

// mayBeToken says that a character is in every key name, or may be a glyph.
func mayBeToken(r rune) bool { return r == '+' || r >= utf8.RuneSelf }

// isStop says whether a word tells nothing about what a question is about.
func isStop(w string) bool {
	if len(w) == 1 && w[0] >= '0' && w[0] <= '9' {
		return true
	}
	switch w {
	case "a", "about", "above", "after", "again", "against", "all", "am", "an", "and", "any", "are", "as", "at", "be",
		"because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "did", "do", "does", "doing",
		"don", "down", "during", "each", "few", "for", "from", "further", "had", "has", "have", "having", "he", "her", "here",
		"hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "it", "its", "itself", "just", "me",
		"more", "most", "my", "myself", "no", "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our",
		"ours", "ourselves", "out", "over", "own", "s", "same", "she", "should", "so", "some", "such", "t", "than", "that",
		"the", "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this", "those", "through", "to",
		"too", "under", "until", "up", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
		"why", "will", "with", "you", "your", "yours", "yourself", "yourselves",
		"hello", "hi", "hey", "please", "tell", "explain", "want", "need", "like", "know", "would", "could", "couldn", "shouldn",
		"mean", "means", "get", "got", "thing", "things", "something", "anything", "way", "let", "ll", "ve", "re",
		"d", "m", "isn", "doesn", "didn", "won", "wasn", "aren", "within", "without", "happen", "happens", "happened",
		"program", "use", "used", "using", "make", "say", "says", "one", "go", "also", "still", "look", "possible":
		return true
	}
	return false
}

// synonyms are words of newcomers and the words of the pages for the same, all by their stems.
var synonyms = []struct{ newcomer, pages string }{
	{"truncat trim shorten clip abridg", "cut"},
	{"forgot forget forgotten rememb memori vanish disappear miss", "drop kept"},
	{"reopen yesterday pick last", "resum"},
	{"continu", "resum continu"},
	{"abort cancel halt", "stop"},
	{"respons repli", "answer"},
	{"exit leav close", "quit"},
	{"token password credenti secret", "key"},
	{"sidebar pane right", "panel"},
	{"gpt chatgpt", "openai"},
	{"claud", "anthrop"},
	{"histori convers chat", "session"},
	{"throttl 429 quota busi", "rate limit"},
	{"401 403 unauthor invalid incorrect reject", "key refus"},
	{"crash kill die power", "kill interrupt"},
	{"disconnect broke broken network", "cut interrupt"},
	{"icon symbol sign circl dot", "glyph"},
	{"offlin internet", "local guid"},
	{"corrupt malform fix mend", "repair damag"},
	{"again redo rerun", "regener"},
	{"expens money spend price cheap", "cost cach"},
	{"select switch chang", "choos"},
	{"file path folder locat save disk", "kept file"},
	{"big larg long size exceed", "window overflow"},
}

// kin are the words of the pages for a word of a newcomer.
func kin(stem string) []string {
	for _, s := range synonyms {
		if slices.Contains(strings.Fields(s.newcomer), stem) {
			return strings.Fields(s.pages)
		}
	}
	return nil
}
