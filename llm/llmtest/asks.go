package llmtest

import "encoding/json"

// AsksForAnAnswer says that the body of a request carries a conversation and wants it answered, in any of the formats
// that winnow speaks. A question about a server, or one that has it count tokens, does not.
func AsksForAnAnswer(body []byte) bool {
	var asks struct {
		Messages json.RawMessage
		Input    json.RawMessage
		Stream   bool
	}
	return json.Unmarshal(body, &asks) == nil && asks.Stream && (asks.Messages != nil || asks.Input != nil)
}
