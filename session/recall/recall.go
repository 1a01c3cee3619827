// Package recall is the tool with which a model reads the parts of a conversation that its request does not hold. It
// says what the tool takes and writes what it answers; where the messages come from is its caller's business.
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

// Name is what the model calls the tool by.
const ToolName = "recall"

// The limits of one answer.
const (
	maxMessages = 12
	maxExcerpt  = 2000 // code points of one message
)

// Tool describes the tool to the model. It runs without asking: the model has been given these messages before, or
// could have been.
var Tool = tool.Tool{
	Name: ToolName, Default: tool.Allow,
	Description: "Search the earlier messages of this conversation that are shortened or missing in what you were " +
		"given, and read them.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string",` +
		`"description":"words to look for"}},"required":["query"]}`),
}

// ReadQuery reads the arguments of a call: the words to look for.
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

// Found is one message that was found.
type FoundMessage struct {
	Number int // in its conversation, from 1
	Role   history.Role
	At     time.Time // zero where nobody knows
	Sent   string    // how much of it the request holds, such as "not in your context"
	Text   string
}

// Answer is the text for the model: as many of the messages, the best first, as fit limit tokens. used says how many
// they are. A long message is given by the part of it that the query is about.
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

// describe is a message with a line about it in front.
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

// Excerpt is a text of at most limit code points, or the part of it that holds the most words of a query, with marks
// where it is cut.
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

// densest is the code point at which the run of limit code points begins that holds the most different words of a
// query; the first of several.
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
	lower, read, at := strings.ToLower(text), 0, 0 // read so many bytes, which are at code points
	for _, word := range relevance.Words(lower) {
		skip := strings.Index(lower[read:], word)
		at += utf8.RuneCountInString(lower[read : read+skip])
		read += skip
		if stem := relevance.Stem(word, "english"); wanted[stem] {
			places = append(places, place{at, stem})
		}
	}
	best, most, first := 0, 0, 0
	inside := map[string]int{} // words of places[first:i+1], with how often they are there
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
