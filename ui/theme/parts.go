package theme

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"winnow/history"
	"winnow/llm/tool"
	"winnow/ui/markdown"
)

// FileLabel says what a file is: its name, its size, and what it costs.
func FileLabel(p history.Part, tokens int) string {
	name := cmp.Or(markdown.OneLine(p.Name, 60), "without a name")
	return "[" + PartKind(p) + " " + name + ": " + strings.Join(sizes(p, tokens), ", ") + "]"
}

// sizes are the facts of a part that a person judges it by.
func sizes(p history.Part, tokens int) []string {
	var facts []string
	if p.Kind == history.ImagePart {
		if w, h, ok := tool.PictureSize(p.Data); ok {
			facts = append(facts, fmt.Sprintf("%d×%d", w, h))
		}
		facts = append(facts, Size(len(p.Data)))
	} else {
		facts = append(facts, Plural(strings.Count(strings.TrimSuffix(p.Text, "\n"), "\n")+1, "line"),
			Size(len(p.Text)))
	}
	if tokens > 0 {
		facts = append(facts, "~"+Plural(tokens, "token"))
	}
	return facts
}

// PartKind is what a part is called.
func PartKind(p history.Part) string {
	switch p.Kind {
	case history.ImagePart:
		return "image"
	case history.NotePart:
		return "note"
	}
	return "file"
}

// PartFacts are what is known of a part: its type, its size and what it costs.
func PartFacts(p history.Part, sum history.Sum) []string {
	var facts []string
	if p.MediaType != "" {
		facts = append(facts, OneLine(p.MediaType))
	}
	if len(p.Data) > 0 {
		facts = append(facts, Size(len(p.Data)))
	}
	if p.Text != "" {
		facts = append(facts, Plural(utf8.RuneCountInString(p.Text), "character"))
	}
	if n := sum.Tokens(p.Tokens); n > 0 {
		facts = append(facts, "~"+Plural(n, "token"))
	}
	return facts
}
