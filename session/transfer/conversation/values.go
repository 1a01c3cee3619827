package conversation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Largest is how much of a file is read, in bytes; an archive counts unpacked.
const Largest = 1 << 30

// Errors of a file that is not read, or not to its end.
var (
	ErrTooLarge = errors.New("the file is larger than 1,024 MiB")
	ErrNotJSON  = errors.New("the file holds no JSON")
)

// maxBroken is after how many lines without JSON, with none before them that has any, a file is no JSONL.
const maxBroken = 100

// Value is one JSON value of a file.
type Value struct {
	Raw    json.RawMessage
	Line   int    // the line that it begins in, from 1; 0 where Broken is a sentence about the file
	Broken string // why there is no value: from the verb on, "is not JSON"; "" where there is one
}

// Values reads a file of JSON from its beginning: the items of a list, values one after the other, or one a line. A
// line that is not JSON is passed on as Broken. Elsewhere that ends the file, because nothing says where the next
// value begins. The error, after which nothing follows, is one of reading, or ErrNotJSON.
func Values(file io.ReadSeeker) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		in, line, err := begin(file)
		if head, _ := in.Peek(1); err == nil && head[0] != '[' {
			first, _ := in.ReadBytes('\n')
			spread := !json.Valid(first) && json.NewDecoder(io.MultiReader(bytes.NewReader(first), in)).
				Decode(&json.RawMessage{}) == nil
			if in, line, err = begin(file); err == nil && !spread {
				lines(in, line)(yield)
				return
			}
		}
		switch {
		case err == nil:
			decode(in, line)(yield)
		case err != io.EOF:
			yield(Value{}, err)
		}
	}
}

// List reads the items of a JSON list that begins in a line.
func List(r io.Reader, line int) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		in, blank, err := skipBlank(r)
		head, _ := in.Peek(1)
		switch {
		case err != nil && err != io.EOF:
			yield(Value{}, err)
		case string(head) != "[":
			yield(Value{Broken: "the file is not a JSON list"}, nil)
		default:
			decode(in, line+blank-1)(yield)
		}
	}
}

// begin goes to the first byte of a file that says something. The error is io.EOF where there is none.
func begin(file io.ReadSeeker) (*bufio.Reader, int, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return bufio.NewReader(file), 0, fmt.Errorf("read the file from its beginning: %w", err)
	}
	return skipBlank(file)
}

// skipBlank skips a byte order mark and the blanks after it, and returns the line that is reached.
func skipBlank(r io.Reader) (in *bufio.Reader, line int, err error) {
	in = bufio.NewReaderSize(r, 1<<16)
	if mark, _ := in.Peek(3); string(mark) == "\xEF\xBB\xBF" {
		in.Discard(3)
	}
	for line = 1; ; {
		b, err := in.ReadByte()
		switch {
		case err != nil:
			return in, line, err
		case b == '\n':
			line++
		case b != ' ' && b != '\t' && b != '\r':
			return in, line, in.UnreadByte()
		}
	}
}

// lines reads one value a line.
func lines(in *bufio.Reader, line int) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		for found := false; ; line++ {
			text, err := in.ReadBytes('\n')
			if err != nil && err != io.EOF {
				yield(Value{}, fmt.Errorf("read the file: %w", err))
				return
			}
			v := Value{Raw: bytes.TrimSpace(text), Line: line}
			var syntax *json.SyntaxError
			if !json.Valid(v.Raw) && errors.As(json.Unmarshal(v.Raw, new(any)), &syntax) {
				v.Broken = fmt.Sprintf("is not JSON (byte %d of the line: %v)", syntax.Offset, syntax)
			}
			found = found || v.Broken == "" && len(v.Raw) > 0
			if len(v.Raw) > 0 && !yield(v, nil) || err == io.EOF {
				return
			}
			if !found && line >= maxBroken {
				yield(Value{}, ErrNotJSON)
				return
			}
		}
	}
}

// decode reads the items of a list, or values one after the other.
func decode(in *bufio.Reader, line int) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		var read bytes.Buffer // what the decoder has read and no value was made of yet
		dec := json.NewDecoder(io.TeeReader(in, &read))
		head, _ := in.Peek(1)
		list := head[0] == '['
		if list {
			dec.Token() // the bracket that is there
		}
		for done := int64(0); dec.More(); {
			v := Value{}
			err := dec.Decode(&v.Raw)
			start := dec.InputOffset() - int64(len(v.Raw)) - done
			if v.Broken, err = brokenJSON(err); v.Broken != "" {
				rest := read.Bytes()[start:]
				start += int64(len(rest) - len(bytes.TrimLeft(rest, ", \t\r\n")))
			}
			line += bytes.Count(read.Next(int(start)), []byte("\n"))
			v.Line = line
			line += bytes.Count(read.Next(len(v.Raw)), []byte("\n"))
			done = dec.InputOffset()
			if !yield(v, err) || err != nil || v.Broken != "" {
				return
			}
		}
		end, err := dec.Token()
		if broken, failed := brokenJSON(err); failed != nil {
			yield(Value{}, failed)
		} else if list && (broken != "" || end != json.Delim(']')) {
			yield(Value{Broken: "the file ends before its list does; what came before is imported"}, nil)
		} else if _, err := dec.Token(); list && err != io.EOF {
			yield(Value{Broken: "there is more data after the list; it was not imported"}, nil)
		}
	}
}

// brokenJSON says why a value cannot be read. The error is one of reading the file.
func brokenJSON(err error) (broken string, failed error) {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		const what = "is not JSON (byte %d of the file: %v); nothing after it was imported"
		return fmt.Sprintf(what, syntax.Offset, syntax), nil
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return "is cut off: the file ends inside it", nil
	}
	return "", err
}
