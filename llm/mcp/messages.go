package mcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
)

// errTooLong ends the connection of a program whose line is too long.
var errTooLong = fmt.Errorf("it has more than %d MB", mostMessage>>20)

// messageReader reads the standard output of a program. It leaves out the lines that are no JSON-RPC messages, because
// the SDK ends the connection at the first of them, and hands them to stray. A line that calls itself a message is
// passed on even if it cannot be decoded: somebody may be waiting for that very answer.
type messageReader struct {
	*os.File
	lines *bufio.Reader
	stray io.Writer

	inLine  bool // the next piece continues a line
	passing bool // that line is passed on
	size    int  // bytes of that line so far
	piece   []byte
}

func newMessageReader(out *os.File, stray io.Writer) *messageReader {
	return &messageReader{File: out, lines: bufio.NewReaderSize(out, 64<<10), stray: stray}
}

func (r *messageReader) Read(p []byte) (int, error) {
	for len(r.piece) == 0 {
		piece, err := r.lines.ReadSlice('\n')
		if len(piece) == 0 {
			return 0, err
		}
		whole := err == nil
		if !r.inLine {
			object := bytes.HasPrefix(bytes.TrimLeft(piece, " \t"), []byte("{"))
			// Where a line is longer than the buffer, the key may stand behind the result.
			r.passing = object && (!whole || bytes.Contains(piece, []byte(`"jsonrpc"`)))
			r.size = 0
		}
		r.inLine = !whole
		r.size += len(piece)
		switch {
		case !r.passing:
			r.stray.Write(piece)
		case r.size > mostMessage:
			return 0, errTooLong
		default:
			r.piece = piece
		}
	}
	n := copy(p, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}
