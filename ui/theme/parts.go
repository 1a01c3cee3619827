package theme

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
func sizes(p history.Part, tokens int) (facts []string) {
	if w, h, ok := tool.PictureSize(p.Data); ok {
		facts = append(facts, fmt.Sprintf("%d×%d", w, h))
	} else if p.Kind != history.ImagePart {
		facts = append(facts, Plural(strings.Count(strings.TrimSuffix(p.Text, "\n"), "\n")+1, "line"))
	}
	facts = append(facts, Size(len(p.Data)+len(p.Text)))
	if tokens > 0 {
		facts = append(facts, "~"+Plural(tokens, "token"))
	}
	return facts
}

// PartKind is what a part is called.
func PartKind(p history.Part) string {
	if p.Kind == history.ImagePart || p.Kind == history.NotePart {
		return string(p.Kind)
	}
	return "file"
}

// PartFacts are what is known of a part: its type, its size and what it costs.
func PartFacts(p history.Part, sum history.Sum) []string {
	facts := sizes(p, sum.Tokens(p.Tokens))
	if p.MediaType != "" {
		facts = slices.Insert(facts, 0, OneLine(p.MediaType))
	}
	return facts
}
