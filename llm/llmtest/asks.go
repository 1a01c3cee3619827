package llmtest

import (
	"encoding/json"
	"regexp"
)

// IsAnswerRequest reports whether the body of a request, in any of winnow's formats, contains a conversation to be
// answered. Requests for information about a server, or to count tokens, do not.
func IsAnswerRequest(body []byte) bool {
	var asks struct {
		Messages json.RawMessage
		Input    json.RawMessage
		Stream   bool
	}
	return json.Unmarshal(body, &asks) == nil && asks.Stream && (asks.Messages != nil || asks.Input != nil)
}

// announcement allows spaces and line ends in names of servers and in arguments.
var announcement = regexp.MustCompile(
	`\bTry \d+ of \d+ in|\b[Aa]sking (?:once more|again|\S+ again|\S+ to summarise|\S+ for a title|for the title ` +
		`again|(?s:.*?) again with the result of)\b`,
)

// CountAnnounced is the number of further requests that a sentence to the user announces, besides the first one of a
// turn.
func CountAnnounced(sentence string) int { return len(announcement.FindAllString(sentence, -1)) }
