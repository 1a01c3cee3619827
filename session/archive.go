package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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
// A line is a store.Line, and sha256 the session's digest, which store.Digester takes as Whole.
// Any JSON with this content is read, whatever its spaces. winnow writes each line as one line of text, so
// that where some bytes of a file are damaged the next session is found again.

// archiveFormat is the version of the format.
const archiveFormat = 1

// The texts between the lines of an archive.
const (
	archiveHead = `{"winnow":1,"sessions":[`
	sessionHead = `{"lines":[`
	archiveTail = "]}\n"
)

// writeArchive writes sessions, each as it stands at one moment. Nothing is held in memory but a line.
func writeArchive(ctx context.Context, s *store.Store, w io.Writer, ids ...string) error {
	out := bufio.NewWriter(w)
	out.WriteString(archiveHead) // an error stays in the writer until Flush
	for i, id := range ids {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n" + sessionHead)
		if err := writeSession(ctx, s, out, id); err != nil {
			return err
		}
	}
	out.WriteString("\n" + archiveTail)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

func writeSession(ctx context.Context, s *store.Store, out *bufio.Writer, id string) error {
	digest := store.NewDigester()
	begun := false
	err := s.Dump(ctx, id, func(l store.Line) error {
		text, err := lineJSON(l)
		if err != nil {
			return fmt.Errorf("write the archive: %w", err)
		}
		if begun {
			out.WriteByte(',')
		}
		begun = true
		out.WriteByte('\n')
		if _, err := out.Write(text); err != nil {
			return fmt.Errorf("write the archive: %w", err)
		}
		return digest.Add(l)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n],\"sha256\":%q}", digest.Whole())
	return err
}

// lineJSON writes a line without escaping what only HTML needs escaped.
func lineJSON(l store.Line) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(l)
	return bytes.TrimSpace(buf.Bytes()), err
}
