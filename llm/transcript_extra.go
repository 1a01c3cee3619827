package llm

import (
	"encoding/json"
	"strconv"
)

// rawExtra is what a message of a transcript holds beside what history.Message has a place for, in
// the shape in which the unknown keys of an answer are kept: "message" for those of the message,
// "tool_calls" for those of its calls by slot. Keys and values are the bytes of the file.
type rawExtra struct {
	message rawObject
	calls   []slotExtra
}

// slotExtra is what one call holds beside its id, its name and its arguments.
type slotExtra struct {
	slot int
	rawObject
}

// rawObject is a JSON object that grows by members in the bytes of a file. Empty, it is no object.
type rawObject []byte

// add takes a member as it stands in the file.
func (o *rawObject) add(key, value []byte) {
	if len(*o) == 0 {
		*o = append(*o, '{')
	} else {
		(*o)[len(*o)-1] = ','
	}
	*o = append(*o, key...)
	*o = append(*o, ':')
	*o = append(*o, value...)
	*o = append(*o, '}')
}

// keep takes a member whose key is one of winnow's own words.
func (o *rawObject) keep(key string, value []byte) { o.add([]byte(`"`+key+`"`), value) }

// json is all of it as one object, nil for nothing.
func (x *rawExtra) json() json.RawMessage {
	var all, calls rawObject
	if len(x.message) > 0 {
		all.keep("message", x.message)
	}
	for _, c := range x.calls {
		if len(c.rawObject) > 0 {
			calls.keep(strconv.Itoa(c.slot), c.rawObject)
		}
	}
	if len(calls) > 0 {
		all.keep("tool_calls", calls)
	}
	return json.RawMessage(all)
}
