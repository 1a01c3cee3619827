package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"winnow/session/store"
)

// Why an archive, or a session of one, cannot be imported.
var (
	errNotArchive = errors.New("it is not a winnow archive")
	errCut        = errors.New("the file ends in the middle of it")
	errDamaged    = errors.New("its content does not match its checksum")
)

// reader reads an archive by its lines of text.
type reader struct {
	file io.ReadSeeker
	in   *bufio.Reader
	line []byte // that was read last, without the spaces around it
	next int64  // where in the file the line after it begins
}

// open reads the beginning of an archive.
func (a *reader) open() error {
	if err := a.seek(0); err != nil {
		return err
	}
	if err := a.read(); err != nil && err != io.EOF {
		return err
	}
	var version int
	if _, err := fmt.Sscanf(string(a.line), fileHead, &version); err != nil || version < 1 {
		return errNotArchive
	}
	if version != format {
		const what = "another build of winnow wrote the archive (format %d, this one reads %d)"
		return fmt.Errorf(what, version, format)
	}
	return nil
}

// seek goes to the beginning of a line.
func (a *reader) seek(at int64) error {
	if _, err := a.file.Seek(at, io.SeekStart); err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	a.in, a.next = bufio.NewReaderSize(a.file, 1<<16), at
	return nil
}

// read reads the next line. The error is io.EOF where there is none, or one of reading.
func (a *reader) read() error {
	text, err := a.in.ReadBytes('\n')
	a.next += int64(len(text))
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

// find goes to the next line with which a session begins, and counts the lines before it that are of none. The error is
// io.EOF at the end of the archive, errCut at that of a file that has not all of it, or one of reading.
func (a *reader) find() (others int, err error) {
	for ; !a.atSession(); others++ {
		if string(a.line) == fileTail {
			return others - 1, io.EOF
		}
		switch err := a.read(); {
		case err == io.EOF:
			return others, errCut
		case err != nil:
			return others, err
		}
	}
	return others - 1, nil
}

// session hands out the lines of a session, the first of which is at a place. The error is errCut or errDamaged, or one
// of reading or of take.
func (a *reader) session(at int64, take func(store.Line) error) error {
	if err := a.seek(at); err != nil {
		return err
	}
	sum := sha256.New()
	for {
		switch err := a.read(); {
		case err == io.EOF:
			return errCut
		case err != nil:
			return err
		}
		if a.atSession() || bytes.HasPrefix(a.line, []byte("]")) {
			if !bytes.HasPrefix(a.line, fmt.Appendf(nil, sessionTail, sum.Sum(nil))) {
				return errDamaged
			}
			return nil
		}
		text := bytes.TrimSuffix(a.line, []byte(","))
		sum.Write(text)
		sum.Write([]byte("\n"))
		var l store.Line
		if json.Unmarshal(text, &l) != nil {
			return errDamaged
		}
		if err := take(l); err != nil {
			return err
		}
	}
}
