package store

import (
	"encoding/json"
	"slices"
	"strconv"

	"winnow/history"
)

// bring gives a message what its row knows of the reply beside the text: who said it, and the keys
// that only its server understands. Extra has those in one object: under message the keys of the
// message, under tool_calls those of each call by its place from 0, and under chunk what came beside
// the message and belongs to nobody. The values keep their bytes.
func (m *Message) bring() {
	m.Origin = history.Origin{Endpoint: m.Endpoint, Model: m.Model}
	m.Replay = ""
	if len(m.Extra) == 0 {
		return
	}
	var extra struct {
		Message   json.RawMessage            `json:"message"`
		ToolCalls map[string]json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(m.Extra, &extra) != nil {
		return // Not a reply's: it is kept as it is and goes nowhere.
	}
	m.Replay = string(extra.Message)
	if len(extra.ToolCalls) == 0 {
		return
	}
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for place := range m.ToolCalls {
		m.ToolCalls[place].Replay = string(extra.ToolCalls[strconv.Itoa(place)])
	}
}
