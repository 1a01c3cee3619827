package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// ChatGPT reads the conversations of a ChatGPT data export, one at a time: a JSON list of them, an
// object with such a list under "conversations", or single ones one behind the other. It holds no more
// of the file than one conversation.
type ChatGPT struct {
	scan   *scanner
	assets Assets
	next   func() (raw []byte, whole bool, err error) // nil before the form of the file is known
	index  int

	wrapped bool // the list stands in an object
}

// Assets finds the bytes of an image or a file that a message of an export names by its id. ok is false
// where the export does not hold them.
type Assets func(id string) (Asset, bool)

// Asset is a file of an export.
type Asset struct {
	Name string
	Data []byte
}

// ReadChatGPT begins to read conversations. assets may be nil. It reads nothing yet.
func ReadChatGPT(r io.Reader, assets Assets) *ChatGPT {
	if assets == nil {
		assets = func(string) (Asset, bool) { return Asset{}, false }
	}
	return &ChatGPT{scan: newScanner(r), assets: assets}
}

// Large lifts the limit on the size of a conversation, and returns the reader.
func (c *ChatGPT) Large() *ChatGPT {
	c.scan.most = math.MaxInt
	return c
}

// What may be wrong with a file around its conversations.
var (
	errEnds = errors.New("the file ends before its list of conversations does; what came before is imported")
	errMore = errors.New("more stands behind the list of conversations; that was not imported")
)

// Next returns the next conversation, or io.EOF behind the last one. What is no conversation comes with
// Broken set, and the others still follow. Any other error ends the file.
func (c *ChatGPT) Next() (Talk, error) {
	if c.next == nil {
		c.recognise()
	}
	c.scan.drop()
	raw, whole, err := c.next()
	switch {
	case c.scan.err != nil && c.scan.err != io.EOF:
		return Talk{}, c.scan.err
	case err != nil && err != errEnds && err != errMore:
		return Talk{}, err
	}
	talk := Talk{Index: c.index, Line: c.scan.line - strings.Count(string(raw), "\n"), Leaf: -1}
	c.index++
	switch {
	case err != nil:
		talk.Broken = &Remark{Field: "file", What: err.Error()}
		c.next = ended
	case !whole:
		talk.Broken = &Remark{What: "is cut off: the file ends inside it"}
		c.next = ended
	default:
		c.read(&talk, raw)
	}
	return talk, nil
}

func ended() ([]byte, bool, error) { return nil, false, io.EOF }

// recognise finds the form of the file by its beginning.
func (c *ChatGPT) recognise() {
	if mark, _ := c.scan.r.Peek(3); string(mark) == "\xEF\xBB\xBF" {
		c.scan.r.Discard(len(mark))
	}
	switch c.scan.peek() {
	case '[':
		c.scan.take()
		c.next = c.listed
	case '{':
		c.next = c.first
	default:
		c.next = c.valued
	}
}

// listed is the next value of the list.
func (c *ChatGPT) listed() ([]byte, bool, error) {
	for {
		switch b := c.scan.peek(); {
		case b == ',':
			c.scan.take()
		case b == ']':
			c.scan.take()
			return c.behind()
		case b == 0 && c.scan.err != nil:
			return nil, false, errEnds
		default:
			return c.valued()
		}
	}
}

// behind looks at what stands behind the list, where nothing should. It reads to the end of the file,
// because only there an archive says whether the file is whole.
func (c *ChatGPT) behind() ([]byte, bool, error) {
	if c.wrapped && c.scan.peek() == ',' {
		c.scan.take()
		c.scan.nested() // the other keys of the object that holds the list
	} else if c.wrapped && c.scan.peek() == '}' {
		c.scan.take()
	}
	if c.scan.peek() == 0 && c.scan.err != nil {
		return nil, false, io.EOF
	}
	return nil, false, errMore
}

// valued is the next value of the file.
func (c *ChatGPT) valued() ([]byte, bool, error) {
	if c.scan.peek() == 0 && c.scan.err != nil {
		return nil, false, io.EOF
	}
	raw, whole := c.scan.value()
	if whole && len(raw) == 0 {
		c.scan.take() // a bracket or a colon in a place where no value begins
		raw = c.scan.kept[len(c.scan.kept)-1:]
	}
	return raw, whole, nil
}

// first is the first value of a file that begins with an object: a conversation, or the first of those
// that it lists.
func (c *ChatGPT) first() ([]byte, bool, error) {
	c.next = c.valued
	from := len(c.scan.kept)
	c.scan.take()
	for {
		for c.scan.peek() == ',' {
			c.scan.take()
		}
		if c.scan.peek() != '"' {
			break
		}
		key, _ := c.scan.value()
		name := string(key)
		if c.scan.peek() != ':' {
			break
		}
		c.scan.take()
		if name == `"conversations"` && c.scan.peek() == '[' {
			c.scan.take()
			c.next, c.wrapped = c.listed, true
			return c.listed()
		}
		if _, ok := c.scan.value(); !ok {
			return nil, false, nil
		}
	}
	// Whatever else stands in it, it ends with the bracket that closes it.
	whole := c.scan.nested()
	return c.scan.kept[from:], whole, nil
}

// read reads one conversation.
func (c *ChatGPT) read(talk *Talk, raw []byte) {
	if !json.Valid(raw) {
		talk.Broken = &Remark{What: syntaxError(raw).Error()}
		return
	}
	if raw[0] != '{' {
		talk.Broken = &Remark{What: fmt.Sprintf("is %s, not an object with a mapping", kindOf(raw))}
		return
	}
	var mapping []byte
	var id, other, leaf, slug, model string
	for name, value := range pairs(raw) {
		switch unquote(name) {
		case "mapping":
			mapping = value
		case "conversation_id":
			id, _ = scalarText(value)
		case "id":
			other, _ = scalarText(value)
		case "title":
			talk.Title = textIn(value)
		case "current_node":
			leaf = textIn(value)
		case "default_model_slug":
			slug = textIn(value)
		case "model_slug":
			model = textIn(value)
		case "create_time":
			talk.CreatedMS = timeIn(value)
		case "update_time":
			talk.UpdatedMS = timeIn(value)
		case "is_archived":
			talk.Archived = string(value) == "true"
		case "is_starred":
			talk.Pinned = string(value) == "true"
		}
	}
	if talk.ID = id; id == "" {
		talk.ID = other
	}
	if talk.Model = slug; slug == "" {
		talk.Model = model
	}
	if mapping == nil || mapping[0] != '{' {
		talk.Broken = &Remark{Field: "mapping", What: "is missing, so it is no conversation"}
		return
	}
	t := tree{talk: talk, assets: c.assets}
	t.grow(mapping, leaf)
	if talk.ID == "" && len(talk.Messages) > 0 {
		talk.ID = "of message " + talk.Messages[0].Label
	}
}

// textIn is a text, "" for any other value.
func textIn(raw []byte) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	return unquote(raw)
}

// timeIn is a time as Unix milliseconds, 0 for none.
func timeIn(raw []byte) int64 {
	text, ok := scalarText(raw)
	if !ok {
		return 0
	}
	ms, _ := parseTime(strings.TrimSpace(text))
	return ms
}
