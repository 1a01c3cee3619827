// Package recall is the tool with which a model reads the parts of a conversation that its request does not contain. It
// defines the tool's parameters and writes its answer; the caller provides the messages.
package recall

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"winnow/history"
	"winnow/history/relevance"
	"winnow/llm/tool"
)

// ToolName is the name by which the model calls the tool.
const ToolName = "recall"

// The limits of one answer.
const (
	maxMessages = 12
	maxExcerpt  = 2000 // code points per message
)

// Tool describes the tool to the model. It runs without approval, because it only returns messages of the same
// conversation.
var Tool = tool.Tool{
	Name: ToolName, Default: tool.Allow,
	Description: "Search the earlier messages of this conversation that are shortened or missing in what you were " +
		"given, and read them.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string",` +
		`"description":"words to look for"}},"required":["query"]}`),
}

// ParseQuery returns the query from the arguments of a call.
func ParseQuery(arguments json.RawMessage) (string, error) {
	var in struct {
		Query string `json:"query"`
	}
	if err := json.Unmarshal(arguments, &in); err != nil {
		return "", fmt.Errorf("read the arguments: %w", err)
	}
	if strings.TrimSpace(in.Query) == "" {
		return "", errors.New("the query is empty")
	}
	return in.Query, nil
}

// FoundMessage is a message that the query found.
type FoundMessage struct {
	Number int // its position in the conversation, from 1
	Role   history.Role
	At     time.Time // zero if unknown
	Sent   string    // how much of it the request contains, such as "not in your context"
	Text   string
}

// FormatAnswer returns the text for the model, with as many of the messages, the best first, as fit limit tokens, but
// at least one. used is their number. Long messages are cut to the excerpt that matches the query best.
func FormatAnswer(query string, found []FoundMessage, limit int, count func(string) int) (text string, used int) {
	var b strings.Builder
	for _, m := range found[:min(len(found), maxMessages)] {
		piece := m.describe(query)
		if used > 0 && count(b.String()+piece) > limit {
			break
		}
		b.WriteString(piece)
		used++
	}
	if used == 0 {
		return "Nothing was found. Other or fewer words may find more.", 0
	}
	rest := ""
	if n := len(found) - used; n > 0 {
		rest = fmt.Sprintf(" Of %d that match, these are the best; a narrower query finds others.", len(found))
	}
	return "Messages that are not, or not whole, in your context, the best match first." + rest + "\n" +
		b.String(), used
}

// describe returns a message after a line about it.
func (m FoundMessage) describe(query string) string {
	about := []string{fmt.Sprintf("message %d", m.Number), string(m.Role)}
	if !m.At.IsZero() {
		about = append(about, m.At.Format("2006-01-02 15:04"))
	}
	if m.Sent != "" {
		about = append(about, m.Sent)
	}
	return "\n[" + strings.Join(about, ", ") + "]\n" + Excerpt(m.Text, query, maxExcerpt) + "\n"
}

// Excerpt returns a text of at most limit code points unchanged, or else the part of it with the most words of a query,
// with marks where it is cut.
func Excerpt(text, query string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	from := max(0, min(densest(text, query, limit)-limit/4, len(runes)-limit))
	to := from + limit
	out := strings.TrimSpace(string(runes[from:to]))
	if from > 0 {
		out = fmt.Sprintf("[… %d characters]\n", from) + out
	}
	if to < len(runes) {
		out += fmt.Sprintf("\n[… %d characters]", len(runes)-to)
	}
	return out
}

// densest returns the first code point of the part of at most limit code points that contains the most different words
// of a query; of several, the first.
func densest(text, query string, limit int) int {
	wanted := map[string]bool{}
	for _, word := range relevance.Words(strings.ToLower(query)) {
		wanted[relevance.Stem(word, "english")] = true
	}
	type place struct {
		at   int // code point
		word string
	}
	var places []place
	lower, read, at := strings.ToLower(text), 0, 0 // the position in bytes and in code points
	for _, word := range relevance.Words(lower) {
		skip := strings.Index(lower[read:], word)
		at += utf8.RuneCountInString(lower[read : read+skip])
		read += skip
		if stem := relevance.Stem(word, "english"); wanted[stem] {
			places = append(places, place{at, stem})
		}
	}
	best, most, first := 0, 0, 0
	inside := map[string]int{} // the words from places[first] to the current one, and how often they occur
	for _, p := range places {
		inside[p.word]++
		for p.at-places[first].at > limit/2 {
			word := places[first].word
			if inside[word]--; inside[word] == 0 {
				delete(inside, word)
			}
			first++
		}
		if len(inside) > most {
			best, most = places[first].at, len(inside)
		}
	}
	return best
}
