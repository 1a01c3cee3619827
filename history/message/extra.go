package message

import (
	"encoding/json"
	"strconv"
)

// ParseExtra sets the server-specific keys from extra, a JSON object: under message the keys of the message, under
// tool_calls those of each call by its index, and under chunk keys that came with the reply but belong to neither.
// Values keep their bytes. In the result of a recall, read_again has the positions of the messages in it. An invalid
// extra is ignored.
func (m *Message) ParseExtra(extra string) {
	var keys struct {
		Message   json.RawMessage            `json:"message"`
		ToolCalls map[string]json.RawMessage `json:"tool_calls"`
		ReadAgain []int                      `json:"read_again"`
	}
	m.Replay, m.RecallPositions = "", nil
	if json.Unmarshal([]byte(extra), &keys) != nil {
		return
	}
	m.Replay = string(keys.Message)
	if m.Role == Tool {
		m.RecallPositions = keys.ReadAgain
	}
	for place := range m.ToolCalls {
		m.ToolCalls[place].Replay = string(keys.ToolCalls[strconv.Itoa(place)])
	}
}
