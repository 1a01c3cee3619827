// Package archive writes sessions as JSON without a loss and restores them. It keeps the form of the file
// and finds what is whole in a damaged one; what a line holds and how it is stored is package store's.
package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"winnow/session/store"
)

// An archive is one JSON object that holds sessions whole:
//
//	{"winnow":1,"sessions":[
//	{"lines":[
//	{"session":{…}},
//	{"message":{…}},
//	…
//	],"sha256":"…"},
//	…
//	]}
//
// A line is a store.Line, and sha256 is that of the lines, each as winnow writes it with a line feed behind it.
// Any JSON with this content is read, whatever its spaces. winnow writes each line as one line of text, so
// that where some bytes of a file are damaged the next session is found again.

// format is the version of the format.
const format = 1

// The texts between the lines of an archive.
const (
	fileHead    = `{"winnow":1,"sessions":[`
	sessionHead = `{"lines":[`
	fileTail    = "]}\n"
)

// Write writes sessions whole, each as it is at one moment, all of the history where none is
// named. One that is purged meanwhile is left out. Nothing is held in memory but a line.
func Write(ctx context.Context, s *store.Store, w io.Writer, ids ...string) error {
	all := len(ids) == 0
	if all {
		var err error
		if ids, err = s.SessionIDs(ctx); err != nil {
			return err
		}
	}
	out := writer{Writer: bufio.NewWriter(w)}
	out.WriteString(fileHead) // an error stays in the writer until Flush
	for _, id := range ids {
		err := out.session(ctx, s, id)
		if err != nil && !(all && errors.Is(err, store.ErrNotFound)) {
			return err
		}
	}
	out.WriteString("\n" + fileTail)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

// writer writes one session after the other.
type writer struct {
	*bufio.Writer
	sessions int
}

func (out *writer) session(ctx context.Context, s *store.Store, id string) error {
	of := newDigest()
	err := s.Dump(ctx, id, func(l store.Line) error {
		text, err := of.add(l)
		if err != nil {
			return fmt.Errorf("write the archive: %w", err)
		}
		switch {
		case l.Session == nil:
			out.WriteString(",\n")
		case out.sessions > 0:
			out.WriteString(",\n" + sessionHead + "\n")
		default:
			out.WriteString("\n" + sessionHead + "\n")
		}
		if _, err := out.Write(text); err != nil {
			return fmt.Errorf("write the archive: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	out.sessions++
	_, err = fmt.Fprintf(out, "\n],\"sha256\":%q}", of.sum())
	return err
}

// digest is the SHA-256 of the lines of a session.
type digest struct {
	hash     hash.Hash
	messages int
}

func newDigest() digest { return digest{hash: sha256.New()} }

// add adds a line and returns its text.
func (d *digest) add(l store.Line) ([]byte, error) {
	if l.Message != nil {
		d.messages++
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return nil, err
	}
	d.hash.Write(text.Bytes())
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

func (d *digest) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }
