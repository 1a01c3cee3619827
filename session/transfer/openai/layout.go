package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// lined reads JSONL: one message a line. Blank lines are none.
func (t *Reader) lined() (conversation.Message, error) {
	for {
		t.scan.Drop()
		line := t.scan.Line
		raw, ok := t.scan.NextLine()
		if !ok {
			return conversation.Message{}, io.EOF
		}
		if raw = bytes.TrimSpace(raw); len(raw) > 0 {
			return t.message(line, raw), nil
		}
	}
}

// streamed reads messages one after the other, each over several lines.
func (t *Reader) streamed() (conversation.Message, error) {
	t.scan.Drop()
	if t.scan.Ended() {
		return conversation.Message{}, io.EOF
	}
	return t.valued(), nil
}

// listed reads the messages of a list whose bracket is taken, and then what is behind it. Commas
// too many or too few cost no message.
func (t *Reader) listed(behind func() error) func() (conversation.Message, error) {
	return func() (conversation.Message, error) {
		for {
			t.scan.Drop()
			switch c := t.scan.Peek(); {
			case c == ',':
				t.scan.Take()
			case c == ']':
				t.scan.Take()
				return conversation.Message{}, behind()
			case c == 0 && t.scan.Err != nil:
				t.remark("", "the file ends before its list of messages does; what came before is imported")
				return conversation.Message{}, io.EOF
			default:
				return t.valued(), nil
			}
		}
	}
}

// valued reads the next value as a message.
func (t *Reader) valued() conversation.Message {
	line := t.scan.Line
	raw, whole := t.scan.Value()
	if !whole {
		return conversation.Message{Line: line, Size: len(raw), Broken: &conversation.Remark{What: "is cut off: the file ends inside it"}}
	}
	if len(raw) == 0 {
		t.scan.Take() // a bracket or a colon in a place where no value begins
		raw = t.scan.Kept()[len(t.scan.Kept())-1:]
	}
	return t.message(line, raw)
}

// checkEnd reads what is checkEnd the conversation, where nothing should.
func (t *Reader) checkEnd() error {
	if !t.scan.Ended() {
		t.remark("", fmt.Sprintf("there is more after the conversation, from line %d on; only one conversation per file is imported", t.scan.Line))
	}
	return io.EOF
}

// object finds out what the object at the beginning of the file is, and returns the reader of its
// layout: a conversation with its messages under "messages", or the first of many messages.
func (t *Reader) object() func() (conversation.Message, error) {
	t.scan.Drop()
	first := t.scan.Line
	t.scan.Take()
	var keys []string
	for {
		key, ok := t.key()
		if !ok {
			break
		}
		if key == "messages" && t.scan.Peek() == '[' {
			t.scan.Take()
			return t.listed(t.restOfObject)
		}
		raw, ok := t.scan.Value()
		if !ok || len(raw) == 0 {
			break
		}
		keys = append(keys, key)
		t.aboutKey(key, raw)
		if t.scan.Peek() == '}' {
			t.scan.Take()
			return t.noList(keys, first)
		}
	}
	return t.again(t.lined, first)
}

// noList is the layout of a file whose first object holds no list of messages: it is a message.
func (t *Reader) noList(keys []string, first int) func() (conversation.Message, error) {
	t.about = conversation.About{}
	if slices.Contains(keys, "messages") && !slices.Contains(keys, "role") {
		return func() (conversation.Message, error) {
			t.next = func() (conversation.Message, error) { return conversation.Message{}, t.checkEnd() }
			return conversation.Message{Line: first, Size: len(t.scan.Kept()), Broken: &conversation.Remark{Field: "messages", What: "is not a list of messages"}}, nil
		}
	}
	if t.scan.Line == first {
		return t.again(t.lined, first)
	}
	return t.again(t.streamed, first)
}

// again reads the file from its beginning in a layout that is now known.
func (t *Reader) again(layout func() (conversation.Message, error), line int) func() (conversation.Message, error) {
	t.about = conversation.About{}
	t.scan = t.scan.Again(line)
	return layout
}

// key reads the next key of an object with its colon. ok is false behind the last one, and where the
// text is no object.
func (t *Reader) key() (key string, ok bool) {
	for t.scan.Peek() == ',' {
		t.scan.Take()
	}
	if t.scan.Peek() != '"' {
		return "", false
	}
	raw, whole := t.scan.Value()
	if !whole {
		return "", false
	}
	key = rawjson.Text(raw)
	if t.scan.Peek() != ':' {
		return "", false
	}
	t.scan.Take()
	return key, true
}

// aboutKey takes a key beside the messages.
func (t *Reader) aboutKey(key string, raw []byte) {
	to := map[string]*string{"title": &t.about.Title, "model": &t.about.Model, "system": &t.about.System}[key]
	if to == nil || len(raw) == 0 || raw[0] != '"' || !json.Valid(raw) {
		t.about.Unused = append(t.about.Unused, key)
		return
	}
	*to = rawjson.Unquote(raw)
}

// restOfObject reads the keys behind the list of messages.
func (t *Reader) restOfObject() error {
	for {
		t.scan.Drop()
		key, ok := t.key()
		if !ok {
			break
		}
		raw, whole := t.scan.Value()
		if !whole {
			break
		}
		t.aboutKey(key, raw)
	}
	if t.scan.Peek() == '}' {
		t.scan.Take()
		return t.checkEnd()
	}
	t.remark("", "the data after the messages cannot be read; the messages are imported")
	return io.EOF
}
