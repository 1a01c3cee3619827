package chatgpt

import (
	"encoding/json"
	"regexp"
	"strings"
)

// reference says what a mark in a text stands for.
type reference struct {
	Mark  string `json:"matched_text"`
	Alt   string `json:"alt"` // Markdown
	Items []struct {
		Title string `json:"title"`
		URL   string `json:"url"`
	} `json:"items"`
}

// A mark is between two characters of the private use area, its words apart by a third: cite turn0search0.
const (
	markBegins = "\ue200"
	markEnds   = "\ue201"
	markSpace  = "\ue202"
)

var (
	mark      = regexp.MustCompile(` ?` + markBegins + `[^` + markEnds + `]*` + markEnds)
	strayMark = regexp.MustCompile(`[` + markBegins + "-\ue206]")
)

// cited replaces ChatGPT's marks for what it cites by links. Those without an address go.
func cited(text string, references []reference) string {
	if !strings.Contains(text, markBegins) {
		return text
	}
	for _, r := range references {
		if !strings.Contains(r.Mark, markBegins) {
			continue
		}
		link := r.Alt
		for _, item := range r.Items {
			if r.Alt == "" && item.URL != "" {
				link += " [" + strings.NewReplacer("[", "(", "]", ")").Replace(item.Title) + "](" + item.URL + ")"
			}
		}
		if link != "" {
			text = strings.ReplaceAll(text, r.Mark, strings.TrimSpace(link))
		}
	}
	text = mark.ReplaceAllStringFunc(text, markText)
	return strayMark.ReplaceAllString(text, "")
}

// markText is what remains of a mark without an address: the name of the thing that it is about, where it has one.
func markText(found string) string {
	kind, rest, _ := strings.Cut(strings.Trim(found, " "+markBegins+markEnds), markSpace)
	var about []string
	if kind != "entity" || json.Unmarshal([]byte(rest), &about) != nil || len(about) < 2 {
		return ""
	}
	return found[:strings.Index(found, markBegins)] + about[1]
}
