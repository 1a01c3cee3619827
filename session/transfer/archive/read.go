package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// Why an archive, or a session of one, cannot be imported.
var (
	errNotArchive = errors.New("it is not a winnow archive")
	errCut        = errors.New("the file ends in the middle of it")
	errDamaged    = errors.New("its content does not match its checksum")
)

// reader reads an archive by its lines of text.
type reader struct {
	in   *bufio.Reader
	line []byte // that was read last, without the spaces around it
}

// open reads the beginning of an archive.
func open(file io.Reader) (*reader, error) {
	a := &reader{in: bufio.NewReaderSize(file, 1<<16)}
	if err := a.next(); err != nil && err != io.EOF {
		return nil, err
	}
	var version int
	if _, err := fmt.Sscanf(string(a.line), fileHead, &version); err != nil || version < 1 {
		return nil, errNotArchive
	}
	if version != format {
		const what = "another build of winnow wrote the archive (format %d, this one reads %d)"
		return nil, fmt.Errorf(what, version, format)
	}
	return a, nil
}

// next reads the next line. The error is io.EOF where there is none, or one of reading.
func (a *reader) next() error {
	text, err := a.in.ReadBytes('\n')
	a.line = bytes.TrimSpace(text)
	if err == io.EOF && len(text) > 0 {
		return nil
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("read the archive: %w", err)
	}
	return err
}

// atSession reports whether a session begins behind the line. What ended the one before may be on it, too, where the
// line feed between them is damaged.
func (a *reader) atSession() bool { return bytes.HasSuffix(a.line, []byte(sessionHead)) }

// find goes to the next line with which a session begins, and reports whether others are before it that are of none.
// The error is io.EOF at the end of the archive, errCut at that of a file that has not all of it, or one of reading.
func (a *reader) find() (others bool, err error) {
	for first := true; !a.atSession(); first = false {
		if string(a.line) == fileTail {
			return others, io.EOF
		}
		others = others || !first
		switch err := a.next(); {
		case err == io.EOF:
			return true, errCut
		case err != nil:
			return others, err
		}
	}
	return others, nil
}

// session reads the lines of the session that begins here. The error is errCut or errDamaged, beside the lines that
// were read, or one of reading.
func (a *reader) session() (lines [][]byte, err error) {
	sum := sha256.New()
	for {
		switch err := a.next(); {
		case err == io.EOF:
			return lines, errCut
		case err != nil:
			return nil, err
		}
		if a.atSession() || bytes.HasPrefix(a.line, []byte("]")) {
			if !bytes.HasPrefix(a.line, fmt.Appendf(nil, sessionTail, sum.Sum(nil))) {
				return lines, errDamaged
			}
			return lines, nil
		}
		line := bytes.TrimSuffix(a.line, []byte(","))
		lines = append(lines, line)
		sum.Write(line)
		sum.Write([]byte("\n"))
	}
}
