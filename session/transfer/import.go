// Package transfer imports conversations from the files of other programs and exports sessions. It recognises formats,
// fills in what a format does not provide, and reports on each conversation. Each format has a package of its own below
// this one; rows are written by package store.
package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/dustin/go-humanize/english"

	"winnow/history"
	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/archive"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/openai"
)

// ErrNoMessage is returned if a file holds no message that can be imported.
var ErrNoMessage = errors.New("it contains no messages")

// FileError says why a file cannot be imported, in a sentence for the user.
type FileError struct{ Reason string }

func (e *FileError) Error() string { return e.Reason }

// Source is a file to import.
type Source struct {
	File File
	Path string    // its path, "" for a pipe
	Dir  string    // the working directory of sessions for which the file names none
	Time time.Time // when the file was written, for messages without a time
}

// File is an open file that supports random access.
type File interface {
	io.ReaderAt
	io.Seeker
}

// section returns the file from an offset on.
func (from Source) section(begin int64) *io.SectionReader {
	return io.NewSectionReader(from.File, begin, math.MaxInt64-begin)
}

// Imported is the outcome of one conversation of a file.
type Imported = conversation.Imported

// Import stores every conversation of a file as a session, or adds what is new to the session that was imported before,
// and calls report for each. It recognises the format by the content. Each conversation is stored whole or not at all;
// those that were stored before an error or the end of ctx stay.
//
// A conversation that cannot be read is reported with Errors, and the import continues. The error is ErrNoMessage if
// the file holds no message, and a *FileError if the file cannot be imported for a reason that the user should know.
func Import(ctx context.Context, s *store.Store, from Source, report func(Imported)) error {
	in := importer{s: s, from: from, report: report}
	f, err := open(ctx, from)
	if err != nil {
		return err
	}
	defer f.close()
	if f.read == nil {
		err = in.archive(ctx)
	} else {
		err = f.read(f.values, func(c conversation.Conversation) error { return in.add(ctx, c) })
	}
	if err == nil && !in.found {
		return ErrNoMessage
	}
	return err
}

// ImportRequest stores the messages in the body of a request and the answer to it as a new session. row has the
// session's source, time and model. It returns the id of the session.
func ImportRequest(ctx context.Context, s *store.Store, row store.Session, body []byte, answer string) (string, error) {
	c := openai.ReadRequest(body)
	if answer != "" {
		c.Append(conversation.NewMessage("", "assistant", answer, 0))
	}
	row.System, row.SystemFixed = c.Session.System, true // also "", because no other prompt was sent
	c.Session = row
	in := importer{from: Source{Time: row.Created}}
	in.setDefaults(&Imported{}, &c.ImportedConversation)
	c.Session.Updated = time.Time{} // it becomes the session used last
	out, err := s.Import(ctx, c.ImportedConversation)
	return out.Session.ID, err
}

// importer is the state of one import.
type importer struct {
	s      *store.Store
	from   Source
	report func(Imported)
	number int  // of the current conversation, from 1
	found  bool // the file has a message
}

// archive restores the sessions of an archive of winnow.
func (in *importer) archive(ctx context.Context) error {
	return archive.Restore(ctx, in.s, in.from.section(0), func(im Imported) {
		in.number, in.found = in.number+1, true
		im.Place = in.number
		in.report(im)
	})
}

// add imports the next conversation of the file and reports on it.
func (in *importer) add(ctx context.Context, c conversation.Conversation) error {
	in.number++
	im := Imported{Report: c.Report, Place: in.number, Title: title.OneLine(c.Session.Title)}
	switch {
	case len(c.Messages) > 0:
		in.found = true
		named := c.Session.Origin != ""
		if !named {
			c.Session.Origin = fingerprint(c)
		}
		in.setDefaults(&im, &c.ImportedConversation)
		if err := in.store(ctx, &im, c.ImportedConversation, named); err != nil {
			return fmt.Errorf("conversation %d: %w", im.Place, err)
		}
	case len(im.Errors) == 0:
		im.Warnf("", "the conversation has no messages; nothing was imported")
	case c.Session.Source == openai.Source && !in.found:
		return unrecognised(im.Errors[0].String())
	}
	in.report(im)
	return ctx.Err()
}

// store stores a conversation and completes im. named says that the file gives the conversation an id.
func (in *importer) store(ctx context.Context, im *Imported, c store.ImportedConversation, named bool) error {
	for i := range c.Messages {
		if m := &c.Messages[i]; named && m.Label == "" {
			m.Label = fmt.Sprintf("message %d", i+1) // identifies the message in a later import
		}
	}
	if !named { // the conversation continues with the model in use
		c.Session.Updated, c.Session.Endpoint, c.Session.Model = time.Time{}, "", ""
	}
	out, err := in.s.Import(ctx, c)
	if err != nil {
		return err
	}
	im.Session, im.New, im.Added, im.Again = out.Session, out.New, out.Added, out.Added+out.Filled == 0
	im.Title = cmp.Or(im.Title, out.Session.Title)
	if !out.Session.Deleted.IsZero() {
		im.Warnf(
			"", "the conversation is in the trash; winnow sessions restore %s brings it back", out.Session.ID,
		)
	}
	warnCount(im, out.Filled, "%s of the earlier import got its images")
	warnCount(
		im, out.Unfilled, "%s did not get its images, because the chat was continued here",
	)
	return nil
}

// warnCount adds a warning about a number of messages, unless it is 0.
func warnCount(im *Imported, messages int, format string) {
	if messages > 0 {
		im.Warnf("", format, english.Plural(messages, "message", ""))
	}
}

// fingerprint returns an id for a conversation that has none in its file: a hash of its content and of the times in the
// file. Conversations with the same words at different times are different conversations.
func fingerprint(c conversation.Conversation) string {
	hash := sha256.New()
	enc := json.NewEncoder(hash) // strings and numbers always encode
	_ = enc.Encode(c.Session.System)
	for _, m := range c.Messages {
		_ = enc.Encode(
			[]any{m.Role, m.Content, m.Label, m.CreatedMS, m.ToolCallID, m.Reasoning, m.ToolCalls, m.Parts},
		)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:16])
}

// setDefaults gives a conversation the title and the times that its file does not provide.
func (in *importer) setDefaults(im *Imported, c *store.ImportedConversation) {
	row := &c.Session
	begun := in.from.Time
	if !row.Created.IsZero() {
		begun = row.Created
	}
	first, untimed := "", 0
	oldest, newest := int64(math.MaxInt64), int64(0)
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.CreatedMS == 0 {
			untimed++
			m.Untimed, m.CreatedMS = true, begun.UnixMilli()
			if m.After >= 0 {
				m.CreatedMS = c.Messages[m.After].CreatedMS
			}
		}
		oldest, newest = min(oldest, m.CreatedMS), max(newest, m.CreatedMS)
		if first == "" && m.Role == history.User && !conversation.IsBlank(*m) {
			first = m.Content
		}
		if m.Role == history.Assistant && m.Model == "" {
			m.Model = row.Model
		}
	}
	warnCount(
		im, untimed, "%s without a time; the time of the message before or of the file is used",
	)
	row.Title, row.TitleFrom = title.OneLine(row.Title), store.TitleUser
	if row.Title == "" {
		row.Title, row.TitleFrom = title.FromText(first), store.TitleAuto
	}
	if row.Created.IsZero() {
		row.Created = time.UnixMilli(oldest)
	}
	if row.Updated.IsZero() {
		row.Updated = time.UnixMilli(newest)
	}
	row.Dir = cmp.Or(row.Dir, in.from.Dir)
}
