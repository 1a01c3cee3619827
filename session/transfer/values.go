package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"winnow/session/transfer/conversation"
)

// maxBroken is the number of leading lines without JSON after which a file is not taken for JSON lines.
const maxBroken = 100

// values reads the values of a JSON file from its beginning: the items of a list, concatenated values, or one value per
// line. A line that is not JSON is passed on as Broken. In the other forms, broken JSON ends the file, because the next
// value cannot be found. An error ends the sequence; it is a read error or a *FileError.
func values(file *io.SectionReader) iter.Seq2[conversation.Value, error] {
	return func(yield func(conversation.Value, error) bool) {
		begin := func() *bufio.Reader {
			_, _ = file.Seek(0, io.SeekStart) // seeking to the beginning of a section always succeeds
			return bufio.NewReaderSize(file, 1<<16)
		}
		if open, _ := json.NewDecoder(begin()).Token(); open == json.Delim('[') {
			list(begin())(yield)
			return
		}
		in := begin()
		first, _ := in.ReadBytes('\n')
		all := io.MultiReader(bytes.NewReader(first), in)
		if !json.Valid(first) && json.NewDecoder(all).Decode(&json.RawMessage{}) == nil {
			decode(json.NewDecoder(begin()), yield)
		} else {
			lines(begin(), yield)
		}
	}
}

// list reads the items of a JSON list.
func list(r io.Reader) iter.Seq2[conversation.Value, error] {
	return func(yield func(conversation.Value, error) bool) {
		dec := json.NewDecoder(r)
		open, err := dec.Token()
		switch {
		case err != nil:
			yield(broken(err))
		case open != json.Delim('['):
			yield(conversation.Value{Broken: "is not a JSON list"}, nil)
		case decode(dec, yield):
			if _, err := dec.Token(); err != nil {
				yield(broken(err))
			}
		}
	}
}

// decode reads concatenated values, or the items of a list whose bracket was read, and reports whether it read all.
func decode(dec *json.Decoder, yield func(conversation.Value, error) bool) bool {
	for dec.More() {
		var v conversation.Value
		if err := dec.Decode(&v.Raw); err != nil {
			yield(broken(err))
			return false
		}
		if !yield(v, nil) {
			return false
		}
	}
	return true
}

// broken turns the error of a JSON decoder into a Broken value, or returns it if it is a read error.
func broken(err error) (conversation.Value, error) {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		const what = "is not JSON (byte %d of the file: %v); nothing after it was imported"
		return conversation.Value{Broken: fmt.Sprintf(what, syntax.Offset, syntax)}, nil
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return conversation.Value{Broken: "is cut off: the file ends inside it"}, nil
	}
	return conversation.Value{}, err
}

// lines reads one value per line.
func lines(in *bufio.Reader, yield func(conversation.Value, error) bool) {
	found := false
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			yield(conversation.Value{}, fmt.Errorf("read the file: %w", err))
			return
		}
		v := conversation.Value{Raw: bytes.TrimSpace(text), Line: line}
		if syntax := json.Unmarshal(v.Raw, &json.RawMessage{}); syntax != nil {
			v.Broken = fmt.Sprintf("is not JSON (%v)", syntax)
		}
		found = found || v.Broken == ""
		if len(v.Raw) > 0 && !yield(v, nil) || err == io.EOF {
			return
		}
		if !found && line >= maxBroken {
			yield(conversation.Value{}, unrecognised("no line of it is JSON"))
			return
		}
	}
}
