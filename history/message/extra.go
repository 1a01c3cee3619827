package message

import (
	"encoding/json"
	"strconv"
)

// ReadExtra sets what a reply held beside its text: the keys that only its server understands. extra has them in one
// object: under message the keys of the message, under tool_calls those of each call by its place from 0, and under
// chunk what came beside the message and belongs to nobody. The values keep their bytes. The result of a recall has
// under read_again the positions of the messages that it holds. Of an extra that is no such object nothing is read.
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
