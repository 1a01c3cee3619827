// Package archive writes sessions to a lossless JSON file and restores them, also from a damaged file. The content of
// its lines and how they are stored is the business of package store.
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
// Each store.Line is on a line of its own. sha256 is the hash of these lines, each with a line feed instead of the
// comma. Archives are read line by line rather than as JSON, so that the next session can be found after damaged bytes.

// The texts around the lines of an archive. The first one contains the version of the format.
const (
	fileHead    = `{"winnow":%d,"sessions":[`
	format      = 1
	sessionHead = `{"lines":[`
	sessionTail = `],"sha256":"%x"}`
	fileTail    = `]}`
)

// Write writes sessions, each as a consistent snapshot, or all sessions if no ids are given. A session that is purged
// meanwhile is then left out. Only one line at a time is held in memory.
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
	fmt.Fprintf(out, fileHead, format) // Flush returns any error
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
