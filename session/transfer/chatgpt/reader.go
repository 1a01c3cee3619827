// Package chatgpt reads the conversations of a ChatGPT data export: its archive, or the JSON file in it.
// It does not store them.
package chatgpt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// source is the name of the program that imported sessions carry.
const source = "chatgpt"

// Reader reads the conversations of a JSON file one at a time: a list of them, an object with such a list
// under "conversations", or single ones one after the other. It holds no more of the file than one
// conversation.
type Reader struct {
	in     *meter
	dec    *json.Decoder
	assets Assets
	index  int
	begun  bool
	done   bool
	depth  int // brackets around the conversations that are still open: those of a list, and of the object around it
}

// Assets finds the bytes of an image or a file that a message of an export names by its id. ok is false
// where the export does not hold them.
type Assets func(id string) (Asset, bool)

// Asset is a file of an export.
type Asset struct {
	Name string
	Data []byte
}

// NewReader returns a reader of a file. assets may be nil. Large lifts the limit on the size of a conversation. It
// reads nothing yet.
func NewReader(r io.Reader, assets Assets, large bool) *Reader {
	if assets == nil {
		assets = func(string) (Asset, bool) { return Asset{}, false }
	}
	limit := int64(rawjson.LargestValue)
	if large {
		limit = math.MaxInt64 / 2
	}
	return &Reader{in: &meter{from: r, max: limit}, assets: assets}
}

// meter counts the lines of a file while it is read, and limits how much of it is read for one value.
type meter struct {
	from  io.Reader
	max   int64 // bytes of one value
	left  int64 // bytes that may be read for the value being read
	lines int
	head  *bytes.Buffer // takes a copy of what is read; nil for none
	err   error         // what ended the file, but for io.EOF
}

func (m *meter) Read(b []byte) (int, error) {
	if m.left <= 0 {
		m.err = rawjson.ErrTooLarge
		return 0, m.err
	}
	n, err := m.from.Read(b[:min(int64(len(b)), m.left)])
	m.left -= int64(n)
	m.lines += bytes.Count(b[:n], []byte{'\n'})
	if m.head != nil {
		m.head.Write(b[:n])
	}
	if err != nil && err != io.EOF {
		m.err = err
	}
	return n, err
}

// next lets a further value be read. What the decoder read ahead of it does not count, so the limit is not
// exact.
func (m *meter) next() { m.left = m.max + 1<<16 }

// What may be wrong with a file around its conversations.
var (
	errEnds = errors.New("the file ends before its list of conversations does; what came before is imported")
	errMore = errors.New("there is more data after the list of conversations; it was not imported")
)

// Next returns the next conversation, or io.EOF after the last one. What is JSON but no conversation comes
// with Broken set, and the others still follow. What is not JSON comes so too and ends the file, because
// nothing says where the next conversation begins. Any other error ends the file as well.
func (r *Reader) Next() (conversation.Conversation, error) {
	if r.done {
		return conversation.Conversation{}, io.EOF
	}
	raw, err := r.value()
	if r.in.err != nil {
		return conversation.Conversation{}, r.in.err
	}
	if err == io.EOF {
		r.done = true
		return conversation.Conversation{}, io.EOF
	}
	c := conversation.Conversation{Index: r.index}
	c.Leaf = -1
	r.index++
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		if r.read(&c, raw); c.Broken != nil {
			c.Line = r.line(raw)
		}
		return c, nil
	case err == errEnds || err == errMore:
		c.Broken = &conversation.Remark{Field: "file", What: err.Error()}
	case errors.As(err, &syntax):
		c.Broken = &conversation.Remark{What: fmt.Sprintf("is not JSON (byte %d of the file: %v); nothing after it was imported", syntax.Offset, syntax)}
	default:
		c.Broken = &conversation.Remark{What: "is cut off: the file ends inside it"}
	}
	c.Line = r.line(raw)
	r.done = true
	return c, nil
}

// line is the line in which the value that was read last begins, or where raw is nil the one that could
// not be read.
func (r *Reader) line(raw []byte) int {
	rest, _ := io.ReadAll(r.dec.Buffered()) // bytes in memory
	line := 1 + r.in.lines - bytes.Count(rest, []byte{'\n'}) - bytes.Count(raw, []byte{'\n'})
	if raw == nil {
		before := len(rest) - len(bytes.TrimLeft(rest, ", \t\r\n"))
		line += bytes.Count(rest[:before], []byte{'\n'})
	}
	return line
}

// value returns the next value that should be a conversation, or io.EOF after the last one.
func (r *Reader) value() ([]byte, error) {
	r.in.next()
	if !r.begun {
		r.begun = true
		if err := r.begin(); err != nil {
			return nil, err
		}
		r.in.next()
	}
	if r.depth > 0 && !r.dec.More() {
		return nil, r.end()
	}
	var raw json.RawMessage
	err := r.dec.Decode(&raw)
	return raw, err
}

// begin finds the layout of the file by its beginning.
func (r *Reader) begin() error {
	mark := make([]byte, 3)
	n, err := io.ReadFull(r.in, mark)
	if err != nil && err != io.ErrUnexpectedEOF {
		r.dec = json.NewDecoder(r.in)
		return err
	}
	var head bytes.Buffer
	if mark = mark[:n]; string(mark) != "\xEF\xBB\xBF" {
		head.Write(mark)
	}
	first := bytes.NewReader(bytes.Clone(head.Bytes()))
	r.in.head = &head
	r.dec = json.NewDecoder(io.MultiReader(first, r.in))
	if r.depth = openList(r.dec); r.depth == 0 {
		r.dec = json.NewDecoder(io.MultiReader(bytes.NewReader(head.Bytes()), r.in))
	}
	r.in.head = nil
	return nil
}

// openList reads up to the first value of a list of conversations and returns how many brackets that opens,
// 0 where the file does not begin with such a list.
func openList(dec *json.Decoder) int {
	open, err := dec.Token()
	switch {
	case err != nil || open != json.Delim('[') && open != json.Delim('{'):
		return 0
	case open == json.Delim('['):
		return 1
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil || key == "mapping" {
			return 0
		}
		if key == "conversations" {
			if list, err := dec.Token(); err != nil || list != json.Delim('[') {
				return 0
			}
			return 2
		}
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return 0
		}
	}
	return 0
}

// end reads what is behind the list, where nothing but the other keys of an object around it should be. It
// reads to the end of the file, because only there an archive says whether the file is whole.
func (r *Reader) end() error {
	if _, err := r.dec.Token(); err != nil {
		return errEnds
	}
	for r.depth--; ; {
		r.in.next()
		token, err := r.dec.Token()
		switch {
		case err == io.EOF || err != nil && r.depth > 0:
			return io.EOF
		case err != nil || r.depth == 0:
			return errMore
		case token == json.Delim('{') || token == json.Delim('['):
			r.depth++
		case token == json.Delim('}') || token == json.Delim(']'):
			r.depth--
		}
	}
}

// read reads one conversation.
func (r *Reader) read(c *conversation.Conversation, raw []byte) {
	if raw[0] != '{' {
		c.Broken = &conversation.Remark{What: fmt.Sprintf("is %s, not an object with a mapping", rawjson.Kind(raw))}
		return
	}
	row := &c.Session
	row.Source = source
	var mapping []byte
	var id, other, leaf string
	for name, value := range rawjson.Members(raw) {
		switch rawjson.Unquote(name) {
		case "mapping":
			mapping = value
		case "conversation_id":
			id, _ = rawjson.Scalar(value)
		case "id":
			other, _ = rawjson.Scalar(value)
		case "title":
			row.Title = rawjson.Text(value)
		case "current_node":
			leaf = rawjson.Text(value)
		case "create_time":
			row.Created = timeOf(value)
		case "update_time":
			row.Updated = timeOf(value)
		case "is_archived":
			row.Archived = string(value) == "true"
		case "is_starred":
			row.Pinned = string(value) == "true"
		}
	}
	if row.Origin = id; id == "" {
		row.Origin = other
	}
	if mapping == nil || mapping[0] != '{' {
		c.Broken = &conversation.Remark{Field: "mapping", What: "is missing, so it is not a conversation"}
		return
	}
	t := tree{conv: c, assets: r.assets}
	t.grow(mapping, leaf)
	if row.Origin == "" && len(c.Messages) > 0 {
		row.Origin = "of message " + c.Messages[0].Label
	}
}

// timeOf is a time, the zero time for none.
func timeOf(raw []byte) time.Time {
	text, _ := rawjson.Scalar(raw)
	if ms, ok := conversation.ParseTime(strings.TrimSpace(text)); ok {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}
