// Package exact writes requests in the formats in which hosted services count the tokens of a request that is not
// made: Anthropic's Messages and Google's GenerateContent. It sends nothing.
package exact

import (
	"encoding/json"
	"strings"

	"winnow/history/message"
)

// Request is a request whose tokens are counted. The arguments of calls have to be JSON objects.
type Request struct {
	Model    string
	Messages []message.Message
	Tools    []Tool
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of an object
}

// Read reads the number under a key of an answer, and says whether it is there.
func Read(answer []byte, key string) (tokens int, ok bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(answer, &object) != nil || object[key] == nil {
		return 0, false
	}
	err := json.Unmarshal(object[key], &tokens)
	return tokens, err == nil && tokens > 0
}

// texts are what a message says, without what is blank: both services refuse blank texts. Its own text stands last,
// behind the files that it is about.
func texts(m message.Message) []string {
	var list []string
	for _, p := range m.Parts {
		if p.Kind != message.ImagePart && strings.TrimSpace(p.Text) != "" {
			list = append(list, p.Sent())
		}
	}
	if strings.TrimSpace(m.Content) != "" {
		list = append(list, m.Content)
	}
	return list
}

// system is what all system messages say: both services have one place for it, whatever stands between.
func system(messages []message.Message) string {
	var all []string
	for _, m := range messages {
		if m.Role == message.System {
			all = append(all, texts(m)...)
		}
	}
	return strings.Join(all, "\n\n")
}

// names are the tools that were called, by the ids of the calls.
func names(messages []message.Message) map[string]string {
	called := map[string]string{}
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			called[call.ID] = call.Name
		}
	}
	return called
}
