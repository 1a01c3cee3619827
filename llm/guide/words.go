package guide

import (
	"regexp"
	"strings"

	"winnow/history/relevance"
)

// token finds what is no word of a language and says something here: key names such as ctrl+x, and the glyphs of
// the screen.
var token = regexp.MustCompile(`[\p{L}\p{N}]+(?:\+[\p{L}\p{N}]+)+|[\p{So}⊘]`)

// terms are what a search goes by in a text: key names and glyphs, and the stems of the words that say something.
func terms(text string) []string {
	text = strings.ToLower(text)
	all := token.FindAllString(text, -1)
	relevance.EachWord(token.ReplaceAllString(text, " "), func(word string) {
		if !isStop(word) {
			all = append(all, relevance.EnglishStem(word))
		}
	})
	return all
}

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

// kin are the words of newcomers beside the words of the pages, by stem.
func kin(stem string) []string {
	switch stem {
	case "truncat", "trim", "shorten", "clip", "abridg":
		return []string{"cut"}
	case "forgot", "forget", "forgotten", "rememb", "memori", "vanish", "disappear", "miss":
		return []string{"drop", "kept"}
	case "reopen", "yesterday", "pick", "last":
		return []string{"resum"}
	case "continu":
		return []string{"resum", "continu"}
	case "abort", "cancel", "halt":
		return []string{"stop"}
	case "respons", "repli":
		return []string{"answer"}
	case "exit", "leav", "close":
		return []string{"quit"}
	case "token", "password", "credenti", "secret":
		return []string{"key"}
	case "sidebar", "pane", "right":
		return []string{"panel"}
	case "gpt", "chatgpt":
		return []string{"openai"}
	case "claud":
		return []string{"anthrop"}
	case "histori", "convers", "chat":
		return []string{"session"}
	case "throttl", "429", "quota", "busi":
		return []string{"rate", "limit"}
	case "401", "403", "unauthor", "invalid", "incorrect", "reject":
		return []string{"key", "refus"}
	case "crash", "kill", "die", "power":
		return []string{"kill", "interrupt"}
	case "disconnect", "broke", "broken", "network":
		return []string{"cut", "interrupt"}
	case "icon", "symbol", "sign", "circl", "dot":
		return []string{"glyph"}
	case "offlin", "internet":
		return []string{"local", "guid"}
	case "corrupt", "malform", "fix", "mend":
		return []string{"repair", "damag"}
	case "again", "redo", "rerun":
		return []string{"regener"}
	case "expens", "money", "spend", "price", "cheap":
		return []string{"cost", "cach"}
	case "select", "switch", "chang", "pick up":
		return []string{"choos"}
	case "file", "path", "folder", "locat", "save", "disk":
		return []string{"kept", "file"}
	case "big", "larg", "long", "size", "exceed":
		return []string{"window", "overflow"}
	}
	return nil
}
