package archive

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// The reasons why an archive, or one of its sessions, cannot be imported.
var (
	errNotArchive = errors.New("it is not a winnow archive")
	errCut        = errors.New("the file ends in the middle of it")
	errDamaged    = errors.New("its content does not match its checksum")
)

// reader reads an archive line by line.
type reader struct {
	in   *bufio.Reader
	line []byte // the last line, trimmed
}

// open reads the head of an archive.
func open(file io.Reader) (*reader, error) {
	a := &reader{in: bufio.NewReaderSize(file, 1<<16)}
	if err := a.nextLine(); err != nil && err != io.EOF {
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

// nextLine reads the next line. The error is io.EOF at the end of the file.
func (a *reader) nextLine() error {
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

// atSession reports whether a session begins after this line. The line may also hold the end of the session before, if
// the line feed between them is damaged.
func (a *reader) atSession() bool { return bytes.HasSuffix(a.line, []byte(sessionHead)) }

// nextSession skips to the next line that begins a session, and reports whether there were other lines before it. The
// error is io.EOF at the end of the archive, and errCut if the file ends before that.
func (a *reader) nextSession() (others bool, err error) {
	for first := true; !a.atSession(); first = false {
		if string(a.line) == fileTail {
			return others, io.EOF
		}
		others = others || !first
		switch err := a.nextLine(); {
		case err == io.EOF:
			return true, errCut
		case err != nil:
			return others, err
		}
	}
	return others, nil
}

// readSession reads the lines of the session that begins here. The error is errCut or errDamaged, with the lines that
// were read, or a read error.
func (a *reader) readSession() (lines [][]byte, err error) {
	sum := sha256.New()
	for {
		switch err := a.nextLine(); {
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
