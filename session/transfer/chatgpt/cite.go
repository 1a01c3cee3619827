package chatgpt

import (
	"regexp"
	"strings"
)

// reference is the replacement of a citation mark in a text.
type reference struct {
	Mark  string `json:"matched_text"`
	Alt   string `json:"alt"` // Markdown
	Items []struct {
		Title string `json:"title"`
		URL   string `json:"url"`
	} `json:"items"`
}

// A mark is enclosed in two characters of the private use area, and a third one separates its words: cite turn0search0.
// The mark of an entity, such as a city, has its name as the second element of a list.
const markBegins = "\ue200"

var (
	entity = regexp.MustCompile("\ue200entity\ue202" + `\["[^"]*","([^"]*)"[^\x{e201}]*` + "\ue201")
	mark   = regexp.MustCompile(" ?\ue200[^\ue201]*\ue201|[\ue200-\ue206]")
	noLink = strings.NewReplacer("[", "(", "]", ")")
)

// replaceCitations replaces ChatGPT's citation marks by links. Marks without an address are removed.
func replaceCitations(text string, references []reference) string {
	for _, r := range references {
		link := r.Alt
		for _, item := range r.Items {
			if r.Alt == "" && item.URL != "" {
				link += " [" + noLink.Replace(item.Title) + "](" + item.URL + ")"
			}
		}
		if link != "" && strings.Contains(r.Mark, markBegins) {
			text = strings.ReplaceAll(text, r.Mark, strings.TrimSpace(link))
		}
	}
	return mark.ReplaceAllString(entity.ReplaceAllString(text, "$1"), "")
}
