package llm

import (
	"encoding/json"
	"maps"
)

// MarshalJSON writes the known keys in their order, and behind them those that only the server knows.
func (m wireMessage) MarshalJSON() ([]byte, error) {
	type known wireMessage
	return withReplay(known(m), m.replay, messageKeys)
}

// MarshalJSON does the same for a call.
func (c wireCall) MarshalJSON() ([]byte, error) {
	type known wireCall
	return withReplay(known(c), c.replay, callKeys)
}

// withReplay adds keys to an object, in the order of their names and with the bytes of their values.
// A known key is never taken from there: it would stand in the object twice, or where winnow says
// something else.
func withReplay(known any, replay string, taken map[string]bool) ([]byte, error) {
	raw, err := encode(known)
	if err != nil || replay == "" {
		return raw, err
	}
	more := members(json.RawMessage(replay))
	maps.DeleteFunc(more, func(key string, _ json.RawMessage) bool { return taken[key] })
	if len(more) == 0 {
		return raw, nil
	}
	extra, err := encode(more)
	if err != nil {
		return nil, err
	}
	raw[len(raw)-1] = ','
	return append(raw, extra[1:]...), nil
}
