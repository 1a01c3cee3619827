package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// lined reads JSONL: one message a line. Blank lines are none.
func (t *Transcript) lined() (Told, error) {
	for {
		t.scan.drop()
		line := t.scan.line
		raw, ok := t.scan.nextLine()
		if !ok {
			return Told{}, io.EOF
		}
		if raw = bytes.TrimSpace(raw); len(raw) > 0 {
			return t.told(line, raw), nil
		}
	}
}

// streamed reads messages that stand one behind the other, each over several lines.
func (t *Transcript) streamed() (Told, error) {
	t.scan.drop()
	if t.scan.peek() == 0 && t.scan.err != nil {
		return Told{}, io.EOF
	}
	return t.valued(), nil
}

// listed reads the messages of a list whose bracket is taken, and then what stands behind it. Commas
// too many or too few cost no message.
func (t *Transcript) listed(behind func() error) func() (Told, error) {
	return func() (Told, error) {
		for {
			t.scan.drop()
			switch c := t.scan.peek(); {
			case c == ',':
				t.scan.take()
			case c == ']':
				t.scan.take()
				return Told{}, behind()
			case c == 0 && t.scan.err != nil:
				t.remark("", "the file ends before its list of messages does; what came before is imported")
				return Told{}, io.EOF
			default:
				return t.valued(), nil
			}
		}
	}
}

// valued reads the next value as a message.
func (t *Transcript) valued() Told {
	line := t.scan.line
	raw, whole := t.scan.value()
	if !whole {
		return Told{Line: line, Size: len(raw), Broken: &Remark{What: "is cut off: the file ends inside it"}}
	}
	if len(raw) == 0 {
		t.scan.take() // a bracket or a colon in a place where no value begins
		raw = t.scan.kept[len(t.scan.kept)-1:]
	}
	return t.told(line, raw)
}

// behind reads what stands behind the conversation, where nothing should.
func (t *Transcript) behind() error {
	if t.scan.peek() != 0 || t.scan.err == nil {
		t.remark("", fmt.Sprintf("more stands behind the conversation, from line %d on; a file is read as one conversation, so that was not imported", t.scan.line))
	}
	return io.EOF
}

// object finds out what the object at the beginning of the file is, and returns the reader of its
// form: a conversation with its messages under "messages", or the first of many messages.
func (t *Transcript) object() func() (Told, error) {
	t.scan.drop()
	first := t.scan.line
	t.scan.take()
	var keys []string
	for {
		key, ok := t.key()
		if !ok {
			break
		}
		if key == "messages" && t.scan.peek() == '[' {
			t.scan.take()
			return t.listed(t.restOfObject)
		}
		raw, ok := t.scan.value()
		if !ok || len(raw) == 0 {
			break
		}
		keys = append(keys, key)
		t.aboutKey(key, raw)
		if t.scan.peek() == '}' {
			t.scan.take()
			return t.noList(keys, first)
		}
	}
	return t.again(t.lined, first)
}

// noList is the form of a file whose first object holds no list of messages: it is a message.
func (t *Transcript) noList(keys []string, first int) func() (Told, error) {
	t.about = About{}
	if slices.Contains(keys, "messages") && !slices.Contains(keys, "role") {
		return func() (Told, error) {
			t.next = func() (Told, error) { return Told{}, t.behind() }
			return Told{Line: first, Size: len(t.scan.kept), Broken: &Remark{"messages", "is not a list of messages"}}, nil
		}
	}
	if t.scan.line == first {
		return t.again(t.lined, first)
	}
	return t.again(t.streamed, first)
}

// again reads the file from its beginning in a form that is now known.
func (t *Transcript) again(form func() (Told, error), line int) func() (Told, error) {
	t.about = About{}
	start := bytes.NewReader(slices.Clone(t.scan.kept))
	rest := t.scan.r
	if t.scan.err != nil {
		rest.Reset(&failing{t.scan.err})
	}
	most := t.scan.most
	t.scan = newScanner(io.MultiReader(start, rest))
	t.scan.most, t.scan.line = most, line
	return form
}

// failing is a reader that has ended.
type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// key reads the next key of an object with its colon. ok is false behind the last one, and where the
// text is no object.
func (t *Transcript) key() (key string, ok bool) {
	for t.scan.peek() == ',' {
		t.scan.take()
	}
	if t.scan.peek() != '"' {
		return "", false
	}
	raw, whole := t.scan.value()
	if !whole {
		return "", false
	}
	key = text(raw)
	if t.scan.peek() != ':' {
		return "", false
	}
	t.scan.take()
	return key, true
}

// aboutKey takes a key that stands beside the messages.
func (t *Transcript) aboutKey(key string, raw []byte) {
	to := map[string]*string{"title": &t.about.Title, "model": &t.about.Model, "system": &t.about.System}[key]
	if to == nil || len(raw) == 0 || raw[0] != '"' || !json.Valid(raw) {
		t.about.Unused = append(t.about.Unused, key)
		return
	}
	*to = unquote(raw)
}

// restOfObject reads the keys behind the list of messages.
func (t *Transcript) restOfObject() error {
	for {
		t.scan.drop()
		key, ok := t.key()
		if !ok {
			break
		}
		raw, whole := t.scan.value()
		if !whole {
			break
		}
		t.aboutKey(key, raw)
	}
	if t.scan.peek() == '}' {
		t.scan.take()
		return t.behind()
	}
	t.remark("", "what stands behind the messages cannot be read; the messages are imported")
	return io.EOF
}
