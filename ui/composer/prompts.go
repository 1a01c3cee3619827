package composer

import (
	"strings"

	"winnow/session/store"
	"winnow/ui/markdown"
)

// PromptLabel is a prompt on one line. Its files are named in front.
func PromptLabel(d store.Draft) string {
	var names []string
	for _, f := range d.Folds {
		if f.Path != "" {
			names = append(names, "["+fileName(f.Path)+"]")
		}
	}
	return markdown.OneLine(strings.Join(append(names, d.Text), " "), 400)
}
