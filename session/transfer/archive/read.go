package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"winnow/session/store"
)

// errNotArchive says that a file is not an archive of winnow.
var errNotArchive = errors.New("it is not a winnow archive")

// reader reads an archive. It is read by offsets, so that a session can be read again, and what is damaged can be
// stepped over.
type reader struct {
	file   io.ReadSeeker
	failed error // what reading the file failed with, nil for nothing
}

// Read reads on in the file and remembers what went wrong.
func (a *reader) Read(p []byte) (int, error) {
	n, err := a.file.Read(p)
	if err != nil && err != io.EOF {
		a.failed = fmt.Errorf("read the archive: %w", err)
	}
	return n, err
}

// seek goes to a place of the file.
func (a *reader) seek(at int64) error {
	if _, err := a.file.Seek(at, io.SeekStart); err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	return nil
}

// damageError says that a session of an archive cannot be imported.
type damageError struct{ what string }

func (e *damageError) Error() string { return e.what }

func damagef(format string, args ...any) error { return &damageError{fmt.Sprintf(format, args...)} }

// open reads the beginning of an archive, and returns where the first session is looked for.
func (a *reader) open() (at int64, err error) {
	if err := a.seek(0); err != nil {
		return 0, err
	}
	dec := json.NewDecoder(a)
	var version int
	if expect(dec, json.Delim('{'), "winnow") != nil || dec.Decode(&version) != nil || version < 1 {
		return 0, cmp.Or(a.failed, errNotArchive)
	}
	if version != format {
		const what = "another build of winnow wrote the archive (format %d, this one reads %d)"
		return 0, fmt.Errorf(what, version, format)
	}
	if expect(dec, "sessions", json.Delim('[')) != nil {
		return 0, nil
	}
	return dec.InputOffset(), nil
}

// expect reads these tokens.
func expect(dec *json.Decoder, want ...json.Token) error {
	for _, token := range want {
		got, err := dec.Token()
		if err != nil {
			return broken(err)
		}
		if got != token {
			return damagef("found %v instead of %v", got, token)
		}
	}
	return nil
}

// broken makes a sentence of what a JSON decoder says.
func broken(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damagef("the file ends in the middle of it")
	}
	return damagef("%s", err)
}

// next finds the place, from at on, where the next session begins. The error is io.EOF at the end of the archive, and
// a *damageError where something else is there.
func (a *reader) next(at int64) (int64, error) {
	if err := a.seek(at); err != nil {
		return 0, err
	}
	for in := bufio.NewReader(a); ; at++ {
		c, err := in.ReadByte()
		if err != nil {
			return at, cmp.Or(a.failed, damagef("the file ends before the archive does"))
		}
		switch c {
		case ' ', '\t', '\r', '\n', ',':
		case '{':
			return at, nil
		case ']':
			return at, io.EOF
		default:
			return at, damagef("a session is missing here")
		}
	}
}

// find finds the next place after at where winnow began to write a session. The error is io.EOF where there is none.
func (a *reader) find(at int64) (int64, error) {
	if err := a.seek(at); err != nil {
		return 0, err
	}
	in := bufio.NewReaderSize(a, 1<<16)
	for fresh := at == 0; ; {
		line, err := in.ReadSlice('\n')
		if fresh && bytes.HasPrefix(line, []byte(sessionHead)) {
			return at, nil
		}
		at += int64(len(line))
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return at, cmp.Or(a.failed, io.EOF)
		}
		fresh = err == nil // else it is the rest of a long line
	}
}

// session hands out the lines of the session that begins at a place, and says where it ends, 0 where that is not found.
// The error is a *damageError where the session is not whole, and otherwise one of reading or of take.
func (a *reader) session(at int64, take func(store.Line) error) (end int64, err error) {
	if err := a.seek(at); err != nil {
		return 0, err
	}
	dec := json.NewDecoder(a)
	of, begun, messages := newDigest(), false, 0
	err = expect(dec, json.Delim('{'), "lines", json.Delim('['))
	for err == nil && dec.More() {
		var l store.Line
		switch err = broken(dec.Decode(&l)); {
		case err != nil:
		case l == store.Line{}:
			err = damagef("it has a line of a type that this winnow does not support")
		default:
			begun = begun || l.Session != nil
			if l.Message != nil {
				messages++
			}
			if _, err = of.add(l); err == nil {
				err = take(l)
			}
		}
	}
	if err == nil {
		err = expect(dec, json.Delim(']'))
	}
	sum := ""
	for err == nil && dec.More() {
		if err = expect(dec, "sha256"); err == nil {
			err = broken(dec.Decode(&sum))
		}
	}
	if err == nil {
		err = expect(dec, json.Delim('}'))
	}
	if err != nil {
		return 0, cmp.Or(a.failed, err)
	}
	end = at + dec.InputOffset()
	switch {
	case !begun:
		return end, damagef("it has no line that says which session it is")
	case sum != "" && sum != of.sum():
		return end, damagef("its content does not match its checksum")
	case messages == 0:
		return end, damagef("it has no message")
	}
	return end, nil
}
