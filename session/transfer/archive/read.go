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

// reader reads an archive. It is read by offsets, so that a session can be looked
// through before it is stored, and that what is damaged can be stepped over.
type reader struct {
	file   io.ReadSeeker
	at     int64 // where the next session is looked for
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

// archived is a session of an archive.
type archived struct {
	at     int64 // where it begins
	head   store.SessionLine
	digest digest
	sum    string // as the archive says it, "" where it does not
}

// damageError says that a session of an archive cannot be imported.
type damageError struct{ what string }

func (e *damageError) Error() string { return e.what }

func damagef(format string, args ...any) error { return &damageError{fmt.Sprintf(format, args...)} }

// open reads the beginning of an archive.
func open(file io.ReadSeeker) (*reader, error) {
	a := &reader{file: file}
	if err := a.seek(0); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(a)
	var version int
	if expect(dec, json.Delim('{')) != nil || expect(dec, "winnow") != nil || dec.Decode(&version) != nil || version < 1 {
		return nil, cmp.Or(a.failed, errNotArchive)
	}
	if version != format {
		return nil, fmt.Errorf("another build of winnow wrote the archive (format %d, this one reads %d)", version, format)
	}
	if expect(dec, "sessions") != nil || expect(dec, json.Delim('[')) != nil {
		a.at = 0 // The first session is looked for.
		return a, nil
	}
	a.at = dec.InputOffset()
	return a, nil
}

func expect(dec *json.Decoder, want json.Token) error {
	got, err := dec.Token()
	if err != nil {
		return broken(err)
	}
	if got != want {
		return damagef("found %v instead of %v", got, want)
	}
	return nil
}

// broken makes a sentence of what a JSON decoder says.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damagef("the file ends in the middle of it")
	}
	return damagef("%s", err)
}

// next finds the place where the next session begins. The error is io.EOF at the end of the archive, and
// a *damageError where something else is there.
func (a *reader) next() (int64, error) {
	if err := a.seek(a.at); err != nil {
		return 0, err
	}
	in := bufio.NewReader(a)
	for at := a.at; ; at++ {
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

// find finds the next place behind at where winnow began to write a session. The error is io.EOF where
// there is none.
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
		switch {
		case err == nil:
			fresh = true
		case errors.Is(err, bufio.ErrBufferFull):
			fresh = false // the rest of a long line
		default:
			return at, cmp.Or(a.failed, io.EOF)
		}
	}
}

// inspect reads the session that begins at a place through to its end, and says where that is, 0 where it is not found.
// The error is a *damageError where the session is not whole; what is known of it by then comes beside that.
func (a *reader) inspect(at int64) (of archived, end int64, err error) {
	of = archived{at: at, digest: newDigest()}
	if err := a.seek(at); err != nil {
		return of, 0, err
	}
	dec := json.NewDecoder(a)
	err = eachLine(dec, func(l store.Line) error {
		if l.Session != nil && of.head.ID == "" {
			of.head = *l.Session
		}
		_, err := of.digest.add(l)
		return err
	})
	if err == nil {
		of.sum, err = lastOf(dec)
	}
	if err != nil {
		return of, 0, cmp.Or(a.failed, err)
	}
	return of, at + dec.InputOffset(), of.check()
}

// check says what is wrong with a session whose lines could all be read.
func (of archived) check() error {
	switch {
	case of.head.ID == "":
		return damagef("it has no line that says which session it is")
	case of.sum != "" && of.sum != of.digest.sum():
		return damagef("its content does not match its checksum")
	case of.digest.messages == 0:
		return damagef("it has no message")
	}
	return nil
}

// lines hands out the lines of the session that begins at a place.
func (a *reader) lines(at int64, take func(store.Line) error) error {
	if err := a.seek(at); err != nil {
		return err
	}
	err := eachLine(json.NewDecoder(a), take)
	return cmp.Or(a.failed, err)
}

// eachLine reads the lines of a session from its beginning.
func eachLine(dec *json.Decoder, take func(store.Line) error) error {
	for _, want := range []json.Token{json.Delim('{'), "lines", json.Delim('[')} {
		if err := expect(dec, want); err != nil {
			return err
		}
	}
	for dec.More() {
		var l store.Line
		if err := dec.Decode(&l); err != nil {
			return broken(err)
		}
		if l == (store.Line{}) {
			return damagef("it has a line of a type that this winnow does not support")
		}
		if err := take(l); err != nil {
			return err
		}
	}
	return expect(dec, json.Delim(']'))
}

// lastOf reads what is behind the lines of a session: its digest, or nothing.
func lastOf(dec *json.Decoder) (sum string, err error) {
	t, err := dec.Token()
	if err != nil {
		return "", broken(err)
	}
	if t == json.Delim('}') {
		return "", nil
	}
	if t != "sha256" {
		return "", damagef("found %v instead of its sha256", t)
	}
	if err := dec.Decode(&sum); err != nil {
		return "", broken(err)
	}
	return sum, expect(dec, json.Delim('}'))
}
