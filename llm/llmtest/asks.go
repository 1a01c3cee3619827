package llmtest

import (
	"encoding/json"
	"regexp"
)

// AsksForAnAnswer says that the body of a request carries a conversation and wants it answered, in any of the formats
// that winnow speaks. A question about a server, or one that has it count tokens, does not.
func IsAnswerRequest(body []byte) bool {
	var asks struct {
		Messages json.RawMessage
		Input    json.RawMessage
		Stream   bool
	}
	return json.Unmarshal(body, &asks) == nil && asks.Stream && (asks.Messages != nil || asks.Input != nil)
}

// A name that a server or an argument gives may hold blanks and line ends.
var announcement = regexp.MustCompile(
	`\bTry \d+ of \d+ in|\b[Aa]sking (?:once more|again|\S+ again|\S+ to summarise|\S+ for a title|for the title ` +
		`again|(?s:.*?) again with the result of)\b`,
)

// Announced is how many further requests a sentence for the user announces: those that winnow makes beside the first
// one of a turn.
func CountAnnounced(sentence string) int { return len(announcement.FindAllString(sentence, -1)) }
