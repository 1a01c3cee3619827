package openai

import (
	"encoding/json"
	"strconv"

	"winnow/session/transfer/rawjson"
)

// rawExtra is what a message holds beside what message.Message has a place for, in
// the shape in which the unknown keys of an answer are kept: "message" for those of the message,
// "tool_calls" for those of its calls by slot. Keys and values are the bytes of the file.
type rawExtra struct {
	message rawjson.Object
	calls   []slotExtra
}

// slotExtra is what one call holds beside its id, its name and its arguments.
type slotExtra struct {
	slot   int
	fields rawjson.Object
}

// json is all of it as one object, nil for nothing.
func (x *rawExtra) json() json.RawMessage {
	var all, calls rawjson.Object
	if len(x.message) > 0 {
		all.Set("message", x.message)
	}
	for _, c := range x.calls {
		if len(c.fields) > 0 {
			calls.Set(strconv.Itoa(c.slot), c.fields)
		}
	}
	if len(calls) > 0 {
		all.Set("tool_calls", calls)
	}
	return json.RawMessage(all)
}
