// Package archive writes sessions as JSON without a loss and restores them. It keeps the form of the file
// and finds what is whole in a damaged one; what a line holds and how it is stored is package store's.
package archive

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"winnow/session/store"
	"winnow/session/transfer/conversation"
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
// A line is a store.Line, and sha256 is that of the lines, each as winnow writes it with a line feed after it.
// Any JSON with this content is read, whatever its spaces. winnow writes each line as one line of text, so
// that where some bytes of a file are damaged the next session is found again.

// format is the version of the format.
const format = 1

// The texts between the lines of an archive.
const (
	fileHead    = `{"winnow":1,"sessions":[`
	sessionHead = `{"lines":[`
	fileTail    = "\n]}\n"
)

// Write writes sessions whole, each as it is at one moment, all of the history where none is
// named. One that is purged meanwhile is left out. Nothing is held in memory but a line.
func Write(ctx context.Context, s *store.Store, w io.Writer, ids ...string) error {
	all := len(ids) == 0
	if all {
		sessions, err := s.Sessions(ctx, store.Filter{All: true})
		if err != nil {
			return err
		}
		for _, of := range sessions {
			ids = append(ids, of.ID)
		}
	}
	out := bufio.NewWriter(w)
	out.WriteString(fileHead) // an error stays in the writer until Flush
	between := "\n"
	for _, id := range ids {
		begin := between + sessionHead + "\n"
		of := newDigest()
		err := s.Dump(ctx, id, func(l store.Line) error {
			text, err := of.add(l)
			if err != nil {
				return fmt.Errorf("write the archive: %w", err)
			}
			out.WriteString(begin)
			begin = ",\n"
			if _, err := out.Write(text); err != nil {
				return fmt.Errorf("write the archive: %w", err)
			}
			return nil
		})
		if all && errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n],\"sha256\":%q}", of.sum())
		between = ",\n"
	}
	out.WriteString(fileTail)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

// digest is the SHA-256 of the lines of a session.
type digest struct{ hash hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

// add adds a line and returns its text.
func (d digest) add(l store.Line) ([]byte, error) {
	text, err := conversation.Marshal(l)
	d.hash.Write(append(text, '\n'))
	return text, err
}

func (d digest) sum() string { return fmt.Sprintf("%x", d.hash.Sum(nil)) }
