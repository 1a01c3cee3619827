// Package openai reads and writes conversations as Chat Completions messages: a JSON list, an object that holds such
// a list, or JSONL. It reads the items of Responses and the blocks of Anthropic too. It does not send messages to a
// server and does not store them.
package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// Read reads the conversations of a file: one of each object that holds a list of messages, such as a line of a
// fine-tuning or batch file, and one of all messages that are values of their own. Nothing that a message says is
// changed or refused: what is damaged in it is repaired when a request is planned.
func Read(values iter.Seq2[conversation.Value, error], add func(conversation.Conversation) error) error {
	loose := reader{Conversation: conversation.New("openai")}
	loose.Line = 1
	for v, err := range values {
		if err != nil {
			return err
		}
		fields, ok := request(v)
		if !ok {
			loose.value(v)
			continue
		}
		one := reader{Conversation: conversation.New("openai")}
		one.Line = v.Line
		one.request(v, fields)
		if err := add(one.Conversation); err != nil {
			return err
		}
	}
	if len(loose.Messages)+len(loose.Remarks) == 0 {
		return nil
	}
	return add(loose.Conversation)
}

// reader makes a conversation of messages.
type reader struct {
	conversation.Conversation
	index int // the place of the next message, from 0
}

// lists are the keys of a request, or of its answer, that hold messages.
var lists = []string{"messages", "input", "output"}

// request is the object around the messages of a conversation: the value itself, or the body of a request in a batch.
func request(v conversation.Value) (fields map[string]json.RawMessage, ok bool) {
	if v.Broken != "" || json.Unmarshal(v.Raw, &fields) != nil {
		return nil, false
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(fields["body"], &body) == nil {
		fields, body["title"] = body, json.RawMessage(cmp.Or(string(fields["custom_id"]), `""`))
	}
	has := func(key string) bool { return fields[key] != nil }
	message := slices.ContainsFunc([]string{"role", "call_id", "type"}, has)
	return fields, !message && slices.ContainsFunc(lists, has)
}

// request reads a conversation in an object, which may be a request as a server takes it.
func (r *reader) request(v conversation.Value, fields map[string]json.RawMessage) {
	row := &r.Session
	row.Title, row.Model = conversation.Text(fields["title"]), conversation.Text(fields["model"])
	system := conversation.ReadContent(fields["system"]).Text
	row.System = conversation.Join(system, conversation.Text(fields["instructions"]))
	r.Broken = "has no list of messages"
	for _, key := range lists {
		list := fields[key]
		switch {
		case len(list) > 0 && list[0] == '[':
			line := v.Line + bytes.Count(v.Raw[:bytes.Index(v.Raw, list)], []byte{'\n'})
			for item := range conversation.List(bytes.NewReader(list), line) {
				r.value(item)
			}
		case len(list) > 0 && list[0] == '"' && key == "input":
			r.Append(conversation.NewMessage("", message.User, conversation.Text(list), 0))
		default:
			continue
		}
		r.Broken = ""
	}
	for _, key := range append([]string{"title", "model", "system", "instructions"}, lists...) {
		delete(fields, key)
	}
	if len(fields) > 0 {
		others := strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
		r.Odd("", "", "other data in the file is ignored: %s", others)
	}
}

// value reads a message.
func (r *reader) value(v conversation.Value) {
	m := messageReader{c: &r.Conversation, at: conversation.Remark{Index: r.index, Line: v.Line}}
	r.index++
	if v.Broken != "" {
		m.lose("%s", v.Broken)
		return
	}
	m.read(v.Raw)
}
