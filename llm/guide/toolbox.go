package guide

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"winnow/llm/tool"
)

// A search answers with so many sections, and so many characters of each: the guide's window is
// small.
const (
	boxSections = 2
	boxLength   = 600
)

// toolbox holds the one tool that the guide is offered, so that a tool call can be seen from end to
// end without a network: /guide tool.
func toolbox(g *Guide) *tool.Toolbox {
	box := &tool.Toolbox{}
	box.Register(tool.Tool{
		Name:        "search_docs",
		Description: "Searches winnow's documentation and answers with the sections that fit best.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"what to look for"}},"required":["query"]}`),
	}, g.searchDocs)
	return box
}

func (g *Guide) searchDocs(_ context.Context, arguments json.RawMessage) (string, error) {
	var wanted struct{ Query string }
	if err := json.Unmarshal(arguments, &wanted); err != nil {
		return "", fmt.Errorf("read the query: %w", err)
	}
	lib, err := g.pages()
	if err != nil {
		return "", err
	}
	var found []string
	for _, h := range lib.index.search(wanted.Query) {
		if p := lib.parts[h.part]; len(found) < boxSections {
			found = append(found, fmt.Sprintf("%s, %s:\n%s", p.link(), p.head, opening(p.text)))
		}
	}
	if len(found) == 0 {
		return "Nothing in winnow's documentation fits.", nil
	}
	return strings.Join(found, "\n\n"), nil
}

// opening is the beginning of a section, cut after a whole line.
func opening(text string) string {
	runes := []rune(text)
	if len(runes) <= boxLength {
		return text
	}
	cut := string(runes[:boxLength])
	if line := strings.LastIndexByte(cut, '\n'); line > 0 {
		cut = cut[:line]
	}
	return cut + "\n…"
}
