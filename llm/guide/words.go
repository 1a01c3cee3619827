package guide

import (
	"regexp"
	"slices"
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
	for _, stem := range relevance.English(token.ReplaceAllString(text, " ")) {
		if !slices.Contains(stop, stem) && (len(stem) > 1 || stem[0] > '9') {
			all = append(all, stem)
		}
	}
	return all
}

// stop are the stems of words that tell nothing about what a question to the guide is about.
var stop = strings.Fields(`
	hello hi hey pleas tell explain want need like know mean get got thing someth anyth way let within without happen
	program use make say one go also still look possibl`)

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
