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
func Read(values iter.Seq2[conversation.Value, error]) iter.Seq2[conversation.Conversation, error] {
	return func(yield func(conversation.Conversation, error) bool) {
		loose := newReader(1)
		for v, err := range values {
			if err != nil {
				yield(loose.conv, err)
				return
			}
			if list, ok := listOf(v); ok {
				one := newReader(v.Line)
				one.request(v, list)
				if !yield(one.conv, nil) {
					return
				}
				continue
			}
			loose.value(v)
		}
		if len(loose.conv.Messages)+len(loose.conv.Remarks) > 0 {
			yield(loose.conv, nil)
		}
	}
}

// reader makes a conversation of messages.
type reader struct {
	conv  conversation.Conversation
	index int // the place of the next message, from 0
}

func newReader(line int) *reader {
	r := &reader{conv: conversation.New("openai")}
	r.conv.Line = line
	return r
}

// listOf is the object around the messages of a conversation: the value itself, or the body of a request in a batch.
func listOf(v conversation.Value) (fields map[string]json.RawMessage, ok bool) {
	if v.Broken != "" || json.Unmarshal(v.Raw, &fields) != nil {
		return nil, false
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(fields["body"], &body) == nil {
		title := cmp.Or(string(fields["custom_id"]), `""`)
		fields, body["title"] = body, json.RawMessage(title)
	}
	for _, key := range []string{"role", "call_id", "type"} {
		if fields[key] != nil {
			return nil, false
		}
	}
	return fields, fields["messages"] != nil || fields["input"] != nil || fields["output"] != nil
}

// request reads a conversation in an object, which may be a request as a server takes it.
func (r *reader) request(v conversation.Value, fields map[string]json.RawMessage) {
	row := &r.conv.Session
	row.Title, row.Model = conversation.Text(fields["title"]), conversation.Text(fields["model"])
	system := conversation.ReadContent(fields["system"]).Text
	row.System = conversation.Join(system, conversation.Text(fields["instructions"]))
	read := false
	for _, key := range []string{"messages", "input", "output"} {
		list := fields[key]
		if len(list) > 0 && list[0] == '"' && key == "input" {
			r.conv.Append(conversation.NewMessage("", message.User, conversation.Text(list), 0))
			read = true
		}
		if len(list) == 0 || list[0] != '[' {
			continue
		}
		read = true
		line := v.Line + bytes.Count(v.Raw[:bytes.Index(v.Raw, list)], []byte{'\n'})
		for item := range conversation.List(bytes.NewReader(list), line) {
			r.value(item)
		}
	}
	if !read {
		r.conv.Broken = "has no list of messages"
	}
	for _, key := range []string{"messages", "input", "output", "title", "model", "system", "instructions"} {
		delete(fields, key)
	}
	if len(fields) > 0 {
		others := strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
		r.conv.Odd("", "", "other data in the file is ignored: %s", others)
	}
}

// value reads a message.
func (r *reader) value(v conversation.Value) {
	m := messageReader{conv: &r.conv, at: conversation.Remark{Index: r.index, Line: v.Line}}
	if r.index++; v.Broken != "" {
		m.lose(v.Broken)
		return
	}
	m.read(v.Raw)
}
