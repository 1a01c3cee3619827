package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
)

const (
	// lineMax is the longest line or JSON value of a stream, in bytes: a whole answer has to fit.
	lineMax = 16 << 20

	// pageMax is how much is read of a web page, in bytes.
	pageMax = 64 << 10
)

// ErrLongLine says that a line is too long to be read.
var ErrLongLine = fmt.Errorf("a line of the stream is longer than %d MiB", lineMax>>20)

// Lines filters the body of an answer for go-openai, which reads a line "data: " and the data of an event, and loses
// what servers send beside that. What is read from it has one such line for each event, and nothing else.
//
// A stream of server-sent events is read as the standard says: lines end in LF, CR or CRLF, comments and unknown
// fields are passed over, data lines of one event are joined. It goes beyond the standard where servers do: what the
// end of the stream leaves open is still an event, and a data line that is JSON by itself is an event at once, whether
// a blank line follows or not. A line of bare JSON is an event, too, such as one of Ollama's. The data of an event
// that is named "error", and the value of a field of that name, become {"error": data}.
//
// A body that begins with a JSON value on several lines begins with the event that the value is. A web page is one
// event, of its beginning.
type Lines struct {
	// Done says that [DONE] came. What follows it is not read.
	Done bool

	body  *bufio.Reader
	lines *bufio.Scanner // what is left of body, after its beginning
	out   bytes.Buffer   // not read yet
	err   error          // what comes behind out

	afterCR bool // an LF that follows belongs to the line before
	torn    bool // the last line had no end
}

// NewLines makes a filter of the body of an answer.
func NewLines(body io.Reader) *Lines { return &Lines{body: bufio.NewReader(body)} }

// Read gives the lines. An error that ends inside JSON is io.ErrUnexpectedEOF.
func (l *Lines) Read(p []byte) (int, error) {
	for l.out.Len() == 0 {
		switch {
		case l.err != nil:
			return 0, l.err
		case l.lines == nil:
			l.begin()
		default:
			l.event()
		}
	}
	return l.out.Read(p)
}

// begin finds out what the body is. The type that its header names is no help: some servers send streams as
// text/plain, and errors and whole answers as streams.
func (l *Lines) begin() {
	rest := io.Reader(l.body)
	switch l.first() {
	case '<':
		l.write(l.page())
		l.err = io.EOF
	case '{', '[':
		value := json.NewDecoder(io.LimitReader(l.body, lineMax))
		var data json.RawMessage
		if value.Decode(&data) == nil {
			l.write(data)
		}
		rest = io.MultiReader(value.Buffered(), l.body) // from the value on if it is none
	}
	l.lines = bufio.NewScanner(rest)
	l.lines.Buffer(nil, lineMax)
	l.lines.Split(l.split)
}

// first passes over a byte order mark and white space, and gives the character behind them without taking it.
func (l *Lines) first() rune {
	for {
		c, _, err := l.body.ReadRune()
		if err != nil {
			l.err = err
			return 0
		}
		if c != '\ufeff' && !unicode.IsSpace(c) {
			_ = l.body.UnreadRune() // It follows a ReadRune.
			return c
		}
	}
}

// page is the beginning of a web page, to the end of its title.
func (l *Lines) page() []byte {
	var page []byte
	for len(page) < pageMax && !bytes.HasSuffix(bytes.ToLower(page), []byte("</title>")) {
		tag, err := l.body.ReadSlice('>')
		if page = append(page, tag...); err != nil && err != bufio.ErrBufferFull {
			break
		}
	}
	return page
}

// split finds the next line: see bufio.SplitFunc.
func (l *Lines) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	from := 0
	if l.afterCR && len(data) > 0 && data[0] == '\n' {
		from = 1
	}
	at := from + bytes.IndexAny(data[from:], "\r\n")
	switch {
	case at >= from:
		l.afterCR = data[at] == '\r'
		return at + 1, data[from:at], nil
	case atEOF && len(data) > from:
		l.torn = true
		return len(data), data[from:], nil
	}
	return 0, nil, nil
}

// event reads the next event.
func (l *Lines) event() {
	var name string
	var data []byte
	for l.lines.Scan() {
		line := l.lines.Bytes()
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch {
		case len(line) == 0 && data != nil:
			l.named(name, data)
			return
		case len(line) == 0:
			name = ""
		case string(field) == "data":
			// The lines of an error may be several.
			if name != "error" && isWhole(value) && !beginsJSON(data) {
				l.write(value)
				return
			}
			if data != nil {
				data = append(data, ' ')
			}
			data = append(data, value...)
		case string(field) == "event":
			name = string(value)
		case string(field) == "error" && data == nil:
			l.named("error", value)
			return
		case beginsJSON(line) && data == nil:
			l.write(line)
			return
		}
	}
	switch l.err = l.lines.Err(); l.err {
	case nil:
		l.err = io.EOF
	case bufio.ErrTooLong:
		l.err = ErrLongLine
	}
	l.named(name, data)
}

// isWhole says that a data line is an event by itself.
func isWhole(line []byte) bool {
	line = bytes.TrimSpace(line)
	return string(line) == "[DONE]" || json.Valid(line)
}

func beginsJSON(text []byte) bool { return len(text) > 0 && (text[0] == '{' || text[0] == '[') }

// named gives the data of an event with a name.
func (l *Lines) named(name string, data []byte) {
	if name == "error" && len(bytes.TrimSpace(data)) > 0 {
		if !json.Valid(data) {
			data, _ = json.Marshal(string(data)) // A string always encodes.
		}
		data = fmt.Appendf(nil, `{"error":%s}`, data)
	}
	l.write(data)
}

// write gives the data of an event.
func (l *Lines) write(data []byte) {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0:
		return
	case string(data) == "[DONE]":
		l.Done, l.err = true, io.EOF
	case l.torn && beginsJSON(data) && !json.Valid(data):
		l.err = io.ErrUnexpectedEOF
		return
	}
	l.out.WriteString("data: ")
	if rest, found := bytes.CutPrefix(data, []byte(`{"error":`)); found {
		// go-openai takes this for an error of which it knows the form, and loses all others. The blank hides it.
		l.out.WriteString(`{ "error":`)
		data = rest
	}
	// JSON has line ends between its values alone.
	l.out.Write(bytes.ReplaceAll(data, []byte{'\n'}, []byte{' '}))
	l.out.WriteByte('\n')
}
