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

// mostBroken is after how many lines without JSON, with none before them that has any, a file is no JSONL.
const mostBroken = 100

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
		if err != nil {
			if err != io.EOF {
				yield(Value{}, err)
			}
			return
		}
		if head, _ := in.Peek(1); head[0] == '[' {
			decodeList(in, line)(yield)
			return
		}
		first, _ := in.ReadBytes('\n')
		again := json.NewDecoder(io.MultiReader(bytes.NewReader(first), in))
		spread := !json.Valid(first) && again.Decode(&json.RawMessage{}) == nil
		if in, line, err = begin(file); err != nil {
			yield(Value{}, err)
			return
		}
		if spread {
			decodeStream(in, line)(yield)
			return
		}
		lines(in, line)(yield)
	}
}

// List reads the items of a JSON list that begins in a line.
func List(r io.Reader, line int) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		in, blank, err := skipBlank(r)
		if err != nil && err != io.EOF {
			yield(Value{}, err)
			return
		}
		decodeList(in, line+blank-1)(yield)
	}
}

// begin goes to the first byte of a file that says something. The error is io.EOF where there is none.
func begin(file io.ReadSeeker) (*bufio.Reader, int, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, 0, fmt.Errorf("read the file from its beginning: %w", err)
	}
	return skipBlank(file)
}

// skipBlank skips a byte order mark and the blanks behind it, and returns the line that is reached.
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
			if !found && line >= mostBroken {
				yield(Value{}, ErrNotJSON)
				return
			}
		}
	}
}

// decoder reads values and knows their lines.
type decoder struct {
	*json.Decoder
	lines *lineCounter
}

func newDecoder(r io.Reader, line int) decoder {
	count := &lineCounter{from: r, line: line}
	return decoder{json.NewDecoder(count), count}
}

// next reads a value. The error is one of reading.
func (d decoder) next() (Value, error) {
	var v Value
	err := d.Decode(&v.Raw)
	if d.lines.err != nil {
		return v, d.lines.err
	}
	var syntax *json.SyntaxError
	switch {
	case err == nil:
	case errors.As(err, &syntax):
		const what = "is not JSON (byte %d of the file: %v); nothing after it was imported"
		v.Broken = fmt.Sprintf(what, syntax.Offset, syntax)
	default:
		v.Broken = "is cut off: the file ends inside it"
	}
	v.Line = d.lines.at(d.start(len(v.Raw)))
	return v, nil
}

// start is where the value begins that was read last, or where it could not be read the one that was to follow.
func (d decoder) start(length int) int64 {
	if length > 0 {
		return d.InputOffset() - int64(length)
	}
	rest, _ := io.ReadAll(d.Buffered()) // bytes in memory
	return d.InputOffset() + int64(len(rest)-len(bytes.TrimLeft(rest, ", \t\r\n")))
}

// decodeStream reads values one after the other.
func decodeStream(in io.Reader, line int) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		for d := newDecoder(in, line); d.More(); {
			v, err := d.next()
			if !yield(v, err) || err != nil || v.Broken != "" {
				return
			}
		}
	}
}

func decodeList(in io.Reader, line int) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		d := newDecoder(in, line)
		if open, err := d.Token(); err != nil || open != json.Delim('[') {
			yield(Value{Broken: "the file is not a JSON list"}, d.lines.err)
			return
		}
		for d.More() {
			v, err := d.next()
			if !yield(v, err) || err != nil || v.Broken != "" {
				return
			}
		}
		if _, err := d.Token(); err != nil {
			yield(Value{Broken: "the file ends before its list does; what came before is imported"}, d.lines.err)
		} else if _, err := d.Token(); err != io.EOF {
			yield(Value{Broken: "there is more data after the list; it was not imported"}, d.lines.err)
		}
	}
}

// lineCounter counts lines while it reads.
type lineCounter struct {
	from io.Reader
	read int64
	line int     // of the place that was asked for last
	ends []int64 // of the lines behind it that were read
	err  error   // what ended the file but for io.EOF
}

func (c *lineCounter) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	for i, char := range b[:n] {
		if char == '\n' {
			c.ends = append(c.ends, c.read+int64(i))
		}
	}
	c.read += int64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// at is the line of a place, which is behind that of the call before.
func (c *lineCounter) at(offset int64) int {
	for len(c.ends) > 0 && c.ends[0] < offset {
		c.ends = c.ends[1:]
		c.line++
	}
	return c.line
}
