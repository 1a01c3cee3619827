// Package archive writes sessions as JSON without a loss and restores them. It keeps the form of the file
// and finds what is whole in a damaged one; what a line holds and how it is stored is package store's.
package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
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
// A line is a store.Line on a line of text of its own, and sha256 is that of the lines, each with a line feed in place
// of what follows it. What is read is these lines of text, so that where some bytes of a file are damaged the next
// session is found again.

// The texts between the lines of an archive, of which the first has the version of the format.
const (
	fileHead    = `{"winnow":%d,"sessions":[`
	format      = 1
	sessionHead = `{"lines":[`
	sessionTail = `],"sha256":"%x"}`
	fileTail    = `]}`
)

// Write writes sessions whole, each as it is at one moment, all of the history where none is
// named. One that is purged meanwhile is left out. Nothing is held in memory but a line.
func Write(ctx context.Context, s *store.Store, w io.Writer, ids ...string) error {
	all := len(ids) == 0
	if all {
		sessions, err := s.Sessions(ctx, store.SessionFilter{All: true})
		if err != nil {
			return err
		}
		for _, of := range sessions {
			ids = append(ids, of.ID)
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, fileHead, format) // an error stays in the writer until Flush
	between := "\n"
	for _, id := range ids {
		err := writeSession(ctx, s, out, id, between)
		if all && errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		between = ",\n"
	}
	fmt.Fprintf(out, "\n%s\n", fileTail)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

func writeSession(ctx context.Context, s *store.Store, out *bufio.Writer, id, between string) error {
	begin := between + sessionHead + "\n"
	sum := sha256.New()
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := s.Dump(ctx, id, func(l store.Line) error {
		text.Reset()
		if err := enc.Encode(l); err != nil {
			return fmt.Errorf("write the archive: %w", err)
		}
		sum.Write(text.Bytes())
		out.WriteString(begin)
		_, err := out.Write(bytes.TrimSpace(text.Bytes()))
		begin = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n"+sessionTail, sum.Sum(nil))
	return nil
}
